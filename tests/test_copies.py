"""The bytes that were hashed are the bytes that play: copies of bots, and modules that bots do not share."""

import importlib.util
import os
import py_compile
import shutil
import sys
from pathlib import Path
from textwrap import dedent

import pytest
from click.testing import CliRunner

from bidwhist import play_board, run_tournament
from bidwhist.arena.config import make_config
from bidwhist.arena.run import run
from bidwhist.arena.tournament import prepare
from bidwhist.bot.sources.find import find_bot
from bidwhist.bot.sources.keep import find_kept, keep
from bidwhist.check.examine import check
from bidwhist.cli import group
from bidwhist.errors import BotSpecError, RunError
from bidwhist.results import load
from bidwhist.results.manifest import read_manifest
from bidwhist.rules import CLASSIC

LOWEST = "def act(obs):\n    return obs.legal[0]\n"
HIGHEST = "def act(obs):\n    return obs.legal[-1]\n"
PROGRAM = f"""#!{sys.executable} -I
import json, pathlib, sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from choosing import choose

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{{"type": "hello", "protocol": 1}}', flush=True)
    elif message["type"] == "observe":
        answer = {{"type": "action", "id": message["id"], "action": choose(message["observation"]["legal"])}}
        print(json.dumps(answer), flush=True)
    elif message["type"] == "quit":
        break
"""


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(name: str, text: str) -> str:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dedent(text), encoding="utf-8")
    return name


def tournament(*bots: object, **fields: object) -> dict[str, object]:
    return {"name": "t", "seed": 5, "boards": 20, "bots": list(bots), **fields}


def points(folder: Path, bot: str) -> float:
    frame = load(folder)
    own = frame["points"].where(frame["bot_ns"] == bot, -frame["points"])
    return float(own[(frame["bot_ns"] == bot) | (frame["bot_ew"] == bot)].mean())


# ---------------------------------------------------------------------------------------------------------- modules


def test_two_bots_with_a_helper_of_one_name_share_nothing() -> None:
    """Whatever order they are loaded in: each plays as it does alone."""
    for folder, choice in (("one", "obs.legal[0]"), ("two", "obs.legal[-1]")):
        write(f"{folder}/helper.py", f"def choose(obs):\n    return {choice}\n")
        write(
            f"{folder}/mine.py",
            "from helper import choose\n\ndef act(obs):\n    import helper\n    return helper.choose(obs)\n",
        )
    plain = write("low.py", LOWEST), write("high.py", HIGHEST)
    expected = load(run_tournament(tournament(*plain), out="plain", executor="inline"))["points"].tolist()
    for jobs in (1, 2):
        out = run_tournament(tournament("one/mine.py", "two/mine.py"), out=f"helped{jobs}", jobs=jobs)
        assert load(out)["points"].tolist() == expected
    assert [name for name in sys.modules if name in ("helper", "mine")] == []


def test_one_file_under_two_names_is_two_bots() -> None:
    """What it keeps at module level counts for one of them alone."""
    write("counting.py", "asked = []\n\ndef act(obs):\n    asked.append(obs)\n    return obs.legal[0]\n")
    bots = ({"spec": "counting.py", "name": name} for name in ("first", "second"))
    run_tournament(tournament(*bots), out="run", executor="inline", trust=True)
    modules = [each for each in sys.modules.values() if str(getattr(each, "__file__", "")).endswith("/counting.py")]
    asked = [len(module.asked) for module in modules if "/run/bots/" in str(module.__file__)]
    assert len(asked) == 2
    assert min(asked) > 100


def test_a_helper_in_a_package_and_one_by_a_relative_import() -> None:
    write("mine/deep/__init__.py", "")
    write("mine/deep/choosing.py", "from .values import FIRST\n\ndef choose(cards):\n    return cards[FIRST]\n")
    write("mine/deep/values.py", "FIRST = 0\n")
    write(
        "mine/mine.py",
        "import deep.choosing\nfrom deep import values\n\ndef act(obs):\n    return deep.choosing.choose(obs.legal)\n",
    )
    assert sorted(find_bot("mine/mine.py").files) == [
        "deep/__init__.py",
        "deep/choosing.py",
        "deep/values.py",
        "mine.py",
    ]
    assert play_board("mine/mine.py", "random", seed=1, board=0).score()


