"""Actions, cards, seats and levels are integers, Python's or NumPy's: True and 1.0, which equal one, are refused."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bidwhist.actions import PASS, is_action
from bidwhist.bot.deciders.protocol import action_of, line_of
from bidwhist.cards import is_number, mask_of
from bidwhist.errors import IllegalAction, NotationError, PositionError
from bidwhist.notation import (
    format_action,
    format_call,
    format_card,
    format_contract,
    format_naming,
    format_seat,
    parse_call,
    parse_naming,
)
from bidwhist.observation import Random
from bidwhist.process.fault import ProcessFault
from bidwhist.solver.contracts import table
from bidwhist.solver.position import Position
from bidwhist.table import Table, explain_illegal

DEAL = "N:AKQJT93.4.K.AKQ 87654.5.AQ.5432 2.AKQJT.J98.7.RB .9876.765.JT986. .32.T432."
LIKE_ONE = [True, 1.0, np.True_, np.float64(1.0)]
like_one = pytest.mark.parametrize("value", LIKE_ONE, ids=lambda value: f"{type(value).__name__} {value}")
INTEGERS = [1, np.int8(1), np.uint64(1)]


def table_where_card_1_is_legal() -> Table:
    """North, who leads, holds S3, the card 1."""
    made = Table.from_text(DEAL, dealer=3)
    for word in ("1U", "P", "P", "P"):
        made.act(parse_call(word))
    made.act(parse_naming("US"))
    return made


@like_one
def test_a_table_takes_integers_only(value: Any) -> None:
    table = table_where_card_1_is_legal()
    assert not table.can(value)
    assert table.why_not(value) == f"{value!r} is no action: an action is an integer 0-97"
    assert explain_illegal(table.observe(), value) == table.why_not(value)
    with pytest.raises(IllegalAction, match="is no action"):
        table.act(value)
    assert table.public["played"] == 0


@pytest.mark.parametrize("value", INTEGERS, ids=lambda value: type(value).__name__)
def test_a_table_takes_integers_of_numpy(value: Any) -> None:
    table = table_where_card_1_is_legal()
    assert table.can(value)
    table.act(value)
    assert table.public["plays"][0] == 1


FORMATTERS: list[tuple[Callable[[Any], str], Any, list[int]]] = [
    (format_seat, 1, [-1, 4]),
    (format_card, 1, [-1, 54]),
    (format_call, 55, [-1, 53, 83]),
    (format_naming, 83, [-1, 82, 98]),
    (format_action, 1, [-1, 98]),
    (lambda level: format_contract(level, 83), 1, [0, 8]),
    (lambda naming: format_contract(1, naming), 83, [82, 98]),
]


@pytest.mark.parametrize(("formatter", "number", "others"), FORMATTERS)
def test_formatters_take_integers_of_their_range_only(
    formatter: Callable[[Any], str], number: int, others: list[int]
) -> None:
    assert formatter(np.int16(number)) == formatter(number)
    for wrong in (*others, float(number), True, np.True_, None):
        with pytest.raises(NotationError, match="is no "):
            formatter(wrong)


@like_one
def test_positions_take_integers_only(value: Any) -> None:
    hands = (1 << 2, 1 << 3, 1 << 4, 1 << 5)
    for fields in ((hands, 83, value), ((value, *hands[1:]), 83, 0), (hands, 82.0 + value, 0)):
        with pytest.raises(PositionError):
            Position(*fields)
    with pytest.raises(PositionError, match=r"trick: .* is no card"):
        Position((0, *hands[1:]), 83, 0, (value,))
    with pytest.raises(PositionError, match=r"dealer: .* is no seat"):
        table(hands, dealer=value)
    assert Position(hands, np.int8(83), np.int64(1)).turn == 1


@like_one
def test_other_numbers_are_integers_only(value: Any) -> None:
    assert not is_action(value)
    assert not is_number(value, 2)
    with pytest.raises(ValueError, match="is no side"):
        table_where_card_1_is_legal().books(value)
    with pytest.raises(ValueError, match="n must be"):
        Random(1).below(value)


def test_a_mask_is_made_of_integers() -> None:
    assert mask_of([np.int8(3), 5]) == 1 << 3 | 1 << 5
    with pytest.raises(TypeError):
        mask_of([1.7])  # type: ignore[list-item]


@pytest.mark.parametrize("said", [True, float(PASS), str(PASS), None, [PASS]])
def test_a_program_answers_with_an_integer(said: object) -> None:
    assert action_of(line_of({"type": "action", "id": 1, "action": PASS}), 1) == PASS
    with pytest.raises(ProcessFault, match="an action is an integer"):
        action_of(line_of({"type": "action", "id": 1, "action": said}), 1)
