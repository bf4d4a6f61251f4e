"""The techniques of the search. Each can be left out, to see what it is worth; the answers stay the same.

They are constants, so that what is left out is not compiled. `benchmarks/solver.py ablation` edits a copy of this file.
"""

from typing import Final

TABLE: Final = True  # look positions up in the transposition table
ALIKE: Final = True  # of cards whose rank did not matter, try one a suit
RUNS: Final = True  # of cards with none of another hand between them, try one
QUICK: Final = True  # count the tricks that the side on lead can cash
LATER: Final = True  # count the tricks that the other side will get
SECOND: Final = True  # count the tricks that the other side takes after a lead
ORDER: Final = True  # weigh cards, instead of the highest first
HINTS: Final = True  # prefer the lead that was best in a like position
KILLERS: Final = True  # prefer the lead that was best last, as many tricks from the end
