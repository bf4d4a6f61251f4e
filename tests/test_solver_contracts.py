"""Tables, par and the command `solve`."""

import itertools
import json
import random
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from bidwhist.actions import NO_SUIT, NONE, PASS, WORDS, direction_of, level_of, trump_of
from bidwhist.auction import legal_calls, legal_namings
from bidwhist.cards import cards_of
from bidwhist.cli import group
from bidwhist.deal import board_cards
from bidwhist.errors import LimitReached, PositionError
from bidwhist.notation import format_call, format_deal, format_naming, parse_naming
from bidwhist.rules import CLASSIC, PRESETS, preset
from bidwhist.score import declarer_score, defender_score
from bidwhist.solver.contracts import par, table
from bidwhist.solver.front import score_cards, solve
from bidwhist.solver.position import Position
from dds import random_position

BOARD = board_cards(CLASSIC, 7, 3)
HANDS = (BOARD[0][0], BOARD[0][1], BOARD[0][2], BOARD[0][3])
DEAL = format_deal(BOARD[0], BOARD[1])


def small_deal(seed: int) -> tuple[int, int, int, int]:
    return random_position(random.Random(seed), 5).hands


@pytest.mark.parametrize("dealer", range(4))
def test_a_table_is_ten_solves_from_the_dealer_s_left(dealer: int) -> None:
    hands = small_deal(dealer)
    tricks = table(hands, CLASSIC, dealer)
    assert len(tricks) == 40
    for (naming, declarer), number in tricks.items():
        assert direction_of(naming) < 2
        assert number == solve(Position(hands, naming, (dealer + 1) % 4)).tricks[declarer & 1]


def test_a_table_led_by_the_declarer() -> None:
    hands = small_deal(5)
    tricks = table(hands, PRESETS["no-jokers-52"], 2)
    assert len(tricks) == 60
    for (naming, declarer), number in tricks.items():
        assert number == solve(Position(hands, naming, declarer)).tricks[declarer & 1]


def points_by_hand(rules: Any, tricks: dict[tuple[int, int], int], bid: int, declarer: int) -> int:
    """The best that a declarer makes of its bid, points of its side."""
    values = []
    for naming in (WORDS + word for word in cards_of(int(legal_namings(rules.record(), bid)))):
        books = tricks[naming, declarer] + (rules.kitty != "none")
        change = declarer_score(rules.record(), level_of(bid), trump_of(naming) == NO_SUIT, books)
        values.append(change - defender_score(rules.record(), 13 - books))
    return max(values)


@pytest.mark.parametrize("name", ["classic", "no-kitty"])
def test_no_call_of_par_can_be_bettered(name: str) -> None:
    """At each call, every other one, followed by best calls, is worth no more to the player who makes it."""
    rules = PRESETS[name]
    hands, _, dealer = board_cards(rules, 5, 8)
    four = (hands[0], hands[1], hands[2], hands[3])
    found, tricks = par(four, rules, dealer), table(four, rules, dealer)

    def value(calls: tuple[int, ...]) -> int:
        """Points of NS after these calls, by plain search."""
        bids = [(call, (dealer + 1 + place) % 4) for place, call in enumerate(calls) if call != PASS]
        if len(calls) == 4:
            points = points_by_hand(rules, tricks, *bids[-1])
            return -points if bids[-1][1] & 1 else points
        words = legal_calls(rules.record(), bids[-1][0] if bids else NONE, len(calls) == 3)
        results = [value((*calls, WORDS + word)) for word in cards_of(int(words))]
        return min(results) if (dealer + 1 + len(calls)) & 1 else max(results)

    assert found.points == value(found.calls)
    for place in range(4):
        seat = (dealer + 1 + place) % 4
        assert value(found.calls[:place]) == found.points, (place, seat)
    bid, declarer = [(call, (dealer + 1 + n) % 4) for n, call in enumerate(found.calls) if call != PASS][-1]
    assert found.declarer == declarer
    assert found.points == points_by_hand(rules, tricks, bid, declarer) * (-1 if declarer & 1 else 1)


@pytest.mark.parametrize("name", [name for name, rules in PRESETS.items() if rules.exchanges])
def test_par_is_refused_under_exchange(name: str) -> None:
    with pytest.raises(PositionError, match="exchange"):
        par(HANDS, PRESETS[name])


