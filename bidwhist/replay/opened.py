"""A hand of a run, opened: its cards, what was done at its table and what came of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from pathlib import Path
from typing import Any, Final

import numpy as np

from bidwhist.actions import Action
from bidwhist.cards import SEAT_NAMES, Card, Mask, Seat
from bidwhist.deal import board_cards
from bidwhist.engine.moment import decision_name
from bidwhist.errors import RunError
from bidwhist.faults import Fault
from bidwhist.notation import SEAT_LETTERS, format_contract
from bidwhist.record import Trick, play_out
from bidwhist.replay.hand import HandAgain
from bidwhist.results.hands import Hand, board_number, board_title, hands_of, hands_played, pick_pairing
from bidwhist.results.manifest import Manifest, seed_of
from bidwhist.results.runs import Run, Source, runs_of
from bidwhist.rules import Rules, known_or_nearest
from bidwhist.table import Table
from bidwhist.text import echo

# Columns of frames that tell who sat North-South and who East-West.
_SIDES: Final = ("bot_ns", "bot_ew")
_SEATED: Final = ("bot", "opponent", "seat")


@dataclass(frozen=True)
class HandFault:
    """A fault of the bot of a seat: its kind, as `crash`, and the decision, as `play:5`."""

    seat: Seat
    kind: str
    decision: str


@dataclass(frozen=True)
class OpenHand:
    """A hand of a run at one table. `str()` shows it to people.

    Seats, cards, sets of cards and actions are the numbers of `bidwhist.cards` and `bidwhist.actions`, sides 0 (NS) and
    1 (EW). `name`: of the run; `title`: of the hand, as `board 3`; `game` and `hand`: None in the format `boards`.
    `bots`: names by seat; `scores`: of the sides before the hand; `hands` and `kitty`: as they were dealt; `calls`: as
    (seat, call), `plays`: cards, both in their order; `tricks_won` and `books`: of the declaring side; `forfeit`: the
    side that forfeits the table, -1 if none does; `change`: of the scores of the sides; `table`: a Table that stands at
    the end of the hand.
    """

    name: str
    title: str
    rules: Rules
    board: int
    game: int | None
    hand: int | None
    orientation: int
    bots: tuple[str, ...]
    scores: tuple[int, int]
    dealer: Seat
    hands: tuple[Mask, ...]
    kitty: Mask
    calls: tuple[tuple[Seat, Action], ...]
    declarer: Seat
    level: int
    naming: Action
    discards: Mask
    plays: tuple[Card, ...]
    tricks: tuple[Trick, ...]
    tricks_won: int
    books: int
    made: bool
    forfeit: int
    change: tuple[int, int]
    faults: tuple[HandFault, ...]
    table: Table = field(repr=False, compare=False)

    @classmethod
    def of(cls, run: Path, manifest: Manifest, found: Hand) -> "OpenHand":
        """A hand that was found in the parts of a run. Raises RunError if its cards cannot be had."""
        row, derived, rules = found.row, found.derived, manifest.rule_set()
        again = HandAgain(run, manifest, found)
        played = play_out(again.table(), again.recorded)
        board = int(row["board"])
        hands, kitty, _ = board_cards(rules, seed_of(run, manifest), board)
        return cls(
            name=manifest.name,
            title=board_title(manifest, board),
            rules=rules,
            board=board,
            game=int(row["unit"]) if manifest.is_games else None,
            hand=int(row["hand"]) if manifest.is_games else None,
            orientation=found.orientation,
            bots=tuple(manifest.bots[bot].name for bot in row["lineup"]),
            scores=(int(derived["scores"][0]), int(derived["scores"][1])),
            dealer=int(derived["dealer"]),
            hands=tuple(hands),
            kitty=kitty,
            calls=played.calls,
            declarer=int(derived["declarer"]),
            level=int(derived["level"]),
            naming=int(row["naming"]),
            discards=again.recorded.discards,
            plays=tuple(again.recorded.plays),
            tricks=played.tricks,
            tricks_won=int(row["tricks"]),
            books=int(derived["books"]),
            made=bool(derived["made"]),
            forfeit=int(derived["forfeit"]),
            change=(int(derived["change"][0]), int(derived["change"][1])),
            faults=_faults(found),
            table=played.table,
        )

    @property
    def contract(self) -> str:
        """The contract as text, as `4US`."""
        return format_contract(self.level, self.naming)

    @property
    def points(self) -> int:
        """Points of NS: its change less that of EW."""
        return self.change[0] - self.change[1]

    def __str__(self) -> str:
        from bidwhist.replay.text import as_text

        return as_text(self)


def _faults(found: Hand) -> tuple[HandFault, ...]:
    """In the order of the decisions."""
    codes, moments = found.row["faults"], found.row["faults_at"]
    seats = sorted(np.flatnonzero(codes).tolist(), key=lambda seat: int(moments[seat]))
    return tuple(HandFault(seat, Fault(codes[seat]).word, decision_name(int(moments[seat]))) for seat in seats)


def open_hand(
    path: Source,
    board: Any = None,
    *,
    game: int | None = None,
    hand: int | None = None,
    pairing: str | Sequence[str] | None = None,
    orientation: int = 0,
) -> OpenHand:
    """A hand of a run, whose cards are recorded, or are had by letting the bots play it again.

    `board`: its number, or in the format `games` in place of it `game` and `hand`; `pairing`: the two bots, in "mixed"
    the two sides as "a + b", where more than two have played it (by default the first pairing); `orientation`: 0 for
    the table at which the one that stands first in the run sat North-South, 1 for the other.

    In place of all these `board` may be a row of a frame of `load`, `calls`, `contracts`, `faults` or `tricks`, as
    `frame.iloc[0]` or `itertuples` give it, with `path` as it was given there.

    Raises RunError for a hand that was not played, and for one whose cards can not be had.
    """
    row = _row(board)
    if row is not None:
        if not (game is None and hand is None and pairing is None and orientation == 0):
            raise RunError("a row of a frame tells the hand: game, hand, pairing and orientation do not go with it")
        runs = runs_of(path)
        run = runs.runs[0] if runs.labels is None else runs.labelled(row.get("run"))
        return OpenHand.of(run.folder, run.manifest, _hand_of_row(run, row))
    [run, *others] = runs_of(path).runs
    if others:
        raise RunError("of which run is the hand? give the folder of one, or a row of a frame of all")
    for name, number in (("board", board), ("game", game), ("hand", hand)):
        if number is not None and not _is_whole(number):
            raise RunError(f"{name} {echo(number)}: a whole number from 0 is wanted")
    number = board_number(run.manifest, board, game, hand)
    found = hands_played(run.folder, run.manifest, int(number))
    tables = found[pick_pairing(run.manifest, list(found), pairing)]
    for each in tables:
        if each.orientation == orientation:
            return OpenHand.of(run.folder, run.manifest, each)
    known = " and ".join(str(each.orientation) for each in tables)
    raise RunError(
        f"orientation {echo(orientation)}: {board_title(run.manifest, number)} was played in orientation {known}"
    )


def _is_whole(number: object) -> bool:
    return isinstance(number, Integral) and not isinstance(number, bool) and int(number) >= 0


def _row(given: Any) -> Mapping[str, Any] | None:
    """A row of a frame by column; None for what is none."""
    if isinstance(given, Mapping):
        return given
    for to_mapping in ("_asdict", "to_dict"):  # of named tuples and of series
        if hasattr(given, to_mapping):
            found: Mapping[str, Any] = getattr(given, to_mapping)()
            return found
    return None


def _hand_of_row(run: Run, row: Mapping[str, Any]) -> Hand:
    if not _is_whole(row.get("board")):
        raise RunError("the row does not tell the board: load the frame with the column 'board'")
    board, sides = int(row["board"]), _sides(run, row)
    pair = (min(sides), max(sides))
    for each in hands_of(run.folder, run.manifest, board, pair).get(pair, []):
        if each.orientation == int(sides != pair):
            return each
    names = " and ".join(echo(run.manifest.side_name(number)) for number in sides)
    raise RunError(f"{run.folder}: {names} have not played {board_title(run.manifest, board)} so")


def _sides(run: Run, row: Mapping[str, Any]) -> tuple[int, int]:
    """The numbers of the sides on North-South and East-West."""
    names = run.manifest.side_names
    if all(name in row for name in _SIDES):
        ns, ew = (_place(run, row[name], names) for name in _SIDES)
        return ns, ew
    seats = SEAT_NAMES if run.manifest.is_mixed else SEAT_NAMES[:2]
    if all(name in row for name in seats):
        bots = [_place(run, row[name], run.bots) for name in seats]
        return _side(run, bots[0], bots[-2]), _side(run, bots[1], bots[-1])
    seated = (*_SEATED, "partner") if run.manifest.is_mixed else _SEATED
    if all(name in row for name in seated) and row["seat"] in tuple(SEAT_LETTERS):
        bot, partner = (
            _place(run, row[name], run.bots) for name in ("bot", "partner" if run.manifest.is_mixed else "bot")
        )
        own = _side(run, bot, partner)
        other = _place(run, row["opponent"], names)
        return (own, other) if SEAT_LETTERS.index(row["seat"]) & 1 == 0 else (other, own)
    raise RunError("the row does not tell who sat where: load the frame with 'bot_ns' and 'bot_ew'")


def _side(run: Run, bot: int, partner: int) -> int:
    """The number of the side of two bots; outside of "mixed" they are one."""
    return run.manifest.sides.index((min(bot, partner), max(bot, partner)))


def _place(run: Run, name: object, known: list[str]) -> int:
    if name not in known:
        raise RunError(f"{run.folder}: has no bot {echo(name)}; {known_or_nearest(str(name), known)}")
    return known.index(str(name))
