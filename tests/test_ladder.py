"""Ladders: a copy of what was submitted plays all that are there, nothing is played twice, nothing is lost."""

import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from click.testing import CliRunner

from bidwhist.arena.run import take_back
from bidwhist.bot.jailed.isolation import STRANGERS, TRUSTED, Isolation
from bidwhist.bot.limits import Limits
from bidwhist.bot.sources.source import BotSource
from bidwhist.check.report import Line, Report
from bidwhist.cli import group
from bidwhist.errors import BidWhistError, BotFault, BotSpecError, ConfigError, RunError
from bidwhist.ladder.entries import ENTRIES, read_entries
from bidwhist.ladder.ladder import open_ladder
from bidwhist.ladder.standing import standing_of, unplayed
from bidwhist.ladder.submit import Options, Submission, submit
from bidwhist.play import run_tournament
from bidwhist.results import load
from bidwhist.results.manifest import read_manifest
from runs import part_files

PATIENT = Limits(decision=2.0, start=60)  # where a machine that is busy shall not be taken for a slow bot

LOWEST = "def act(obs):\n    return obs.legal[0]\n"
HIGHEST = "def act(obs):\n    return obs.legal[-1] if obs.phase == 'play' else obs.legal[0]\n"
DICE = "def act(obs):\n    return obs.legal[obs.random.below(len(obs.legal))]\n"


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> list[tuple[BotSource, dict[str, Any]]]:
    """What `check` is asked for. It passes every bot at once: what it finds, its own tests tell."""
    asked: list[tuple[BotSource, dict[str, Any]]] = []

    def check(bot: BotSource, **options: Any) -> Report:
        asked.append((bot, options))
        entry = bot.entry
        return Report(entry.spec, entry.sha256, entry.name, None, lines=[Line("legal", True, "one decision")])

    monkeypatch.setattr("bidwhist.ladder.submit.check", check)
    return asked


def write(name: str, text: str) -> str:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dedent(text), encoding="utf-8")
    return name


def organise(boards: int = 20, more: str = "", folder: str = "ladder", seed: str = "seed = 5\n") -> Path:
    path = Path(folder)
    path.mkdir(exist_ok=True)
    (path / "ladder.toml").write_text(f"boards = {boards}\n{seed}{more}", encoding="utf-8")
    return path


def enter(spec: str, name: str | None = None, isolation: Isolation = STRANGERS) -> Submission:
    return submit(spec, Path("ladder"), Options(name, PATIENT, executor="inline", isolation=isolation))


def names(folder: str = "ladder") -> list[str]:
    return [entry.name for entry in read_entries(Path(folder))]


def parts(folder: Path = Path("ladder/run")) -> dict[str, tuple[bytes, int]]:
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in part_files(folder)}


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != ".lock"}


# ------------------------------------------------------------------------------------------- with the real check


def test_the_first_submission_makes_the_ladder_and_a_bot_with_a_fault_leaves_nothing(desk: Path) -> None:
    write("bad.py", "def act(obs):\n    return 99\n")
    trusted = CliRunner().invoke(group, ["submit", "bad.py", "--trust"])
    assert trusted.exit_code == 1
    assert "bad.py runs unprotected, with all your rights" in trusted.stdout.splitlines()[0]
    refused = CliRunner().invoke(group, ["submit", "bad.py"])
    assert refused.exit_code == 1
    assert "unprotected" not in refused.stdout
    assert "FAULT  legal actions only" in refused.stdout
    assert refused.stdout.endswith("refused: the ladder is as it was\n")
    assert refused.stderr.splitlines()[-1] == "bad.py is not submitted: 1 fault"
    assert [path.name for path in desk.iterdir()] == ["bad.py"]

    write("lowest.py", 'name, version = "The Lowest", "1.2"\n' + LOWEST)
    made = CliRunner().invoke(group, ["submit", "lowest.py", "--time", "2000", "--start", "60", "--jobs", "1"])
    assert made.exit_code == 0, made.output
    assert "same seed, same play" in made.stdout
    assert "The Lowest: place 2 of 3: +" in made.stdout
    manifest = read_manifest(Path("ladder/run"))
    assert (manifest.units, manifest.secret, manifest.rules["preset"]) == (1000, True, "classic")
    assert [bot.name for bot in manifest.bots] == ["random", "heuristic", "The Lowest"]
    [entry] = read_entries(Path("ladder"))
    assert (entry.name, entry.version, entry.sha256) == ("The Lowest", "1.2", manifest.bots[2].sha256)
    assert {line.key for line in entry.card} >= {"start", "legal", "blind"}
    kept = Path("ladder/run/bots", entry.sha256, manifest.bots[2].spec)
    assert kept.read_bytes() == Path("lowest.py").read_bytes()


