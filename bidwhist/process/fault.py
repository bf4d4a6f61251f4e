"""A process that did not do as it should, in words."""

import signal

from bidwhist.faults import Fault


class ProcessFault(Exception):
    """`reason` follows the name of the process, as in 'exited with code 1'; `fault`: its kind."""

    def __init__(self, reason: str, fault: Fault = Fault.CRASH) -> None:
        super().__init__(reason)
        self.reason = reason
        self.fault = fault

    @property
    def clause(self) -> str:
        """The reason where the bot has been named, and not its process."""
        return self.reason


class ProcessEnded(ProcessFault):
    """The process has ended where it was to go on."""

    @property
    def clause(self) -> str:
        """With its subject: it is not the bot that exits."""
        return f"its process {self.reason}"


def exit_in_words(code: int) -> str:
    """An exit code, negative for a signal, in words that follow the name of a process."""
    if code >= 0:
        return f"exited with code {code}"
    if code == -signal.SIGKILL:
        return "was killed (signal 9); perhaps out of memory"
    try:
        name, words = signal.Signals(-code).name, signal.strsignal(-code)
    except ValueError:  # a real-time signal
        return f"was ended by signal {-code}"
    return f"was ended by {name}" + (f" ({words.lower()})" if words else "")