def test_par_needs_full_hands() -> None:
    with pytest.raises(PositionError, match="hands of 5 cards; these rules deal 12"):
        par(small_deal(1))


# ---------------------------------------------------------------------------------------------------------- command


def run(*arguments: str) -> Result:
    return CliRunner().invoke(group, ["solve", *arguments])


def answers(*arguments: str) -> Any:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_json_of_a_deal() -> None:
    answer = answers(DEAL, "--contract", "4US", "--declarer", "E", "--dealer", "W", "--cards")[0]
    tricks = solve(Position(HANDS, parse_naming("US"), 0)).tricks
    assert answer["deal"] == DEAL
    assert answer["tricks"] == {"NS": tricks[0], "EW": tricks[1]}
    assert answer["books"] == {"NS": tricks[0], "EW": tricks[1] + 1}
    assert answer["nodes"] > 0
    listed = [card for row in answer["cards"] for card in (row["card"], *row["alike"])]
    assert len(listed) == 12
    assert max(row["tricks"] for row in answer["cards"]) == tricks[0]


@pytest.mark.parametrize(
    ("options", "leader"),
    [
        ((), 1),
        (("--dealer", "E"), 2),
        (("--rules", "traditional", "--declarer", "W"), 3),
        (("--leader", "S", "--dealer", "W"), 2),
    ],
)
def test_who_leads(options: tuple[str, ...], leader: int) -> None:
    hands = small_deal(2)
    answer = answers(format_deal(list(hands), 0), "--contract", "3DH", *options)[0]
    assert (answer["tricks"]["NS"], answer["tricks"]["EW"]) == solve(Position(hands, parse_naming("DH"), leader)).tricks
    assert answer["books"] == answer["tricks"]


def test_cards_played_count() -> None:
    deal = "N:AK... QJ... T9... 87..."
    whole = answers(deal, "--contract", "1NU", "--leader", "N")[0]
    assert whole["tricks"] == {"NS": 2, "EW": 0}
    for played in ("SA", "SA SQ ST S8", "SA SQ ST S8 SK SJ S9 S7"):
        assert answers(deal, "--contract", "1NU", "--leader", "N", "--played", played)[0]["tricks"] == whole["tricks"]


def test_table_and_par_in_json_and_text() -> None:
    answer = answers(DEAL, "--table", "--par", "--dealer", "S")[0]
    expected = table(HANDS, CLASSIC, 2)
    assert answer["table"]["UH"]["E"] == expected[parse_naming("UH"), 1]
    best = par(HANDS, CLASSIC, 2)
    assert answer["par"]["points"] == best.points
    assert answer["par"]["calls"] == [format_call(call) for call in best.calls]
    text = run(DEAL, "--table", "--par", "--dealer", "S").output
    assert f"par: {best.points:+d} for NS" in text
    assert f"names {format_naming(best.naming)}" in text


def test_a_file_of_deals(tmp_path: Path) -> None:
    path = tmp_path / "deals.txt"
    deals = [format_deal(list(small_deal(seed)), 0) for seed in range(3)]
    path.write_text("# three deals\n" + "\n".join(deals) + "\n\n", encoding="utf-8")
    assert [answer["deal"] for answer in answers("--file", str(path), "--contract", "2ND")] == deals
    path.write_text("\n".join(["N:A... A... K... Q...", deals[0], "N:"]), encoding="utf-8")
    result = run("--file", str(path), "--contract", "2ND")
    assert result.exit_code == 2
    assert "deals.txt:1: deal: SA dealt twice" in result.stderr
    assert deals[0] in result.stdout
    told = run("--file", str(path), "--contract", "2ND", "--json")
    assert told.exit_code == 2
    wrong, right, short = json.loads(told.stdout)
    assert right["deal"] == deals[0]
    assert right["tricks"] is not None
    assert wrong == {"deal": "N:A... A... K... Q...", "error": f"{path}:1: deal: SA dealt twice"}
    assert short["error"].startswith(f"{path}:3: deal: four hands")


PBN = """% PBN 2.1
[Event "x"]
[Board "1"]
[Deal "E:QJ3.A4.K5.98 T98.K5.A6.Q7 765.Q6.J7.K6 AK2.J3.Q4.T5"]
[Contract "1S"]
S2 S3
[ deal "N:AK2.J3.Q4.T5 QJ3.A4.K5.98 T98.K5.A6.Q7 765.Q6.J7.K6" ]
"""