def test_a_refused_bot_leaves_a_ladder_as_it_was(monkeypatch: pytest.MonkeyPatch, quick: list[Any]) -> None:
    organise(2)
    enter(write("lowest.py", LOWEST))
    before = tree(Path("ladder"))
    report = Report("slow.py", "0" * 64, "slow.py", lines=[Line("time", False, "much too slow")])
    monkeypatch.setattr("bidwhist.ladder.submit.check", lambda spec, **options: report)
    again = CliRunner().invoke(group, ["submit", write("slow.py", DICE), "--json"])
    found = json.loads(again.stdout)
    assert (again.exit_code, found["entered"], found["report"]["faults"]) == (1, False, ["time"])
    assert tree(Path("ladder")) == before
    assert len(list(Path("ladder/bots").iterdir())) == 1


# ----------------------------------------------------------------------------------------------- many on a ladder


@pytest.mark.usefixtures("quick")
def test_a_bot_more_replays_nothing_and_the_ladder_is_that_of_one_tournament() -> None:
    organise()
    enter(write("lowest.py", LOWEST))
    before = parts()
    enter(write("highest.py", HIGHEST))
    after = parts()
    assert {name: after[name] for name in before} == before
    assert len(after) == len(before) + 3  # against the field and the other

    fields = {"seed": 5, "boards": 20, "bots": ["random", "heuristic", "lowest.py", "highest.py"]}
    run_tournament(fields, out="whole", executor="inline")
    places = standing_of(open_ladder(Path("ladder")))
    expected = [
        (each["bot"].removesuffix(".py"), each["points_per_board"])
        for each in json.loads(CliRunner().invoke(group, ["table", "whole", "--json"]).stdout)["standings"]
    ]
    assert [(place.bot, place.score.points_per_board) for place in places] == expected
    assert [place.place for place in places] == [1, 2, 3, 4]


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("is_there", [True, False])
def test_a_bot_of_the_field_is_what_it_is_on_a_ladder_that_has_not_played(is_there: bool) -> None:
    """Whoever tries the command with a house bot first gets the place of that bot, and a ladder that goes on."""
    if is_there:
        organise(4)
    result = CliRunner().invoke(group, ["submit", "random"])
    assert result.exit_code == 0, result.output
    assert "the same source is on the ladder already, as random" in result.output
    assert "random: place 2 of 2" in result.output
    assert Path("ladder/ladder.toml").is_file()
    assert enter(write("lowest.py", "# mine\n" + LOWEST)).bot == "lowest"


@pytest.mark.usefixtures("quick")
def test_the_same_source_is_recognised_and_nothing_is_played() -> None:
    organise(4)
    enter(write("lowest.py", LOWEST))
    before = tree(Path("ladder"))
    for spec in ("lowest.py", write("other/copy.py", LOWEST)):
        assert enter(spec, "another name") == Submission("lowest", None)
    assert enter("heuristic") == Submission("heuristic", None)
    assert tree(Path("ladder")) == before
    shown = CliRunner().invoke(group, ["submit", "lowest.py"])
    assert shown.exit_code == 0
    assert "the same source is on the ladder already, as lowest\nlowest: place " in shown.stdout


@pytest.mark.usefixtures("quick")
def test_what_is_taken_from_a_source_and_its_parameters_tell_bots_apart() -> None:
    organise(2)
    text = "class A:\n    def __init__(self, depth=1): ...\n    def act(self, obs):\n        return obs.legal[0]\n\n"
    write("two.py", text + text.replace("class A", "class B"))
    for spec in ("two.py:A", "two.py:B", "two.py:A?depth=2", "random?calls=pass"):
        assert enter(spec).report is not None
    assert names() == ["two:A", "two:B", "two:A?depth=2", "random?calls=pass"]
    assert len({entry.sha256 for entry in read_entries(Path("ladder"))}) == 2
    assert len(list(Path("ladder/bots").iterdir())) == 1
    assert enter("two.py:B").report is None


