"""Text for cards, hands, deals, calls, namings and contracts, in parse/format pairs that round-trip."""

from typing import Final

from bidwhist.actions import (
    ACTIONS,
    BARE,
    FIRST_NAMING,
    LAST_BID,
    NAMINGS,
    NO_SUIT,
    PASS,
    Action,
    bid,
    direction_of,
    is_action,
    level_of,
    strain_of,
    trump_of,
)
from bidwhist.cards import (
    BLACK_JOKER,
    CARDS,
    RANKS,
    RED_JOKER,
    SEATS,
    SUIT_MASKS,
    Card,
    Mask,
    Seat,
    card,
    cards_of,
    is_number,
    suit_of,
)
from bidwhist.errors import NotationError
from bidwhist.text import echo

SEAT_LETTERS: Final = "NESW"
SUIT_LETTERS: Final = "SHDC"
RANK_LETTERS: Final = "23456789TJQKA"
STRAIN_LETTERS: Final = "UDN"
TRUMP_LETTERS: Final = "SHDCN"
DIRECTION_LETTERS: Final = "UDL"
JOKER_TEXTS: Final = {BLACK_JOKER: "JB", RED_JOKER: "JR"}
SUIT_NAMES: Final = ("spades", "hearts", "diamonds", "clubs")
LEVELS: Final = 7


def format_seat(seat: Seat) -> str:
    """`N`, `E`, `S` or `W`. Raises NotationError for what is no seat 0-3."""
    if not is_number(seat, SEATS):
        raise NotationError(f"{seat!r} is no seat: seats are 0-{SEATS - 1}")
    return SEAT_LETTERS[seat]


def parse_seat(text: str) -> Seat:
    """Seat 0-3 of `N E S W`. Raises NotationError."""
    if len(text) != 1 or text not in SEAT_LETTERS:
        raise NotationError(f"{echo(text)} is no seat: a seat is one of N E S W")
    return SEAT_LETTERS.index(text)


def format_card(card: Card) -> str:
    """Suit first, as in `SA HT D2`; jokers are `JR` and `JB`. Raises NotationError for what is no card 0-53."""
    if not is_number(card, CARDS):
        raise NotationError(f"{card!r} is no card: cards are 0-{CARDS - 1}")
    return JOKER_TEXTS.get(card) or SUIT_LETTERS[suit_of(card)] + RANK_LETTERS[card % RANKS]


def parse_card(text: str) -> Card:
    """Card id of a text such as `SA` or `JR`. Raises NotationError."""
    for joker, name in JOKER_TEXTS.items():
        if text == name:
            return joker
    if len(text) != 2 or text[0] not in SUIT_LETTERS or text[1] not in RANK_LETTERS:
        raise NotationError(f"{echo(text)} is no card: suit S H D C then rank 2-9 T J Q K A, or a joker JR JB")
    return card(SUIT_LETTERS.index(text[0]), RANK_LETTERS.index(text[1]))


def format_hand(hand: Mask) -> str:
    """`spades.hearts.diamonds.clubs.jokers`, ranks high to low; the last field is left out when empty."""
    fields = ["".join(RANK_LETTERS[c % RANKS] for c in reversed(cards_of(hand & mask))) for mask in SUIT_MASKS]
    jokers = ("R" if hand >> RED_JOKER & 1 else "") + ("B" if hand >> BLACK_JOKER & 1 else "")
    return ".".join([*fields, jokers] if jokers else fields)


def parse_hand(text: str) -> Mask:
    """Mask of a hand's text; ranks in any order. Raises NotationError."""
    fields = text.split(".")
    if len(fields) not in (4, 5):
        raise NotationError(f"hand {echo(text)}: needs spades.hearts.diamonds.clubs and perhaps .jokers")
    hand = 0
    for place, ranks in enumerate(fields):
        for rank in ranks:
            each = parse_card(SUIT_LETTERS[place] + rank) if place < 4 else parse_card("J" + rank)
            if hand >> each & 1:
                raise NotationError(f"hand {echo(text)}: {format_card(each)} stands twice")
            hand |= 1 << each
    return hand


def format_deal(hands: list[Mask], kitty: Mask) -> str:
    """`N:` then four hands clockwise from North, then the kitty; an empty kitty is left out."""
    texts = [format_hand(hand) for hand in hands]
    return "N:" + " ".join([*texts, format_hand(kitty)] if kitty else texts)


