"""Files that are written whole: a disk that refuses leaves what was there, and nothing beside it."""

import errno
import os
from pathlib import Path

import pytest

from bidwhist.errors import RunError, Stopped
from bidwhist.files import new_file, write_atomically
from bidwhist.results.manifest import COPY, MANIFEST, read_manifest, write_manifest
from runs import manifest_of


def no_space(descriptor: int) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for data in (b"old", b"new and longer"):
        write_atomically(path, data)
        assert path.read_bytes() == data
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_leaves_the_old_file_and_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    write_atomically(path, b"old")
    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(Stopped, match="file: cannot be written: No space left on device") as stopped:
        write_atomically(path, b"new")
    assert isinstance(stopped.value.__cause__, OSError)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(Stopped, match="cannot be written: No such file or directory"):
        write_atomically(tmp_path / "nowhere" / "file", b"")


def test_a_manifest_on_a_full_disk_is_the_disks_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    manifest = manifest_of(["a", "b"], [(2, 1)], name="before")
    write_manifest(tmp_path, manifest)
    monkeypatch.setattr(os, "fsync", no_space)
    manifest.name = "after"
    with pytest.raises(Stopped, match=r"manifest\.json: cannot be written: No space left on device"):
        write_manifest(tmp_path, manifest)
    assert sorted(path.name for path in tmp_path.iterdir()) == [COPY, MANIFEST]
    assert read_manifest(tmp_path).name == "before"


def test_new_file_is_there_at_the_end_only(tmp_path: Path) -> None:
    path = tmp_path / ("🂡" * 60)
    for force, data in ((False, b"first"), (True, b"second")):
        before = path.read_bytes() if path.exists() else None
        with new_file(path, force=force) as file:
            file.write(data[:3])
            file.write(data[3:])
            assert (path.read_bytes() if path.exists() else None) == before
        assert path.read_bytes() == data
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(RunError, match="is there already"), new_file(path, force=False):
        pytest.fail("a file that is there is told before anything is written")


def test_new_file_on_a_full_disk_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "fsync", no_space)
    with (
        pytest.raises(Stopped, match="file: cannot be written: No space left on device"),
        new_file(path, force=True) as file,
    ):
        file.write(b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_new_file_where_none_can_be_is_told(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "no-folder").write_bytes(b"")
    for name in ("nowhere/file", "loop", "no-folder/file", "a" * 300):
        with pytest.raises(RunError, match="cannot be written: "), new_file(tmp_path / name, force=True):
            pytest.fail("there is no such file")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["loop", "no-folder"]
