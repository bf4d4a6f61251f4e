"""A hand that has been played: trick by trick from what is recorded of it, and as text that replays.

The text of a hand is a few lines, each a word and what it stands for; discards and the plays may be left out while
the hand is not that far:

    rules traditional target=5
    dealer S
    scores 0 3
    sets 0 0
    deal N:AKQ.T98..5432.R ...
    calls P 3U P P
    naming US
    discards H2 D3 C2 C3 C4 C5
    plays SA S2 ...
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bidwhist.actions import NONE, Action
from bidwhist.cards import SEATS, Card, Mask, Seat, cards_of
from bidwhist.errors import IllegalAction, NotationError
from bidwhist.notation import (
    format_action,
    format_card,
    format_naming,
    format_seat,
    parse_call,
    parse_card,
    parse_deal,
    parse_naming,
    parse_seat,
)
from bidwhist.rules import OPTIONS, PRESETS, Rules, Value, preset
from bidwhist.table import Table
from bidwhist.text import echo


@dataclass(frozen=True)
class Trick:
    """The cards of a trick by seat, who led it and who won it."""

    leader: Seat
    cards: tuple[Card, ...]
    winner: Seat


@dataclass(frozen=True)
class Played:
    """A hand played to its end: the calls as (seat, call), its tricks, and the Table as it stands then."""

    calls: tuple[tuple[Seat, Action], ...]
    tricks: tuple[Trick, ...]
    table: Table


@dataclass(frozen=True)
class Recorded:
    """What is recorded of a hand: `calls` and `plays` in the order made; of the declarer's `discards` not the order."""

    calls: Sequence[Action]
    naming: Action
    discards: Mask
    plays: Sequence[Card]

    def next(self, table: Table) -> Action:
        """What was done where `table` stands now; of the discards the lowest. Raises IllegalAction at the end."""
        public, phase = table.public, table.phase
        actions: Sequence[Action] = [self.naming]
        place = 0
        if phase == "call":
            actions, place = self.calls, int((public["calls"] != NONE).sum())
        elif phase == "discard":
            actions = cards_of(self.discards & ~table.buried)
        elif phase == "play":
            actions, place = self.plays, int(public["played"])
        if place >= len(actions):
            raise IllegalAction(f"the record has nothing to {phase} although the hand goes on")
        return actions[place]


def play_out(table: Table, recorded: Recorded) -> Played:
    """Play a recorded hand on a `table` where it is about to begin. Raises IllegalAction if it is none by the rules."""
    spoken: list[tuple[Seat, Action]] = []
    while not table.is_done:
        action = recorded.next(table)
        if table.phase == "call":
            spoken.append((table.turn, action))
        table.act(action)
    return Played(tuple(spoken), tuple(_tricks(table)), table)


def _tricks(table: Table) -> Iterator[Trick]:
    public = table.public
    tricks = int(public["played"]) // SEATS
    # The winner of a trick leads to the next; after the last it is still the winner's turn.
    leaders = [int(leader) for leader in public["leaders"][:tricks]] + [int(public["turn"])]
    for trick in range(tricks):
        cards = public["plays"][SEATS * trick : SEATS * (trick + 1)]
        by_seat = [int(cards[(seat - leaders[trick]) % SEATS]) for seat in range(SEATS)]
        yield Trick(leaders[trick], tuple(by_seat), leaders[trick + 1])


def format_rules(rules: Rules) -> str:
    """A rule set in a line: a preset and the fields that differ from it, as in `traditional target=5`."""
    base = PRESETS[rules.preset].as_dict()
    changed = [f"{name}={_format_value(value)}" for name, value in rules.as_dict().items() if value != base[name]]
    return " ".join([rules.preset, *changed])


def parse_rules(text: str) -> Rules:
    """The rule set of `format_rules`' text. Raises RulesError or NotationError."""
    name, *changes = text.split()
    fields: dict[str, Value] = {}
    for change in changes:
        field, mark, value = change.partition("=")
        if not mark:
            raise NotationError(f"rules: {change!r} is no field=value")
        fields[field] = _parse_value(field, value)
    return preset(name, **fields)


def _format_value(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _parse_value(field: str, text: str) -> Value:
    known = OPTIONS[field].values if field in OPTIONS else ()
    return next((value for value in known if _format_value(value) == text), text)


def format_record(table: Table) -> str:
    """The text of the hand on a table, as far as it has been played."""
    public, dealer = table.public, int(table.public["dealer"])
    calls = [int(public["calls"][(dealer + 1 + place) % SEATS]) for place in range(SEATS)]
    lines = [
        f"rules {format_rules(table.rules)}",
        f"dealer {format_seat(dealer)}",
        f"scores {public['scores'][0]} {public['scores'][1]}",
        f"sets {public['sets'][0]} {public['sets'][1]}",
        f"deal {table.deal_text}",
        " ".join(["calls", *(format_action(call) for call in calls if call != NONE)]),
    ]
    if public["naming"] != NONE:
        lines.append(f"naming {format_naming(int(public['naming']))}")
    if table.buried:
        lines.append(" ".join(["discards", *map(format_card, cards_of(table.buried))]))
    if public["played"]:
        lines.append(" ".join(["plays", *(format_card(int(card)) for card in public["plays"][: public["played"]])]))
    return "\n".join(lines) + "\n"


_LINES = ("rules", "dealer", "scores", "sets", "deal", "calls", "naming", "discards", "plays")


def parse_record(text: str) -> Table:
    """The hand of `format_record`'s text on a table, as far as it goes.

    Raises NotationError, RulesError or IllegalAction, naming the line.
    """
    lines: dict[str, str] = {}
    for line in text.splitlines():
        word, _, rest = line.strip().partition(" ")
        if word and (word not in _LINES or word in lines):
            raise NotationError(f"record: {word!r} is no line of a record, or stands twice")
        lines[word] = rest
    missing = [word for word in ("rules", "dealer", "deal") if word not in lines]
    if missing:
        raise NotationError(f"record: the line {missing[0]!r} is missing")
    hands, kitty = parse_deal(lines["deal"])
    table = Table(
        hands,
        kitty,
        parse_seat(lines["dealer"]),
        parse_rules(lines["rules"]),
        scores=_pair("scores", lines.get("scores", "0 0")),
        sets=_pair("sets", lines.get("sets", "0 0")),
    )
    actions = [parse_call(word) for word in lines.get("calls", "").split()]
    actions += [parse_naming(word) for word in lines.get("naming", "").split()]
    actions += [parse_card(word) for word in (lines.get("discards", "") + " " + lines.get("plays", "")).split()]
    for action in actions:
        table.act(action)
    return table


def _pair(word: str, text: str) -> tuple[int, int]:
    try:
        first, second = map(int, text.split())
    except ValueError:
        raise NotationError(f"record: {word} {echo(text)}: needs two integers, of NS and EW") from None
    return first, second
