"""Long compiled code that Ctrl-C ends.

Python handles signals in its main thread, between two steps of its own. While that thread is in compiled code nothing
is handled; so the code runs in another thread, and the main one waits in a way that lets Python handle signals.
"""

import threading
from collections.abc import Callable
from typing import Final, TypeVar

Result = TypeVar("Result")

_GLANCE: Final = 0.01  # seconds between two calls of `stop`


def is_main_thread() -> bool:
    """True in the main thread, where Python handles signals."""
    return threading.current_thread() is threading.main_thread()


def interruptible(work: Callable[[], Result], stop: Callable[[], None]) -> Result:
    """The result of `work`, which leaves Python's lock while it takes long.

    An exception that a signal raises meanwhile, such as KeyboardInterrupt, is raised here once `work` has ended: until
    then `stop` is called again and again, which makes it end soon. In a thread other than the main one, where signals
    are not handled, `work` is just called. Starting a thread costs a tenth of a millisecond.
    """
    if not is_main_thread():
        return work()
    results: list[Result] = []
    errors: list[BaseException] = []
    ticket, done = threading.Lock(), threading.Event()  # the ticket is for whoever comes first: the work, or its end

    def run() -> None:
        if not ticket.acquire(blocking=False):
            return
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)
        finally:
            done.set()

    thread = threading.Thread(target=run, name="compiled code", daemon=True)
    try:
        thread.start()
        done.wait()
        thread.join()
    except BaseException:
        if not ticket.acquire(blocking=False):
            _end(done, stop)
            thread.join()
        raise
    if errors:
        raise errors[0]
    return results[0]


def _end(done: threading.Event, stop: Callable[[], None]) -> None:
    """Wait for the end of the work, which further interruptions do not cut short."""
    while not done.is_set():
        try:
            stop()
            done.wait(_GLANCE)
        except BaseException:
            continue
