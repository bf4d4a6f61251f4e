"""mybot: passes when it can, wins a trick with its lowest card that does. Decides at many tables in one call."""

import numpy as np

from bidwhist.actions import FIRST_NAMING
from bidwhist.public import PLAYING
from bidwhist.rows import actions, lowest
from bidwhist.trick import BEATERS


def act_batch(rows):
    """An action for each row, as an array. Each row is a decision, and is answered by that row alone.

    rows["hand"] and rows["legal"] are masks: bit k is card k, or in calls and namings action 54 + k, so that bit 0 is
    to pass. rows["public"] has what everybody sees, where -1 stands for "none yet". bidwhist.rows has what NumPy lacks,
    and chance: below(rows, n) and real(rows).
    """
    public, legal = rows["public"], rows["legal"]
    partner = (rows["seat"] + 2) % 4
    contested = (public["phase"] == PLAYING) & (public["winning"] >= 0) & (public["winner"] != partner)
    naming = np.maximum(public["naming"] - FIRST_NAMING, 0)  # of rows where nothing is named yet, any
    winning = np.where(contested, legal & BEATERS[naming, public["winning"]], 0)
    return actions(rows, lowest(np.where(winning != 0, winning, legal)))
