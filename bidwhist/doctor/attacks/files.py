"""Files: what must not be read, and places where nothing must be written."""

import ctypes
import os
import shutil
import stat

from bidwhist.doctor.attack import Attacks
from bidwhist.doctor.calls import call
from bidwhist.doctor.scene import SECRET, Scene

ATTACKS = Attacks()
_HERE = -100  # AT_FDCWD
_MOUNT, _HANDLE = 128, 128  # bytes


@ATTACKS.add("read a file of the user")
def read_file(scene: Scene) -> bool:
    return scene.secret.read_bytes() == SECRET


@ATTACKS.add("list a folder of the user")
def list_folder(scene: Scene) -> bool:
    return scene.secret.name in os.listdir(scene.outside)


@ATTACKS.add("read the machine's list of users")
def read_users(scene: Scene) -> bool:
    with open("/etc/passwd", encoding="utf-8") as file:
        return "root" in file.read()


@ATTACKS.add("read a file through a link in the scratch folder")
def read_through_link(scene: Scene) -> bool:
    (scene.scratch / "link").symlink_to(scene.secret)
    return (scene.scratch / "link").read_bytes() == SECRET


@ATTACKS.add("read a file through /proc/self/root")
def read_through_root(scene: Scene) -> bool:
    with open(f"/proc/self/root{scene.secret}", "rb") as file:
        return file.read() == SECRET


@ATTACKS.add("map a file into memory")
def map_file(scene: Scene) -> bool:
    import mmap

    descriptor = os.open(scene.secret, os.O_RDONLY)
    with mmap.mmap(descriptor, len(SECRET), prot=mmap.PROT_READ) as memory:
        return memory[:] == SECRET


@ATTACKS.add("open a file by its handle", needs_root=True)
def open_by_handle(scene: Scene) -> bool:
    handle = ctypes.create_string_buffer(8 + _HANDLE)
    ctypes.c_uint32.from_buffer(handle).value = _HANDLE
    mount = ctypes.c_int()
    call("name_to_handle_at", _HERE, os.fsencode(scene.secret), handle, ctypes.byref(mount), 0)
    place = os.open(scene.secret.parent, os.O_RDONLY)
    found = call("open_by_handle_at", place, handle, os.O_RDONLY)
    return os.read(found, 100) == SECRET


@ATTACKS.add("read a disk", needs_root=True)
def read_disk(scene: Scene) -> bool:
    number = os.stat(scene.secret).st_dev
    os.mknod(scene.scratch / "disk", stat.S_IFBLK | 0o600, number)
    with open(scene.scratch / "disk", "rb") as file:
        return len(file.read(512)) == 512


@ATTACKS.add("make a device in the scratch folder", needs_root=True)
def make_device(scene: Scene) -> bool:
    os.mknod(scene.scratch / "device", stat.S_IFCHR | 0o600, os.makedev(1, 3))
    return (scene.scratch / "device").exists()


@ATTACKS.add("change a file")
def change_file(scene: Scene) -> bool:
    with open(scene.secret, "r+b") as file:
        file.write(b"!")
    return True


@ATTACKS.add("append to a file")
def append(scene: Scene) -> bool:
    with open(scene.secret, "ab") as file:
        file.write(b"!")
    return True


@ATTACKS.add("make a file among the user's")
def make_file(scene: Scene) -> bool:
    (scene.outside / "new").write_bytes(b"")
    return (scene.outside / "new").exists()


@ATTACKS.add("make a file without a name")
def make_nameless(scene: Scene) -> bool:
    descriptor = os.open(scene.outside, os.O_TMPFILE | os.O_RDWR)
    return os.write(descriptor, b"!") == 1


@ATTACKS.add("make a file among the temporary ones")
def make_temporary(scene: Scene) -> bool:
    path = scene.outside.parent / "temporary"
    path.write_bytes(b"")
    return path.exists()


@ATTACKS.add("make a file in shared memory")
def make_in_memory(scene: Scene) -> bool:
    path = scene.note.with_name(scene.note.name + "-attack")
    path.write_bytes(b"!")
    path.unlink()
    return True