def test_a_bot_called_like_a_module_of_python_is_not_imported_by_its_neighbours() -> None:
    write("random.py", "raise RuntimeError('not for you')\n")
    write("mine.py", "import random\n\nassert random.Random(1).random()\n" + LOWEST)
    assert list(find_bot("mine.py").files) == ["mine.py"]
    run_tournament(tournament("random", "mine.py", boards=1), out="run", jobs=1)


def test_compiled_python_code_is_neither_read_nor_written() -> None:
    """It would be that of another file if its time and size are the same."""
    write("mine.py", LOWEST)
    write("other/mine.py", LOWEST.replace("[0]", "[9]"))
    for name in ("mine.py", "other/mine.py"):
        os.utime(name, (1, 1))
    py_compile.compile("other/mine.py", cfile=importlib.util.cache_from_source("mine.py"), dfile="mine.py")
    play_board("mine.py", "random", seed=1, board=0)
    out = run_tournament(tournament("random", "mine.py", boards=1), out="run", executor="inline")
    assert not list(out.rglob("__pycache__"))


# ----------------------------------------------------------------------------------------------------------- copies


def test_a_file_that_is_edited_after_the_start_plays_as_it_was() -> None:
    """The bot itself edits it, in the middle of the run."""
    own = Path("mine.py").absolute()
    edit = f"import pathlib\n\ndef act(obs):\n    pathlib.Path({str(own)!r}).write_text('def act(obs): return -1')\n"
    write("mine.py", edit + "    return obs.legal[0]\n")
    sha256 = find_bot("mine.py").entry.sha256
    out = run_tournament(tournament("random", "mine.py", boards=40), out="run", jobs=2, trust=True)
    assert find_bot("mine.py").entry.sha256 != sha256
    entry = read_manifest(out).bots[1]
    assert entry.sha256 == sha256 == find_kept(entry, out / "bots").entry.sha256
    with pytest.raises(RunError, match=r"'mine.py' has been edited since this run was started; choose another --out"):
        run_tournament(tournament("random", "mine.py", boards=40), out="run", resume=True, jobs=1, trust=True)


def test_a_file_that_is_edited_between_finding_and_copying_is_refused() -> None:
    write("mine.py", LOWEST)
    config = make_config(tournament("random", "mine.py"), "t")
    prepared = prepare(config, [Path.cwd()])
    write("mine.py", HIGHEST)
    with pytest.raises(BotSpecError, match="its files were edited while they were being copied; start again"):
        run(prepared, Path("run"), executor="inline")
    run_tournament(config_fields := tournament("random", "mine.py"), out="run", executor="inline")
    assert config_fields["boards"] == len(load("run")) / 2


def test_hands_are_shown_when_the_files_are_gone_and_refused_when_the_copy_was_changed() -> None:
    write("mine/helper.py", "def choose(obs):\n    return obs.legal[0]\n")
    write("mine/mine.py", "import helper\n\ndef act(obs):\n    return helper.choose(obs)\n")
    out = run_tournament(tournament("heuristic", "mine/mine.py", record="results"), out="run", executor="inline")
    shutil.rmtree("mine")
    moved = out.rename("moved")
    shown = CliRunner().invoke(group, ["show", "moved", "--board", "3"])
    assert shown.exit_code == 0, shown.output
    helper = next(moved.rglob("helper.py"))
    helper.chmod(0o644)
    helper.write_text("def choose(obs):\n    return obs.legal[-1]\n", encoding="utf-8")
    refused = CliRunner().invoke(group, ["show", "moved", "--board", "3"])
    assert isinstance(refused.exception, RunError)
    assert "its copy in" in str(refused.exception)


def test_a_run_goes_on_when_the_files_are_gone() -> None:
    write("mine.py", LOWEST)
    fields = tournament("random", "mine.py", boards=64)
    out = run_tournament(fields, out="run", executor="inline")
    before = {path.name: path.read_bytes() for path in out.glob("boards/*")}
    Path("mine.py").unlink()
    next(out.glob("boards/*")).unlink()
    run_tournament(fields, out="run", resume=True, executor="inline")
    assert {path.name: path.read_bytes() for path in out.glob("boards/*")} == before
    with pytest.raises(BotSpecError, match="there is no such file"):
        run_tournament(fields, out="another", executor="inline")


