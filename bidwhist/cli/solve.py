"""`bw-arena solve`."""

import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click

from bidwhist.errors import LimitReached, NotationError, PositionError

_STANDARD_INPUT: Final = Path("-")
_PBN_DEAL: Final = re.compile(r'\[\s*deal\s+"([^"]*)"\s*\]', re.IGNORECASE)


@dataclass(frozen=True)
class _Asked:
    """What is asked of every deal."""

    contract: str | None
    declarer: int
    leader: int | None
    dealer: int
    played: str
    rules: Any
    cards: bool
    table: bool
    par: bool
    max_nodes: int | None


@click.command()
@click.argument("deal", required=False)
@click.option(
    "--file",
    "path",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    help="Deals in a file, one a line, or a PBN file; - for standard input.",
)
@click.option("--contract", metavar="C", help="As in 4US, 3DH, 5NU: level, direction, trump suit.")
@click.option("--declarer", metavar="SEAT", default="N", show_default=True, help="Who plays it.")
@click.option("--leader", metavar="SEAT", help="Who leads; else as the rules say.")
@click.option("--played", metavar="CARDS", default="", help='Cards played so far, as in "SA S3 S2 SK H4".')
@click.option("--rules", "preset", default="classic", show_default=True, help="The preset of rules.")
@click.option("--dealer", metavar="SEAT", default="N", show_default=True, help="Who dealt.")
@click.option("--cards", is_flag=True, help="The tricks with each card of the player to move.")
@click.option("--table", is_flag=True, help="The tricks in every strain, for every declarer.")
@click.option("--par", is_flag=True, help="The result of best calls by all.")
@click.option(
    "--max-nodes",
    type=click.IntRange(min=1),
    metavar="N",
    help="Give up after N nodes: tricks, cards, table, par each.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    deal: str | None,
    path: Path | None,
    contract: str | None,
    declarer: str,
    leader: str | None,
    played: str,
    preset: str,
    dealer: str,
    cards: bool,
    table: bool,
    par: bool,
    max_nodes: int | None,
    as_json: bool,
) -> None:
    """Tell how many tricks each side takes when all cards are seen and everybody plays best.

    DEAL is "N:" with four hands clockwise from North, of any equal size up to 13, and perhaps the kitty; or another
    seat to begin with. Of a file every deal is answered, and the exit code is 2 if one of them is wrong. Exit code 1 if
    --max-nodes leaves something unsolved.
    """
    from bidwhist import rules

    asked = _Asked(
        contract,
        _option("--declarer", declarer),
        None if leader is None else _option("--leader", leader),
        _option("--dealer", dealer),
        played,
        rules.preset(preset),
        cards,
        table,
        par,
        max_nodes,
    )
    if contract is None and not (table or par):
        raise click.UsageError("what is played? say --contract, or ask for --table or --par")
    if contract is None and (cards or played or leader is not None):
        raise click.UsageError("--cards, --leader and --played need a --contract")
    answers = []
    for where, text in _deals(deal, path):
        try:
            answers.append(_solved(text, asked))
        except (NotationError, PositionError) as error:
            if not where:
                raise
            answers.append({"deal": text, "error": f"{where}: {error}"})
        if not as_json:
            wrong = answers[-1].get("error")
            click.echo(f"error: {wrong}" if wrong else "\n".join(_lines(answers[-1], asked)), err=bool(wrong))
    if as_json:
        click.echo(json.dumps(answers, indent=2))
    click.get_current_context().exit(_exit_code(answers))


def _exit_code(answers: list[dict[str, Any]]) -> int:
    if any("error" in answer for answer in answers):
        return 2
    return 1 if any(answer.get("unsolved") for answer in answers) else 0


def _option(name: str, text: str) -> int:
    """The seat that an option names."""
    from bidwhist.notation import parse_seat

    try:
        return parse_seat(text)
    except NotationError as error:
        raise NotationError(f"{name}: {error}") from None


