"""Processes: starting some, and reaching those of others."""

import ctypes
import fcntl
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress

from bidwhist.doctor.attack import Attacks
from bidwhist.doctor.calls import call
from bidwhist.doctor.scene import LEFT, SECRET, SHELL, VARIABLE, Process, Scene

ATTACKS = Attacks()
_SIGNAL = signal.SIGURG  # it ends nobody
_MOST_STARTED = 600
_INFO = 128  # bytes of siginfo_t


def _any(targets: tuple[Process, ...], reach: Callable[[Process], object]) -> bool:
    """True if one of the processes is reached: `reach` neither raises OSError nor returns False."""
    reached = False
    for each in targets:
        try:
            reached |= reach(each) is not False
        except OSError:
            continue
    return reached


def _ended(pid: int) -> bool:
    return os.waitpid(pid, 0)[0] == pid


def _sleep_and_end(seconds: float) -> None:
    time.sleep(seconds)
    os._exit(0)


@ATTACKS.add("fork", allowed=True)
def fork(scene: Scene) -> bool:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    return _ended(pid)


@ATTACKS.add("fork by the call's number", allowed=True)
def raw_fork(scene: Scene) -> bool:
    pid = call("fork")
    if pid == 0:
        os._exit(0)
    return _ended(pid)


@ATTACKS.add("vfork", allowed=True)
def vfork(scene: Scene) -> bool:
    return subprocess.run(["/bin/true"], check=False, close_fds=False).returncode == 0


@ATTACKS.add("clone", allowed=True)
def clone(scene: Scene) -> bool:
    pid = call("clone", int(signal.SIGCHLD), 0, 0, 0, 0)
    if pid == 0:
        os._exit(0)
    return _ended(pid)


@ATTACKS.add("clone3")
def clone3(scene: Scene) -> bool:
    terms = (ctypes.c_uint64 * 8)(0, 0, 0, 0, int(signal.SIGCHLD))
    pid = call("clone3", terms, ctypes.sizeof(terms))
    if pid == 0:
        os._exit(0)
    return _ended(pid)


@ATTACKS.add("start a thread", allowed=True)
def thread(scene: Scene) -> bool:
    done: list[int] = []
    started = threading.Thread(target=done.append, args=(1,))
    started.start()
    started.join()
    return done == [1]


@ATTACKS.add(f"start {_MOST_STARTED} processes")
def fork_storm(scene: Scene) -> bool:
    started: list[int] = []
    try:
        for _ in range(_MOST_STARTED):
            pid = os.fork()
            if pid == 0:
                _sleep_and_end(60)
            started.append(pid)
    finally:
        for pid in started:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
    return len(started) == _MOST_STARTED


@ATTACKS.add(f"start {_MOST_STARTED} threads")
def thread_storm(scene: Scene) -> bool:
    over = threading.Event()
    started = [threading.Thread(target=over.wait, daemon=True) for _ in range(_MOST_STARTED)]
    try:
        for each in started:
            each.start()
    finally:
        over.set()
    return True


