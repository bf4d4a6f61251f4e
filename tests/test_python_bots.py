"""What is taken of a Python file, what a class is told when it is made, and bots of installed packages."""

import importlib.metadata
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from bidwhist import play_board, run_tournament
from bidwhist.bot.sources.find import find_bot
from bidwhist.bot.sources.house import HouseSource
from bidwhist.errors import BotFault, BotSpecError
from bidwhist.rules import CLASSIC, PRESETS

LOWEST = "def act(obs):\n    return obs.legal[0]\n"


def written(folder: Path, text: str, name: str = "own.py") -> str:
    path = folder / name
    path.write_text(dedent(text), encoding="utf-8")
    return str(path)


def seat(spec: str) -> Any:
    return find_bot(spec, "own", [Path()]).load(CLASSIC)


@pytest.mark.parametrize(
    "ending",
    [
        "class Bot:\n    def act(self, obs):\n        return obs.legal[0]\n",
        "act = lambda obs: obs.legal[0]\n",
        "import functools\ndef pick(place, obs):\n    return obs.legal[place]\nact = functools.partial(pick, 0)\n",
        "import functools\ndef same(f):\n    @functools.wraps(f)\n    def inner(obs):\n        return f(obs)\n"
        "    return inner\n@same\ndef act(obs):\n    return obs.legal[0]\n",
        "import functools\nclass Memo:\n    def __init__(self, f):\n        functools.update_wrapper(self, f)\n"
        "        self.f = f\n    def __call__(self, obs):\n        return self.f(obs)\n@Memo\ndef act(obs):\n"
        "    return obs.legal[0]\n",
        "class Tools:\n    @classmethod\n    def first(cls, obs):\n        return obs.legal[0]\nact = Tools.first\n",
    ],
    ids=["class", "lambda", "partial", "decorated", "decorated by an object", "method of a class"],
)
def test_field_fault_41_what_loads(tmp_path: Path, ending: str) -> None:
    own = play_board(written(tmp_path, ending), "random", seed=1, board=0)
    assert own.deal_text == play_board(written(tmp_path, LOWEST, "low.py"), "random", seed=1, board=0).deal_text
    assert own.public == play_board(str(tmp_path / "low.py"), "random", seed=1, board=0).public


@pytest.mark.parametrize(
    ("ending", "words"),
    [
        ("class Bot:\n    def __call__(self, obs):\n        return 0\nact = Bot()\n", "is an object of Bot"),
        (
            "class Bot:\n    def choose(self, obs):\n        return 0\nact = Bot().choose\n",
            "which all seats and tables",
        ),
        ("bot = 1\n", "a bot file has a function act(obs)"),
        ("act = 3\n", "act is a int; it needs a function act(obs)"),
        ("async def act(obs):\n    return 0\n", "act is async"),
        (
            "import functools\nclass B:\n    def __call__(self, x, obs):\n        return 0\n"
            "act = functools.partial(B(), 1)\n",
            "is an object of B",
        ),
    ],
)
def test_field_fault_41_what_is_refused(tmp_path: Path, ending: str, words: str) -> None:
    with pytest.raises(BotSpecError, match=r"own\.py") as refused:
        seat(written(tmp_path, ending))
    assert words in str(refused.value)


def test_an_object_by_its_name_is_refused(tmp_path: Path) -> None:
    spec = written(tmp_path, "class Bot:\n    def act(self, obs):\n        return 0\nbot = Bot()\n")
    with pytest.raises(BotSpecError, match="bot is a Bot; it needs"):
        seat(spec + ":bot")


def test_a_class_is_told_rules_limits_and_chance(tmp_path: Path) -> None:
    spec = written(
        tmp_path,
        """
        class Own:
            def __init__(self, ctx, edge=3):
                assert ctx.rules.preset == "traditional" and ctx.limits.decision == 0.05 and edge == 4
                try:
                    ctx.random
                except Exception as error:
                    assert "none is asked for now" in str(error)
                else:
                    raise AssertionError
                self.ctx = ctx

            def act(self, obs):
                assert self.ctx.random is obs.random
                return obs.legal[self.ctx.random.below(len(obs.legal))]
        """,
    )
    mine = play_board(spec + "?edge=4", "heuristic", seed=1, board=0, rules="traditional")
    assert mine.public == play_board("random", "heuristic", seed=1, board=0, rules="traditional").public
    with pytest.raises(BotSpecError, match="ctx is given by the arena"):
        seat(spec + "?ctx=4")


def test_a_batch_class_is_told_too(tmp_path: Path) -> None:
    spec = written(
        tmp_path,
        """
        from bidwhist.rows import actions, lowest

        class Own:
            def __init__(self, ctx):
                self.preset = ctx.rules.preset

            def act_batch(self, rows):
                assert self.preset == "classic"
                return actions(rows, lowest(rows["legal"]))
        """,
    )
    low = written(tmp_path, LOWEST, "low.py")
    assert play_board(spec, "random", seed=1, board=0).public == play_board(low, "random", seed=1, board=0).public


def test_metadata(tmp_path: Path) -> None:
    def metadata(text: str) -> Any:
        return find_bot(written(tmp_path, text, f"{len(list(tmp_path.iterdir()))}.py"), "own").metadata()

    said = metadata('name = "Own"\nversion = "2"\npresets = ["classic", "sported"]\n' + LOWEST)
    assert (said.name, said.version, said.presets) == ("Own", "2", ("classic", "sported"))
    said = metadata('class B:\n    name = "Inner"\n    def act(self, obs):\n        return 0\nname = "Outer"\n')
    assert (said.name, said.version, said.presets) == ("Inner", None, tuple(PRESETS))
    assert metadata("version = 2\n" + LOWEST).version is None
    with pytest.raises(BotSpecError, match="there is no preset 'clasic'; did you mean classic"):
        metadata('presets = ["clasic"]\n' + LOWEST)
    with pytest.raises(BotSpecError, match="is no list of names of presets"):
        metadata('presets = "classic"\n' + LOWEST)
    with pytest.raises(BotSpecError, match=r"name = .* is no line of text"):
        metadata('name = "a\\nb"\n' + LOWEST)