def _deals(deal: str | None, path: Path | None) -> Iterator[tuple[str, str]]:
    """Deals, each with where it stands."""
    if (deal is None) == (path is None):
        raise click.UsageError("give either a DEAL or --file")
    if path is None:
        yield "", str(deal).strip()
        return
    name = "standard input" if path == _STANDARD_INPUT else str(path)
    lines = [line.strip() for line in _text(path).split("\n")]
    tags = [_PBN_DEAL.search(line) for line in lines]
    if any(tags):
        found = [(number, tag[1]) for number, tag in enumerate(tags, 1) if tag]
    else:
        found = [(number, line) for number, line in enumerate(lines, 1) if line and not line.startswith("#")]
    if not found:
        raise PositionError(f"{name}: no deals")
    for number, line in found:
        yield f"{name}:{number}", line


def _text(path: Path) -> str:
    """What stands in a file. Raises PositionError."""
    try:
        data = sys.stdin.buffer.read() if path == _STANDARD_INPUT else path.read_bytes()
        return data.decode("utf-8-sig")  # some editors begin a file with a mark
    except OSError as error:
        raise PositionError(f"--file: cannot read {path}: {error.strerror}") from None
    except ValueError:
        raise PositionError(f"--file: {path} is no text in UTF-8") from None


def _solved(text: str, asked: _Asked) -> dict[str, Any]:
    from bidwhist.notation import parse_deal

    hands, kitty = parse_deal(text)
    _check_cards(hands, kitty, asked.rules)
    answer: dict[str, Any] = dict.fromkeys(("deal", "contract", "tricks", "books", "nodes", "cards"))
    answer["deal"] = text
    if asked.max_nodes is not None:
        answer["unsolved"] = []
    if asked.contract is not None:
        _play(hands, kitty, asked, answer)
    if asked.table:
        with _within_limit(answer, "table"):
            answer["table"] = _table(hands, asked)
    if asked.par:
        with _within_limit(answer, "par"):
            answer["par"] = _par(hands, asked)
    return answer


@contextmanager
def _within_limit(answer: dict[str, Any], name: str) -> Iterator[None]:
    """Solve for `answer[name]`, which is null, and listed as unsolved, if the limit of nodes is reached before."""
    try:
        yield
    except LimitReached:
        answer[name] = None
        answer["unsolved"].append(name)


def _check_cards(hands: list[int], kitty: int, rules: Any) -> None:
    """Refuse what can be no deal whatever is asked of it. A kitty makes it a whole deal under the rules."""
    from bidwhist.actions import FIRST_NAMING
    from bidwhist.cards import cards_of
    from bidwhist.deal import deck
    from bidwhist.notation import format_card
    from bidwhist.solver.position import Position

    size = Position((hands[0], hands[1], hands[2], hands[3]), FIRST_NAMING, 0).size
    left = int(kitty).bit_count()
    if kitty and (size != rules.hand_size or left != rules.kitty_size):
        expected = f"4 x {rules.hand_size} and a kitty of {rules.kitty_size or 'none'}"
        raise PositionError(f"deal: {4 * size + left} cards, 4 x {size} and a kitty of {left}; these rules: {expected}")
    unknown = cards_of((hands[0] | hands[1] | hands[2] | hands[3] | kitty) & ~int(deck(rules.record())))
    if unknown:
        raise PositionError(f"deal: these rules have no {' '.join(map(format_card, unknown))}")


def _play(hands: list[int], kitty: int, asked: _Asked, answer: dict[str, Any]) -> None:
    """Add what comes of the contract to the answer."""
    from bidwhist.cards import SIDE_NAMES
    from bidwhist.notation import format_card, parse_contract
    from bidwhist.public import NOBODY
    from bidwhist.score import books_of, side_with_kitty
    from bidwhist.solver.front import Solution, score_cards, solve

    try:
        _, naming = parse_contract(str(asked.contract))
    except NotationError as error:
        raise NotationError(f"--contract: {error}") from None
    position, won = _position(hands, naming, asked)
    answer |= {"contract": asked.contract, "nodes": asked.max_nodes}
    with _within_limit(answer, "tricks"):
        solution = Solution((0, 0), 0) if position is None else solve(position, max_nodes=asked.max_nodes)
        tricks = [won[side] + solution.tricks[side] for side in range(2)]
        kitty_side = side_with_kitty(asked.rules.record(), asked.declarer, NOBODY) if kitty else NOBODY
        books = [books_of(tricks[side], side, kitty_side) for side in range(2)]
        answer |= {
            "tricks": dict(zip(SIDE_NAMES, tricks, strict=True)),
            "books": dict(zip(SIDE_NAMES, books, strict=True)),
            "nodes": solution.nodes,
        }
    if asked.cards and position is not None:
        side = position.turn & 1
        with _within_limit(answer, "cards"):
            answer["cards"] = [
                {
                    "card": format_card(score.card),
                    "alike": [format_card(card) for card in score.alike],
                    "tricks": score.least + won[side],
                }
                for score in score_cards(position, max_nodes=asked.max_nodes)
            ]


