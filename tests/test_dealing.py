"""Dealing is fair, every board stands alone, and the numbers behind it are the published ones."""

from itertools import combinations, permutations
from math import comb
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from bidwhist._jit import jit
from bidwhist.bits import count
from bidwhist.cards import CARDS, FULL, SEATS, mask_of
from bidwhist.deal import (
    board_cards,
    deal_board,
    dealer_of,
    deck,
    first_dealer,
    first_dealers,
    game_dealer,
    random_cards,
    random_half,
)
from bidwhist.notation import format_deal, format_seat
from bidwhist.results.schema import MAX_SEED
from bidwhist.rules import CLASSIC, PRESETS
from bidwhist.streams import below, decision_key, draw, new_stream, philox, real, use_key
from support import every_preset

SEED = 20261130
BOARDS = 1_000_000
UNLIKELY = 1e-3  # the seeds are fixed, so a test that passes goes on passing


def assert_fair(observed: Any, expected: Any) -> None:
    """Chi-square: counts neither further from what is expected, nor nearer, than chance has it."""
    chance = stats.chisquare(np.ravel(observed), np.broadcast_to(expected, np.shape(observed)).ravel()).pvalue
    assert UNLIKELY < chance < 1 - UNLIKELY


# ------------------------------------------------------------------------------------------------------------ fairness


@jit
def count_places(rules: Any, key: Any, boards: int, places: Any, together: Any) -> None:
    """Count in `places[card, seat or 4 for the kitty]`, and in `together[a, b]` the hands that hold both, a < b."""
    hands, stream = np.zeros(5, np.int64), np.zeros(1, np.uint64)
    cards = np.zeros(CARDS, np.int64)
    for board in range(boards):
        hands[4] = deal_board(rules, key, board, stream, hands)
        for place in range(5):
            held = 0
            for card in range(CARDS):
                if (hands[place] >> card) & 1:
                    places[card, place] += 1
                    for other in range(held):
                        together[cards[other], card] += 1
                    cards[held] = card
                    held += 1


@pytest.fixture(scope="module")
def counted() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    places, together = np.zeros((CARDS, 5), np.int64), np.zeros((CARDS, CARDS), np.int64)
    count_places(CLASSIC.record(), use_key(SEED, "deals"), BOARDS, places, together)
    return places, together


def test_every_card_is_dealt_everywhere_alike(counted: tuple[NDArray[np.int64], NDArray[np.int64]]) -> None:
    places, _ = counted
    expected = BOARDS * np.array([12, 12, 12, 12, 6]) / CARDS
    assert (places.sum(axis=1) == BOARDS).all()
    # With both margins of every deal fixed, the sum over n cards is n / (n - 1) times a chi-square.
    statistic = (((places - expected) ** 2) / expected).sum() * (CARDS - 1) / CARDS
    chance = stats.chi2.sf(statistic, (CARDS - 1) * 4)
    assert UNLIKELY < chance < 1 - UNLIKELY


def chances_of_sharing() -> tuple[float, float, float]:
    """Chances that 2 given cards share a hand (or the kitty), that 3 do, and that 2 do and 2 others do."""
    sizes = [12, 12, 12, 12, 6]
    two = sum(comb(n, 2) for n in sizes) / comb(CARDS, 2)
    three = sum(comb(n, 3) for n in sizes) / comb(CARDS, 3)
    in_two_hands = sum(comb(n, 2) * comb(m, 2) for n, m in permutations(sizes, 2))
    in_one_hand = sum(comb(n, 2) * comb(n - 2, 2) for n in sizes)
    return two, three, (in_two_hands + in_one_hand) / (comb(CARDS, 2) * comb(CARDS - 2, 2))