def parse_deal(text: str) -> tuple[list[Mask], Mask]:
    """Four hands from North on, and the kitty, of a text as people write it.

    It may begin with any seat, as in Portable Bridge Notation, and have small letters, and 10 for T. Raises
    NotationError, also for a card that stands twice.
    """
    first, colon, rest = text.strip().upper().partition(":")
    if not (text.isascii() and colon and len(first) == 1 and first in SEAT_LETTERS):
        raise NotationError(f"deal {echo(text)}: starts with N:, E:, S: or W:, the seat of the first hand")
    fields = rest.replace("10", "T").split()
    if len(fields) not in (4, 5):
        raise NotationError(f"deal: four hands and perhaps a kitty, with spaces between, not {len(fields)}")
    turn = SEAT_LETTERS.index(first)
    masks = [parse_hand(each) for each in fields]
    masks[:4] = [masks[(seat - turn) % 4] for seat in range(4)]
    seen = 0
    for mask in masks:
        if seen & mask:
            twice = ", ".join(format_card(each) for each in cards_of(seen & mask))
            raise NotationError(f"deal: {twice} dealt twice")
        seen |= mask
    return masks[:4], masks[4] if len(masks) == 5 else 0


def format_call(call: Action) -> str:
    """`P`, `4U`, `4D`, `4N`, or a bare `4`. Raises NotationError for what is no call 54-82."""
    if not is_action(call) or not PASS <= call <= LAST_BID:
        raise NotationError(f"{call!r} is no call: calls are {PASS}-{LAST_BID}")
    if call == PASS:
        return "P"
    return f"{level_of(call)}{(STRAIN_LETTERS + ' ')[strain_of(call)].strip()}"


def parse_call(text: str) -> Action:
    """Action of a call's text. Raises NotationError."""
    if text == "P":
        return PASS
    if 1 <= len(text) <= 2 and text[0] in "1234567" and (len(text) == 1 or text[1] in STRAIN_LETTERS):
        return bid(int(text[0]), STRAIN_LETTERS.index(text[1]) if len(text) == 2 else BARE)
    raise NotationError(f"{echo(text)} is no call: P, or a level 1-7 with U, D, N or nothing")


def format_naming(naming: Action) -> str:
    """Direction and trump suit as in a contract (`US`, `DH`, `LC`); no trump is `NU`, `ND`, `NL`.

    Raises NotationError for what is no naming 83-97.
    """
    if not is_action(naming) or naming < FIRST_NAMING:
        raise NotationError(f"{naming!r} is no naming: namings are {FIRST_NAMING}-{FIRST_NAMING + NAMINGS - 1}")
    direction = DIRECTION_LETTERS[direction_of(naming)]
    trump = trump_of(naming)
    return "N" + direction if trump == NO_SUIT else direction + SUIT_LETTERS[trump]


_NAMINGS: Final = {format_naming(each): each for each in range(FIRST_NAMING, FIRST_NAMING + NAMINGS)}


def parse_naming(text: str) -> Action:
    """Action of a naming's text. Raises NotationError."""
    if text not in _NAMINGS:
        raise NotationError(f"{echo(text)} names no strain: one of {' '.join(_NAMINGS)}")
    return _NAMINGS[text]


def format_contract(level: int, naming: Action) -> str:
    """Level, then direction and trump suit: `4US`, `3DH`, `4LC`; no trump `5NU`, `5ND`, `5NL`.

    Raises NotationError for a level that is none of 1-7, and for what is no naming.
    """
    if not is_number(level, LEVELS + 1) or level < 1:
        raise NotationError(f"{level!r} is no level: levels are 1-{LEVELS}")
    return f"{level}{format_naming(naming)}"


def parse_contract(text: str) -> tuple[int, Action]:
    """Level and naming of a contract's text. Raises NotationError."""
    if not text or text[0] not in "1234567" or text[1:] not in _NAMINGS:
        raise NotationError(f"{echo(text)} is no contract: a level 1-7, then one of {' '.join(_NAMINGS)}")
    return int(text[0]), _NAMINGS[text[1:]]


def format_action(action: Action) -> str:
    """Text of any action: a card, a call or a naming. Raises NotationError for what is no action 0-97."""
    if not is_action(action):
        raise NotationError(f"{action!r} is no action: actions are 0-{ACTIONS - 1}")
    if action < PASS:
        return format_card(action)
    return format_naming(action) if action > LAST_BID else format_call(action)


def describe_naming(action: Action) -> str:
    """A naming in words, such as `uptown in spades` or `no trump, down (aces low)`."""
    way = ("uptown", "downtown", "downtown with aces low")[direction_of(action)]
    trump = trump_of(action)
    return f"no trump {way}" if trump == NO_SUIT else f"{way} in {SUIT_NAMES[trump]}"
