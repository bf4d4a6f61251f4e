"""Weighing namings, discards and cards: every candidate in the same worlds, played out."""

from typing import Any, Final

from bidwhist._jit import int64, jit, shared
from bidwhist.actions import WORDS, level_of
from bidwhist.observation import Private
from bidwhist.public import DISCARDING, NAMING
from bidwhist.state import books, is_no_trump, step
from bidwhist.worlds.sample import prepare
from bidwhist_bots import chain, heuristic
from bidwhist_bots.options import begin_list, list_discards, list_plays, list_words
from bidwhist_bots.racing import begin_race, drop_those_behind, note_world
from bidwhist_bots.rollout import play_on, prepare_on
from bidwhist_bots.standing import value_results

# As many hands as a processor works on at once.
_TOGETHER: Final = 16

# When a candidate is dropped.
_PATIENCE: Final = 32
_ERRORS: Final = 2.5


@jit
def begin(ws: Any, private: Private, public: Any) -> None:
    """List the candidates, the heuristic's choice first, and make ready to imagine worlds."""
    stream = ws["stream"]
    if public["phase"] == NAMING:
        begin_list(ws, heuristic.prepare(private, public, stream))
        list_words(ws, private.legal, WORDS)
    elif public["phase"] == DISCARDING:
        begin_list(ws, heuristic.prepare(private, public, stream))
        list_discards(ws, private, public)
    else:
        begin_list(ws, heuristic.play(private, public, stream))
        list_plays(ws, private, public)
    prepare(ws["view"], private, public)
    chain.begin(ws, private, public)
    begin_race(ws, _PATIENCE, _ERRORS)
    value_results(ws, public, private.seat & 1, level_of(int64(public["bid"])), public["declarer"] & 1)


@jit
def extend(ws: Any, private: Private, public: Any, worlds: int) -> None:
    """Weigh the candidates in so many worlds more, while there are several."""
    end = ws["drawn"] + worlds
    while ws["drawn"] < end and ws["candidates"] > 1:
        together = min(max(1, _TOGETHER // ws["candidates"]), end - ws["drawn"])
        for place in range(together):
            chain.imagine_likely(ws, private, public)
            _begin_lanes(ws, place * ws["candidates"])
        play_on(ws, together * ws["candidates"])
        for place in range(together):
            _tally(ws, place * ws["candidates"])
        drop_those_behind(ws)


@shared
def _begin_lanes(ws: Any, first: int) -> None:
    """Take each candidate in a copy of the world."""
    for place in range(ws["candidates"]):
        ws["lanes"][first + place] = ws["world"]
        step(ws["lanes"][first + place], ws["actions"][place])
        prepare_on(ws["lanes"][first + place])


@shared
def _tally(ws: Any, first: int) -> None:
    for place in range(ws["candidates"]):
        public = ws["lanes"][first + place]["public"]
        side, level = public["declarer"] & 1, level_of(int64(public["bid"]))
        is_nt = int64(is_no_trump(int64(public["naming"])))
        ws["worths"][place] = ws["value"][side, level, is_nt, books(public, side)]
    note_world(ws)


@jit
def best(ws: Any) -> int:
    """The candidate of the highest sum; of equals the first."""
    chosen = 0
    for place in range(1, ws["candidates"]):
        if ws["sums"][place] > ws["sums"][chosen]:
            chosen = place
    return int64(ws["actions"][chosen])