# ------------------------------------------------------------------------------------------- bots of installed packages


def install(folder: Path, package: str, lines: str) -> None:
    """What an installed package leaves: its module and its metadata with entry points."""
    module = package.replace("-", "_")
    (folder / f"{module}.py").write_text(
        'name = "Provided"\n' + LOWEST + "\nclass Best:\n    act = staticmethod(act)\n"
    )
    info = folder / f"{module}-1.5.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.5\n")
    (info / "entry_points.txt").write_text("[bw_arena.bots]\n" + lines)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    for name in ("their_bots", "other_bots"):
        sys.modules.pop(name, None)


def test_bots_of_packages_are_found_by_name(site: Path) -> None:
    install(site, "their-bots", "low = their_bots\nbest = their_bots:Best\nrandom = their_bots\n")
    low = written(site, LOWEST, "low.py")
    expected = play_board(low, "random", seed=1, board=0).public
    for spec in ("low", "best"):
        assert play_board(spec, "random", seed=1, board=0).public == expected
    bot = find_bot("low")
    assert not isinstance(bot, HouseSource)
    assert bot.metadata().name == "Provided"
    assert isinstance(find_bot("random"), HouseSource)
    with pytest.raises(BotSpecError, match="there is no bot 'bestt'; did you mean best"):
        find_bot("bestt", "bestt", [])


def test_a_name_that_two_packages_provide_is_refused(site: Path) -> None:
    install(site, "their-bots", "low = their_bots\n")
    install(site, "other-bots", "low = other_bots\n")
    assert len(importlib.metadata.entry_points(group="bw_arena.bots").select(name="low")) == 2
    with pytest.raises(BotSpecError, match="other-bots and their-bots both provide it"):
        find_bot("low", "low", [])


def test_an_entry_point_that_leads_nowhere(site: Path) -> None:
    install(site, "their-bots", "low = their_botz\nbest = their_bots:Worst\n")
    with pytest.raises(BotSpecError, match="there is no module their_botz"):
        find_bot("low", "low", [])
    with pytest.raises(BotSpecError, match="has no Worst"):
        seat("best")


# ------------------------------------------------------------------------------------------------------------- answers


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("-1", "answered -1 (int): an action is an integer 0-97"),
        ("98", "answered 98 (int)"),
        ("True", "answered True (bool)"),
        ("1.0", "answered 1.0 (float)"),
        ("float('nan')", "answered nan (float)"),
        ("None", "answered None (NoneType)"),
        ("'SA'", "answered 'SA' (str)"),
        ("[54]", "answered [54] (list)"),
        ("numpy.float64(54)", "float64"),
        ("numpy.bool_(True)", "bool"),
        ("numpy.array([54, 55])", "ndarray"),
        ("next(card for card in range(54) if card not in obs.hand)", "is a card, and it is time to call"),
    ],
)
def test_field_fault_31_what_is_no_answer(tmp_path: Path, answer: str, words: str) -> None:
    spec = written(tmp_path, f"import numpy\ndef act(obs):\n    return {answer}\n")
    with pytest.raises(BotFault) as fault:
        play_board(spec, "random", seed=1, board=0)
    assert words in str(fault.value)
    assert "decision call: answered" in str(fault.value)


@pytest.mark.parametrize("kind", ["int64", "uint8", "int8"])
def test_field_fault_31_integers_of_numpy_are_answers(tmp_path: Path, kind: str) -> None:
    spec = written(tmp_path, f"import numpy\ndef act(obs):\n    return numpy.{kind}(obs.legal[0])\n")
    low = written(tmp_path, LOWEST, "low.py")
    assert play_board(spec, "random", seed=1, board=0).public == play_board(low, "random", seed=1, board=0).public


def test_field_fault_39_what_bots_print_in_a_run_is_kept_and_cut(tmp_path: Path) -> None:
    loud = written(tmp_path, "import sys\nprint('imported')\n" + LOWEST.replace("return", "print('x' * 999); return"))
    fields = {"seed": 1, "boards": 20, "bots": ["random", loud]}
    folder = run_tournament(fields, out=tmp_path / "run", jobs=1, trust=True)
    output = (folder / "timings" / "output.txt").read_text(encoding="utf-8")
    assert output.startswith("imported\nxxx")
    assert "bytes more" in output
    assert len(output) < 70_000
    jailed = run_tournament(fields, out=tmp_path / "jailed", jobs=1)
    output = (jailed / "timings" / "output.txt").read_text(encoding="utf-8")
    assert f"{loud}, seat N, standard error:\nimported\nxxx" in output
    assert output.endswith("bytes more\n")
    assert len(output) < 70_000
    quiet = run_tournament({**fields, "bots": ["random", "heuristic"]}, out=tmp_path / "quiet", jobs=1)
    assert not (quiet / "timings" / "output.txt").exists()


def test_field_fault_31_a_card_that_it_does_not_hold(tmp_path: Path) -> None:
    other = "next(card for card in range(54) if card not in obs.hand)"
    spec = written(tmp_path, f"def act(obs):\n    return obs.legal[0] if obs.phase != 'play' else {other}\n")
    with pytest.raises(BotFault, match=r"decision play, trick 1: answered \d+: you do not hold"):
        play_board(spec, "random", seed=1, board=0)
