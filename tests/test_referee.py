"""Referees: what is asked of a bot that fails, what is taken for it, and what is noted."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bidwhist.arena.part import Setting, play_part
from bidwhist.bot.sources.find import find_bot
from bidwhist.cards import SEATS
from bidwhist.engine.batch import Batch
from bidwhist.engine.decider import Decider, DecisionFailed
from bidwhist.engine.lost import LostBot
from bidwhist.engine.moment import MOMENTS, decision_name
from bidwhist.engine.referee import MOST_FAULTS, Referee
from bidwhist.engine.traced import Traced
from bidwhist.faults import Fault
from bidwhist.public import CALLING, PLAYING
from bidwhist.results.schema import Part
from bidwhist.rows import actions, lowest
from bidwhist.rules import CLASSIC

HANDS = 24
SETTING = Setting(CLASSIC, 5, games=False)
PART = Part(0, 0, 1, 0, HANDS // 2)

Answer = Callable[[Any, int], int]


def lowest_of(row: Any) -> int:
    return int(actions(row, lowest(row["legal"])))


class Scripted(Decider):
    """Asked for rows one at a time, or for all together; counts what it is asked."""

    def __init__(self, answer: Answer, *, together: bool = False) -> None:
        super().__init__("tested")
        self.answers_together = together
        self.asked: list[tuple[int, int, int]] = []  # sequence, seat and number of cards played
        self.restarted: list[tuple[int, int]] = []
        self.keys: list[int] = []  # of the decisions, each its own
        self.sizes: list[int] = []
        self._answer = answer

    def decide(self, rows: Any, sequences: Any) -> Any:
        self.sizes.append(len(rows))
        answers: list[int] = []
        for row, sequence in zip(rows, sequences.tolist(), strict=True):
            self.keys.append(int(row["key"]))
            self.asked.append((sequence, int(row["seat"]), int(row["public"]["played"])))
            try:
                answers.append(self._answer(row, sequence))
            except DecisionFailed as failure:
                if self.answers_together:
                    raise DecisionFailed(0, failure.reason, failure.fault) from None
                raise DecisionFailed(len(answers), failure.reason, failure.fault, answers) from None
        return np.array(answers, np.int64)

    def restart(self, sequence: int, seat: int) -> None:
        self.restarted.append((sequence, seat))


class OfSeats(Scripted):
    """Asked for the rows of each seat together, as in processes of their own."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer, together=True)

    def decide(self, rows: Any, sequences: Any) -> Any:
        answers, failures = np.full(len(rows), -1, np.int64), {}
        for seat in np.unique(rows["seat"]):
            places = np.flatnonzero(rows["seat"] == seat)
            try:
                answers[places] = super().decide(rows[places], sequences[places])
            except DecisionFailed as failure:
                failures[int(places[failure.place])] = failure
        if failures:
            place = min(failures)
            raise DecisionFailed(place, failures[place].reason, failures[place].fault, answers)
        return answers


KINDS: dict[str, Callable[[Answer], Scripted]] = {
    "one at a time": Scripted,
    "together": lambda answer: Scripted(answer, together=True),
    "of seats": OfSeats,
}


def play(bot: Decider, other: Answer = lambda row, sequence: lowest_of(row)) -> tuple[Any, Referee]:
    """Columns of a part between a bot with a referee and another one, and the referee."""
    referee = Referee(bot, HANDS)
    return play_part(SETTING, PART, {0: referee, 1: Scripted(other)}), referee


def codes(columns: Any) -> Any:
    return np.stack([columns[f"fault_{seat}"] for seat in "nesw"], axis=1)


def failing(fault: Fault, where: Callable[[Any, int], bool], reason: str = "no") -> Answer:
    """Lowest actions but at some rows, where it fails."""

    def answer(row: Any, sequence: int) -> int:
        if where(row, sequence):
            raise DecisionFailed(0, reason, fault)
        return lowest_of(row)

    return answer


def test_without_faults_nothing_is_changed() -> None:
    alone = play_part(SETTING, PART, {each: Scripted(lambda row, _: lowest_of(row)) for each in (0, 1)})
    columns, referee = play(Scripted(lambda row, _: lowest_of(row)))
    assert all((columns[name] == alone[name]).all() for name in columns)
    assert len(referee.noted) == 0
    assert not codes(columns).any()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fault", [Fault.CRASH, Fault.TIME, Fault.MESSAGE, Fault.LIMIT])
