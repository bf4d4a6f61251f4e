"""A bot whose faults do not stop the play: where it fails, a fixed legal action is taken for it, and that is noted.

A seat that has failed is not asked again in the same hand, so it has one fault a hand at most. A bot that fails too
often is not asked any more at all. What is asked and noted depends on the sequences and the bot alone.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidwhist.cards import SEATS
from bidwhist.engine.decider import Decider, DecisionFailed
from bidwhist.engine.moment import moments
from bidwhist.engine.questions import Questions
from bidwhist.faults import Fault
from bidwhist.layout import taken
from bidwhist.observation import Obs
from bidwhist.rows import are_legal
from bidwhist.table import explain_illegal

MOST_FAULTS: Final = 10
"""A bot that has failed so often is not asked any more, unless another number is given."""

NOTED: Final = np.dtype([("sequence", "i8"), ("hand", "i4"), ("seat", "i1"), ("fault", "i1"), ("moment", "i1")])
"""A fault: where it was (`moment`: see `bidwhist.engine.moment`) and its code."""


class Reason(NamedTuple):
    """Why a bot failed, in words, and where it was."""

    sequence: int
    hand: int
    seat: int
    moment: int
    text: str


class Referee(Decider):
    """Answers as the bot does, and for it where it fails."""

    def __init__(self, bot: Decider, sequences: int, most: int = MOST_FAULTS) -> None:
        """`sequences`: how many are played; after `most` faults the bot is not asked any more."""
        super().__init__(bot.name, bot.file)
        self.is_apart = bot.is_apart
        self.bot = bot
        self.reasons: dict[Fault, Reason] = {}  # of the first fault of each kind, in the order of sequences and hands
        self._last = np.full((sequences, SEATS), -1, np.int16)  # the hand in which a seat has last failed
        self._noted: list[NDArray[np.void]] = []
        self._asked: Questions | None = None  # what the bot has begun to answer
        self._most = most
        self._faults = 0

    @property
    def noted(self) -> NDArray[np.void]:
        """All faults so far, as NOTED records."""
        return np.concatenate([np.zeros(0, NOTED), *self._noted])

    def begin(self, rows: NDArray[np.void], sequences: NDArray[np.int64]) -> None:
        """Let the bot begin to answer, as long as it has not failed: then it is asked for all rows."""
        self._asked = Questions.to(self.bot, rows, sequences)
        if not self._noted:
            self.bot.begin(rows, sequences)

    def decide(self, rows: NDArray[np.void], sequences: NDArray[np.int64]) -> NDArray[np.int64]:
        """A legal action for each OBSERVATION row."""
        asked, self._asked = self._asked or Questions.to(self.bot, rows, sequences), None
        if self._noted:
            actions = asked.fixed_actions()
            has_failed = self._last[asked.sequence, asked.seat] == asked.hand
            self._settle(asked, np.flatnonzero(~has_failed), actions)
            return actions
        answers, failure = self._answers(rows, sequences)
        if failure is None and are_legal(asked.rows, answers).all():
            return answers
        actions = asked.fixed_actions()
        self._settle(asked, np.arange(len(rows)), actions, (answers, failure))
        return actions

    def finish(self, sequences: NDArray[np.int64]) -> None:
        """Forget the players of these sequences."""
        self.bot.finish(sequences)

    def close(self) -> None:
        """End what the bot holds open."""
        self.bot.close()

    def _answers(
        self, rows: NDArray[np.void], sequences: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], DecisionFailed | None]:
        """The answers of the bot, and how it has failed, if it has."""
        try:
            return self.bot.decide(rows, sequences), None
        except DecisionFailed as failure:
            return failure.answers, failure

    def _settle(
        self,
        asked: Questions,
        places: NDArray[np.intp],
        actions: NDArray[np.int64],
        given: tuple[NDArray[np.int64], DecisionFailed | None] | None = None,
    ) -> None:
        """Ask the bot the questions at these places, and put its legal answers into `actions`.

        `given`: what it has answered to them already.
        """
        while len(places):
            if self._faults >= self._most:
                # Where time has run out, other machines may ask: those hands are marked as its own are.
                self._note(asked, places, Fault.TIME if Fault.TIME in self.reasons else Fault.UNASKED)
                return
            answers, failure = given or self._answers(taken(asked.rows, places), asked.sequence[places])
            given = None
            if failure is None:
                self._take(asked, places, answers, actions)
                return
            has_answer = np.zeros(len(places), np.bool_)
            has_answer[: len(answers)] = answers >= 0
            self._take(asked, places[has_answer], answers[has_answer[: len(answers)]], actions)
            doubtful = self._doubtful(asked, places, has_answer)
            if doubtful[failure.place] and doubtful.sum() > 1:
                self._settle_one_by_one(asked, places[doubtful], actions, places[failure.place], failure)
                places = places[~(has_answer | doubtful)]
            else:
                self._charge(asked, places[failure.place], failure.fault, failure.reason)
                has_answer[failure.place] = True
                places = places[~has_answer]

    def _doubtful(self, asked: Questions, places: NDArray[np.intp], has_answer: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """By place: whether it may be what a bot has failed on that is asked for many at once: it was asked together
        with others, all of a seat at least, and none of them has an answer."""
        if not self.bot.answers_together:
            return np.zeros(len(places), np.bool_)
        seats = asked.seat[places]
        return ~np.isin(seats, seats[has_answer])

    def _settle_one_by_one(
        self,
        asked: Questions,
        places: NDArray[np.intp],
        actions: NDArray[np.int64],
        named: np.intp,
        failure: DecisionFailed,
    ) -> None:
        """Ask a bot again that has failed on all questions at once. If it answers each, `named` is the fault."""
        before = self._faults
        fixed = actions[named]
        for place in range(len(places)):
            self._settle(asked, places[place : place + 1], actions)
        if self._faults == before:
            actions[named] = fixed
            self._charge(asked, named, failure.fault, failure.reason)

    def _take(
        self, asked: Questions, places: NDArray[np.intp], answers: NDArray[np.int64], actions: NDArray[np.int64]
    ) -> None:
        """Take the answers to the questions at these places; those that are not legal are faults."""
        legal = are_legal(taken(asked.rows, places), answers)
        actions[places[legal]] = answers[legal]
        for place, answer in zip(places[~legal], answers[~legal].tolist(), strict=True):
            reason = f"answered {answer}: {explain_illegal(Obs(asked.rows[place]), answer)}"
            self._charge(asked, place, Fault.ILLEGAL, reason)

    def _charge(self, asked: Questions, place: np.intp, fault: Fault, text: str) -> None:
        """Note a fault of the bot, which begins anew with the player that failed."""
        self._faults += 1
        moment = self._note(asked, np.array([place]), fault)
        sequence, hand, seat = int(asked.sequence[place]), int(asked.hand[place]), int(asked.seat[place])
        reason = Reason(sequence, hand, seat, moment, text)
        self.reasons[fault] = min(reason, self.reasons.get(fault, reason))
        self.bot.restart(sequence, seat)

    def _note(self, asked: Questions, places: NDArray[np.intp], fault: Fault) -> int:
        """Note a fault for each of the questions at these places; the moment of the first."""
        noted = np.zeros(len(places), NOTED)
        noted["sequence"] = asked.sequence[places]
        noted["hand"] = asked.hand[places]
        noted["seat"] = asked.seat[places]
        noted["fault"] = fault
        noted["moment"] = moments(taken(asked.rows, places))
        self._noted.append(noted)
        self._last[noted["sequence"], noted["seat"]] = noted["hand"]
        return int(noted["moment"][0])
