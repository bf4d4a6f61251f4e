"""Fit the numbers by which cards are weighed (bidwhist/solver/weights.py) to what each card costs the search.

    python benchmarks/fit_order.py                 2,000 nodes, a minute: what the numbers in use are worth
    python benchmarks/fit_order.py 400000 FILE     an hour or so: also write fitted numbers, in the form of weights.py
    python benchmarks/fit_order.py estimate        the numbers of bidwhist/solver/estimate.py

Nodes are drawn from searches of 8 to 10 cards a hand: a search that is stopped after a random number of nodes leaves
the node that it has come to. Every card of it is searched alone, with an empty table. A card that is not enough costs
its own search and that of the best one that is. The numbers move down the gradient of the expected cost of the first
card, with a soft maximum as the choice, from those in use.

Numbers of jokers in no trump are left as they are: the positions drawn have none.
"""

import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill
from typing import Any
from unittest import mock

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))  # for random positions; so imports come after it

from bidwhist._jit import jit  # noqa: E402
from bidwhist.solver import answers, leads, weights  # noqa: E402
from bidwhist.solver.front import enter, solve, workspace  # noqa: E402
from bidwhist.solver.order import list_moves  # noqa: E402
from bidwhist.solver.search import STOPPED, play, search  # noqa: E402
from bidwhist.solver.strength import FIELD, WIDTH  # noqa: E402
from bidwhist.solver.transposition import forget  # noqa: E402
from bidwhist.solver.values import UNKNOWN, tricks_of  # noqa: E402
from bidwhist.solver.weights import WEIGHTS  # noqa: E402
from dds import random_position  # noqa: E402

LIMIT = 20_000  # nodes; what costs more counts as this
SCALE = 200  # of the numbers in use to the logarithm of a card's chance to be the first
POWER = 0.5  # costs are raised to it, or the few largest would decide alone
PARTS = 12  # the most numbers that make a weight
MOVES = 16


@dataclass
class Node:
    """A node of a search: hands, lengths, its frame and which card of the trick is to be played."""

    hands: NDArray[np.int64]
    lengths: int
    frame: Any
    position: int

    def put(self, ws: Any, limit: int) -> None:
        """Make it the root of a search with an empty table."""
        ws["hands"], ws["lengths"], ws["first"] = self.hands, self.lengths, self.position
        ws["frames"][0] = self.frame
        ws["frames"][0]["hint"] = -1
        forget(ws)
        ws["nodes"], ws["limit"] = 0, limit


def draw(rng: random.Random, ws: Any) -> Node:
    """A node drawn from the search of a random position."""
    size = rng.choice((8, 9, 10))
    position = random_position(rng, size)
    enter(position, ws)
    while tricks_of(ws, -1, UNKNOWN) != UNKNOWN:
        nodes = int(ws["nodes"])
        enter(position, ws)
        ws["limit"] = rng.randrange(nodes)
    depth = 4 * size - sum(int(hand).bit_count() for hand in ws["hands"])
    return Node(ws["hands"].copy(), int(ws["lengths"]), ws["frames"][depth].copy(), depth & 3)


def listed(ws: Any, node: Node) -> list[tuple[int, list[int]]]:
    """Cards to choose from, as places, each with the indices of the numbers that make its weight."""
    found: list[tuple[int, list[int]]] = []
    seen: list[int] = []

    def weigh(at: int) -> int:
        seen.append(int(at))
        return 0

    def add(_moves: Any, size: int, _weight: int, place: int) -> int:
        found.append((int(place), seen.copy()))
        seen.clear()
        return size + 1

    node.put(ws, 0)
    with (
        mock.patch.multiple(leads, weigh=weigh, add=add),
        mock.patch.multiple(answers, weigh=weigh, add=add),
        np.errstate(over="ignore"),
    ):
        list_moves(ws, ws["frames"][0], node.position)
    return found


def cost(ws: Any, node: Node, place: int) -> tuple[int, bool]:
    """Nodes that a card takes to search, and whether it is enough."""
    node.put(ws, LIMIT)
    frame = ws["frames"][0]
    play(ws, frame, ws["frames"][1], node.position, place)
    result = search(ws, 1)
    return int(ws["nodes"]), result != STOPPED and result != int(frame["seat"]) & 1


def choices(count: int, seed: int) -> Iterator[tuple[list[list[int]], list[float]]]:
    """Nodes where there is a choice: for each card the indices of its numbers, and what it costs to try it first."""
    rng, ws, found = random.Random(seed), workspace(), 0
    while found < count:
        node = draw(rng, ws)
        node.put(ws, 1)
        if search(ws, 0) != STOPPED:
            continue  # settled without a card
        cards = listed(ws, node)
        if len(cards) < 2 or not all(parts for _, parts in cards):
            continue  # no choice, or one that is made without numbers
        tried = [cost(ws, node, place) for place, _ in cards]
        best = min((nodes for nodes, enough in tried if enough), default=None)
        if best is not None:
            found += 1
            yield [parts for _, parts in cards], [nodes + (0 if enough else best) for nodes, enough in tried]


def table_of(count: int, seed: int) -> tuple[Any, Any]:
    """int64[count, MOVES, PARTS] indices, the last number for none, and float64[count, MOVES] costs, 0 for no card."""
    parts, costs = np.full((count, MOVES, PARTS), len(WEIGHTS)), np.zeros((count, MOVES))
    for row, (indices, prices) in enumerate(choices(count, seed)):
        for card, each in enumerate(indices):
            parts[row, card, : len(each)] = each
        costs[row, : len(prices)] = prices
    return parts, costs