@ATTACKS.add("make a folder")
def make_folder(scene: Scene) -> bool:
    (scene.outside / "new-folder").mkdir()
    return True


@ATTACKS.add("remove a file")
def remove_file(scene: Scene) -> bool:
    (scene.outside / "victim").unlink()
    return True


@ATTACKS.add("remove a folder")
def remove_folder(scene: Scene) -> bool:
    (scene.outside / "empty").rmdir()
    return True


@ATTACKS.add("remove all files")
def remove_all(scene: Scene) -> bool:
    shutil.rmtree(scene.outside / "full")
    return True


@ATTACKS.add("rename a file")
def rename(scene: Scene) -> bool:
    (scene.outside / "victim").rename(scene.outside / "other")
    return True


@ATTACKS.add("move a file into the scratch folder")
def move_here(scene: Scene) -> bool:
    (scene.outside / "victim").rename(scene.scratch / "own")
    return True


@ATTACKS.add("move a file out of the scratch folder")
def move_out(scene: Scene) -> bool:
    (scene.scratch / "own").write_bytes(b"")
    (scene.scratch / "own").rename(scene.outside / "other")
    return True


@ATTACKS.add("exchange two files")
def exchange(scene: Scene) -> bool:
    (scene.scratch / "own").write_bytes(b"")
    names = (os.fsencode(scene.scratch / "own"), os.fsencode(scene.outside / "victim"))
    call("renameat2", _HERE, names[0], _HERE, names[1], 2)
    return True


@ATTACKS.add("link a file into the scratch folder")
def link_here(scene: Scene) -> bool:
    os.link(scene.secret, scene.scratch / "link")
    return (scene.scratch / "link").read_bytes() == SECRET


@ATTACKS.add("link a file out of the scratch folder")
def link_out(scene: Scene) -> bool:
    (scene.scratch / "own").write_bytes(b"")
    os.link(scene.scratch / "own", scene.outside / "new-link")
    return True


@ATTACKS.add("make a symbolic link")
def symlink_out(scene: Scene) -> bool:
    (scene.outside / "new-link").symlink_to("secret")
    return True


@ATTACKS.add("make a named pipe")
def make_pipe(scene: Scene) -> bool:
    os.mkfifo(scene.outside / "new-pipe")
    return True


@ATTACKS.add("make a named pipe in the scratch folder")
def make_pipe_here(scene: Scene) -> bool:
    os.mkfifo(scene.scratch / "pipe")
    return True


@ATTACKS.add("change the rights of a file")
def change_rights(scene: Scene) -> bool:
    os.chmod(scene.secret, 0o666)
    return True


@ATTACKS.add("change the rights of an open file")
def change_rights_open(scene: Scene) -> bool:
    os.fchmod(os.open(scene.shared, os.O_RDONLY), 0o666)
    return True


@ATTACKS.add("let others use a file of the scratch folder")
def change_own_rights(scene: Scene) -> bool:
    (scene.scratch / "own").write_bytes(b"")
    os.chmod(scene.scratch / "own", 0o4777)
    return bool(os.stat(scene.scratch / "own").st_mode & stat.S_ISUID)


@ATTACKS.add("change the owner of a file")
def change_owner(scene: Scene) -> bool:
    os.chown(scene.secret, os.geteuid(), os.getegid())
    return True


@ATTACKS.add("change the times of a file")
def change_times(scene: Scene) -> bool:
    os.utime(scene.secret, (1, 1))
    return True


@ATTACKS.add("shorten a file")
def shorten(scene: Scene) -> bool:
    os.truncate(scene.secret, 0)
    return True


@ATTACKS.add("give a file an attribute")
def set_attribute(scene: Scene) -> bool:
    os.setxattr(scene.secret, "user.bidwhist", b"1")
    return True


@ATTACKS.add("read a variable of the doctor's environment")
def read_variable(scene: Scene) -> bool:
    return SECRET.decode() in os.environ.values()


@ATTACKS.add("use a file that somebody has left open")
def use_open_file(scene: Scene) -> bool:
    for descriptor in range(3, 1024):
        try:
            if os.pread(descriptor, 100, 0) == SECRET:
                return True
        except OSError:
            continue
    return False