def test_a_damaged_copy_is_made_anew_by_a_resume() -> None:
    write("mine.py", LOWEST)
    fields = tournament("random", "mine.py")
    out = run_tournament(fields, out="run", executor="inline")
    copy = next(out.rglob("mine.py"))
    copy.chmod(0o644)
    copy.write_text("raise SystemExit", encoding="utf-8")
    run_tournament({**fields, "boards": 40}, out="run", resume=True, executor="inline")
    assert next(out.rglob("mine.py")).read_text(encoding="utf-8") == LOWEST


def test_a_folder_is_a_bot_with_all_that_lies_in_it(desk: Path) -> None:
    text = """\
        from pathlib import Path
        from weighing import weigh

        W = int(Path(__file__).with_name("w.txt").read_text())

        def act(obs):
            return obs.legal[weigh(W)]
        """
    write("mine/bot.py", text)
    write("mine/weighing.py", "def weigh(value):\n    return value\n")
    write("mine/w.txt", "0")
    write("mine/__pycache__/x.pyc", "no part of it")
    bots = {spec: find_bot(spec) for spec in ("./mine", "mine", f"{desk}/mine", "mine/")}
    assert len({bot.entry.sha256 for bot in bots.values()}) == 1
    out = run_tournament(tournament("random", "mine"), out="run", jobs=1)
    plain = run_tournament(tournament("random", write("low.py", LOWEST)), out="plain", jobs=1)
    assert points(out, "mine") == points(plain, "low.py")
    write("mine/w.txt", "-1")
    assert find_bot("mine").entry.sha256 != bots["mine"].entry.sha256, "hashed whole"
    assert check("mine", presets=("classic",), positions=1, boards=0).passed


@pytest.mark.parametrize("spec", ["nowhere/", "./nowhere", "nowhere"])
def test_a_folder_that_is_no_bot(spec: str) -> None:
    Path("empty").mkdir()
    with pytest.raises(BotSpecError, match=r"there is no such folder|there is no bot"):
        find_bot(spec)
    for each in ("./empty", "empty"):
        with pytest.raises(BotSpecError, match=r"the folder .*empty has no bot\.py"):
            find_bot(each)


@pytest.mark.parametrize(
    ("spec", "place"),
    [
        ("./own", "link"),
        ("./own", "deep/link"),
        ("own/main.py", "helper.py"),
        ("cmd:own/main", "link"),
        ("cmd:own/main own/link", "link"),
        ("cmd:python3 own/main.py", "link"),
        ("cmd:python3 own/main.py own/deep", "deep/link"),
    ],
)
def test_files_that_are_links_out_of_the_folder_of_a_bot_are_refused(desk: Path, spec: str, place: str) -> None:
    own = desk / "own"
    (own / "deep").mkdir(parents=True)
    (desk / "secret").write_text("94fdb60d", encoding="utf-8")
    for name in ("bot.py", "main.py", "main"):
        (own / name).write_text(f"#!/usr/bin/env python3\nimport helper\n{LOWEST}", encoding="utf-8")
        (own / name).chmod(0o755)
    (own / "helper.py").write_text("", encoding="utf-8")
    (own / "deep" / "inside").symlink_to("../helper.py")
    find_bot(spec)  # links within the folder are what they lead to
    link = own / place
    link.unlink(missing_ok=True)
    link.symlink_to(desk / "secret")
    with pytest.raises(BotSpecError, match=rf"its file \S*{place}\S* is a link that leads out of .*own"):
        find_bot(spec)


def test_a_program_may_be_a_link(desk: Path) -> None:
    (desk / "built").mkdir()
    (desk / "built" / "mine").write_text("#!/bin/sh\n", encoding="utf-8")
    (desk / "built" / "mine").chmod(0o755)
    (desk / "own").mkdir()
    (desk / "own" / "main").symlink_to(desk / "built" / "mine")
    source = find_bot("cmd:own/main")
    assert [path.read_text(encoding="utf-8") for path in source.files.values()] == ["#!/bin/sh\n"]


def test_links_in_a_circle_are_no_bot() -> None:
    Path("loop.py").symlink_to("loop.py")
    Path("loop").symlink_to("loop")
    write("mine/bot.py", LOWEST)
    Path("mine/inner").symlink_to("..")
    Path("mine/broken").symlink_to("nowhere")
    for spec in ("loop.py", "./loop", "cmd:./loop"):
        with pytest.raises(BotSpecError, match=r"cannot be looked up|no such|has no bot"):
            find_bot(spec)
    assert find_bot("mine").files.keys() == {"bot/bot.py"}