def _position(hands: list[int], naming: int, asked: _Asked) -> tuple[Any, tuple[int, int]]:
    """The position after the cards played (None if that was the last), and the tricks won by then."""
    from bidwhist.notation import format_card, format_seat, parse_card
    from bidwhist.solver.position import Position
    from bidwhist.state import first_leader
    from bidwhist.trick import leads_trick

    leader = asked.leader
    if leader is None:
        leader = first_leader(asked.rules.record(), asked.dealer, asked.declarer)
    position: Position | None = Position((hands[0], hands[1], hands[2], hands[3]), naming, leader)
    won = [0, 0]
    for text in asked.played.split():
        try:
            card = parse_card(text)
        except NotationError as error:
            raise NotationError(f"--played: {error}") from None
        if position is None:
            raise PositionError(f"--played: {format_card(card)} is played after the last trick")
        seat = position.turn
        if not position.legal >> card & 1:
            raise PositionError(f"--played: {format_seat(seat)} cannot play {format_card(card)}")
        held = list(position.hands)
        held[seat] ^= 1 << card
        trick = (*position.trick, card)
        if len(trick) == 4:
            best, winner = -1, -1
            for place, each in enumerate(trick):
                best, winner = leads_trick(naming, best, winner, each, (position.leader + place) % 4)
            won[winner & 1] += 1
            leader, trick = int(winner), ()
        else:
            leader = position.leader
        position = Position((held[0], held[1], held[2], held[3]), naming, leader, trick) if any(held) else None
    return position, (won[0], won[1])


def _table(hands: list[int], asked: _Asked) -> dict[str, dict[str, int]]:
    from bidwhist.notation import SEAT_LETTERS, format_naming
    from bidwhist.solver.contracts import table

    tricks: dict[str, dict[str, int]] = {}
    for (naming, declarer), number in table(_four(hands), asked.rules, asked.dealer, max_nodes=asked.max_nodes).items():
        tricks.setdefault(format_naming(naming), {})[SEAT_LETTERS[declarer]] = number
    return tricks


def _par(hands: list[int], asked: _Asked) -> dict[str, Any]:
    from bidwhist.notation import SEAT_LETTERS, format_call, format_naming
    from bidwhist.solver.contracts import par

    best = par(_four(hands), asked.rules, asked.dealer, max_nodes=asked.max_nodes)
    return {
        "points": best.points,
        "calls": [format_call(call) for call in best.calls],
        "declarer": SEAT_LETTERS[best.declarer],
        "naming": format_naming(best.naming),
    }


def _four(hands: list[int]) -> tuple[int, int, int, int]:
    return hands[0], hands[1], hands[2], hands[3]


def _lines(answer: dict[str, Any], asked: _Asked) -> Iterator[str]:
    yield answer["deal"]
    if answer["tricks"] is not None:
        tricks, books = answer["tricks"], answer["books"]
        kitty = f"; with the kitty NS {books['NS']}, EW {books['EW']} books" if books != tricks else ""
        yield f"  {answer['contract']}: tricks NS {tricks['NS']}, EW {tricks['EW']}{kitty} ({answer['nodes']:,} nodes)"
    for score in answer["cards"] or ():
        yield f"  {' '.join([score['card'], *score['alike']]):16}{score['tricks']:3}"
    for naming, numbers in (answer.get("table") or {}).items():
        yield f"  {naming}  " + "  ".join(f"{seat} {number:2}" for seat, number in numbers.items())
    if answer.get("par"):
        best = answer["par"]
        calls = " ".join(best["calls"])
        yield f"  par: {best['points']:+d} for NS: {calls}; {best['declarer']} names {best['naming']}"
    for name in answer.get("unsolved", ()):
        what = asked.contract if name == "tricks" else name
        yield f"  {what}: not solved within {asked.max_nodes:,} nodes"