@pytest.mark.parametrize("from_file", [True, False])
def test_deals_of_a_pbn_file_and_of_standard_input(tmp_path: Path, from_file: bool) -> None:
    path = tmp_path / "deals.pbn"
    path.write_text(PBN, encoding="utf-8")
    arguments = ["--file", str(path) if from_file else "-", "--contract", "1US", "--rules", "no-kitty", "--json"]
    result = CliRunner().invoke(group, ["solve", *arguments], input=PBN)
    assert result.exit_code == 0
    first, second = json.loads(result.stdout)
    assert first["tricks"] == second["tricks"] == {"NS": 5, "EW": 4}


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["N:A... K... Q... J.2..", "--contract", "4US"], "hands of different sizes: N 1, E 1, S 1, W 2"),
        (["N:A... K... Q... K...", "--contract", "4US"], "SK dealt twice"),
        (
            [format_deal(BOARD[0], BOARD[1] & (BOARD[1] - 1)), "--contract", "4US"],
            "53 cards, 4 x 12 and a kitty of 5; these rules: 4 x 12",
        ),
        (["N:A... K... Q... J... T...", "--contract", "4US"], "5 cards, 4 x 1 and a kitty of 1"),
        ([DEAL, "--contract", "8US"], "is no contract"),
        ([DEAL, "--par", "--rules", "traditional"], "exchange"),
        ([DEAL, "--contract", "4US", "--played", "S2"], "E cannot play S2"),
        (["N:A... K... Q... J...", "--contract", "4US", "--played", "SK SQ SJ SA SA"], "after the last trick"),
        ([DEAL, "--contract", "4US", "--declarer", "X"], "--declarer: 'X' is no seat"),
        ([DEAL, "--contract", "4US", "--leader", "north"], "--leader: 'north' is no seat"),
        ([DEAL, "--table", "--dealer", ""], "--dealer: '' is no seat"),
        ([DEAL, "--contract", "4US", "--played", "SX"], "--played: 'SX' is no card"),
        ([DEAL, "--contract", ""], "--contract: '' is no contract"),
        (["N:A... K... Q... ....R", "--table", "--rules", "no-jokers-52"], "these rules have no JR"),
        (["", "--table"], "starts with N:"),
        (["N:AK QJ T9 87", "--table"], "hand 'AK': needs spades.hearts"),
        (["--file", "none.txt", "--table"], "--file: cannot read none.txt: No such file"),
    ],
)
def test_what_is_refused(arguments: list[str], reason: str) -> None:
    result = run(*arguments)
    assert result.exit_code != 0
    assert reason in str(result.exception)


