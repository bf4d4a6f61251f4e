"""Numbers."""

from typing import Final

import numpy as np

LEAD_BLOCK: Final = 1024
BLOCK: Final = 256
LOOSE_LEAD: Final = 3 * LEAD_BLOCK - 1
FIRST_ANSWER: Final = 3 * LEAD_BLOCK
FIRST_DISCARD: Final = FIRST_ANSWER + 6 * BLOCK
SIZE: Final = FIRST_DISCARD + 6 * BLOCK


import os
WEIGHTS = np.load(os.environ.get("W", "/tmp/solverwork/w7.npy"))
