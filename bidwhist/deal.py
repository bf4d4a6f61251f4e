"""Dealing a board: its cards and its dealer, from the key of deals and the board number alone."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bidwhist._jit import int64, jit, jit_wrapping, shared
from bidwhist.bits import count, high_product, nth
from bidwhist.cards import BLACK_JOKER, FULL, RED_JOKER, SEATS, Mask
from bidwhist.rules import Rules
from bidwhist.streams import draw, new_stream, philox, use_key

# Cards drawn by one word, as digits taken off it: 54 ** 6 choices out of 2 ** 64 favour none by more than 2 ** -29.
_DIGITS: Final = 6

_DEALER_BOARD: Final = (1 << 64) - 1  # a counter that no board has


@shared
def deck(rules: Any) -> Mask:
    """All cards of the game: the red joker is the one that stays when there is one (chosen)."""
    cards = FULL
    if rules["jokers"] < 2:
        cards ^= 1 << BLACK_JOKER
    if rules["jokers"] < 1:
        cards ^= 1 << RED_JOKER
    return cards


@shared
def draw_cards(cards: Mask, size: int, stream: Any, digits: int) -> Mask:
    """A uniform subset of `size` of the `cards`, drawn one by one, `digits` of them by one word.

    `n` cards favour none of their choices by more than `n**digits / 2**64` of its share.
    """
    rest, left, word = cards, count(cards), np.uint64(0)
    for place in range(size):
        if place % digits == 0:
            word = draw(stream)
        rest ^= 1 << nth(rest, int64(high_product(word, np.uint64(left))))
        word *= np.uint64(left)
        left -= 1
    return cards ^ rest


@jit_wrapping
def random_cards(cards: Mask, size: int, stream: Any) -> Mask:
    """A uniform subset of `size` of the `cards`."""
    return draw_cards(cards, size, stream, _DIGITS)


@shared
def random_half(cards: Mask, stream: Any) -> Mask:
    """A uniform subset of half of the `cards`, which are even in number.

    A fair coin for every card gives a subset that is uniform given its size; then cards drawn from the larger part
    bring it down to half.
    """
    half = count(cards) // 2
    part = cards & int64(draw(stream) >> np.uint64(8))
    size = count(part)
    if size < half:
        part, size = cards ^ part, 2 * half - size
    return part ^ random_cards(part, size - half, stream)


@shared
def deal(rules: Any, stream: Any, hands: Any) -> Mask:
    """Deal by `stream` into `hands` (int64[4]); returns the kitty."""
    cards = deck(rules)
    kitty = random_cards(cards, int(rules["kitty_size"]), stream)
    first = random_half(cards ^ kitty, stream)
    second = cards ^ kitty ^ first
    hands[0] = random_half(first, stream)
    hands[1] = first ^ hands[0]
    hands[2] = random_half(second, stream)
    hands[3] = second ^ hands[2]
    return kitty


@jit
def deal_board(rules: Any, key: Any, board: int, stream: Any, hands: Any) -> Mask:
    """Deal board number `board` into `hands`; `stream` is workspace. Returns the kitty."""
    stream[0] = philox(key, board)[0]
    return deal(rules, stream, hands)


@jit
def first_dealer(key: Any) -> int:
    """Seat that deals board 0: a draw from the seed."""
    return int64(philox(key, _DEALER_BOARD)[0] >> np.uint64(62))


@jit
def dealer_of(key: Any, board: int) -> int:
    """Seat that deals `board` in the format `boards`: the draw from the seed plus the board number, mod 4."""
    return (first_dealer(key) + board) % SEATS


@jit
def game_dealer(key: Any, first_board: int) -> int:
    """Seat that deals the first hand of the game whose first board number this is; then the deal passes left."""
    return int64(philox(key, first_board)[1] >> np.uint64(62))


@jit
def first_dealers(key: Any, first_boards: Any, games: bool) -> Any:
    """Dealers of the first hands of boards or of games, by their (first) board numbers; an int64 array."""
    dealers = np.empty(len(first_boards), np.int64)
    drawn = first_dealer(key)  # once: a draw takes longer than all else here
    for place in range(len(first_boards)):
        board = first_boards[place]
        dealers[place] = game_dealer(key, board) if games else (drawn + board) % SEATS
    return dealers


def board_cards(rules: Rules, seed: int, board: int) -> tuple[list[Mask], Mask, int]:
    """Four hands, the kitty and the dealer of a board, for people."""
    key = use_key(seed, "deals")
    hands: NDArray[np.int64] = np.zeros(SEATS, np.int64)
    kitty = deal_board(rules.record(), key, board, new_stream(0), hands)
    return [int(hand) for hand in hands], int(kitty), int(dealer_of(key, board))
