"""Bots whose names are odd or the same, and bots that meet themselves: rows 37, 38 and 40 of the field's faults."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from bidwhist import play_board, run_tournament
from bidwhist.cli import group
from bidwhist.errors import ConfigError
from bidwhist.results import load
from bidwhist.results.manifest import read_manifest

LOWEST = "def act(obs):\n    return obs.legal[0]\n"
HIGHEST = "def act(obs):\n    return obs.legal[-1]\n"
NAMES = ["A vs B", 'x,"y"', "$\\pi$", "\N{GRINNING FACE}", "a, b", "%s {0} \\n"]


def bw_arena(*arguments: object) -> str:
    result: Result = CliRunner().invoke(group, [str(each) for each in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_field_fault_37_files_of_one_name_are_told_by_their_hashes(tmp_path: Path) -> None:
    for folder, code in (("one", LOWEST), ("other", HIGHEST)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "bot.py").write_text(code)
    file = tmp_path / "both.toml"
    file.write_text('seed = 1\nboards = 4\nbots = ["one/bot.py", "other/bot.py"]\n')
    lines = [line.split() for line in bw_arena("run", file, "--dry-run").splitlines() if "bot.py" in line]
    assert [(name, Path(path).parent.name) for name, _, path in lines] == [
        ("one/bot.py", "one"),
        ("other/bot.py", "other"),
    ]
    run = run_tournament(file, out=tmp_path / "run", executor="inline")
    entries = read_manifest(run).bots
    assert [digest for _, digest, _ in lines] == [entry.sha256[:12] for entry in entries]
    assert entries[0].sha256 != entries[1].sha256
    where = (run, "--board", 1, "--seat", "N", "--decision", "play:1", "--json")
    answers = [json.loads(bw_arena("ask", tmp_path / folder / "bot.py", *where)) for folder in ("one", "other")]
    assert [answer["bot"]["sha256"] for answer in answers] == [entry.sha256 for entry in entries]
    assert answers[0]["answer"] != answers[1]["answer"]


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    bots = [{"spec": "random?calls=pass", "name": name} for name in NAMES]
    fields = {"name": "odd", "seed": 1, "boards": 3, "record": "plays", "bots": bots}
    return run_tournament(fields, out=tmp_path_factory.mktemp("odd") / "run", executor="inline")


def test_field_fault_38_odd_names_come_back_as_they_were(odd: Path) -> None:
    assert [bot.name for bot in read_manifest(odd).bots] == NAMES
    assert {bot["bot"] for bot in json.loads(bw_arena("table", odd, "--json"))["standings"]} == set(NAMES)
    frame = load(odd)
    for seat in ("north", "east", "south", "west"):
        assert set(frame[seat]) == set(NAMES)
    text = bw_arena("table", odd)
    assert all(name in text for name in NAMES)


@pytest.mark.parametrize("name", NAMES[1:])
def test_field_fault_38_odd_names_choose_a_pairing(odd: Path, name: str) -> None:
    pairing = ("--board", 1, "--pairing", f"{NAMES[0]},{name}")
    assert f"{NAMES[0]} North-South, {name} East-West\n" in bw_arena("show", odd, *pairing)
    answer: dict[str, Any] = json.loads(
        bw_arena("ask", "random", odd, *pairing, "--table", 2, "--seat", "N", "--decision", "play:2", "--json")
    )
    assert answer["bot"]["spec"] == "random"
    assert answer["seat"] == "N"
    assert answer["player"] == name


def test_field_fault_38_two_bots_of_one_name_are_refused(tmp_path: Path) -> None:
    for bots in (["random", "random"], ["heuristic", {"spec": "random", "name": "heuristic"}]):
        with pytest.raises(ConfigError, match="name"):
            run_tournament({"seed": 1, "boards": 1, "bots": bots}, out=tmp_path / "run", executor="inline")


# A bot that keeps what it counts in an object of its own, and is at a loss when another seat or hand has counted there.
NESTED = """
class Memory:
    def __init__(self):
        self.seats = set()
        self.cards = []


class Bot:
    def __init__(self):
        self.memory = Memory()

    def act(self, obs):
        self.memory.seats.add(obs.seat)
        assert self.memory.seats == {obs.seat}, "an object in two seats"
        if obs.phase == "call":
            assert not self.memory.cards, "an object from another table"
        answer = obs.legal[obs.random.below(len(obs.legal)) // (1 + len(self.memory.cards) % 2)]
        if obs.phase == "play":
            self.memory.cards.append(answer)
        return answer
"""


def test_field_fault_40_a_bot_in_four_seats_shares_nothing(tmp_path: Path) -> None:
    (tmp_path / "nested.py").write_text(NESTED)
    spec = str(tmp_path / "nested.py")
    boards = [play_board(spec, spec, seed=1, board=board).public for board in range(6)]
    assert [play_board(spec, spec, seed=1, board=board).public for board in range(6)] == boards
    code = (
        "import sys\nfrom bidwhist import play_board\n"
        "for board in range(6): print(play_board(sys.argv[1], sys.argv[1], seed=1, board=board).public.tobytes().hex())"
    )
    done = subprocess.run([sys.executable, "-c", code, spec], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [board.tobytes().hex() for board in boards]


def test_field_fault_40_two_runs_in_turn_in_one_process(tmp_path: Path) -> None:
    (tmp_path / "nested.py").write_text(NESTED)
    spec = str(tmp_path / "nested.py")
    bots = [spec, {"spec": spec, "name": "again"}, "random"]
    boards = {"seed": 1, "boards": 5, "bots": bots}
    games = {"seed": 1, "format": "games", "games": 4, "rules": {"preset": "classic", "cap": 1}, "bots": bots}
    frames = []
    for fields in (boards, games, boards, games):
        run = run_tournament(fields, out=tmp_path / "run", executor="inline")
        frames.append(load(run))
        shutil.rmtree(run)
    assert frames[0].equals(frames[2])
    assert frames[1].equals(frames[3])
