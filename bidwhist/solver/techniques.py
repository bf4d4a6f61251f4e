"""The techniques of the search, each of which can be left out to see what it is worth; answers stay the same."""

from typing import Final

TABLE: Final = True  # look positions up in the transposition table
ALIKE: Final = True  # try one of the cards whose ranks do not matter
QUICK: Final = True  # count certain tricks before searching
