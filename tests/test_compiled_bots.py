"""Users' compiled bots: they play as others do, in the kernel and in the batch engine, and their faults are told."""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray

from bidwhist.arena.part import Setting
from bidwhist.bot import dump_observation, replay_observation
from bidwhist.bot.deciders.compiled import CompiledBot
from bidwhist.bot.deciders.kernel import play_compiled
from bidwhist.bot.sources.find import find_bot
from bidwhist.engine.batch import Batch
from bidwhist.engine.decider import Decider
from bidwhist.engine.sequence import Played
from bidwhist.errors import BotFault, BotSpecError
from bidwhist.play import play_board
from bidwhist.results.schema import Part
from bidwhist.rules import CLASSIC, PRESETS, Rules
from bidwhist.table import Table
from support import every_preset

DICE = """
from bidwhist import compiled
from bidwhist.actions import WORDS
from bidwhist.bits import count, nth
from bidwhist.public import NAMING
from bidwhist.streams import below

@compiled
def any_of(mask, stream):
    return nth(mask, below(stream, count(mask)))

@compiled
def faulty(mask):
    return no_such_name

def unmarked(mask):
    return mask

def call(private, public, stream):
    return WORDS + any_of(private.legal, stream)

def prepare(private, public, stream):
    return (WORDS if public["phase"] == NAMING else 0) + any_of(private.legal, stream)

def play(private, public, stream):
    return any_of(private.legal, stream)
"""


def load(folder: Path, code: str, query: str = "", file: str = "own.py") -> Decider:
    (folder / file).write_text(code, encoding="utf-8")
    spec = f"{folder / file}{query}"
    return find_bot(spec, "own", [folder]).load(CLASSIC)


def house(spec: str) -> Decider:
    return find_bot(spec, spec, []).load(CLASSIC)


def same(one: Played | None, other: Played | None) -> bool:
    assert one is not None
    assert other is not None
    return all(a.tobytes() == b.tobytes() for a, b in zip(one, other, strict=True))


def play_in_lockstep(rules: Rules, seed: int, sequences: NDArray[np.void], deciders: Sequence[Decider]) -> Played:
    return Batch(rules, seed).play(sequences, deciders)


def changed(name: str, answer: str) -> str:
    """The code of DICE with another answer of one of its functions."""
    head, mark, rest = DICE.partition(f"def {name}(private, public, stream):\n")
    body = rest.split("\n", 1)
    return head + mark + f"    {answer}\n" + body[1]


@pytest.fixture(scope="module")
def dice(tmp_path_factory: pytest.TempPathFactory) -> Decider:
    return load(tmp_path_factory.mktemp("bots"), DICE)


@every_preset
@pytest.mark.parametrize("games", [False, True])
def test_kernel_and_batch_engine_play_it_alike_and_as_its_house_twin(name: str, games: bool, dice: Decider) -> None:
    rules: Rules = PRESETS[name]
    sequences = Setting(rules, 4, games).sequences(Part(0, 0, 1, 0, 10 if games else 150))
    twins, heuristic = [dice, house("random")], house("heuristic")
    in_kernel = play_compiled(rules, 4, sequences, [dice, heuristic])
    assert same(in_kernel, play_compiled(rules, 4, sequences, [house("random"), heuristic]))
    assert same(in_kernel, Batch(rules, 4, tables=7).play(sequences, [dice, heuristic]))
    assert same(play_compiled(rules, 4, sequences, twins), Batch(rules, 4).play(sequences, twins[::-1]))


WRITE = """public["tricks"][0] = 10
    public["played"] = 40
    public["rules"]["target"] = 1
    public["left"][:] = 0
    return nth(private.legal, 0)"""


@pytest.mark.parametrize("games", [False, True])
def test_what_it_writes_changes_nothing(tmp_path: Path, games: bool) -> None:
    honest = load(tmp_path, changed("play", "return nth(private.legal, 0)"), file="honest.py")
    writer = load(tmp_path, changed("play", WRITE), file="writer.py")
    sequences = Setting(CLASSIC, 4, games).sequences(Part(0, 0, 1, 0, 20))
    assert same(
        play_compiled(CLASSIC, 4, sequences, [writer, house("heuristic")]),
        play_compiled(CLASSIC, 4, sequences, [honest, house("heuristic")]),
    )


