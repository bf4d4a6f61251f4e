"""The exchange between the arena and a jailed bot: memory that both share, with questions and answers.

Nothing that a bot writes there is trusted: sizes are fixed, texts and answers are copied before they are looked at, and
nothing is unpickled. The memory is shared with one process, and cannot be made shorter or longer.

Who waits looks at the memory for a moment, if the answer may come at once, and then sleeps until the other one writes a
byte into a pipe. A byte that is missed costs a twentieth of a second: sleeping ends by itself now and then.
"""

import fcntl
import mmap
import os
import tempfile
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bidwhist.layout import opaque
from bidwhist.observation import OBSERVATION

CAPACITY: Final = 8192
"""Most rows of a question."""

ASK, EXPLAIN, CHANCE = 1, 2, 3
"""Kinds of questions."""
READY, ANSWERED, FAILED = 1, 2, 3
"""Kinds of answers."""

# Words (int64) at the beginning of the memory. The last question's number, kind, rows, and sequences that are over;
# whether the bot sleeps. The number of the last answer, its kind, a code of bidwhist.faults, bytes of text, how many
# rows are answered; whether the arena sleeps.
ASKED, KIND, ROWS, OVER, BOT_SLEEPS = range(5)
ANSWER, STATUS, FAULT, LENGTH, DONE, ARENA_SLEEPS = range(8, 14)
_WORDS: Final = 16
_MOST_TEXT: Final = 1 << 13  # bytes

_SHARED: Final = np.dtype(
    [
        ("words", "i8", (_WORDS,)),
        ("text", "u1", (_MOST_TEXT,)),
        ("sequences", "i8", (CAPACITY,)),
        ("over", "i8", (CAPACITY,)),
        ("answers", "i2", (CAPACITY,)),
        ("rows", OBSERVATION, (CAPACITY,)),
    ]
)
_FEW: Final = 256  # rows of a question whose answer may come at once
_MOST_IDLE: Final = 63
_LOOKS: Final = 2000  # at the memory, before one sleeps: about 0.1 ms; to be woken takes nearly as long


class Exchange:
    """Memory that is shared with one jailed process.

    `rows` (OBSERVATION) and `sequences` are what is asked, `over` the sequences that have ended, `answers` (int16) the
    actions; `words`: a memoryview of numbers, see above.
    """

    def __init__(self, memory: mmap.mmap) -> None:
        shared: Any = np.frombuffer(memory, _SHARED, 1)[0]
        self.rows = shared["rows"]
        self._bytes = opaque(self.rows)
        self.sequences = shared["sequences"]
        self.over = shared["over"]
        self.answers = shared["answers"]
        self._text = shared["text"]
        self._vain = 0  # how often one does not look next time
        self._idle = 0  # and how often one is still not to
        self.words = memoryview(memory).cast("B")[: 8 * _WORDS].cast("q")

    @classmethod
    def create(cls) -> tuple["Exchange", int]:
        """New memory, and a file descriptor by which another process gets it; to be closed."""
        if hasattr(os, "memfd_create"):
            descriptor = os.memfd_create("bidwhist", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        else:
            with tempfile.TemporaryFile() as file:
                descriptor = os.dup(file.fileno())
        try:
            os.ftruncate(descriptor, _SHARED.itemsize)
            if hasattr(fcntl, "F_ADD_SEALS"):
                fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL)
            return cls(mmap.mmap(descriptor, _SHARED.itemsize)), descriptor
        except BaseException:
            os.close(descriptor)
            raise

    @classmethod
    def of(cls, descriptor: int) -> "Exchange":
        """The memory behind a file descriptor, which is closed."""
        memory = mmap.mmap(descriptor, _SHARED.itemsize)
        os.close(descriptor)
        return cls(memory)

    def write(self, rows: NDArray[np.void], sequences: NDArray[np.int64], places: NDArray[np.intp] | None) -> int:
        """Put rows and their sequences there, or those at some places; how many."""
        if places is None:
            count = len(rows)
            self._bytes[:count] = opaque(rows)
            self.sequences[:count] = sequences
        else:
            count = len(places)
            opaque(rows).take(places, out=self._bytes[:count], mode="clip")  # which needs no buffer
            sequences.take(places, out=self.sequences[:count], mode="clip")
        return count

    @property
    def text(self) -> str:
        """The text of the last answer."""
        length = min(max(self.words[LENGTH], 0), _MOST_TEXT)
        return bytes(self._text[:length]).decode("utf-8", "replace")

    @text.setter
    def text(self, text: str) -> None:
        data = text.encode("utf-8", "replace")[:_MOST_TEXT]
        self._text[: len(data)] = np.frombuffer(data, np.uint8)
        self.words[LENGTH] = len(data)

    def shows(self, word: int, number: int) -> bool:
        """Look at a word for a moment, if the last question is short: True if it is `number`.

        Where that was in vain, as on a machine that is busy with others, it is tried less and less often.
        """
        words = self.words
        if words[word] == number:
            return True
        if words[ROWS] > _FEW:
            return False
        if self._idle > 0:
            self._idle -= 1
            return False
        for _ in range(_LOOKS):
            if words[word] == number:
                self._vain = 0
                return True
        self._vain = min(2 * self._vain + 1, _MOST_IDLE)
        self._idle = self._vain
        return False
