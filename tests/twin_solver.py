"""A brute-force solver in plain Python, written from the words of the rules; it shares no code with the engine.

Cards are texts such as `SA` and `JR`, seats 0-3 clockwise from North. A naming is a trump suit `S H D C` or `N`, and a
way: `U` up, `D` down with the ace high, `L` down with the ace low.
"""

from functools import cache

# Ranks from the weakest to the strongest (C8).
ORDERS = {"U": "23456789TJQKA", "D": "KQJT98765432A", "L": "AKQJT98765432"}

Hand = frozenset[str]


def suit(card: str, trump: str) -> str:
    """The suit a card belongs to: jokers to the trumps (C9), in no trump to none (C10)."""
    if card[0] != "J":
        return card[0]
    return "" if trump == "N" else trump


def suit_led(trick: tuple[str, ...], trump: str) -> str:
    """The suit to follow: that of the first card that has one (C13)."""
    return next((suit(card, trump) for card in trick if suit(card, trump)), "")


def may_play(hand: Hand, trick: tuple[str, ...], trump: str) -> Hand:
    led = suit_led(trick, trump)
    following = frozenset(card for card in hand if led and suit(card, trump) == led)
    return following or hand


@cache
def winner(trick: tuple[str, ...], trump: str, way: str) -> int:
    """Place in the trick of the card that wins it (C10, C12)."""

    def height(card: str) -> int:
        if card[0] == "J":
            return -1 if trump == "N" else 20 + (card == "JR")
        return ORDERS[way].index(card[1])

    def power(place: int) -> tuple[int, int]:
        card = trick[place]
        if trump != "N" and suit(card, trump) == trump:
            return 2, height(card)
        return int(suit(card, trump) == suit_led(trick, trump)), height(card)

    return max(range(len(trick)), key=power)


def north_south_tricks(
    hands: tuple[Hand, Hand, Hand, Hand], leader: int, trump: str, way: str, trick: tuple[str, ...] = ()
) -> int:
    """Tricks of North-South from here with best play by all, the one on the table included."""

    @cache
    def value(hands: tuple[Hand, ...], leader: int, trick: tuple[str, ...]) -> int:
        if len(trick) == 4:
            taker = (leader + winner(trick, trump, way)) % 4
            return (taker % 2 == 0) + value(hands, taker, ())
        seat = (leader + len(trick)) % 4
        if not hands[seat]:
            return 0
        best_possible = len(hands[seat]) if seat % 2 == 0 else 0
        found = set()
        for card in may_play(hands[seat], trick, trump):
            found.add(value((*hands[:seat], hands[seat] - {card}, *hands[seat + 1 :]), leader, (*trick, card)))
            if best_possible in found:
                break
        return max(found) if seat % 2 == 0 else min(found)

    return value(hands, leader, trick)
