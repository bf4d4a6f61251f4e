"""DDS, the solver of bridge, through endplay's binding: an independent answer for what maps onto bridge.

Ranks go by strength, so uptown, downtown and jokers as top trumps are all the same to it. It takes at most 13 cards a
suit and knows no loose jokers.
"""

import random
import time
from collections.abc import Sequence
from typing import Any

import endplay._dds as dds

from bidwhist.actions import FIRST_NAMING, NAMINGS, NO_SUIT, trump_of
from bidwhist.cards import CARDS, JOKERS, SUIT_MASKS, cards_of
from bidwhist.solver.position import Position
from bidwhist.trick import suit_order

dds.SetMaxThreads(1)
VALUE, ALL_CARDS = (-1, 1, 1), (-1, 3, 1)  # target, solutions and mode, as DDS has them

Scores = dict[int, int]


def _orders(position: Position) -> list[list[int]]:
    """The cards in play by suit, weakest first."""
    held = 0
    for mask in (*position.hands, *(1 << card for card in position.trick)):
        held |= mask
    return [[card for card in suit_order(position.naming, suit) if held >> card & 1] for suit in range(4)]


def _boards(positions: Sequence[Position], asked: tuple[int, int, int]) -> Any:
    boards = dds.boards()
    boards.noOfBoards = len(positions)
    for index, position in enumerate(positions):
        deal = boards.deals[index]
        deal.trump, deal.first = trump_of(position.naming), position.leader
        for suit, order in enumerate(_orders(position)):
            assert len(order) <= 13, "more cards of a suit than bridge has"
            for height, card in enumerate(order):
                if card in position.trick:
                    place = position.trick.index(card)
                    deal.currentTrickSuit[place], deal.currentTrickRank[place] = suit, height + 2
                for seat, hand in enumerate(position.hands):
                    if hand >> card & 1:
                        deal.remainCards[seat][suit] |= 4 << height
        boards.target[index], boards.solutions[index], boards.mode[index] = asked
    return boards


def _scores(position: Position, result: Any) -> Scores:
    """Tricks of the side to play by card, equal cards included."""
    orders, scores = _orders(position), {}
    for place in range(result.cards):
        order = orders[result.suit[place]]
        for height in range(13):
            if height + 2 == result.rank[place] or result.equals[place] >> height + 2 & 1:
                scores[order[height]] = result.score[place]
    return scores


def dds_scores(positions: Sequence[Position], asked: tuple[int, int, int]) -> tuple[list[Scores], float]:
    """For each position, tricks of the side to play by card; and CPU seconds spent in DDS itself."""
    found, seconds = [], 0.0
    for start in range(0, len(positions), dds.MAXNOOFBOARDS):
        part = positions[start : start + dds.MAXNOOFBOARDS]
        boards, solved = _boards(part, asked), dds.solvedBoards()
        began = time.process_time()
        dds.SolveAllBoardsBin(boards, solved)
        seconds += time.process_time() - began
        found += [_scores(position, solved.solvedBoard[index]) for index, position in enumerate(part)]
    return found, seconds


def random_position(rng: random.Random, size: int, *, played: int = 0, namings: Sequence[int] = ()) -> Position:
    """Hands of `size` cards, `played` of them on the table, that DDS can take."""
    while True:
        naming = rng.choice(namings or range(FIRST_NAMING, FIRST_NAMING + NAMINGS))
        trump = trump_of(naming)
        deck = list(range(CARDS if trump != NO_SUIT else CARDS - 2))
        rng.shuffle(deck)
        hands = [sum(1 << card for card in deck[size * seat : size * (seat + 1)]) for seat in range(4)]
        trumps = 0 if trump == NO_SUIT else SUIT_MASKS[trump] | JOKERS
        if ((hands[0] | hands[1] | hands[2] | hands[3]) & trumps).bit_count() <= 13:
            return play_on(rng, Position((hands[0], hands[1], hands[2], hands[3]), naming, rng.randrange(4)), played)


def play_on(rng: random.Random, position: Position, cards: int) -> Position:
    """The position after so many random legal cards of its first trick."""
    for _ in range(cards):
        card = rng.choice(cards_of(position.legal))
        hands = list(position.hands)
        hands[position.turn] ^= 1 << card
        position = Position(
            (hands[0], hands[1], hands[2], hands[3]), position.naming, position.leader, (*position.trick, card)
        )
    return position