@pytest.mark.usefixtures("quick")
def test_a_name_is_taken_once() -> None:
    organise(2)
    enter(write("own.py", LOWEST))
    before = tree(Path("ladder"))
    write("own.py", HIGHEST)
    for name, words in ((None, "'own' is taken by another source"), ("heuristic", "is taken"), ("a\nb", "is no name")):
        with pytest.raises(BotSpecError, match=words):
            enter("own.py", name)
    assert tree(Path("ladder")) == before
    assert enter("own.py", "own 2").bot == "own 2"


@pytest.mark.usefixtures("quick")
def test_f38_odd_names_are_the_same_everywhere() -> None:
    organise(2)
    odd = ["A vs B", 'x,"y"', r"$\pi$", "\N{WHITE SMILING FACE}\U0001f0cf", "[red]b[/red]"]
    for place, name in enumerate(odd):
        enter(write(f"bot{place}.py", f"# {place}\n{LOWEST}"), name)
    assert names() == odd
    found = json.loads(CliRunner().invoke(group, ["ladder", "--json"]).stdout)["standing"]
    assert {each["bot"] for each in found} == {*odd, "random", "heuristic"}
    shown = CliRunner().invoke(group, ["ladder"]).stdout
    assert all(f"  {name}" in shown for name in odd)


# ------------------------------------------------------------------------------------------------ what is kept plays


@pytest.mark.usefixtures("quick")
def test_the_copy_is_what_plays() -> None:
    organise(4)
    enter(write("first.py", LOWEST))
    Path("first.py").unlink()
    write("second.py", LOWEST + "# two\n")
    enter("second.py")
    write("second.py", "raise SystemExit('edited')\n")
    enter(write("third.py", DICE))
    frame = load(Path("ladder/run"))
    assert set(frame["bot_ns"]) == {"random", "heuristic", "first", "second", "third"}
    kept = next(Path("ladder/bots").glob("*/first.py"))
    assert not stat.S_IMODE(kept.stat().st_mode) & 0o222


def test_the_copy_is_what_is_examined(quick: list[tuple[BotSource, dict[str, Any]]]) -> None:
    organise(2, 'rules = "no-kitty"\n')
    enter(write("sub/own.py", LOWEST))
    [(bot, options)] = quick
    [entry] = read_entries(Path("ladder"))
    assert bot.path == Path("ladder/bots", entry.sha256, "own.py").absolute()
    assert (options["presets"], options["limits"]) == (("no-kitty",), PATIENT)


PROGRAM = f"""#!{sys.executable} -IS
import json, pathlib, sys

assert pathlib.Path(next(each for each in sys.argv if "depth.txt" in each)).read_text() == "3"
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{{"type": "hello", "protocol": 1}}', flush=True)
    elif message["type"] == "observe":
        answer = {{"type": "action", "id": message["id"], "action": message["observation"]["legal"][0]}}
        print(json.dumps(answer), flush=True)
    elif message["type"] == "quit":
        break
"""


def program(name: str) -> str:
    write(name, PROGRAM)
    Path(name).chmod(0o755)
    return name


@pytest.mark.usefixtures("quick")
def test_of_a_command_the_files_that_it_names_are_kept_where_they_were(desk: Path) -> None:
    organise(1)
    write("data/depth.txt", "3")
    program("mybot")
    assert enter("cmd:./mybot data/depth.txt --depth 3").bot == "mybot"
    [entry] = read_entries(Path("ladder"))
    kept = Path("ladder/bots", entry.sha256)
    assert entry.spec == "cmd:./mybot data/depth.txt --depth 3"
    assert sorted(str(path.relative_to(kept)) for path in kept.rglob("*") if path.is_file()) == [
        "data/depth.txt",
        "mybot",
    ]
    assert os.access(kept / "mybot", os.X_OK)
    assert enter("cmd:./mybot data/depth.txt --depth 3") == Submission("mybot", None)
    Path("mybot").unlink()
    Path("data/depth.txt").unlink()
    assert enter(write("own.py", LOWEST)).bot == "own"
    assert set(load(Path("ladder/run"))["bot_ns"]) == {"random", "heuristic", "mybot", "own"}


