"""`bw-arena table` and `bw-arena show`: what is on the screen, and what programs get."""

import json
import os
import pty
import re
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result
from rich.cells import cell_len

from bidwhist.arena.config import read_config
from bidwhist.arena.run import run as run_tournament
from bidwhist.arena.tournament import prepare
from bidwhist.cli import show, table
from bidwhist.cli.views import screen
from bidwhist.errors import RunError
from bidwhist.replay.hand import HandAgain
from bidwhist.results.hands import hands_of
from bidwhist.results.manifest import read_manifest, write_manifest
from bidwhist.results.schema import PARTS, part_name
from bidwhist.results.standings import standings_of, write_derived
from bidwhist.rules import preset
from runs import keep_rows, make_run, manifest_of, rewrite_part, set_values, table_of

BOTS = ["A vs B", 'x,"y"', "$\\pi$ [red]", "🂡 emoji 😀"]


def call(command: object, *arguments: object) -> str:
    """What a command prints; its errors are raised."""
    result: Result = CliRunner().invoke(command, [str(each) for each in arguments], catch_exceptions=False)
    return result.stdout


@pytest.fixture(scope="module")
def boards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = make_run(tmp_path_factory.mktemp("boards") / "run", manifest_of(BOTS, [(4, 60)], plays=True))
    write_derived(run)
    return run


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    manifest = manifest_of(["a", "b"], [(2, 20)], games=True, plays=True, rules=preset("traditional", target=20))
    return make_run(tmp_path_factory.mktemp("games") / "run", manifest)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of house bots, whose plays are not recorded."""
    folder = tmp_path_factory.mktemp("house")
    file = folder / "small.toml"
    file.write_text('seed = 5\nboards = 40\nbots = ["random", "random?calls=pass"]\n', encoding="utf-8")
    run_tournament(prepare(read_config(file, {}), [folder]), folder / "run", executor="inline")
    return folder / "run"


# --- table ---


def test_the_table_shows_every_bot_with_its_numbers(boards: Path) -> None:
    text = call(table.command, boards)
    assert text.startswith("small: classic; 60 boards for every pairing\n")
    for heading in ("Standings", "Bids made, by level and strain", "Against each other"):
        assert f"\n{heading}" in text
    for standing in standings_of(boards).standings:
        score = standing.score
        assert score.ci95 is not None
        line = next(line for line in text.splitlines() if line.startswith(f" {standing.rank}  {standing.bot}"))
        assert f"{score.points_per_board:+.2f}  {score.ci95[0]:+.2f} to {score.ci95[1]:+.2f}" in line
        assert f"{score.boards_won:.1%}" in line
        assert line.endswith(f"{standing.bids.rate:.1%}")
    assert "95% interval holds the true value in 95 of 100" in text
    assert "unfinished" not in text


def test_plain_text_has_no_colour_no_carriage_return_and_no_loose_ends(boards: Path) -> None:
    text = call(table.command, boards)
    assert not re.search(r"[\x1b\r\t]| +\n|\n\n\n", text)
    assert max(map(cell_len, text.splitlines())) <= 120


def test_two_bots_need_no_cross_table(games: Path) -> None:
    text = call(table.command, games)
    assert "Against each other" not in text
    assert "20 games for every pairing" in text
    assert "Points a hand" in text
    assert "traditional" in text.splitlines()[0]


def test_what_differs_from_the_preset_is_said(tmp_path: Path) -> None:
    manifest = manifest_of(["a", "b"], [(2, 4)])
    manifest.rules["target"] = 5
    text = call(table.command, make_run(tmp_path / "run", manifest))
    assert text.startswith("small: classic with target 5; 4 boards for every pairing\n")


def test_an_unfinished_run_says_so(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", manifest_of(["a", "b", "c"], [(3, 64)], finished=False), leave_out=[1, 4])
    assert "\nunfinished: 4 of 6 parts\n" in call(table.command, run)
    shutil.rmtree(run / PARTS)
    text = call(table.command, run)
    assert "\nunfinished: 0 of 6 parts\n" in text
    assert " 1  a " in text


def test_tables_that_do_not_count_are_told(games: Path, tmp_path: Path) -> None:
    run = shutil.copytree(games, tmp_path / "run")
    rewrite_part(run, 0, keep_rows(slice(0, -1)))  # a game without its end
    assert re.search(r"\n\d+ of \d+ tables do not count: no complete duplicate\n", call(table.command, run))


def test_json_is_that_of_the_contract(boards: Path, games: Path) -> None:
    answer = json.loads(call(table.command, boards, "--json"))
    assert sorted(each["bot"] for each in answer["standings"]) == sorted(BOTS)
    for row, standing in zip(answer["standings"], standings_of(boards).standings, strict=True):
        assert row["points_per_board"] == standing.score.points_per_board
        assert row["ci95"] == list(standing.score.ci95 or ())
        assert row["boards"] == 60
        assert row["games_won"] is None
        assert row["bids_made"] == pytest.approx(standing.bids.made / standing.bids.declared, abs=1e-9)
        assert row["contracts"] - row["sets"] == standing.bids.made
        for group in ("by_level", "by_strain"):
            assert sum(each["contracts"] for each in row[group].values()) == row["contracts"]
            assert sum(each["made"] for each in row[group].values()) == standing.bids.made
        assert list(row["by_strain"]) == ["uptown", "downtown", "no trump"]
    assert len(answer["pairings"]) == 12
    assert answer["run"]["parts"] == answer["run"]["parts_planned"]
    answer = json.loads(call(table.command, games, "--json"))
    assert sum(each["games_won"] for each in answer["standings"]) == pytest.approx(1)
    assert {each["games"] for each in answer["standings"]} == {20}
    assert {each["boards_won"] for each in answer["standings"]} == {None}


def test_many_bots_with_long_names_are_spread_over_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bots = [f"bot number {number} has a name that nobody can remember" for number in range(9)]
    run = make_run(tmp_path / "run", manifest_of(bots, [(9, 4)]))
    monkeypatch.setattr(screen, "screen_width", lambda: 80)
    text = call(table.command, run)
    cross = text.partition("Against each other")[2]
    assert max(map(cell_len, text.partition("\n\nPoints a board")[0].splitlines())) <= 80
    for pairing in standings_of(run).pairings:
        assert f"{pairing.score.points_per_board:+.2f} ±" in cross
    assert cross.count("±") == 9 * 8 + 1


def test_names_cannot_move_the_cursor(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", manifest_of(["a", "b"], [(2, 4)]))
    manifest = read_manifest(run)
    manifest.bots[0] = msgspec.structs.replace(manifest.bots[0], name="a\x1b[2J")
    write_manifest(run, manifest)
    with pytest.raises(RunError, match=r"has the control character U\+001B") as refused:
        call(table.command, run)
    assert "\x1b" not in str(refused.value)


def arena(*arguments: object, **environment: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "bidwhist", *map(str, arguments)]
    return subprocess.run(command, env={**os.environ, **environment}, capture_output=True, check=False)


def test_a_poor_encoding_gets_letters(boards: Path) -> None:
    for command in (("table", boards), ("show", boards, "--board", 3)):
        result = arena(*command, PYTHONIOENCODING="ascii")
        assert result.returncode == 0, result.stderr
        assert b"A vs B" in result.stdout
        result.stdout.decode("ascii")


def test_a_terminal_gets_colour(boards: Path) -> None:
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "bidwhist", "show", str(boards), "--board", "3"]
    environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    with subprocess.Popen(command, env={**environment, "TERM": "xterm"}, stdout=slave) as process:
        os.close(slave)
        text = b""
        while True:
            try:
                chunk = os.read(master, 4096)
            except OSError:  # the terminal's other end is closed
                break
            if not chunk:
                break
            text += chunk
    os.close(master)
    assert process.returncode == 0
    assert b"\x1b[31m" in text


def test_standings_that_are_written_need_no_compiler(boards: Path) -> None:
    code = (
        "import sys\nfrom bidwhist.cli import main\n"
        f"try: main(['table', {str(boards)!r}])\nexcept SystemExit as stop: assert stop.code == 0\n"
        "assert not {'numba', 'pandas'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)


# --- show ---


def test_a_hand_is_shown_at_both_tables_trick_by_trick(boards: Path) -> None:
    text = call(show.command, boards, "--board", 17)
    assert text.startswith("small, board 17\n")
    assert 'A vs B North-South, x,"y" East-West\n' in text
    assert 'x,"y" North-South, A vs B East-West\n' in text
    tricks = re.findall(r"^ +\d+ .*[>*].*$", text, re.MULTILINE)
    assert len(tricks) == 24
    assert all(trick.count(">") == trick.count("*") == 1 for trick in tricks)
    for table_text in text.split("North-South")[1:]:
        cards = re.findall(r"[♠♥♦♣][2-9TJQKA]|J[RB]", table_text.partition("(>")[2])
        assert len(cards) == len(set(cards)) == 48
    points = [int(each) for each in re.findall(r"points of NS ([+-]\d+)", text)]
    net = points[0] - points[1]
    assert f"A vs B: {points[0]:+d} and {-points[1]:+d}, net {net:+d}: {net / 2:+.1f} points a board" in text
    assert text.count("also played: --pairing") == 5


def test_the_winner_of_a_trick_leads_the_next(boards: Path) -> None:
    text = call(show.command, boards, "--board", 17)
    lines = re.findall(r"^ +\d+ {4}(.*)$", text, re.MULTILINE)
    for place in range(len(lines) - 1):
        if place != 11:
            assert lines[place].index("*") // 7 == lines[place + 1].index(">") // 7


def test_a_pairing_is_chosen_by_its_names(boards: Path) -> None:
    text = call(show.command, boards, "--board", 17, "--pairing", '🂡 emoji 😀,x,"y"')
    assert "🂡 emoji 😀 East-West" in text
    with pytest.raises(RunError, match="these did"):
        call(show.command, boards, "--board", 17, "--pairing", "nobody,somebody")


def test_a_hand_of_a_game_is_found_by_game_or_board(games: Path) -> None:
    text = call(show.command, games, "--game", 3, "--hand", 1)
    assert text.startswith("small, game 3, hand 1 (board 601)\n")
    assert text == call(show.command, games, "--board", 601)
    assert re.search(r"^scores    NS -?\d+, EW -?\d+ before this hand$", text, re.MULTILINE)
    discards = re.search(r"^discards  (.*)$", text, re.MULTILINE)
    assert discards is not None
    assert len(discards[1].split()) == 6
    assert call(show.command, games, "--game", 3) == call(show.command, games, "--board", 600)


def test_a_hand_of_one_orientation_only_says_so(games: Path) -> None:
    manifest = read_manifest(games)
    for board in range(600, 800):
        found = hands_of(games, manifest, board)
        if found and len(found[0, 1]) == 1:
            assert call(show.command, games, "--board", board).endswith("The other table did not come to this board.\n")
            return
    pytest.fail("both orientations of game 3 have the same number of hands")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "which hand"),
        (["--game", "1"], "format boards"),
        (["--board", "1", "--hand", "1"], "format boards"),
        (["--board", "60"], "no table of board 60"),
    ],
)
def test_wrong_uses_of_show_have_one_clear_message(boards: Path, arguments: list[str], message: str) -> None:
    with pytest.raises(RunError, match=message):
        call(show.command, boards, *arguments)


def test_wrong_uses_of_show_for_games(games: Path) -> None:
    for arguments in ([], ["--hand", "1"], ["--board", "1", "--game", "0"]):
        with pytest.raises(RunError, match="either --board, or --game and --hand"):
            call(show.command, games, *arguments)
    with pytest.raises(RunError, match="hands 0 to 199"):
        call(show.command, games, "--game", "0", "--hand", "200")


def test_hands_that_were_not_recorded_are_played_again(house: Path) -> None:
    assert table_of(house / PARTS / part_name(0)).column("discards").null_count > 0
    for board in (0, 39):
        assert len(re.findall(r"^ +\d+ .*>", call(show.command, house, "--board", board), re.MULTILINE)) == 24


def test_a_hand_played_again_otherwise_is_not_shown(house: Path, tmp_path: Path) -> None:
    run = shutil.copytree(house, tmp_path / "run")
    manifest = read_manifest(run)
    before = hands_of(run, manifest, 0)[0, 1][0].row["tricks"]
    rewrite_part(run, 0, set_values("tricks", 0, (before + 1) % 13))
    wrong, right = hands_of(run, manifest, 0)[0, 1]
    with pytest.raises(RunError, match="do not play this hand again"):
        HandAgain(run, manifest, wrong)
    recorded = HandAgain(run, manifest, right).recorded
    assert (recorded.discards, len(set(recorded.plays))) == (0, 48)


def test_a_changed_bot_does_not_play_again(house: Path, tmp_path: Path) -> None:
    run = shutil.copytree(house, tmp_path / "run")
    manifest = read_manifest(run)
    manifest.bots[0] = msgspec.structs.replace(manifest.bots[0], sha256="0" * 64)
    write_manifest(run, manifest)
    with pytest.raises(RunError, match=r"part-000000\.parquet belongs to another run"):
        call(show.command, run, "--board", "0")


def test_wrong_folders_end_with_code_2_and_one_line(tmp_path: Path) -> None:
    for command in (("table", tmp_path), ("table", tmp_path, "--json"), ("show", tmp_path, "--board", 1)):
        result = arena(*command)
        assert result.returncode == 2
        assert result.stdout == b""
        assert result.stderr.decode() == f"error: {tmp_path}: is no run's folder: it has no manifest.json\n"