@jit
def descend(parts: Any, costs: Any, numbers: Any, squares: Any, order: Any, rate: float, power: float) -> None:
    """One pass over the nodes in `order`: steps down the gradient, each number's by its own squares so far."""
    chance = np.zeros(costs.shape[1])
    for row in order:
        total, expected, top = 0.0, 0.0, -1e300
        cards = 0
        while cards < costs.shape[1] and costs[row, cards] > 0:
            chance[cards] = 0.0
            for at in parts[row, cards]:
                chance[cards] += numbers[at]
            top = max(top, chance[cards])
            cards += 1
        for card in range(cards):
            chance[card] = np.exp(chance[card] - top)
            total += chance[card]
        for card in range(cards):
            chance[card] /= total
            expected += chance[card] * costs[row, card] ** power
        for card in range(cards):
            slope = chance[card] * (costs[row, card] ** power - expected)
            for at in parts[row, card]:
                if at < len(numbers) - 1:
                    squares[at] += slope * slope
                    numbers[at] -= rate * slope / np.sqrt(squares[at])


def excess(parts: Any, costs: Any, numbers: Any) -> float:
    """Cost of the cards that are tried first, over that of the best ones."""
    weight = np.where(costs > 0, numbers[parts].sum(axis=2), -np.inf)
    first = costs[np.arange(len(costs)), weight.argmax(axis=1)]
    return float(first.sum() / np.where(costs > 0, costs, np.inf).min(axis=1).sum())


def fit(parts: Any, costs: Any, start: NDArray[np.float64]) -> NDArray[np.float64]:
    """Numbers fitted to these nodes."""
    numbers, squares = start.copy(), np.full(len(start), 1.0)
    rng = np.random.default_rng(1)
    for turn in range(14):
        descend(parts, costs, numbers, squares, rng.permutation(len(parts)), 0.1 * 0.8**turn, POWER)
    return numbers


def text_of(numbers: NDArray[np.int64]) -> str:
    """The numbers as weights.py has them: a run of equal ones as n*x, if it is three or longer."""
    words: list[str] = []
    at = 0
    while at < len(numbers):
        end = at
        while end < len(numbers) and numbers[end] == numbers[at]:
            end += 1
        words += [f"{end - at}*{numbers[at]}"] if end - at > 2 else [str(numbers[at])] * (end - at)
        at = end
    return fill(" ".join(words), 118)


def fit_order(count: int, path: Path | None) -> None:
    """Print what the numbers in use and the fitted ones are worth on nodes that the fit has not seen."""
    parts, costs = table_of(count, 1)
    held = count // 8
    used = np.append(WEIGHTS, 0) / SCALE
    fitted = fit(parts[held:], costs[held:], used)
    for name, numbers in (("none", 0 * used), ("those in use", used), ("fitted", fitted)):
        print(
            f"numbers: {name}; cost of the first card / of the best: {excess(parts[:held], costs[:held], numbers):.3f}"
        )
    if path is not None:
        rounded = np.round(SCALE * fitted[:-1]).astype(np.int64)
        ends = np.cumsum([weights.LEAD_BLOCK] * 3 + [weights.BLOCK] * 10)
        blocks = np.split(rounded, ends[:-1])
        names = list(weights.BLOCKS)
        path.write_text(
            "".join(f'    "{name}": """\n{text_of(block)}\n""",\n' for name, block in zip(names, blocks, strict=True)),
            encoding="utf-8",
        )


def features(hands: list[int], has_trumps: bool, leads_side_0: bool) -> list[int]:
    """What `estimate` counts: owners of a suit's four highest cards, longest hands, trumps, the lead."""
    tops, longer, trumps, long_trumps = [0, 0, 0, 0], 0, 0, 0
    for suit in range(4):
        held = [hand & FIELD << WIDTH * suit for hand in hands]
        for rank in range(4):
            best = max(held)
            if best:
                tops[rank] += 1 if held.index(best) % 2 == 0 else -1
                held[held.index(best)] ^= 1 << best.bit_length() - 1
        sizes = [(hand & FIELD << WIDTH * suit).bit_count() for hand in hands]
        more = max(sizes[0], sizes[2]) - max(sizes[1], sizes[3])
        if suit == 3 and has_trumps:
            trumps, long_trumps = sizes[0] + sizes[2] - sizes[1] - sizes[3], more
        else:
            longer += more
    return [*tops, trumps, long_trumps, longer, 1 if leads_side_0 else -1]


def fit_estimate(count: int = 4000) -> None:
    """Print least-squares numbers of the first guess, in sixteenths of a trick."""
    rng, ws = random.Random(1), workspace()
    rows: dict[bool, list[list[float]]] = {True: [], False: []}
    for turn in range(count):
        size = (6, 8, 10, 12)[turn % 4]
        position = random_position(rng, size)
        tricks = solve(position).tricks[0]
        has_trumps = int(ws["trumps"]) != 0
        counted = features([int(hand) for hand in ws["hands"]], has_trumps, position.leader % 2 == 0)
        rows[has_trumps].append([*counted, tricks - size / 2])
    for has_trumps, found in rows.items():
        table = np.array(found)
        numbers = np.linalg.lstsq(table[:, :-1], table[:, -1], rcond=None)[0]
        off = np.std(table[:, -1] - table[:, :-1] @ numbers)
        print(f"{'trumps' if has_trumps else 'no trump'}: {np.round(16 * numbers, 1)}, {off:.2f} tricks off")


if __name__ == "__main__":
    if sys.argv[1:2] == ["estimate"]:
        fit_estimate()
    else:
        fit_order(int(sys.argv[1]) if len(sys.argv) > 1 else 2000, Path(sys.argv[2]) if len(sys.argv) > 2 else None)