@pytest.mark.usefixtures("quick")
def test_files_of_a_command_from_elsewhere_come_to_lie_together(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    organise(1)
    write("data/depth.txt", "3")
    program("far/deep/bot.py")
    monkeypatch.chdir(desk / "far")
    options = Options(None, PATIENT, executor="inline")
    submit(f"cmd:{sys.executable} -IS {desk}/far/deep/bot.py ../data/depth.txt", desk / "ladder", options)
    monkeypatch.chdir(desk)
    [entry] = read_entries(Path("ladder"))
    assert entry.spec == f"cmd:{sys.executable} -IS bot.py depth.txt"
    assert sorted(path.name for path in Path("ladder/bots", entry.sha256).iterdir()) == ["bot.py", "depth.txt"]
    with pytest.raises(BotSpecError, match="names no file that could be kept"):
        enter("cmd:true --depth 3")


@pytest.mark.usefixtures("quick")
def test_of_a_package_the_copy_plays(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    organise(2)
    monkeypatch.syspath_prepend(str(desk / "installed"))
    write("installed/ladder_pack/__init__.py", "")
    write("installed/ladder_pack/bots.py", LOWEST)
    assert enter("ladder_pack.bots:act").bot == "ladder_pack.bots:act"
    [entry] = read_entries(Path("ladder"))
    kept = Path("ladder/bots", entry.sha256)
    assert (kept / "ladder_pack" / "bots.py").read_text(encoding="utf-8") == LOWEST
    write("installed/ladder_pack/bots.py", "raise SystemExit('edited')\n")
    enter(write("own.py", DICE))
    assert names() == ["ladder_pack.bots:act", "own"]
    frame = load(Path("ladder/run"))
    assert set(frame["bot_ns"]) == {"random", "heuristic", *names()}


# --------------------------------------------------------------------------------------------------- interruptions

SLOW = "import time\n\ndef act(obs):\n    time.sleep(0.0006)\n    return obs.legal[0]\n"


def start(spec: str) -> subprocess.Popen[str]:
    code = (
        "import bidwhist.ladder.submit as s\n"
        "from bidwhist.check.report import Report\n"
        "s.check = lambda bot, **options: Report(bot.entry.spec, '', bot.entry.name)\n"
        f"from bidwhist.cli import main\nmain(['submit', {spec!r}, '--jobs', '1'])"
    )
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for(condition: Any, process: subprocess.Popen[str]) -> None:
    end = time.monotonic() + 90
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.usefixtures("quick")
def test_killed_while_it_plays_and_submitted_again() -> None:
    organise(64)
    enter(write("lowest.py", LOWEST))
    before = parts()
    write("slow.py", SLOW)
    process = start("slow.py")
    wait_for(lambda: len(parts()) > len(before), process)
    with pytest.raises(RunError, match="another bot is being submitted there"):
        enter(write("highest.py", HIGHEST))
    process.kill()
    process.communicate(timeout=20)
    assert process.returncode == -signal.SIGKILL
    assert unplayed(open_ladder(Path("ladder"))) == ["slow"]
    assert "unfinished: slow;" in CliRunner().invoke(group, ["ladder"]).stdout
    halfway = parts()
    assert enter("slow.py") == Submission("slow", None)
    after = parts()
    assert {name: after[name] for name in halfway} == halfway
    assert len(after) == len(before) + 3 * 2  # each pairing is two parts of 32 boards
    assert names() == ["lowest", "slow"]
    assert unplayed(open_ladder(Path("ladder"))) == []


@pytest.mark.usefixtures("quick")
def test_an_interrupted_submission_is_gone_on_with_by_the_next_one(monkeypatch: pytest.MonkeyPatch) -> None:
    organise(2)
    write("lowest.py", LOWEST)
    with monkeypatch.context() as patch:
        patch.setattr("bidwhist.ladder.submit._go_on", _interrupt_entries)
        with pytest.raises(KeyboardInterrupt):
            enter("lowest.py")
    assert unplayed(open_ladder(Path("ladder"))) == ["lowest"]
    enter(write("highest.py", HIGHEST))
    assert [bot.name for bot in read_manifest(Path("ladder/run")).bots] == ["random", "heuristic", "lowest", "highest"]


def _interrupt_entries(ladder: Any, *_: Any) -> None:
    if ladder.entries:
        raise KeyboardInterrupt


@pytest.mark.usefixtures("quick")
def test_a_bot_that_fails_while_it_plays_is_taken_off_again() -> None:
    organise(4)
    enter(write("lowest.py", LOWEST))
    before, standing = parts(), standing_of(open_ladder(Path("ladder")))
    # It holds out against the field, and fails against the third.
    write(
        "late.py",
        "asked = []\ndef act(obs):\n    asked.append(1)\n    return obs.legal[0] if len(asked) < 250 else -1\n",
    )
    with pytest.raises(BotFault, match=r"bot 'late' failed on board .*; 'late' is not entered"):
        enter("late.py", isolation=TRUSTED)
    assert names() == ["lowest"]
    assert (parts(), standing_of(open_ladder(Path("ladder")))) == (before, standing)
    assert not list(Path("ladder/bots").glob("*/late.py"))
    assert read_manifest(Path("ladder/run")).state == "finished"
    with pytest.raises(RunError, match="no unfinished extension to take back"):
        take_back(Path("ladder/run"))
    assert enter(write("highest.py", HIGHEST)).bot == "highest"


@pytest.mark.usefixtures("quick")
def test_a_bot_that_cannot_be_loaded_where_it_plays_is_taken_off_again() -> None:
    organise(2)
    with pytest.raises(BotSpecError, match=r"own.py' cannot be imported: .*gone.*; 'own' is not entered"):
        enter(write("own.py", "raise RuntimeError('gone')\n"), isolation=TRUSTED)
    assert names() == []
    assert enter(write("lowest.py", LOWEST)).bot == "lowest"


@pytest.mark.usefixtures("quick")
def test_what_a_killed_submission_has_left_goes_with_the_next_one() -> None:
    organise(2)
    for name in (".new", "a" * 64):
        write(f"ladder/bots/{name}/own.py", LOWEST)
    enter(write("lowest.py", LOWEST))
    assert [path.name for path in Path("ladder/bots").iterdir()] == [read_entries(Path("ladder"))[0].sha256]


# --------------------------------------------------------------------------------------------- for the organiser


@pytest.mark.usefixtures("quick")
def test_more_boards_and_more_of_the_field_extend_a_ladder() -> None:
    organise(4)
    enter(write("lowest.py", LOWEST))
    before = parts()
    organise(6, 'bots = ["random", "heuristic", "random?calls=pass"]\n')
    enter(write("highest.py", HIGHEST))
    assert [bot.name for bot in read_manifest(Path("ladder/run")).bots] == [
        "random", "heuristic", "lowest", "random?calls=pass", "highest",
    ]  # fmt: skip
    assert {place.score.boards for place in standing_of(open_ladder(Path("ladder")))} == {6}
    assert parts().items() >= before.items()


def damaged(path: str, old: str, new: str) -> None:
    text = Path(path).read_text(encoding="utf-8")
    assert old in text
    Path(path).chmod(0o644)
    Path(path).write_text(text.replace(old, new), encoding="utf-8")


def damage(what: str) -> None:
    if what == "rules":
        organise(4, 'rules = "no-kitty"\n')
    elif what == "fewer boards":
        organise(3)
    elif what == "stop":
        organise(4, 'stop = { bots = ["random", "heuristic"], difference = 0.2 }\n')
    elif what == "gauntlet":
        organise(4, 'pairing = "gauntlet"\nchallengers = ["random"]\n')
    elif what == "entries":
        damaged(f"ladder/{ENTRIES}", '"sha256":', '"sha":')
    elif what == "closed":
        assert CliRunner().invoke(group, ["close", "ladder/run"]).exit_code == 0


TROUBLES = {
    "rules": "run: is another tournament: .*rules kitty_size: 6 in the run, 0 now",
    "fewer boards": "holds 4 boards already; a run can be extended, not cut to 3",
    "stop": "ladder.toml: stop: a ladder plays all its boards",
    "gauntlet": 'ladder.toml: pairing: a ladder is "round-robin" or "swiss": \'gauntlet\' does not go',
    "entries": "entries.jsonl: is damaged: line 1: Object contains unknown field `sha`",
    "closed": "is closed, its seed published; nothing can be submitted any more",
}


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("what", TROUBLES)
def test_trouble_is_told_and_nothing_is_changed(what: str) -> None:
    organise(4, seed="" if what == "closed" else "seed = 5\n")
    enter(write("lowest.py", "# mine\n" + LOWEST))
    damage(what)
    before = tree(Path("ladder"))
    with pytest.raises((RunError, ConfigError), match=TROUBLES[what]):
        enter(write("highest.py", HIGHEST))
    assert tree(Path("ladder")) == before


@pytest.mark.usefixtures("quick")
def test_an_entry_that_cannot_be_loaded_is_set_aside_and_named() -> None:
    """What has become of its author's files, or of those of the field, does not matter: the copy in the run plays."""
    organise(4, 'bots = ["random", "fielded.py"]\n')
    write("ladder/fielded.py", LOWEST)
    enter(write("lowest.py", "# mine\n" + LOWEST))
    Path("ladder/fielded.py").write_text("raise SystemExit", encoding="utf-8")
    shutil.rmtree("ladder/bots")
    assert enter(write("highest.py", HIGHEST)).bot == "highest"
    assert standing_of(open_ladder(Path("ladder")))[0].score.boards == 4
    for path in Path("ladder").rglob("lowest.py"):
        damaged(str(path), "legal[0]", "legal[-1]")
    before = parts()
    assert enter(write("dice.py", DICE)).bot == "dice"
    after = parts()
    assert {name: after[name] for name in before} == before
    assert len(after) == len(before) + 3, "against all but the one that is set aside"
    shown = CliRunner().invoke(group, ["ladder"])
    told = " ".join(shown.stdout.split())
    assert re.search(r"set aside: lowest: .*its copy in .* is not what its hash says", told), told
    aside = json.loads(CliRunner().invoke(group, ["ladder", "--json"]).stdout)["ladder"]["set_aside"]
    assert list(aside) == ["lowest"]
    assert {place.bot for place in standing_of(open_ladder(Path("ladder")))} >= {"lowest", "dice"}
    for path in Path("ladder").rglob("lowest.py"):
        damaged(str(path), "legal[-1]", "legal[0]")
    enter(write("more.py", "# more\n" + DICE))
    assert {place.score.boards for place in standing_of(open_ladder(Path("ladder")))} == {4}
    assert len(parts()) == len(after) + 5 + 1, "with the one that it had missed"


@pytest.mark.usefixtures("quick")
def test_an_entry_that_does_not_load_or_fails_any_more_stops_nobody() -> None:
    """It depends on something that is gone: here on a file, which stands for a library or another machine."""
    organise(4)
    gone = Path("needed").absolute()
    gone.touch()
    loads = f"import os\nos.stat({str(gone)!r})\n" + LOWEST
    enter(write("loads.py", loads))
    enter(write("trusted.py", "# trusted\n" + loads), isolation=TRUSTED)
    plays = f"import os\n\ndef act(obs):\n    os.stat({str(gone)!r})\n    return obs.legal[-1]\n"
    enter(write("plays.py", plays), isolation=TRUSTED)
    enter(write("goes_on.py", "# in a jail\n" + plays))
    gone.unlink()
    assert enter(write("dice.py", DICE)).bot == "dice"
    aside = json.loads(CliRunner().invoke(group, ["ladder", "--json"]).stdout)["ladder"]["set_aside"]
    assert sorted(aside) == ["loads", "plays", "trusted"], "faults of a jailed bot are played on"
    boards = {place.bot: place.score.boards for place in standing_of(open_ladder(Path("ladder")))}
    assert boards == dict.fromkeys(["random", "heuristic", "loads", "trusted", "plays", "goes_on", "dice"], 4)
    assert enter(write("more.py", "# more\n" + DICE)).bot == "more"
    gone.touch()
    enter(write("last.py", "# last\n" + DICE))
    found = CliRunner().invoke(group, ["table", "ladder/run", "--json"]).stdout
    assert len(json.loads(found)["pairings"]) == 9 * 8, "they have caught up"


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("edit", ["no file", "a line less", "another hash"])
def test_entries_that_were_lost_or_edited_are_told_and_cost_nothing(edit: str) -> None:
    organise(4)
    enter(write("lowest.py", LOWEST))
    enter(write("highest.py", HIGHEST))
    entries = Path("ladder", ENTRIES)
    lines = entries.read_text(encoding="utf-8").splitlines(keepends=True)
    if edit == "no file":
        entries.unlink()
    elif edit == "a line less":
        entries.write_text(lines[1], encoding="utf-8")
    else:
        sha256 = read_entries(Path("ladder"))[0].sha256
        entries.write_text("".join(lines).replace(sha256, "0" * 64), encoding="utf-8")
    before = tree(Path("ladder"))
    with pytest.raises(RunError, match=r"entries\.jsonl: .* 'lowest'"):
        enter(write("dice.py", DICE))
    assert tree(Path("ladder")) == before
    shown = CliRunner().invoke(group, ["ladder"])
    assert isinstance(shown.exception, RunError)
    entries.write_text("".join(lines), encoding="utf-8")
    assert enter("dice.py").bot == "dice"


@pytest.mark.usefixtures("quick")
def test_f9_a_full_disk_is_told_and_the_next_submission_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    organise(2)

    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("bidwhist.bot.sources.files.shutil.copyfile", full)
        with pytest.raises(BidWhistError, match=r"bot 'lowest': cannot be copied to .*: No space left on device"):
            enter(write("lowest.py", LOWEST))
    calls = 0
    sync = os.fsync

    def full_at_last(descriptor: int) -> None:
        nonlocal calls
        if calls == 0:
            full()
        calls -= 1
        sync(descriptor)

    told = []
    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full_at_last)
        for room in range(100):  # a little more each time: the disk is full at every file in turn
            calls = room
            try:
                found = enter("lowest.py")
                break
            except BidWhistError as error:
                told.append(str(error))
    assert len(told) > 5
    assert all(words.count("No space left on device") == 1 for words in told)
    assert found.bot == "lowest"
    assert names() == ["lowest"]
    assert (len(parts()), len(load(Path("ladder/run")))) == (3, 3 * 2 * 2)


def test_a_folder_that_is_no_ladder(desk: Path) -> None:
    write("mine/notes.txt", "mine")
    shown = CliRunner().invoke(group, ["ladder", "mine"])
    assert isinstance(shown.exception, RunError)
    assert "is no ladder: it has no ladder.toml" in str(shown.exception)
    with pytest.raises(RunError, match="holds other files and is no ladder"):
        submit(write("own.py", LOWEST), Path("mine"))
    assert [path.name for path in Path("mine").iterdir()] == ["notes.txt"]


@pytest.mark.usefixtures("quick")
def test_results_cite_hashes() -> None:
    organise(2)
    assert "nobody has played yet" in CliRunner().invoke(group, ["ladder"]).stdout
    enter(write("lowest.py", LOWEST))
    found = json.loads(CliRunner().invoke(group, ["ladder", "ladder", "--json"]).stdout)
    assert found["ladder"]["units"] == 2
    hashes = {bot.name: bot.sha256 for bot in read_manifest(Path("ladder/run")).bots}
    assert {each["bot"]: each["sha256"] for each in found["standing"]} == hashes
    own = next(each for each in found["standing"] if each["bot"] == "lowest")
    assert (own["submitted"][-1], own["boards"], len(own["ci95"])) == ("Z", 2, 2)
    same = CliRunner().invoke(group, ["submit", "lowest.py", "--json"])
    assert json.loads(same.stdout) == {"entered": True, "bot": "lowest", "report": None, **found}
    shown = CliRunner().invoke(group, ["ladder"]).stdout
    assert all(sha256[:12] in shown for sha256 in hashes.values())
