"""Hands of a run once more: their cards, also where only results were recorded, and what a seat was asked in them."""

from collections.abc import Generator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bidwhist.actions import Action
from bidwhist.activity import busy
from bidwhist.arena.part import Setting, play_part
from bidwhist.bot.jailed.isolation import as_played
from bidwhist.bot.sources.keep import COPIES, find_kept
from bidwhist.cards import SEATS, Card, Mask, Seat, cards_of
from bidwhist.deal import board_cards
from bidwhist.engine.decider import Decider
from bidwhist.engine.excused import Excused
from bidwhist.errors import BotSpecError, RunError
from bidwhist.observation import Obs
from bidwhist.record import Recorded
from bidwhist.results.columns import RESULT
from bidwhist.results.hands import Hand, faults_of_units
from bidwhist.results.manifest import Manifest, read_manifest, seed_of
from bidwhist.results.schedule import Pair
from bidwhist.results.schema import Part
from bidwhist.streams import philox, use_key
from bidwhist.table import Table


@dataclass(frozen=True)
class Question:
    """A decision that a seat was asked for in a hand of a run.

    `name`: `call`, `name`, `discard:2` or `play:5`, the number that of the card or the trick, from 1. `taken`: what was
    done then; of the discards, whose order is not recorded, one that is left. `state`: the STATE record of the table.
    """

    name: str
    obs: Obs
    taken: Action
    state: Any


def replay_columns(run: Path, unit: int, pairing: Pair, units: int = 1) -> Mapping[str, Any]:
    """The columns of units (boards or games), from `unit` on, of a pairing of sides by number, plays included, in both
    orientations.

    Raises RunError when a bot is not the one that played in the run.
    """
    manifest = read_manifest(run)
    setting = Setting(manifest.rule_set(), seed_of(run, manifest), manifest.is_games, manifest.pairing)
    part = Part(0, *pairing, unit, units)
    with ExitStack() as stack:
        deciders = {index: stack.enter_context(_load(run, manifest, index)) for index in manifest.bots_of(part)}
        failed_at = faults_of_units(run, manifest, part)
        if failed_at.max() >= 0:
            excused = [index for index in deciders if manifest.bots[index].on_fault != "stop"]
            deciders |= {index: Excused(deciders[index], failed_at) for index in excused}
        with busy("playing the hands again, whose cards were not recorded"):
            return play_part(setting, part, deciders)


def _load(run: Path, manifest: Manifest, index: int) -> Decider:
    """A bot of a run as it has played, loaded. Raises RunError if it is not there any more."""
    try:
        source = as_played(find_kept(manifest.bots[index], run / COPIES))
    except BotSpecError as error:
        raise RunError(f"{run}: its plays cannot be shown: {error}") from error
    return source.load(manifest.rule_set())


class HandAgain:
    """A hand of a run, to be gone through once more."""

    def __init__(self, run: Path, manifest: Manifest, hand: Hand) -> None:
        """Raises RunError if the seed is not at hand, or if cards were not recorded and the bots play others now."""
        self._hand = hand
        self._rules = manifest.rule_set()
        self._seed = seed_of(run, manifest)
        discards, plays = (hand.discards, hand.plays) if hand.plays is not None else _cards_played_again(run, hand)
        self.recorded = Recorded(hand.row["calls"].tolist(), int(hand.row["naming"]), discards, plays)

    def table(self) -> Table:
        """The table at which the hand is about to begin."""
        hands, kitty, _ = board_cards(self._rules, self._seed, int(self._hand.row["board"]))
        scores, sets = (
            (int(each[0]), int(each[1])) for each in (self._hand.derived["scores"], self._hand.derived["sets"])
        )
        dealer, number = int(self._hand.derived["dealer"]), int(self._hand.row["hand"])
        return Table(hands, kitty, dealer, self._rules, scores=scores, sets=sets, hand_number=number)

    def questions(self, seat: Seat) -> Generator[Question, Action | None, None]:
        """What a seat was asked, in order; a decision without a choice is no question.

        Send the answer of a bot that discards: if it is one of those recorded, it is taken to be the next.
        """
        table, recorded = self.table(), self.recorded
        key = philox(use_key(self._seed, "bots"), int(self._hand.row["board"]))[seat]
        while not table.is_done:
            action = recorded.next(table)
            if table.turn == seat and len(table.legal) > 1:
                answer = yield Question(_name(table), table.observe_in_run(key), action, table.state)
                if table.phase == "discard" and answer in cards_of(recorded.discards & ~table.buried):
                    action = answer
            table.act(action)


def _name(table: Table) -> str:
    """The name of the decision that a table waits for."""
    if table.phase == "play":
        return f"play:{int(table.public['played']) // SEATS + 1}"
    if table.phase == "discard":
        return f"discard:{table.buried.bit_count() + 1}"
    return table.phase


def _cards_played_again(run: Path, hand: Hand) -> tuple[Mask, list[Card]]:
    columns = replay_columns(run, int(hand.row["unit"]), hand.pairing)
    for place in range(len(columns["board"])):
        same_table = columns["board"][place] == hand.row["board"] and columns["north"][place] == hand.row["lineup"][0]
        if same_table and _same_result(columns, place, hand):
            return int(columns["discards"][place]), [int(card) for card in columns["plays"][place] if card >= 0]
    raise RunError(f"{run}: the bots do not play this hand again as they did in the run: its cards cannot be shown")


def _same_result(columns: Any, place: int, hand: Hand) -> bool:
    return all(columns[column.name][place] == column.of(hand.row) for column in RESULT)