def test_of_a_program_in_a_folder_of_its_own_the_whole_folder_plays() -> None:
    write("mine/main", PROGRAM)
    Path("mine/main").chmod(0o755)
    write("mine/choosing.py", "def choose(legal):\n    return legal[0]\n")
    out = run_tournament(tournament("random", "cmd:mine/main --fast", boards=4), out="run", jobs=1)
    plain = run_tournament(tournament("random", write("low.py", LOWEST), boards=4), out="plain", jobs=1)
    assert load(out)["points"].tolist() == load(plain)["points"].tolist()
    entry = read_manifest(out).bots[1]
    assert (entry.kept, entry.uncovered) == ("cmd:mine/main --fast", None)
    before = entry.sha256
    write("mine/choosing.py", "def choose(legal):\n    return legal[-1]\n")
    assert find_bot("cmd:mine/main --fast").entry.sha256 != before
    shutil.rmtree("mine")
    with find_kept(entry, out / "bots").load(CLASSIC):
        pass


def test_paths_behind_a_sign_of_equality_and_folders_are_files_of_a_command(desk: Path) -> None:
    program = PROGRAM.replace("from choosing import choose", "").replace(
        "sys.path.insert", "net, data = (each.partition('=')[2] or each for each in sys.argv[1:3]); sys.path.insert"
    )
    program = program.replace("choose(message", "int(pathlib.Path(net).read_text()) + pick(message")
    program = program.replace(
        "for line in sys.stdin",
        "def pick(legal):\n    return legal[int(pathlib.Path(data, 'k').read_text())]\n\nfor line in sys.stdin",
    )
    write("far/net.bin", "0")
    write("data/k", "0")
    write("main", program)
    Path("main").chmod(0o755)
    spec = f"cmd:./main --net={desk}/far/net.bin data"
    out = run_tournament(tournament("random", spec, boards=2), out="run", jobs=1)
    plain = run_tournament(tournament("random", write("low.py", LOWEST), boards=2), out="plain", jobs=1)
    assert load(out)["points"].tolist() == load(plain)["points"].tolist()
    entry = read_manifest(out).bots[1]
    assert entry.kept == "cmd:./main --net=net.bin data"
    assert sorted(find_kept(entry, out / "bots").files) == ["data/k", "main", "net.bin"]
    for changed in ("far/net.bin", "data/k"):
        before = find_bot(spec).entry.sha256
        write(changed, "1")
        assert find_bot(spec).entry.sha256 != before


def test_what_the_copy_of_a_command_does_not_cover_is_told() -> None:
    write("main.py", PROGRAM)
    write("choosing.py", "def choose(legal):\n    return legal[0]\n")
    write("t.toml", f'seed = 1\nboards = 1\nbots = ["random", "cmd:{sys.executable} -I main.py"]\n')
    done = CliRunner().invoke(group, ["run", "t.toml", "--out", "run", "--jobs", "1"])
    assert done.exit_code == 0, done.output
    assert f"neither hash nor copy covers other files beside main.py and {sys.executable}" in done.stdout
    assert sorted(find_bot(f"cmd:{sys.executable} -I main.py").files) == ["choosing.py", "main.py"]


def test_bots_have_an_empty_working_folder() -> None:
    write("weights.txt", "0")
    write("mine.py", "open('weights.txt').close()\n" + LOWEST)
    with pytest.raises(BotSpecError, match=r"mine\.py, line 1: FileNotFoundError"):
        run_tournament(tournament("random", "mine.py"), out="run", jobs=1)
    assert not Path("run").exists()
    assert check("mine.py", presets=("classic",), positions=1, boards=0).faults == ["start"]


def test_two_bots_of_the_same_bytes_have_one_folder() -> None:
    copies = Path("bots").absolute()
    specs = [write("a.py", LOWEST), write("b.py", LOWEST), write("c/a.py", LOWEST)]
    kept = [keep(find_bot(spec), copies) for spec in specs]
    [folder] = copies.iterdir()
    assert sorted(path.name for path in folder.iterdir()) == ["a.py", "b.py"]
    assert [bot.path for bot in kept] == [folder / "a.py", folder / "b.py", folder / "a.py"]


def test_a_folder_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bidwhist.bot.sources.files.MOST_FILES", 3)
    for number in range(4):
        write(f"mine/{number}.txt", "")
    write("mine/bot.py", LOWEST)
    with pytest.raises(BotSpecError, match="has more than 4,096 files or 256 MB"):
        find_bot("mine")