def test_one_fault_a_hand_and_the_seat_is_not_asked_again_in_it(fault: Fault, kind: str) -> None:
    guilty = {3, 4, 11}
    bot = KINDS[kind](failing(fault, lambda row, sequence: sequence in guilty and row["public"]["played"] >= 8))
    columns, referee = play(bot)
    found = codes(columns)
    for sequence in range(HANDS):
        seats = [sequence % 2, sequence % 2 + 2] if sequence in guilty else []
        assert np.flatnonzero(found[sequence]).tolist() == seats, "the two seats that were asked after eight cards"
    assert set(found[found != 0].tolist()) == {fault}
    assert sorted(bot.restarted) == [(s, seat) for s in sorted(guilty) for seat in (s % 2, s % 2 + 2)]
    after = [(sequence, seat) for sequence, seat, played in set(bot.asked) if sequence in guilty and played >= 8]
    assert sorted(after) == sorted(bot.restarted), "each seat once"
    assert referee.reasons[fault].text == "no"
    assert (referee.reasons[fault].sequence, referee.reasons[fault].hand) == (3, 0)


def test_the_other_rows_keep_their_answers() -> None:
    """The bot plays the highest card where it does not fail; nobody else's answer is lost or asked for twice."""

    def highest(row: Any, sequence: int) -> int:
        return int(actions(row, int(row["legal"]).bit_length() - 1))

    def answer(row: Any, sequence: int) -> int:
        if sequence == 5 and row["public"]["phase"] == PLAYING:
            raise DecisionFailed(0, "no", Fault.CRASH)
        return highest(row, sequence)

    bot = Scripted(answer)
    columns, _ = play(bot)
    alone = play_part(SETTING, PART, {0: Scripted(highest), 1: Scripted(lambda row, _: lowest_of(row))})
    others = np.arange(HANDS) != 5
    for name in columns:
        assert (columns[name][others] == alone[name][others]).all()
    assert len(bot.keys) == len(set(bot.keys))
    assert (columns["plays"][5] != alone["plays"][5]).any()


def test_illegal_answers_are_faults_each_at_its_row() -> None:
    def answer(row: Any, sequence: int) -> int:
        return 97 if sequence in (2, 7) and row["public"]["phase"] == CALLING else lowest_of(row)

    for together in (False, True):
        columns, referee = play(Scripted(answer, together=together))
        found = codes(columns)
        assert np.flatnonzero(found.any(axis=1)).tolist() == [2, 7]
        assert set(found[found != 0].tolist()) == {Fault.ILLEGAL}
        assert referee.reasons[Fault.ILLEGAL].text.startswith("answered 97: ")


@pytest.mark.parametrize("answer", [-1, 64, 98, 200, -(1 << 62), 1 << 62])
def test_numbers_that_are_no_actions_are_illegal(answer: int) -> None:
    columns, _ = play(Scripted(lambda row, sequence: answer if sequence == 0 else lowest_of(row)))
    assert codes(columns)[0].tolist() == [Fault.ILLEGAL, 0, Fault.ILLEGAL, 0]


def test_a_bot_that_writes_on_its_rows_deceives_nobody() -> None:
    def answer(row: Any, sequence: int) -> int:
        fair = lowest_of(row)
        row["legal"] = -1
        row["seat"], row["public"]["hand_number"], row["public"]["phase"] = 3, 7, CALLING
        return 97 if sequence == 4 else fair

    columns, _ = play(Scripted(answer))
    found = codes(columns)
    assert np.flatnonzero(found.any(axis=1)).tolist() == [4]
    assert found[4].tolist() == [Fault.ILLEGAL, 0, Fault.ILLEGAL, 0]


def test_a_bot_that_fails_on_many_rows_at_once_is_asked_for_one_at_a_time() -> None:
    bot = Scripted(failing(Fault.CRASH, lambda row, sequence: sequence == 9), together=True)
    columns, referee = play(bot)
    assert np.flatnonzero(codes(columns).any(axis=1)).tolist() == [9]
    assert {(noted["sequence"], noted["seat"]) for noted in referee.noted} == {(9, 1), (9, 3)}
    assert 1 in bot.sizes
    assert max(bot.sizes) > 1


def test_a_bot_that_fails_on_many_rows_and_on_none_alone_has_failed_at_the_first() -> None:
    class Crowd(Scripted):
        def decide(self, rows: Any, sequences: Any) -> Any:
            if len(rows) > 1:
                raise DecisionFailed(0, "too many", Fault.CRASH)
            return super().decide(rows, sequences)

    columns, referee = play(Crowd(lambda row, _: lowest_of(row), together=True))
    real = referee.noted[referee.noted["fault"] == Fault.CRASH]
    assert len(real) == MOST_FAULTS
    assert referee.reasons[Fault.CRASH].text == "too many"
    assert (codes(columns) == Fault.UNASKED).any()


