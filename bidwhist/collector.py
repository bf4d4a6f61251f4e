"""Python's garbage collector, kept from work that it would only slow down."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """No garbage is collected meanwhile.

    It may take longer than a decision, and the compiler makes millions of objects, nearly all of which it keeps.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