def test_every_pair_of_cards_shares_a_hand_alike(counted: tuple[NDArray[np.int64], NDArray[np.int64]]) -> None:
    """A chi-square over all 1431 pairs, which are not independent.

    Their covariance depends only on whether two pairs share 2, 1 or 0 cards, so it has three eigenspaces (the Johnson
    scheme; Delsarte 1973): the constants, which are fixed here, the sums f(a) + f(b), and the rest.
    """
    _, together = counted
    n, distinct = CARDS, 1 - np.eye(CARDS)
    two, three, four = chances_of_sharing()
    same, touching, apart = two - two**2, three - two**2, four - two**2
    off = together + together.T - two * BOARDS * distinct
    by_card = off.sum(axis=1) / (n - 2)
    sums = (by_card[:, None] + by_card[None, :]) * distinct
    assert abs(off.sum()) < 1e-3
    assert_chi_square(sums, same + (n - 4) * touching - (n - 3) * apart, n - 1)
    assert_chi_square(off - sums, same - 2 * touching + apart, n * (n - 3) // 2)


def assert_chi_square(off: NDArray[np.float64], variance: float, dimension: int) -> None:
    """`off`: symmetric matrix of what the counts of pairs are off, which have this variance a board."""
    chance = stats.chi2.sf((off**2).sum() / 2 / (variance * BOARDS), dimension)
    assert UNLIKELY < chance < 1 - UNLIKELY


@every_preset
def test_every_deal_is_the_whole_deck(name: str) -> None:
    rules = PRESETS[name]
    for board in range(200):
        hands, kitty, dealer = board_cards(rules, SEED, board)
        assert [count(hand) for hand in hands] == [rules.hand_size] * SEATS
        assert count(kitty) == rules.kitty_size
        assert sum(hands) + kitty == deck(rules.record())
        assert sum(map(count, hands)) + count(kitty) == 52 + rules.jokers
        assert dealer in range(SEATS)


@pytest.mark.parametrize(("jokers", "cards"), [(2, FULL), (1, FULL ^ 1 << 52), (0, (1 << 52) - 1)])
def test_c1_decks(jokers: int, cards: int) -> None:
    rules = next(rules for rules in PRESETS.values() if rules.jokers == jokers)
    assert deck(rules.record()) == cards


def test_dealers_are_drawn_by_seed_and_pass_left() -> None:
    drawn = [int(first_dealer(use_key(seed, "deals"))) for seed in range(4000)]
    assert_fair(np.bincount(drawn, minlength=SEATS), 1000)
    for seed in range(20):
        key = use_key(seed, "deals")
        assert [int(dealer_of(key, board)) for board in range(9)] == [
            (drawn[seed] + board) % SEATS for board in range(9)
        ]


def test_a_game_draws_its_first_dealer() -> None:
    key, first_boards = use_key(SEED, "deals"), np.arange(0, 4000 * 200, 200)
    drawn = first_dealers(key, first_boards, True)
    assert_fair(np.bincount(drawn, minlength=SEATS), 1000)
    assert drawn.tolist() == [int(game_dealer(key, board)) for board in first_boards.tolist()]
    assert first_dealers(key, np.arange(9), False).tolist() == [int(dealer_of(key, board)) for board in range(9)]


# --------------------------------------------------------------------------------------------------- boards stand alone


@every_preset
def test_a_board_alone_is_the_board_in_sequence(name: str) -> None:
    rules = PRESETS[name]
    key, stream, hands = use_key(SEED, "deals"), new_stream(0), np.zeros(SEATS, np.int64)
    dealt = []
    for board in range(50):
        kitty = int(deal_board(rules.record(), key, board, stream, hands))
        dealt.append((hands.tolist(), kitty, int(dealer_of(key, board))))
    for board in reversed(range(50)):
        assert board_cards(rules, SEED, board) == dealt[board]


def test_boards_and_seeds_differ() -> None:
    seeds = [0, 1, 2, 1 << 64, MAX_SEED]
    deals = {tuple(board_cards(CLASSIC, seed, board)[0]) for seed in seeds for board in (*range(100), 1 << 40)}
    assert len(deals) == len(seeds) * 101


# The format of dealing, for ever: another deal of these boards is another version of the program.
FIRST_BOARDS = {
    "classic": [
        "E N:J6.AT.74.AKQ865 985..KQT983.974 AT3.K84.J2.32.RB KQ72.Q965.A5.JT 4.J732.6.",
        "S N:AK754.KT97.T.53 Q2.A32.Q874.QT7 93.QJ84.KJ5.A86 T8.6.963.KJ92.RB J6.5.A2.4",
        "W N:J9632.Q9.Q8.974 KT.JT3.K765.T6.R Q7.8.J432.AKJ85 A5.A7654.A9.Q2.B 84.K2.T.3",
        "N N:.T654.Q65.T964.R KJ8743.AJ.AT93. A92.K87.K84.J83 65.Q93.J2.KQ752 QT.2.7.A.B",
        "E N:AJ63.T75.42.T96 T2.Q632.AJ.QJ2.B 7.J98.KQ93.AK43 KQ854.A4.T876.8 9.K.5.75.R",
    ],
    "no-kitty": [
        "E N:2.AQJ976.J.Q9853 KJT.T82.8642.A74 AQ9654.K53.7.KJ6 873.4.AKQT953.T2",
        "S N:9.J8764.QT43.J95 643.AQ2.AK98.Q62 AKQ75.KT3.52.A83 JT82.95.J76.KT74",
        "W N:4.AJ842.KJ6.AT63 J9832.K953.3.KJ7 T6..T987542.Q854 AKQ75.QT76.AQ.92",
        "N N:KQJ753.A74.2.KQT 2.KQT8.Q854.AJ64 T964.963.K9.9832 A8.J52.AJT763.75",
        "E N:K873.94.Q986.863 962.652.53.AKT52 T5.AKQ87.AT2.Q74 AQJ4.JT3.KJ74.J9",
    ],
}


@pytest.mark.parametrize("name", list(FIRST_BOARDS))
def test_the_first_boards_of_seed_1(name: str) -> None:
    boards = [board_cards(PRESETS[name], 1, board) for board in range(5)]
    assert [f"{format_seat(dealer)} {format_deal(hands, kitty)}" for hands, kitty, dealer in boards] == FIRST_BOARDS[
        name
    ]


# ------------------------------------------------------------------------------------------------------- the generators


@pytest.mark.parametrize("number", [0, 1, 2, 1000, 2**40, 2**63 - 1])
@pytest.mark.parametrize("seed", [0, 1, MAX_SEED])
def test_philox_is_numpys(seed: int, number: int) -> None:
    """NumPy counts up before it generates, so its counter starts one below (at the top for 0)."""
    key = use_key(seed, "deals")
    before = (number - 1) % (1 << 256)
    words = [(before >> 64 * place) & (1 << 64) - 1 for place in range(4)]
    numpys = np.random.Philox(key=key, counter=np.array(words, np.uint64)).random_raw(4)
    assert [int(word) for word in philox(key, number)] == numpys.tolist()


def test_philox_known_answer() -> None:
    """The zero vector of the authors' own known answers (Random123, kat_vectors: philox4x64-10)."""
    words = philox((np.uint64(0), np.uint64(0)), 0)
    assert [f"{int(word):016x}" for word in words] == [
        *("16554d9eca36314c", "db20fe9d672d0fdc", "d7e772cee186176b", "7e68b68aec7ba23b"),
    ]


@pytest.mark.parametrize("key", [0, 1, 1234567, 2**63, 2**64 - 1])
def test_a_stream_folds_products(key: int) -> None:
    """The same numbers from Python's integers."""
    word, drawn = 2**64 - 1, []
    for place in range(1, 4):
        state = (key + place * 0x9E3779B97F4A7C15) & word
        product = state * (state ^ 0xBF58476D1CE4E5B9)
        drawn.append((product >> 64) ^ (product & word))
    stream = new_stream(key)
    assert [int(draw(stream)) for _ in range(3)] == drawn


@jit
def tally_below(stream: Any, n: int, draws: int, counts: Any) -> None:
    for _ in range(draws):
        counts[below(stream, n)] += 1


@pytest.mark.parametrize("n", [1, 2, 3, 7, 10, 54, 1000])
def test_below_is_uniform(n: int) -> None:
    counts = np.zeros(n, np.int64)
    tally_below(new_stream(n), n, 1_000_000, counts)
    assert counts.sum() == 1_000_000
    if n > 1:
        assert_fair(counts, 1_000_000 / n)


@pytest.mark.parametrize("n", [2**31 - 1, 2**30 + 1])
def test_below_stays_below_large_numbers(n: int) -> None:
    stream = new_stream(9)
    drawn = [int(below(stream, n)) for _ in range(5000)]
    assert min(drawn) >= 0
    assert max(drawn) < n
    assert stats.kstest(np.array(drawn) / n, "uniform").pvalue > UNLIKELY


def test_real_is_uniform() -> None:
    stream = new_stream(5)
    drawn = [float(real(stream)) for _ in range(20_000)]
    assert min(drawn) >= 0.0
    assert max(drawn) < 1.0
    assert stats.kstest(drawn, "uniform").pvalue > UNLIKELY


SMALL = mask_of([0, 5, 12, 13, 30, 51, 52, 53])


@jit
def tally_halves(cards: int, stream: Any, drawn: Any) -> None:
    for place in range(len(drawn)):
        drawn[place] = random_half(cards, stream)


@jit
def tally_cards(cards: int, size: int, stream: Any, drawn: Any) -> None:
    for place in range(len(drawn)):
        drawn[place] = random_cards(cards, size, stream)


def subsets(cards: int, size: int) -> list[int]:
    return [mask_of(each) for each in combinations([card for card in range(CARDS) if cards >> card & 1], size)]


def test_random_half_is_uniform_over_all_halves() -> None:
    drawn = np.zeros(350_000, np.int64)
    tally_halves(SMALL, new_stream(1), drawn)
    seen, counts = np.unique(drawn, return_counts=True)
    assert seen.tolist() == sorted(subsets(SMALL, 4))
    assert_fair(counts, len(drawn) / comb(8, 4))


@pytest.mark.parametrize("size", range(9))
def test_random_cards_is_uniform_over_all_subsets(size: int) -> None:
    drawn = np.zeros(100_000, np.int64)
    tally_cards(SMALL, size, new_stream(size), drawn)
    seen, counts = np.unique(drawn, return_counts=True)
    assert seen.tolist() == sorted(subsets(SMALL, size))
    if len(seen) > 1:
        assert_fair(counts, len(drawn) / comb(8, size))


# --------------------------------------------------------------------------------------------------- unrelated streams


def first_words(seed: int, use: str, boards: int) -> NDArray[np.uint64]:
    """The four words of each board: in the use `bots`, the keys of its seats."""
    key = use_key(seed, use)
    return np.array([[int(word) for word in philox(key, board)] for board in range(boards)], np.uint64)


def assert_unrelated(one: NDArray[np.uint64], other: NDArray[np.uint64]) -> None:
    """No correlation as numbers, and half of all bits differ."""
    a, b = (words.astype(np.float64) / 2.0**64 for words in (one, other))
    assert abs(np.corrcoef(a, b)[0, 1]) * np.sqrt(len(a)) < 4
    differing = sum(int(x).bit_count() for x in one ^ other) / (64 * len(one))
    assert abs(differing - 0.5) * 2 * np.sqrt(64 * len(one)) < 4


def test_uses_seeds_seats_and_boards_are_unrelated() -> None:
    deals, bots, other_seed = (first_words(seed, use, 2000) for seed, use in ((7, "deals"), (7, "bots"), (8, "bots")))
    assert_unrelated(deals[:, 0], bots[:, 0])
    assert_unrelated(bots[:, 0], other_seed[:, 0])
    assert_unrelated(bots[1:, 0], bots[:-1, 0])
    for one, other in combinations(range(SEATS), 2):
        assert_unrelated(bots[:, one], bots[:, other])


def two_draws(key: int) -> list[int]:
    stream = new_stream(key)
    return [int(draw(stream)), int(draw(stream))]


def test_decisions_have_streams_of_their_own() -> None:
    keys = first_words(7, "bots", 500)
    numbers = range(30)
    decisions = np.array([[int(decision_key(key, number)) for number in numbers] for key in keys.ravel()], np.uint64)
    assert len(np.unique(decisions)) == decisions.size
    draws = np.array([[two_draws(int(key)) for key in row] for row in decisions], np.uint64)
    assert len(np.unique(draws)) == draws.size
    for number in numbers[:-1]:
        assert_unrelated(draws[:, number, 0], draws[:, number + 1, 0])
        assert_unrelated(draws[:, number, 1], draws[:, number + 1, 0])