@pytest.mark.parametrize("together", [False, True])
def test_after_too_many_faults_a_bot_is_not_asked(together: bool) -> None:
    bot = Scripted(failing(Fault.CRASH, lambda row, sequence: True), together=together)
    columns, referee = play(bot)
    own = codes(columns)[np.arange(HANDS)[:, None], np.array([[0, 2], [1, 3]])[np.arange(HANDS) % 2]]
    assert np.bincount(own.ravel(), minlength=7)[[Fault.CRASH, Fault.UNASKED]].tolist() == [10, 2 * HANDS - 10]
    assert len(bot.restarted) == MOST_FAULTS == 10
    asked = len(bot.sizes)
    assert asked == (11 if together else 10), "the call that failed as a whole, and one for each fault"
    assert referee.reasons.keys() == {Fault.CRASH}


def test_where_time_has_run_out_what_is_not_asked_any_more_is_marked_so() -> None:
    def answer(row: Any, sequence: int) -> int:
        raise DecisionFailed(0, "slow" if sequence == 0 else "no", Fault.TIME if sequence == 0 else Fault.CRASH)

    columns, _ = play(Scripted(answer))
    assert set(codes(columns)[codes(columns) != 0].tolist()) == {Fault.CRASH, Fault.TIME}


def test_a_lost_bot_crashes_until_it_is_not_asked() -> None:
    columns, _ = play(LostBot("lost", "it did not start", Fault.TIME))
    assert set(codes(columns)[codes(columns) != 0].tolist()) == {Fault.TIME}
    columns, referee = play(LostBot("lost", "its process died"))
    assert set(codes(columns)[codes(columns) != 0].tolist()) == {Fault.CRASH, Fault.UNASKED}
    assert referee.reasons[Fault.CRASH].text == "its process died"


@pytest.mark.parametrize("together", [False, True])
def test_a_bot_that_is_traced_has_the_same_faults(together: bool) -> None:
    """A part is traced when it is played for the third time, and its rows are to be the same."""
    answer = failing(Fault.CRASH, lambda row, sequence: sequence in (4, 9, 10))
    columns, _ = play(Scripted(answer, together=together))
    sequences = SETTING.sequences(PART)
    traced, _ = play(Traced(Scripted(answer, together=together), sequences, lambda note: None))
    assert all((columns[name] == traced[name]).all() for name in columns)
    assert codes(columns).any()


def test_in_games_a_seat_is_asked_again_in_the_next_hand() -> None:
    setting = Setting(CLASSIC, 5, games=True)
    part = Part(0, 0, 1, 0, 2)
    bot = Scripted(failing(Fault.CRASH, lambda row, sequence: sequence == 0 and row["public"]["hand_number"] in (0, 2)))
    columns = play_part(setting, part, {0: Referee(bot, 4), 1: Scripted(lambda row, _: lowest_of(row))})
    first = (columns["game"] == 0) & (columns["orientation"] == 0)
    hands = columns["hand"][first]
    assert len(hands) > 2
    found = {int(hand): bool(row.any()) for hand, row in zip(hands, codes(columns)[first], strict=True)}
    assert found == {hand: hand in (0, 2) for hand in found}
    assert not codes(columns)[~first].any()


def test_the_number_of_tables_held_at_once_makes_no_difference_to_faults_by_the_hand() -> None:
    sequences = SETTING.sequences(PART)
    found = []
    for tables in (3, 4096):
        referee = Referee(Scripted(failing(Fault.CRASH, lambda row, sequence: sequence in (6, 13))), HANDS)
        Batch(CLASSIC, 5, tables).play(sequences, [referee, Scripted(lambda row, _: lowest_of(row))])
        found.append(sorted(referee.noted.tolist()))
    assert found[0] == found[1]
    assert len(found[0]) == 4


def test_compiled_bots_play_behind_referees_as_without() -> None:
    bots = [find_bot(each).load(CLASSIC) for each in ("heuristic", "random")]
    alone = play_part(SETTING, PART, dict(enumerate(bots)))
    judged = play_part(SETTING, PART, {place: Referee(bot, HANDS) for place, bot in enumerate(bots)})
    assert all((alone[name] == judged[name]).all() for name in alone)


def test_the_names_of_moments() -> None:
    names = [decision_name(moment) for moment in range(MOMENTS)]
    assert names[: SEATS + 1] == [*["call"] * SEATS, "name"]
    assert names[5:7] == ["discard:1", "discard:2"]
    assert names[16:21] == [*["play:1"] * SEATS, "play:2"]
    assert names[-1] == "play:13"
