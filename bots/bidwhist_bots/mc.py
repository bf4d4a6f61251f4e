"""The house bot `mc`: every action is weighed in the same imagined worlds, each played out by the heuristic.

Worlds are drawn uniformly from those that agree with what was seen (`bidwhist.worlds`); hands are played out by rules
of thumb in all seats, each seeing only its own cards, so that no action is weighed by what nobody can know. The action
of the best mean is taken. Levy (1989) proposed to sample the hidden hands; Ginsberg (2001, "GIB: Imperfect information
in a computationally challenging game") made a strong player of it.
"""

from typing import Any, Final

from bidwhist._jit import jit
from bidwhist.observation import Private
from bidwhist.public import CALLING
from bidwhist_bots import calling, choosing

_CALL_WORLDS: Final = 4  # times as many worlds for a call, which more hangs on than on a card and is made once


@jit
def begin(ws: Any, private: Private, public: Any) -> None:
    """Make ready to weigh a decision."""
    ws["stream"][0] = private.key
    if public["phase"] == CALLING:
        calling.begin(ws, private, public)
    else:
        choosing.begin(ws, private, public)


@jit
def extend(ws: Any, private: Private, public: Any, worlds: int) -> None:
    """Weigh it in so many worlds more."""
    if public["phase"] == CALLING:
        calling.extend(ws, private, public, _CALL_WORLDS * worlds)
    else:
        choosing.extend(ws, private, public, worlds)


@jit
def best(ws: Any, public: Any) -> int:
    """The action that has done best."""
    return calling.best(ws) if public["phase"] == CALLING else choosing.best(ws)
