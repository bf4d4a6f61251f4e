"""The solver against DDS, against brute force, and against itself."""

import random
import threading
from collections.abc import Callable, Iterable

import numpy as np
import pytest

from bidwhist.actions import FIRST_NAMING, NAMINGS, NO_SUIT, direction_of, trump_of
from bidwhist.cards import CARDS, SUITED, cards_of
from bidwhist.errors import PositionError
from bidwhist.notation import DIRECTION_LETTERS, TRUMP_LETTERS, format_card, parse_card, parse_deal, parse_naming
from bidwhist.solver.front import score_cards, solve
from bidwhist.solver.position import Position
from bidwhist.solver.workspace import MOST_AGE, new_workspace
from bidwhist.solver.worlds import score_worlds
from bidwhist.trick import trumps_of
from dds import ALL_CARDS, dds_scores, play_on, random_position
from twin_solver import north_south_tricks

Kind = Callable[[random.Random, int], Position]


def by_card(position: Position) -> dict[int, int]:
    """Exact tricks of the side to play for every legal card."""
    scores = {}
    for score in score_cards(position):
        assert score.least == score.most
        scores |= dict.fromkeys((score.card, *score.alike), score.least)
    return scores


def own_tricks(position: Position) -> int:
    return solve(position).tricks[position.turn & 1]


# -------------------------------------------------------------------------------------------------------------- DDS


def compare_with_dds(positions: list[Position]) -> None:
    expected, _ = dds_scores(positions, ALL_CARDS)
    for position, scores in zip(positions, expected, strict=True):
        assert own_tricks(position) == max(scores.values()), position
        assert by_card(position) == scores, position


def dds_sample(seed: int, count: int) -> list[Position]:
    rng = random.Random(seed)
    return [random_position(rng, 4 + index % 9, played=rng.randrange(4)) for index in range(count)]


def test_dds_agrees() -> None:
    compare_with_dds(dds_sample(1, 300))


def test_sure_trumps_are_not_counted_with_what_the_partner_cashes() -> None:
    """Found among 10,000 positions: the leader had nothing but those trumps to play to its partner's winners."""
    hands = (2233385100605, 212686784825536, 3940653064258050, 13545992473395200)
    compare_with_dds([Position(hands, 90, 2, ())])


@pytest.mark.long
@pytest.mark.parametrize("seed", range(10, 20))
def test_dds_agrees_on_many(seed: int) -> None:
    compare_with_dds(dds_sample(seed, 1000))


# ------------------------------------------------------------------------------------------------------ brute force


def brute_force(position: Position) -> int:
    hands = tuple(frozenset(map(format_card, cards_of(hand))) for hand in position.hands)
    trump, way = TRUMP_LETTERS[trump_of(position.naming)], DIRECTION_LETTERS[direction_of(position.naming)]
    trick = tuple(map(format_card, position.trick))
    return north_south_tricks((hands[0], hands[1], hands[2], hands[3]), position.leader, trump, way, trick)


def deal_from(rng: random.Random, cards: Iterable[int], size: int, naming: int) -> Position:
    deck = list(cards)
    rng.shuffle(deck)
    hands = [sum(1 << card for card in deck[size * seat : size * (seat + 1)]) for seat in range(4)]
    position = Position((hands[0], hands[1], hands[2], hands[3]), naming, rng.randrange(4))
    return play_on(rng, position, rng.randrange(4))


def with_jokers(rng: random.Random, size: int) -> Position:
    """No trump, few suits, both jokers in play."""
    naming = rng.choice([n for n in range(FIRST_NAMING, FIRST_NAMING + NAMINGS) if trump_of(n) == NO_SUIT])
    suited = rng.sample(range(26 if size < 5 else 52), 4 * size - 2)
    return deal_from(rng, [*suited, 52, 53], size, naming)


def with_many_trumps(rng: random.Random, size: int) -> Position:
    """A trump contract with as many trumps in play as hands of this size can hold, 15 if they can."""
    naming = FIRST_NAMING + rng.randrange(12)
    trumps = [13 * trump_of(naming) + rank for rank in range(13)] + [52, 53]
    held = rng.sample(trumps, min(15 - rng.randrange(2), 4 * size))
    rest = [card for card in range(CARDS) if card not in trumps]
    return deal_from(rng, held + rng.sample(rest, 4 * size - len(held)), size, naming)


def anything(rng: random.Random, size: int) -> Position:
    """Any naming, cards of a short deck so that suits are contested."""
    return deal_from(rng, rng.sample(range(CARDS), 4 * size), size, FIRST_NAMING + rng.randrange(NAMINGS))


@pytest.mark.parametrize("kind", [with_jokers, with_many_trumps, anything])
@pytest.mark.parametrize(("size", "count"), [(1, 40), (2, 110), (3, 134), (4, 44), (5, 6)])
def test_brute_force_agrees(kind: Kind, size: int, count: int) -> None:
    compare_with_brute_force(kind, size, count, size)


