"""`bw-arena` as its users meet it: in a shell."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from bidwhist import __version__
from bidwhist.bot import dump_observation, load_observation
from bidwhist.errors import NotationError
from bidwhist.table import Table
from commands import start
from runs import make_run, manifest_of


def bw_arena(*arguments: object, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bidwhist", *map(str, arguments)]
    return subprocess.run(
        command, cwd=cwd, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cli")
    (folder / "mine.toml").write_text('seed = 1\nboards = 40\nbots = ["random", "heuristic"]\n', encoding="utf-8")
    return folder


def test_f16_help_is_quiet_on_standard_error() -> None:
    for arguments in (["--help"], ["-h"], ["run", "--help"], ["table", "--help"], ["show", "--help"]):
        result = bw_arena(*arguments)
        assert result.returncode == 0
        assert result.stdout.startswith("Usage: bw-arena")
        assert result.stderr == ""


def test_every_command_has_a_line_and_help() -> None:
    listed = re.findall(r"^  ([a-z]+)  +\S", bw_arena("--help").stdout.partition("Commands:")[2], re.MULTILINE)
    words = "run table ratings compare plan export show close solve new ask check submit ladder bots rules doctor bench"
    assert listed == words.split()
    for name in listed:
        assert bw_arena(name, "--help").returncode == 0


def test_version() -> None:
    assert bw_arena("--version").stdout == f"bw-arena, version {__version__}\n"


def test_a_run_from_the_file_to_the_standings(folder: Path) -> None:
    result = bw_arena("run", "mine.toml", cwd=folder)
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("mine: 2 bots, 40 boards for every pairing\n")
    assert "heuristic" in result.stdout
    assert "\r" not in result.stdout + result.stderr
    assert "\x1b" not in result.stdout + result.stderr
    assert len(result.stderr.splitlines()) <= 12
    assert (folder / "results" / "mine" / "standings.parquet").exists()
    again = bw_arena("run", "mine.toml", cwd=folder)
    assert (again.returncode, again.stderr.count("\n")) == (2, 1)
    assert "holds the finished run 'mine'; go on with --resume" in again.stderr
    assert bw_arena("run", "mine.toml", "--resume", cwd=folder).returncode == 0


def test_f28_dry_run_announces_the_rows(folder: Path) -> None:
    out = folder / "announced"
    dry = bw_arena("run", "mine.toml", "--dry-run", "--boards", 30, "--out", out, cwd=folder)
    assert dry.returncode == 0
    assert not out.exists()
    assert "1 pairings, 60 tables" in dry.stdout
    assert bw_arena("run", "mine.toml", "--boards", 30, "--out", out, cwd=folder).returncode == 0
    from bidwhist.results import load

    assert len(load(out)) == 60


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "none.toml"], "error: none.toml: cannot be read: No such file or directory"),
        (["run", "typo.toml"], "error: typo.toml: board: there is no such field; did you mean boards?"),
        (["run", "unknown.toml"], "error: bot 'heurstic': there is no bot 'heurstic'; did you mean heuristic?"),
        (["run", "mine.toml", "--seed", "x"], "error: mine.toml: seed: 'x' is neither an integer nor"),
        (["run", "mine.toml", "--out", "/proc/none"], "error: /proc/none: cannot be written: "),
        (["run", "mine.toml", "--out", "."], "error: /"),
        (["table", "nowhere"], "error: nowhere: there is no such folder"),
        (["rules", "clasic"], 'error: preset: there is no preset "clasic"; did you mean classic?'),
        (["close", "nowhere"], "error: nowhere: "),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(folder: Path, arguments: list[str], words: str) -> None:
    (folder / "typo.toml").write_text('seed = 1\nboard = 4\nbots = ["random", "heuristic"]\n', encoding="utf-8")
    (folder / "unknown.toml").write_text('seed = 1\nboards = 4\nbots = ["random", "heurstic"]\n', encoding="utf-8")
    result = bw_arena(*arguments, cwd=folder)
    assert result.returncode == 2
    assert result.stderr.startswith(words)
    assert result.stderr.count("\n") == 1


def test_a_fault_of_a_bot_is_exit_code_3(folder: Path) -> None:
    (folder / "bad.py").write_text("def act(obs):\n    return 99\n", encoding="utf-8")
    (folder / "bad.toml").write_text('seed = 1\nboards = 4\nbots = ["random", "bad.py"]\n', encoding="utf-8")
    result = bw_arena("run", "bad.toml", "--trust", cwd=folder)
    assert result.returncode == 3
    assert "error: bot 'bad.py' failed on board 0" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_fault_of_a_jailed_bot_is_told_and_costs_its_hands(folder: Path) -> None:
    (folder / "bad.py").write_text("def act(obs):\n    return 99\n", encoding="utf-8")
    (folder / "bad.toml").write_text('seed = 1\nboards = 4\nbots = ["random", "bad.py"]\n', encoding="utf-8")
    result = bw_arena("run", "bad.toml", "--out", "jailed", cwd=folder)
    assert result.returncode == 0
    assert "bad.py" in result.stdout
    assert "! disqualified: has failed at more than 1% of its tables, and at 3 at least." in result.stdout
    assert "Traceback" not in result.stderr


def test_rules_in_words() -> None:
    told = bw_arena("rules", "no-kitty").stdout
    assert "13 cards each" in told
    assert "no kitty" in told
    assert bw_arena("rules").stdout.startswith("classic: four players")
    assert bw_arena("rules", "--list").stdout.splitlines()[0] == "classic: the game as it is"


def test_the_list_of_bots() -> None:
    import json

    assert "random" in bw_arena("bots").stdout
    listed = json.loads(bw_arena("bots", "--json").stdout)
    assert [bot["name"] for bot in listed] == [
        "random",
        "heuristic",
        "mc",
        "pimc",
        "belief",
        "oracle-rollout",
        "oracle",
    ]


def test_rules_mark_what_differs_from_classic() -> None:
    told = bw_arena("rules", "defenders-score").stdout
    starred = {
        line.rpartition("[")[2].split(" ")[0] for line in told.splitlines() if line.startswith("* ") and "[" in line
    }
    from bidwhist.rules import PRESETS

    assert starred == set(PRESETS["defenders-score"].differences())
    assert '* defenders: score their books over six (classic: score nothing)  [defenders = "books"]' in told


def test_a_closed_pipe_is_no_failure(folder: Path) -> None:
    for command in ("rules traditional", "bots", "--help"):
        line = f"set -o pipefail; {sys.executable} -m bidwhist {command} | true"
        result = subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True, text=True, check=False)
        assert (result.returncode, result.stderr) == (0, "")


def test_a_closed_output_and_a_plain_terminal_are_no_failure(folder: Path) -> None:
    closed = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m bidwhist rules >&-"], capture_output=True, text=True, check=False
    )
    assert (closed.returncode, closed.stderr) == (0, "")
    (folder / "moon.toml").write_text(
        'name = "\U0001f319"\nseed = 1\nboards = 3\nbots = ["random", "heuristic"]\n', encoding="utf-8"
    )
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    result = bw_arena("run", "moon.toml", "--out", "moon", cwd=folder, **plain)
    assert (result.returncode, "Traceback" in result.stderr) == (0, False)


def test_a_full_table_of_files_is_no_fault_of_a_bot(tmp_path: Path) -> None:
    bot = f"cmd:{sys.executable} " + str(Path(__file__).parent.parent / "examples" / "cmd" / "pass_and_follow.py")
    (tmp_path / "t.toml").write_text(f'seed = "secret"\nboards = 2\nbots = ["random", "{bot}"]\n', encoding="utf-8")
    for most in (12, 18, 24):
        line = f"ulimit -n {most}; exec {sys.executable} -m bidwhist run t.toml --out out{most} --jobs 1"
        done = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 3
        last = done.stderr.splitlines()[-1]  # on a machine that is busy what it is at stands before
        assert (
            last == "error: no process can be started: too many open files in one process (`ulimit -n` shows the limit)"
        )
        assert (done.stderr.count("error"), "Traceback" in done.stderr) == (1, False)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_is_told_without_numbers(tmp_path: Path) -> None:
    dump_observation(Table.deal(seed=1, board=0).observe(), tmp_path / "seen.json")
    for command in (
        "rules",
        "ask random --observation seen.json",
        "ask random --observation seen.json --dump /dev/full",
    ):
        line = f"{sys.executable} -m bidwhist {command} > /dev/full"
        done = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 3
        assert done.stderr.endswith("no space left on the disk\n")
        assert "Errno" not in done.stderr


@pytest.mark.parametrize("path", ["loop", "x" * 5000, "loop/x"])
def test_paths_that_lead_nowhere(tmp_path: Path, path: str) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "t.toml").write_text('seed = 1\nboards = 2\nbots = ["random", "heuristic"]\n', encoding="utf-8")
    dump_observation(Table.deal(seed=1, board=0).observe(), tmp_path / "seen.json")
    for arguments in (
        ("run", path),
        ("run", "t.toml", "--out", path),
        ("show", path, "--board", "0"),
        ("ask", "random", "--observation", path),
        ("ask", "random", "--observation", "seen.json", "--dump", path),
    ):
        own = start(tmp_path, *arguments)
        _, errors = own.communicate(timeout=60)
        assert (own.returncode, errors.count("\n")) == (2, 1)
        assert "Errno" not in errors


def test_an_observation_whose_path_has_a_nul() -> None:
    with pytest.raises(NotationError, match="cannot be read: embedded null"):
        load_observation("seen\0.json")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["tabel", "results/quick"], "there is no command 'tabel'; did you mean table?"),
        (["frobnicate"], "there is no command 'frobnicate'; known are run, table, "),
        (["table", "nowhere"], "nowhere: there is no such folder\n"),
        (["table", "quick"], "quick: there is no such folder; did you mean results/quick?"),
        (["table", "results"], "results: is no run's folder: it has no manifest.json; a run in it is results/quick"),
        (["show", "quick.toml", "--board", "1"], "quick.toml: is a file, and not a run's folder"),
        (
            ["ask", "results/quick", "random", "--board", "1", "--seat", "N", "--decision", "call"],
            "the bot comes first, and then the run: bw-arena ask random results/quick ...",
        ),
        (["new", "heuristic"], "'heuristic' is a bot of the house; take another name for yours"),
    ],
)
def test_a_slip_is_answered_with_what_was_meant(arguments: list[str], words: str, tmp_path: Path) -> None:
    make_run(tmp_path / "results" / "quick", manifest_of(["random", "b"], [(2, 4)], name="quick"))
    (tmp_path / "quick.toml").write_text("seed = 1\n", encoding="utf-8")
    result = bw_arena(*arguments, cwd=tmp_path)
    assert result.returncode == 2
    assert words in result.stderr
    assert "Traceback" not in result.stderr
