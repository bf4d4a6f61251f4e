"""The techniques of the search, each of which can be left out to see what it is worth; answers stay the same."""

from typing import Final

TABLE: Final = True
ALIKE: Final = True
QUICK: Final = True