def test_two_of_them_keep_apart(tmp_path: Path, dice: Decider) -> None:
    low = load(tmp_path, changed("play", "return nth(private.legal, 0)"))
    sequences = Setting(CLASSIC, 4, games=False).sequences(Part(0, 0, 1, 0, 100))
    assert same(
        play_compiled(CLASSIC, 4, sequences, [low, dice]), Batch(CLASSIC, 4).play(sequences, [low, house("random")])
    )


def test_it_plays_beside_a_bot_in_python(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(DICE, encoding="utf-8")
    (tmp_path / "first.py").write_text("def act(obs):\n    return obs.legal[0]\n", encoding="utf-8")
    own, twin = (
        play_board(bot, str(tmp_path / "first.py"), seed=2, board=3) for bot in (str(tmp_path / "own.py"), "random")
    )
    assert own.public.tobytes() == twin.public.tobytes()


# ------------------------------------------------------------------------------------------------------------- faults


RAISE = "if private.hand:\n        raise ValueError('no idea')\n    return 0"

Wrong: TypeAlias = Callable[[str, str], Decider]


@pytest.fixture(scope="module")
def wrong(tmp_path_factory: pytest.TempPathFactory) -> Wrong:
    """A bot that answers wrongly; each is compiled once."""

    @cache
    def make(name: str, answer: str) -> Decider:
        return load(tmp_path_factory.mktemp("wrong"), changed(name, answer))

    return make


@pytest.mark.parametrize(
    ("name", "answer", "said"),
    [
        ("play", "return private.hand & 1 + 53", "seat ., decision play, trick 1: answered"),
        ("play", "return -5", "decision play, trick 1: answered -5: -5 is no action: actions are 0-97"),
        ("play", "return 1 << 40", "is no action"),
        ("play", "return public['turn'] - 3", "answered -[123]: -[123] is no action"),
        ("call", "return 83", "decision call: answered 83: US is a naming, and it is time to call"),
        ("prepare", "return 54", "decision name: answered 54: P is a call, and it is time to name"),
        ("play", RAISE, r"own.py, line \d+: ValueError: no idea"),
    ],
)
@pytest.mark.parametrize("kernel", [False, True])
def test_a_wrong_answer_stops_the_run(wrong: Wrong, name: str, answer: str, said: str, kernel: bool) -> None:
    own = wrong(name, answer)
    sequences = Setting(CLASSIC, 1, games=False).sequences(Part(0, 0, 1, 7, 20))
    play = play_compiled if kernel else play_in_lockstep
    with pytest.raises(BotFault, match=rf"bot 'own' failed on board \d+, .*{said}"):
        play(CLASSIC, 1, sequences, [own, house("random")])


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("return 1.5", "play cannot be compiled: returns float64; an action is an integer"),
        ("return private.legal > 3", "play cannot be compiled: returns bool; an action is an integer"),
        ("return private.nothing", "play cannot be compiled: .*nothing"),
        ("return {c for c in 'abc'}.pop().upper()", "play cannot be compiled"),
        ("return undefined_name", "play cannot be compiled: .*undefined_name"),
        ("return any_of(private.legal)", "play cannot be compiled: .*own.py, line"),
        ("return unmarked(private.legal)", "play cannot be compiled: .*a helper has to be marked @compiled"),
        ("return faulty(private.legal)", "play cannot be compiled: .*'no_such_name'.*own.py, line"),
    ],
)
def test_what_cannot_be_compiled_is_refused(tmp_path: Path, answer: str, said: str) -> None:
    with pytest.raises(BotSpecError, match=f"bot 'own': {said}"):
        load(tmp_path, changed("play", answer))


# --------------------------------------------------------------------------------------------------------- parameters

TUNED = changed(
    "call", "return 54 if private.legal & 1 and edge < 0.5 else nth(private.legal & ~1, level) + 54"
).replace("@compiled", "parameters = ('edge', 'level')\nedge = 0.25\nlevel = 0\n\n@compiled")


