"""Fixtures of several tests."""

import os
import signal
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

_MARK = "BIDWHIST_TEST_MARK"


def _marked(mark: str) -> list[int]:
    """All processes that were started, by whomever, with a mark in their environment."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if f"{_MARK}={mark}\0".encode() in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:  # it has ended, or is another user's
            continue
    return found


@pytest.fixture
def nothing_left(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fails where a process that was started in the test, by whomever, is left at its end."""
    mark = uuid.uuid4().hex
    monkeypatch.setenv(_MARK, mark)
    yield
    if sys.platform == "linux":
        left = _marked(mark)
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        assert not left