@ATTACKS.add("leave a process behind")
def orphan(scene: Scene) -> bool:
    """It is told by the process that is there afterwards."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            (scene.scratch / LEFT).write_text(str(os.getpid()), "ascii")
            _sleep_and_end(20)
        os._exit(0)
    os.wait()
    while not (scene.scratch / LEFT).exists():
        time.sleep(0.01)
    return False


@ATTACKS.add("run a shell", allowed=True)
def shell(scene: Scene) -> bool:
    return os.posix_spawn("/bin/sh", ["sh", "-c", "exit 0"], {}) > 0


@ATTACKS.add("become a shell", allowed=True)
def execute(scene: Scene) -> bool:
    """It is told by the exit code."""
    os.execv("/bin/sh", ["sh", "-c", f"exit {SHELL}"])


@ATTACKS.add("run a program that is in no file")
def execute_memory(scene: Scene) -> bool:
    descriptor = call("memfd_create", b"program", 0)
    with open("/bin/true", "rb") as file:
        os.write(descriptor, file.read())
    pid = os.fork()
    if pid == 0:
        try:
            call("execveat", descriptor, b"", (ctypes.c_char_p * 2)(b"true", None), None, 0x1000)
        finally:
            os._exit(1)
    return os.waitpid(pid, 0)[1] == 0


@ATTACKS.add("run a program that has the rights of root")
def execute_privileged(scene: Scene) -> bool:
    pid = os.fork()
    if pid == 0:
        try:
            os.execv("/bin/su", ["su", "--version"])
        finally:
            os._exit(1)
    os.waitpid(pid, 0)
    with open(f"/proc/{os.getpid()}/status", encoding="ascii") as file:
        return "NoNewPrivs:\t0" in file.read()


@ATTACKS.add("send a signal (kill)")
def kill(scene: Scene) -> bool:
    return _any(scene.processes, lambda each: os.kill(each.pid, _SIGNAL))


@ATTACKS.add("find out whether a process is there (kill with 0)")
def kill_nothing(scene: Scene) -> bool:
    return _any(scene.processes, lambda each: os.kill(each.pid, 0))


@ATTACKS.add("send a signal to a group of processes")
def kill_group(scene: Scene) -> bool:
    """Its own group is spared."""
    return _any((scene.host, scene.partner), lambda each: os.killpg(os.getpgid(each.pid), _SIGNAL))


@ATTACKS.add("send a signal to a thread (tgkill)")
def tgkill(scene: Scene) -> bool:
    return _any(scene.processes, lambda each: call("tgkill", each.pid, each.pid, int(_SIGNAL)) == 0)


@ATTACKS.add("send a signal to a thread (tkill)")
def tkill(scene: Scene) -> bool:
    return _any(scene.processes, lambda each: call("tkill", each.pid, int(_SIGNAL)) == 0)


def _info() -> ctypes.Array[ctypes.c_char]:
    info = ctypes.create_string_buffer(_INFO)
    for place, value in enumerate((int(_SIGNAL), 0, -1)):
        ctypes.c_int.from_buffer(info, 4 * place).value = value
    return info


@ATTACKS.add("send a signal with a value (rt_sigqueueinfo)")
def sigqueue(scene: Scene) -> bool:
    return _any(scene.processes, lambda each: call("rt_sigqueueinfo", each.pid, int(_SIGNAL), _info()) == 0)


@ATTACKS.add("send a signal with a value (rt_tgsigqueueinfo)")
def sigqueue_thread(scene: Scene) -> bool:
    targets = scene.processes
    return _any(targets, lambda each: call("rt_tgsigqueueinfo", each.pid, each.pid, int(_SIGNAL), _info()) == 0)


@ATTACKS.add("send a signal through a descriptor (pidfd)")
def pidfd_signal(scene: Scene) -> bool:
    def reach(target: Process) -> bool:
        return call("pidfd_send_signal", call("pidfd_open", target.pid, 0), int(_SIGNAL), None, 0) == 0

    return _any(scene.processes, reach)


@ATTACKS.add("have the kernel send a signal (F_SETOWN)")
def own_signal(scene: Scene) -> bool:
    reading, writing = os.pipe()

    def reach(target: Process) -> bool:
        fcntl.fcntl(reading, fcntl.F_SETOWN, target.pid)
        fcntl.fcntl(reading, 10, int(_SIGNAL))  # F_SETSIG
        fcntl.fcntl(reading, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
        return os.write(writing, b"!") == 1

    return _any((scene.host, scene.partner), reach)


def _peek(target: Process) -> bool:
    """Read the secret from its memory with ptrace, and let it go again."""
    call("ptrace", 16, target.pid, None, None)
    try:
        os.waitpid(target.pid, 0x40000000)  # __WALL
        return True
    finally:
        call("ptrace", 17, target.pid, None, None)


@ATTACKS.add("trace a process")
def trace(scene: Scene) -> bool:
    return _any((scene.host, scene.partner), _peek)


@ATTACKS.add("trace a process without stopping it")
def seize(scene: Scene) -> bool:
    return _any((scene.host, scene.partner), lambda each: call("ptrace", 0x4206, each.pid, None, None) == 0)


class _Part(ctypes.Structure):
    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


@ATTACKS.add("read the memory of a process")
def read_memory(scene: Scene) -> bool:
    own = ctypes.create_string_buffer(len(SECRET))

    def reach(target: Process) -> bool:
        local = _Part(ctypes.addressof(own), len(SECRET))
        remote = _Part(target.address, len(SECRET))
        call("process_vm_readv", target.pid, ctypes.byref(local), 1, ctypes.byref(remote), 1, 0)
        return own.raw == SECRET

    return _any((scene.host, scene.partner), reach)


@ATTACKS.add("change the memory of a process")
def write_memory(scene: Scene) -> bool:
    own = ctypes.create_string_buffer(b"!")

    def reach(target: Process) -> bool:
        local, remote = _Part(ctypes.addressof(own), 1), _Part(target.address, 1)
        return call("process_vm_writev", target.pid, ctypes.byref(local), 1, ctypes.byref(remote), 1, 0) == 1

    return _any((scene.host, scene.partner), reach)


@ATTACKS.add("read the memory of a process through /proc")
def read_memory_file(scene: Scene) -> bool:
    def reach(target: Process) -> bool:
        with open(f"/proc/{target.pid}/mem", "rb", buffering=0) as file:
            file.seek(target.address)
            return file.read(len(SECRET)) == SECRET

    return _any((scene.host, scene.partner), reach)


@ATTACKS.add("change its own memory through /proc")
def write_own_memory(scene: Scene) -> bool:
    own = ctypes.create_string_buffer(b"?")
    with open("/proc/self/mem", "r+b", buffering=0) as file:
        file.seek(ctypes.addressof(own))
        file.write(b"!")
    return own.value == b"!"


@ATTACKS.add("read the environment of a process")
def read_environment(scene: Scene) -> bool:
    def reach(target: Process) -> bool:
        with open(f"/proc/{target.pid}/environ", "rb") as file:
            return VARIABLE.encode() in file.read()

    return _any((scene.host, scene.arena), reach)


@ATTACKS.add("read the command line of a process")
def read_command(scene: Scene) -> bool:
    def reach(target: Process) -> bool:
        with open(f"/proc/{target.pid}/cmdline", "rb") as file:
            return len(file.read()) > 0

    return _any(scene.processes, reach)


@ATTACKS.add("list what a process has open")
def list_open(scene: Scene) -> bool:
    return _any(scene.processes, lambda each: os.listdir(f"/proc/{each.pid}/fd"))


@ATTACKS.add("find the folder of a process")
def find_folder(scene: Scene) -> bool:
    return _any(scene.processes, lambda each: os.readlink(f"/proc/{each.pid}/cwd"))


@ATTACKS.add("read the memory map of a process")
def read_map(scene: Scene) -> bool:
    def reach(target: Process) -> bool:
        with open(f"/proc/{target.pid}/maps", "rb") as file:
            return len(file.read()) > 0

    return _any(scene.processes, reach)


@ATTACKS.add("list all processes")
def list_processes(scene: Scene) -> bool:
    return str(os.getppid()) in os.listdir("/proc")


@ATTACKS.add("take a descriptor of a process")
def take_descriptor(scene: Scene) -> bool:
    return _any((scene.host, scene.partner), lambda each: call("pidfd_getfd", call("pidfd_open", each.pid, 0), 0, 0))


@ATTACKS.add("compare descriptors of processes")
def compare(scene: Scene) -> bool:
    return _any((scene.host, scene.partner), lambda each: call("kcmp", os.getpid(), each.pid, 1, 0, 0) >= 0)


@ATTACKS.add("change the priority of a process")
def set_priority(scene: Scene) -> bool:
    return _any((scene.host, scene.partner), lambda each: os.setpriority(os.PRIO_PROCESS, each.pid, 1))


@ATTACKS.add("change the processors of a process")
def set_processors(scene: Scene) -> bool:
    return _any((scene.host, scene.partner), lambda each: os.sched_setaffinity(each.pid, {0}))


@ATTACKS.add("change its own processors")
def set_own_processors(scene: Scene) -> bool:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    return True


@ATTACKS.add("change how a process is scheduled")
def set_scheduler(scene: Scene) -> bool:
    idle = os.sched_param(0)
    return _any((scene.host, scene.partner), lambda each: os.sched_setscheduler(each.pid, 5, idle))


@ATTACKS.add("change the disk priority of a process")
def set_disk_priority(scene: Scene) -> bool:
    return _any((scene.host, scene.partner), lambda each: call("ioprio_set", 1, each.pid, 3 << 13) == 0)


@ATTACKS.add("change the limits of a process")
def set_limits(scene: Scene) -> bool:
    def reach(target: Process) -> bool:
        import resource

        most = resource.prlimit(target.pid, resource.RLIMIT_CORE)[1]
        resource.prlimit(target.pid, resource.RLIMIT_CORE, (0, most))
        return True

    return _any((scene.host, scene.partner), reach)


@ATTACKS.add("survive the end of the parent (PR_SET_PDEATHSIG)")
def survive(scene: Scene) -> bool:
    return call("prctl", 1, 0, 0, 0, 0) == 0


@ATTACKS.add("let itself be traced (PR_SET_DUMPABLE)")
def be_traced(scene: Scene) -> bool:
    return call("prctl", 4, 1, 0, 0, 0) == 0


@ATTACKS.add("adopt processes (PR_SET_CHILD_SUBREAPER)")
def adopt(scene: Scene) -> bool:
    return call("prctl", 36, 1, 0, 0, 0) == 0