@pytest.mark.parametrize(
    "arguments", [[], [DEAL], [DEAL, "--file", "x"], [DEAL, "--par", "--cards"], [DEAL, "--par", "--leader", "N"]]
)
def test_wrong_use(arguments: list[str]) -> None:
    assert run(*arguments).exit_code == 2


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\xff\xfe\x00", "deals.txt is no text in UTF-8"),
        (b"", "deals.txt: no deals"),
        (b"\n # nothing but this\n", "deals.txt: no deals"),
        (b"N:A... K... Q... J...  # a note\n", "deals.txt:1: deal: four hands"),
        (b"N:A... K... Q... J...\r\n\r\nN:A... K... Q... \r\n", "deals.txt:3: deal: four hands"),
    ],
)
def test_files_that_are_refused(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "deals.txt"
    path.write_bytes(content)
    result = run("--file", str(path), "--table")
    assert result.exit_code != 0
    assert reason in str(result.exception) + result.stderr


def test_a_file_of_another_system(tmp_path: Path) -> None:
    """A mark before the first line, lines that end as on Windows, a note that is set in; what is solved is printed."""
    path = tmp_path / "deals.txt"
    path.write_bytes(b"\xef\xbb\xbfN:A... K... Q... J...\r\n  # a note\r\nN:K... A... Q... J...\r\nN:\r\n")
    result = run("--file", str(path), "--contract", "1NU")
    assert "deals.txt:4" in result.stderr
    assert "tricks NS 1, EW 0" in result.output
    assert "tricks NS 0, EW 1" in result.output


def test_spaces_around_a_deal_do_not_matter() -> None:
    assert answers("  N:A... K... Q... J... ", "--contract", "1NU")[0]["deal"] == "N:A... K... Q... J..."


def test_json_has_the_same_fields_whatever_is_asked() -> None:
    deal = "N:A... K... Q... J..."
    with_contract, without = answers(deal, "--contract", "1NU", "--table")[0], answers(deal, "--table")[0]
    assert list(with_contract) == list(without)
    assert with_contract["tricks"] == {"NS": 1, "EW": 0}
    assert [without[name] for name in ("contract", "tricks", "books", "nodes", "cards")] == [None] * 5
    assert without["table"]["NU"] == {"N": 1, "E": 0, "S": 1, "W": 0}


def test_every_option_pair_of_output_works() -> None:
    for options in itertools.combinations(("--cards", "--table", "--par", "--json"), 2):
        assert run(DEAL, "--contract", "3DC", *options).exit_code == 0, options


def test_presets_by_name() -> None:
    assert preset("no-kitty").hand_size == 13


# -------------------------------------------------------------------------------------------------- a limit of nodes


def test_a_limit_of_nodes() -> None:
    position = Position(HANDS, parse_naming("US"), 0)
    whole = solve(position)
    assert solve(position, max_nodes=whole.nodes) == whole
    assert score_cards(position, max_nodes=10**9) == score_cards(position)
    assert table(HANDS, max_nodes=10**9) == table(HANDS)
    assert par(HANDS, max_nodes=10**9) == par(HANDS)
    for limited in (
        lambda: solve(position, max_nodes=whole.nodes - 1),
        lambda: score_cards(position, max_nodes=whole.nodes - 1),
        lambda: table(HANDS, max_nodes=whole.nodes - 1),
        lambda: par(HANDS, max_nodes=whole.nodes - 1),
    ):
        with pytest.raises(LimitReached, match=f"^not solved within {whole.nodes - 1:,} nodes$"):
            limited()
    assert solve(position) == whole


@pytest.mark.parametrize("limit", [-1, 1.0, True])
def test_a_limit_is_a_number_of_nodes(limit: int) -> None:
    with pytest.raises(PositionError, match=f"max_nodes: {limit} is no number of nodes"):
        solve(Position(HANDS, parse_naming("US"), 0), max_nodes=limit)


def test_what_the_limit_leaves_unsolved_is_null() -> None:
    asked = (DEAL, "--contract", "4US", "--declarer", "E", "--dealer", "W", "--cards", "--table", "--par")
    whole = answers(*asked)[0]
    enough = answers(*asked, "--max-nodes", "1000000000")[0]
    assert enough.pop("unsolved") == []
    assert enough == whole
    limited = run(*asked, "--max-nodes", "10", "--json")
    assert limited.exit_code == 1
    answer = json.loads(limited.stdout)[0]
    assert answer.pop("unsolved") == ["tricks", "cards", "table", "par"]
    assert answer == {"deal": DEAL, "contract": "4US", "nodes": 10} | dict.fromkeys(
        ("tricks", "books", "cards", "table", "par")
    )
    only = json.loads(run(*asked, "--max-nodes", str(whole["nodes"]), "--json").stdout)[0]
    assert (only["tricks"], only["table"], only["par"]) == (whole["tricks"], None, None)


def test_the_limit_in_words(tmp_path: Path) -> None:
    small = format_deal(list(small_deal(2)), 0)
    deals = tmp_path / "deals.txt"
    deals.write_text(f"{DEAL}\n{small}\n", encoding="utf-8")
    asked = ("--file", str(deals), "--contract", "4DC")
    large, few = (answer["nodes"] for answer in answers(*asked))
    assert large > few
    result = run(*asked, "--max-nodes", str(few))
    assert result.exit_code == 1
    first, told, second, solved = result.output.splitlines()
    assert (first, told, second) == (DEAL, f"  4DC: not solved within {few:,} nodes", small)
    assert solved.startswith("  4DC: tricks NS")
    assert run(*asked, "--max-nodes", str(large)).exit_code == 0
    assert run(*asked, "--max-nodes", "0").exit_code == 2