def first_call(bot: Decider) -> int:
    assert isinstance(bot, CompiledBot)
    obs = Table.deal(1, 0).observe()
    compiled = int(bot.decide(np.array([obs.row]), np.zeros(1, np.int64))[0])
    plain = bot.in_python().decide(np.array([obs.row]), np.zeros(1, np.int64))
    assert int(plain[0]) == compiled
    return compiled


def test_parameters_are_constants_of_the_code(tmp_path: Path) -> None:
    assert first_call(load(tmp_path, TUNED)) == 54
    assert first_call(load(tmp_path, TUNED, "?edge=0.75")) == 55
    assert first_call(load(tmp_path, TUNED, "?edge=1&level=2")) == 57
    assert first_call(load(tmp_path, TUNED)) == 54


@pytest.mark.parametrize(
    ("code", "query", "said"),
    [
        (TUNED, "?egde=1", "there is no parameter 'egde'; its parameters are edge, level"),
        (TUNED, "?level=0.5", "parameter level: '0.5' is no int, as 0 is"),
        (TUNED, "?edge=much", "parameter edge: 'much' is no float, as 0.25 is"),
        (DICE, "?edge=1", "there is no parameter 'edge'; it lists none in `parameters`"),
        (TUNED.replace("('edge', 'level')", "('edge', 'depth')"), "?edge=1", "`parameters` of .* is no tuple of names"),
        (TUNED.replace("('edge', 'level')", "'edge'"), "?e=1", "`parameters` of .* is no tuple of names"),
    ],
)
def test_a_wrong_parameter_is_told(tmp_path: Path, code: str, query: str, said: str) -> None:
    with pytest.raises(BotSpecError, match=said):
        load(tmp_path, code, query)


def test_a_named_one_has_its_functions_in_the_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    body = "\n".join(f"    {name} = staticmethod({name})" for name in ("call", "prepare", "play"))
    (tmp_path / "own_package.py").write_text(f"{DICE}\nclass Dice:\n{body}\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    bot = find_bot("own_package:Dice", "own", []).load(CLASSIC)
    assert isinstance(bot, CompiledBot)
    with pytest.raises(BotSpecError, match="only a file without a name after it takes parameters"):
        find_bot("own_package:Dice?edge=1", "own", []).load(CLASSIC)


# -------------------------------------------------------------------------------------------------- cache and debugger

ASK = """
import sys
from pathlib import Path
from bidwhist.bot.sources.find import find_bot
from bidwhist.rules import CLASSIC
from bidwhist.table import Table
import numpy as np
bot = find_bot("own.py", "own", [Path()]).load(CLASSIC)
obs = Table.deal(1, 0).observe()
print(int(bot.decide(np.array([obs.row]), np.zeros(1, np.int64))[0]))
"""


def ask_anew(folder: Path, helper: str, **environment: str) -> str:
    """The first call of a bot in a new process; its helper is as given, its file of the same time as ever."""
    (folder / "own.py").write_text("from aid import level\n" + changed("call", "return 55 + level()"), encoding="utf-8")
    (folder / "aid.py").write_text(helper, encoding="utf-8")
    os.utime(folder / "aid.py", (1_000_000_000, 1_000_000_000))
    done = subprocess.run(
        [sys.executable, "-B", "-c", ASK],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


AID = "from bidwhist import compiled\nSTEP = {}\n\n\n@compiled\ndef level():\n    return STEP * {}\n"


def test_no_edit_of_what_it_reaches_is_missed(tmp_path: Path) -> None:
    assert ask_anew(tmp_path, AID.format(2, 1)) == "57"
    assert ask_anew(tmp_path, AID.format(2, 3)) == "61"
    assert ask_anew(tmp_path, AID.format(1, 3)) == "58"
    assert ask_anew(tmp_path, AID.format(2, 1)) == "57"


def test_without_the_compiler_it_answers_alike(tmp_path: Path) -> None:
    assert ask_anew(tmp_path, AID.format(2, 2), NUMBA_DISABLE_JIT="1") == "59"


def test_an_observation_is_replayed_by_the_plain_functions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text(changed("call", "return 54 + 2"), encoding="utf-8")
    dump_observation(Table.deal(1, 0).observe(), "seen.json")
    assert replay_observation("seen.json", "own.py") == 56
