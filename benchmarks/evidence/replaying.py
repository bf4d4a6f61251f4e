"""Hands of a run gone through once more, decision by decision, from what was recorded of their cards."""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from bidwhist.cards import Mask, Seat
from bidwhist.deal import board_cards
from bidwhist.notation import parse_call, parse_contract, parse_deal, parse_seat
from bidwhist.record import Recorded
from bidwhist.rules import Rules
from bidwhist.state import first_leader
from bidwhist.table import Table
from bidwhist.worlds.front import world_state


def hands_once(frame: pd.DataFrame, most: int) -> Iterator[Any]:
    """The rows (named tuples) of the first `most` boards, one for each: of a run in which both tables are alike."""
    yield from frame.drop_duplicates("board").head(most).itertuples()


def recorded(row: Any) -> Recorded:
    """What a row of a frame with plays has of its hand."""
    calls = [parse_call(call) for call in (row.call_1, row.call_2, row.call_3, row.call_4)]
    return Recorded(calls, parse_contract(row.contract)[1], int(row.discards), list(row.plays))


def decisions(row: Any, rules: Rules, seed: int) -> Iterator[tuple[Table, int]]:
    """The table before every action of a hand, forced ones too, with that action; the table moves on by itself."""
    table, record = Table.deal(seed, int(row.board), rules), recorded(row)
    while not table.is_done:
        action = record.next(table)
        yield table, action
        table.act(action)


def first_lead(row: Any, rules: Rules, seed: int) -> tuple[tuple[Mask, ...], Seat]:
    """The four hands as dealt, and who leads to the first trick."""
    hands, _, dealer = board_cards(rules, seed, int(row.board))
    return tuple(hands), first_leader(rules.record(), dealer, parse_seat(row.declarer))


def state_of(table: Table) -> Any:
    """The hand at a table, in play, as a STATE record of its own."""
    return world_state(table.observe(), table.hands, _dead(table))


def _dead(table: Table) -> Mask:
    """The cards that nobody plays: the declarer's discards, or a kitty that nobody has taken up."""
    return table.buried if table.rules.exchanges else parse_deal(table.deal_text)[1]