def test_a_joker_played_in_no_trump_shortens_no_suit() -> None:
    """It did in the key of the table, so that positions were taken for others."""
    position = Position((13510798882668544, 1057296, 4194625, 1068), parse_naming("NU"), 1)
    assert solve(position).tricks[0] == brute_force(position) == 1


@pytest.mark.long
@pytest.mark.parametrize("kind", [with_jokers, with_many_trumps, anything])
@pytest.mark.parametrize(("size", "count"), [(4, 250), (5, 84)])
def test_brute_force_agrees_on_longer_endings(kind: Kind, size: int, count: int) -> None:
    compare_with_brute_force(kind, size, count, 100 + size)


def compare_with_brute_force(kind: Kind, size: int, count: int, seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(count):
        position = kind(rng, size)
        assert solve(position).tricks[0] == brute_force(position), position


def count_trumps(position: Position) -> int:
    held = sum(position.hands) | sum(1 << card for card in position.trick)
    return (held & int(trumps_of(position.naming))).bit_count()


def test_positions_meet_what_is_special() -> None:
    rng = random.Random(4)
    trumps = [count_trumps(with_many_trumps(rng, 5)) for _ in range(50)]
    assert {14, 15} <= set(trumps)
    held = [with_jokers(rng, 4) for _ in range(50)]
    assert any(card >= 52 for position in held for card in position.trick), "a joker led or played"
    assert {len(position.trick) for position in held} == {0, 1, 2, 3}


def test_every_card_by_brute_force() -> None:
    rng = random.Random(8)
    for kind in (with_jokers, with_many_trumps):
        for _ in range(40):
            position = kind(rng, 3)
            for card, tricks in by_card(position).items():
                hands = list(position.hands)
                hands[position.turn] ^= 1 << card
                if len(position.trick) < 3:
                    after = Position(tuple(hands), position.naming, position.leader, (*position.trick, card))
                    expected = brute_force(after)
                else:
                    expected = value_after_trick(position, hands, card)
                side = position.turn & 1
                assert tricks == (position.size - expected if side else expected), (position, card)


def value_after_trick(position: Position, hands: list[int], card: int) -> int:
    texts = tuple(frozenset(map(format_card, cards_of(hand))) for hand in hands)
    trick = tuple(map(format_card, (*position.trick, card)))
    trump, way = TRUMP_LETTERS[trump_of(position.naming)], DIRECTION_LETTERS[direction_of(position.naming)]
    return north_south_tricks((texts[0], texts[1], texts[2], texts[3]), position.leader, trump, way, trick)


# -------------------------------------------------------------------------------------------------- modes and cards


def test_modes_agree_with_exact() -> None:
    rng = random.Random(3)
    for _ in range(60):
        position = random_position(rng, rng.randrange(1, 9), played=rng.randrange(4))
        exact = {score.card: score.least for score in score_cards(position)}
        best = max(exact.values())
        for score in score_cards(position, "best"):
            assert (score.least == score.most == best) == (exact[score.card] == best)
            assert score.least <= exact[score.card] <= score.most
        target = rng.randrange(position.size + 2)
        for score in score_cards(position, "threshold", target):
            assert score.least <= exact[score.card] <= score.most
            assert (score.least >= target) == (exact[score.card] >= target)


def test_each_legal_card_is_listed_once() -> None:
    rng = random.Random(5)
    for _ in range(100):
        position = with_jokers(rng, 4)
        listed = [card for score in score_cards(position) for card in (score.card, *score.alike)]
        assert sorted(listed) == cards_of(position.legal)


def test_two_jokers_in_one_hand_are_equal_in_no_trump() -> None:
    hands = parse_deal("N:A....RB .432... .5.43.. .67.8..")[0]
    position = Position((hands[0], hands[1], hands[2], hands[3]), parse_naming("NU"), 0)
    alike = {score.card: set(score.alike) for score in score_cards(position)}
    assert alike == {parse_card("SA"): set(), parse_card("JR"): {parse_card("JB")}}


@pytest.mark.parametrize(
    ("hands", "trick", "reason"),
    [
        ((1, 2, 4, 8 | 16), (), "different sizes: N 1, E 1, S 1, W 2"),
        ((1, 1, 4, 8), (), "S2 stands twice"),
        ((1, 2, 4, 8), (0,), "S2 stands twice"),
        ((0, 0, 0, 0), (), "hands of 0 cards"),
        ((0b1100, 0b110000, 0b11000000, 1 << 13), (1, 0), "different sizes: N 3, E 3, S 2, W 1"),
        ((0b100, 0b1000, 0b110000, 0b11000000), (0, 13), "E has not followed suit with H2"),
        ((1, 2, 4, -8), (), "no mask of cards"),
        ((1, 2, 4, 1 << 54), (), "no mask of cards"),
    ],
)
def test_what_is_no_position(hands: tuple[int, int, int, int], trick: tuple[int, ...], reason: str) -> None:
    with pytest.raises(PositionError, match=reason):
        Position(hands, FIRST_NAMING, 0, trick)


def test_words_of_a_position() -> None:
    with pytest.raises(PositionError, match="naming: 82"):
        Position((1, 2, 4, 8), 82, 0)
    with pytest.raises(PositionError, match="leader: 4"):
        Position((1, 2, 4, 8), 83, 4)
    with pytest.raises(PositionError, match="a trick of four is over"):
        Position((1, 2, 4, 8), 83, 0, (20, 21, 22, 23))
    with pytest.raises(PositionError, match="mode: 'most'"):
        score_cards(Position((1, 2, 4, 8), 83, 0), "most")  # type: ignore[arg-type]
    with pytest.raises(PositionError, match="target"):
        score_cards(Position((1, 2, 4, 8), 83, 0), "threshold")


# ----------------------------------------------------------------------------------------------------------- worlds


def some_worlds(count: int, size: int, seed: int = 6) -> tuple[np.ndarray, int]:
    """Layouts of the cards that North does not see; North leads hearts trumps."""
    rng = random.Random(seed)
    deck = rng.sample(cards_of(SUITED), 4 * size)
    own, rest, worlds = deck[:size], deck[size:], []
    for _ in range(count):
        rng.shuffle(rest)
        worlds.append([own, rest[:size], rest[size : 2 * size], rest[2 * size :]])
    return np.array([[sum(1 << card for card in hand) for hand in world] for world in worlds]), FIRST_NAMING + 3


def test_worlds_are_scored_as_single_positions() -> None:
    worlds, naming = some_worlds(20, 7)
    scores = score_worlds(worlds, naming, 0)
    assert scores.done.all()
    for world, least, most in zip(worlds, scores.least, scores.most, strict=True):
        exact = by_card(Position(tuple(map(int, world)), naming, 0))
        assert list(least) == list(most) == [exact[card] for card in scores.cards]


def test_worlds_against_a_target() -> None:
    worlds, naming = some_worlds(20, 7)
    exact, scores = score_worlds(worlds, naming, 0), score_worlds(worlds, naming, 0, (), "threshold", 4)
    assert ((scores.least >= 4) == (exact.least >= 4)).all()
    assert scores.nodes < exact.nodes


def test_a_budget_of_nodes_is_kept_and_what_is_missing_told() -> None:
    worlds, naming = some_worlds(30, 8)
    whole = score_worlds(worlds, naming, 0)
    part = score_worlds(worlds, naming, 0, max_nodes=whole.nodes // 3)
    assert part.nodes <= whole.nodes // 3
    assert 0 < part.done.sum() < 30
    assert (part.least[part.done] == whole.least[part.done]).all()
    assert (part.least[~part.done] == -1).all()
    assert (part.most[~part.done] == -1).all()
    again = score_worlds(worlds, naming, 0, max_nodes=whole.nodes // 3)
    assert (again.done == part.done).all()


def test_a_budget_of_time_is_kept() -> None:
    worlds, naming = some_worlds(4000, 12)
    some = score_worlds(worlds, naming, 0, max_seconds=0.3)
    assert 0 < some.done.sum() < 4000
    none = score_worlds(worlds, naming, 0, max_seconds=0.0)
    assert not none.done.any()
    assert none.nodes == 0


def test_worlds_of_one_decision() -> None:
    worlds, naming = some_worlds(3, 5)
    with pytest.raises(PositionError, match="does not hold the same cards"):
        score_worlds(worlds, naming, 1)
    assert len(score_worlds(np.zeros((0, 4), np.int64), naming, 0).done) == 0


# ---------------------------------------------------------------------------------------------------------- threads


def test_a_workspace_serves_any_number_of_positions() -> None:
    """What was proved of a position carries an age, which starts again when it has reached its end."""
    rng = random.Random(12)
    positions = [random_position(rng, 8) for _ in range(4)]
    expected = [solve(position) for position in positions]
    own = new_workspace()
    assert [solve(position, own) for position in positions] == expected
    own["age"] = MOST_AGE - 2
    assert [solve(position, own) for position in positions] == expected
    assert 0 < own["age"] < 4


def test_the_same_answer_on_any_thread_and_workspace() -> None:
    positions = dds_sample(9, 40)
    expected = [solve(position) for position in positions]
    found: list[list[object]] = [[], []]

    def work(place: int) -> None:
        found[place] = [solve(position) for position in positions]

    threads = [threading.Thread(target=work, args=(place,)) for place in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected, expected]
    own = new_workspace()
    assert [solve(position, own) for position in positions] == expected


def test_a_guess_changes_no_answer() -> None:
    for position in dds_sample(11, 30):
        assert {solve(position, guess=guess).tricks for guess in (0, position.size // 2, position.size + 3)} == {
            solve(position).tricks
        }
