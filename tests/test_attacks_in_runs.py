"""Bots that attack the tournament that they play in: what they get, and what is told of them."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from bidwhist import _cache
from bidwhist.bot.jailed.isolation import Level, level
from bidwhist.errors import BotFault, BotSpecError
from bidwhist.play import run_tournament
from bidwhist.results import load
from bidwhist.results.manifest import read_manifest
from bidwhist.results.reasons import read_reasons
from bidwhist.results.schema import PARTS
from bidwhist.results.standings import standings_of
from bidwhist.table import Table

pytestmark = pytest.mark.skipif(level() != Level.JAIL, reason="this machine has no jails")

PLAYS = "\n\ndef act(obs):\n    return obs.legal[0]\n"
SECONDS = 60.0  # in which a run must get somewhere, on a machine that is busy


class Field:
    """A folder of bots, and runs in which they play."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.runs = 0

    def bot(self, name: str, code: str) -> dict[str, str]:
        """A bot in Python, written into a file."""
        path = self.folder / f"{name}.py"
        path.write_text(code, encoding="utf-8")
        return {"spec": str(path), "name": name}

    def play(self, *bots: Any, **fields: Any) -> Path:
        """A run of `heuristic` and these bots."""
        self.runs += 1
        arguments = {name: fields.pop(name) for name in ("trust", "jobs") if name in fields}
        arguments.setdefault("executor", "processes" if arguments else "inline")
        given = {"name": "t", "seed": 5, "boards": 2, "bots": ["heuristic", *bots], **fields}
        return run_tournament(given, out=self.folder / f"run-{self.runs}", **arguments)


@pytest.fixture
def field(tmp_path: Path) -> Field:
    return Field(tmp_path)


def kinds(run: Path, bot: str) -> set[str]:
    return {each.fault for each in standings_of(run).faults if each.bot == bot}


def told(run: Path, bot: str) -> str:
    """The reasons for the faults of a bot, as the report has them."""
    return "\n".join(reason for place, reason in read_reasons(run).items() if place[0] == bot)


def printed(run: Path) -> str:
    path = run / "timings" / "output.txt"
    return path.read_text(encoding="utf-8") if path.exists() else ""


def played(run: Path) -> Any:
    """Who played what, of all tables."""
    return load(run)[["board", "points", "declarer", "contract"]].to_dict("list")


def content(run: Path) -> dict[str, bytes]:
    return {str(path.relative_to(run)): path.read_bytes() for path in sorted(run.rglob("*.parquet"))}


# ------------------------------------------------------------------------- what is tried in a decision, and is caught

ATTEMPT = """
import os, sys
from pathlib import Path

tried = []


def attempt(obs):
{body}


def act(obs):
    if not tried:
        tried.append(True)
        try:
            print("SUCCEEDED" if attempt(obs) else "held", {name!r}, flush=True)
        except BaseException as error:
            print(f"held {name}: {{type(error).__name__}}: {{error}}", flush=True)
    return obs.legal[0]
"""

ATTEMPTS = {
    "read_results": """
        for folder in Path(__file__).parents:
            if (folder / "manifest.json").exists():
                return "seed" in (folder / "manifest.json").read_text()
    """,
    "write_results": """
        for folder in Path(__file__).parents:
            if (folder / "manifest.json").exists():
                (folder / "timings" / "mine").write_text("!")
                return True
    """,
    "write_its_own_file": """
        Path(__file__).chmod(0o600)
        Path(__file__).write_text("")
        return True
    """,
    "read_its_rival": """
        return "act" in Path({rival!r}).read_text()
    """,
    "import_its_rival": """
        import importlib.util
        spec = importlib.util.spec_from_file_location("rival", {rival!r})
        rival = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(rival)
        return rival.act is not None
    """,
    "open_a_socket": """
        import socket
        return socket.socket().fileno() >= 0
    """,
    "start_a_program": """
        import subprocess
        return subprocess.run(["/bin/true"]).returncode == 0
    """,
    "start_a_thread": """
        import threading
        threading.Thread(target=print).start()
        return True
    """,
    "fork": """
        pid = os.fork()
        if pid == 0:
            os._exit(0)
        os.waitpid(pid, 0)
        return True
    """,
    "read_the_environment": """
        return "BIDWHIST_TEST_SECRET" in os.environ
    """,
    "find_the_arena_in_its_frames": """
        frame, found = sys._getframe(), set()
        while frame:
            found.add(frame.f_globals.get("__name__", ""))
            frame = frame.f_back
        return any(name.startswith(("bidwhist.arena", "bidwhist.engine.batch")) for name in found)
    """,
    "read_the_archives_of_other_bots": """
        from bidwhist import _cache
        return any(Path(_cache.HOME, "archives").rglob("*.py"))
    """,
    "list_the_code_of_other_bots": """
        from bidwhist import _cache
        return any(Path(_cache._BOTS).iterdir())
    """,
    "poison_the_cache": """
        from bidwhist import _cache
        folder = next(each for each in Path(_cache.CODE).iterdir() if each.is_dir())
        (folder / "poison").write_text("!")
        return True
    """,
}


@pytest.fixture(scope="module")
def rival(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rival") / "rival.py"
    path.write_text(PLAYS, encoding="utf-8")
    return path


def leave_other_bots() -> None:
    """Another author's archive, unpacked, and code that was compiled for another bot, where they are kept."""
    assert _cache.HOME is not None
    assert _cache._BOTS is not None
    for path in (_cache.HOME / "archives" / "of-a-test" / "bot.py", _cache._BOTS / "of-a-test" / "x.nbc"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("", encoding="utf-8")


def attempting(name: str, rival: Path) -> str:
    body = ATTEMPTS[name].replace("{rival!r}", repr(str(rival)))
    return ATTEMPT.format(name=name, body=body.replace("\n    ", "\n").strip("\n"))


@pytest.fixture(scope="module")
def attempted(rival: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in which each of the attempts is made by a bot of its own, in the jail."""
    field = Field(tmp_path_factory.mktemp("attempted"))
    bots = [field.bot(name, attempting(name, rival)) for name in ATTEMPTS]
    leave_other_bots()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BIDWHIST_TEST_SECRET", "1")
        return field.play(*bots, pairing="gauntlet", challengers=list(ATTEMPTS))


@pytest.mark.parametrize("name", ATTEMPTS)
def test_field_fault_35_an_attempt_is_blocked(name: str, attempted: Path) -> None:
    assert kinds(attempted, name) == set()
    assert re.search(rf"^held {name}\b", printed(attempted), re.MULTILINE)
    assert f"SUCCEEDED {name}" not in printed(attempted)


def test_the_attempts_succeed_with_a_bot_that_is_trusted(
    rival: Path, field: Field, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BIDWHIST_TEST_SECRET", "1")
    leave_other_bots()
    names = [name for name in ATTEMPTS if name not in ("poison_the_cache", "write_its_own_file")]  # they do harm
    run = field.play(*(field.bot(name, attempting(name, rival)) for name in names), trust=True, boards=1)
    assert {*re.findall(r"^SUCCEEDED (\w+)$", printed(run), re.MULTILINE)} == {*names}
    assert (run / "timings" / "mine").exists()


# ------------------------------------------------------------------------------- what is not caught, and is a fault

RAISES = {
    "reads": ("open('/etc/passwd')", "crash", r"PermissionError: .*'/etc/passwd'"),
    "connects": ("import socket; socket.create_connection(('127.0.0.1', 9))", "crash", "PermissionError"),
    "forks": ("import os; os.fork()", "crash", "PermissionError"),
    "threads": ("import threading; threading.Thread(target=print).start()", "crash", "can't start new thread"),
    "fills_memory": ("bytearray(300 << 20)", "limit", r"MemoryError.*\(the bot has 128 MB of memory\)"),
    "fills_a_file": (
        "open('big', 'wb').write(bytes(17 << 20))",
        "limit",
        r"File too large \(a file has 16 MB at most\)",
    ),
    "fills_the_disk": (
        "import time; [open(f'{n}', 'wb').write(bytes(4 << 20)) for n in range(7)]; time.sleep(1)",
        "limit",
        "wrote more than 24 MB or 4,096 files into its scratch folder",
    ),
    "opens_many_files": (
        "[open('/dev/null') for _ in range(100)].clear()",
        "limit",
        r"Too many open files: .* \(64 files are open at most\)",
    ),
    "kills_the_arena": ("import os, signal; os.kill(os.getppid(), signal.SIGKILL)", "crash", "PermissionError"),
    "traces": ("import ctypes; ctypes.CDLL(None).raise_ = 1; ctypes.string_at(0)", "crash", "SIGSEGV|segmentation"),
    "writes_results": (
        "from pathlib import Path; (Path(__file__).parents[1] / 'mine').write_text('')",
        "crash",
        "PermissionError",
    ),
}


@pytest.fixture(scope="module")
def raised(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of bots each of which does one of these things."""
    field = Field(tmp_path_factory.mktemp("raised"))
    bots = [
        field.bot(name, f"def act(obs):\n    {code}\n    return obs.legal[0]\n")
        for name, (code, _, _) in RAISES.items()
    ]
    limits = {"memory": 128, "scratch": 24}
    return field.play(*bots, limits=limits, pairing="gauntlet", challengers=list(RAISES))


@pytest.mark.parametrize("name", RAISES)
def test_field_fault_35_each_has_a_clear_word(name: str, raised: Path) -> None:
    _, kind, words = RAISES[name]
    assert kinds(raised, name) - {"unasked"} == {kind}
    assert re.search(words, told(raised, name), re.IGNORECASE), told(raised, name)


# ---------------------------------------------------------------------------------------------- hands, and other tables

SEARCHES = """
import ctypes, gc, mmap, sys
import numpy as np

HIDDEN = {hidden}  # by seat: masks of hands that it must not see, each with its bits turned
TURN = (1 << 62) - 1


def blocks():
    \"\"\"All memory that can be reached from objects, and around the rows of the question.\"\"\"
    for each in gc.get_objects():
        if type(each) is np.ndarray and each.dtype != object:
            base = each
            while type(base.base) is np.ndarray:
                base = base.base
            yield base.tobytes()
            if type(base.base) is mmap.mmap:
                yield bytes(base.base)
        elif type(each) is mmap.mmap:
            yield bytes(each)
        elif type(each) is dict:
            for value in list(each.values()):
                if type(value) is int:
                    yield value.to_bytes(16, "little", signed=True) if abs(value) < 1 << 100 else b""
                elif type(value) in (np.ndarray, np.void):
                    yield value.tobytes()
                elif type(value) is memoryview:
                    yield bytes(value)


def act(obs):
    row = obs.row
    around = np.asarray(row)
    while around.base is not None and hasattr(around.base, "dtype"):
        around = around.base
    found = [around.tobytes(), *blocks()]
    own = int(row["hand"]).to_bytes(8, "little")
    if not any(own in data for data in found):
        raise ValueError("the search finds nothing at all")
    for masks in HIDDEN[obs.seat]:
        if any((mask ^ TURN).to_bytes(8, "little") in data for mask in masks for data in found):
            raise ValueError("a hidden hand was found")
    frame = sys._getframe()
    while frame:
        if any(name in frame.f_locals for name in ("table", "tables", "state", "states")):
            raise ValueError("a table was found")
        frame = frame.f_back
    return obs.legal[0]
"""


def test_field_fault_35_no_hand_is_in_reach(field: Field) -> None:
    turn = (1 << 62) - 1
    deals = [Table.deal(5, board).hands for board in (1, 2)]
    hidden = {
        seat: [[hand ^ turn for place, hand in enumerate(hands) if place != seat] for hands in deals]
        for seat in range(4)
    }
    run = field.play(field.bot("searches", SEARCHES.replace("{hidden}", repr(hidden))), limits={"answer": 20.0})
    assert told(run, "searches") == ""
    assert kinds(run, "searches") == set()
    with pytest.raises(BotFault, match=r"a hidden hand was found|a table was found"):
        field.play(field.bot("searches", SEARCHES.replace("{hidden}", repr(hidden))), trust=True)


PATCHES = """
import sys
import numpy as np
import bidwhist.engine.batch, bidwhist.score, bidwhist.state, bidwhist.trick
from bidwhist.bot.sources.find import find_bot


def wrong(*arguments, **more):
    raise RuntimeError("patched")


for module in (bidwhist.engine.batch, bidwhist.score, bidwhist.state, bidwhist.trick):
    for name in list(vars(module)):
        if callable(getattr(module, name)) and not name.startswith("__"):
            setattr(module, name, wrong)
np.zeros = np.argmax = wrong
sys.modules["bidwhist_bots.heuristic"] = sys.modules["numpy.random"] = None
"""


def test_patching_changes_nothing_for_others(field: Field) -> None:
    honest = field.play(field.bot("patches", PLAYS), boards=8)
    patched = field.play(field.bot("patches", PATCHES + PLAYS), boards=8)
    assert kinds(patched, "patches") == set()
    assert played(patched) == played(honest)


POISON = """
import os
from pathlib import Path

own = [os.environ["NUMBA_CACHE_DIR"], os.environ["HOME"], "code", "code/state"]
for folder in {*own, *map(str, Path("code").glob("*"))}:
    for name in ("x.nbi", "x.1.nbc", "__init__.py", "digests"):
        try:
            os.makedirs(folder, exist_ok=True)
            Path(folder, name).write_bytes(b"poison")
        except OSError:
            pass
"""


def files_of(folder: Path) -> dict[Path, tuple[int, int]]:
    return {path: (path.stat().st_size, path.stat().st_mtime_ns) for path in folder.rglob("*") if path.is_file()}


def test_the_cache_of_compiled_code_stays_clean(field: Field) -> None:
    """What a bot leaves is read by nobody but its own jailed processes."""
    field.play(field.bot("before", PLAYS))
    assert _cache.HOME is not None
    before = files_of(_cache.HOME)
    run = field.play(field.bot("poisons", POISON + PLAYS))
    assert kinds(run, "poisons") == set()
    after = files_of(_cache.HOME)
    poisoned = [path for path in after if path.read_bytes() == b"poison"]
    assert {path: what for path, what in after.items() if path in before} == before
    for path in poisoned:
        assert path.relative_to(_cache.HOME).parts[1].startswith("jailed"), path


# ------------------------------------------------------------------------------------------ what goes through the pipes

RAW = """
import gc, os, pickle
from bidwhist.bot.jailed import exchange as words
from bidwhist.bot.jailed.exchange import Exchange


class Bomb:
    def __reduce__(self):
        return os.system, ("touch {marker}",)


def exchange():
    return next(each for each in gc.get_objects() if isinstance(each, Exchange))


def act(obs):
    shared = exchange()
    w = shared.words
    {body}
    return obs.legal[0]
"""

SAYS_SO = "w[words.ANSWER] = w[words.ASKED]; os._exit(0)"
JUNK = {
    "wrong_number": ("w[words.ANSWER] = 1 << 62; os._exit(0)", {"crash"}),
    "wrong_kind": ("w[words.STATUS] = 77; ANSWERS", {"message", "crash"}),
    "ready_again": ("w[words.STATUS] = 1; ANSWERS", {"message", "crash"}),
    "negative_count": ("w[words.DONE] = -(1 << 62); raise ValueError('no')", {"crash"}),
    "huge_count": ("w[words.DONE] = 1 << 62; raise ValueError('no')", {"crash"}),
    "negative_length": ("w[words.STATUS] = 3; w[words.LENGTH] = -9; ANSWERS", {"crash"}),
    "huge_length": ("w[words.STATUS] = 3; w[words.LENGTH] = 1 << 62; ANSWERS", {"crash"}),
    "unknown_fault": ("w[words.STATUS] = 3; w[words.FAULT] = 999; ANSWERS", {"crash"}),
    "claims_to_be_unasked": ("w[words.STATUS] = 3; w[words.FAULT] = 6; ANSWERS", {"crash"}),
    "answers_everywhere": ("shared.answers[:] = 4242; w[words.STATUS] = 2; ANSWERS", {"illegal", "crash"}),
    "not_a_text": ("shared._text[:] = 255; w[words.STATUS] = 3; w[words.LENGTH] = 8192; ANSWERS", {"crash"}),
    "pickle": (
        "[os.write(each, pickle.dumps(Bomb())) for each in range(3, 64) if _writes(each)]; raise ValueError('no')",
        {"crash"},
    ),
    "flood": (
        "[os.write(each, b'x' * 1000) for _ in range(10000) for each in range(3, 64) if _writes(each)]",
        {"message", "time"},
    ),
    "fills_all": (
        "import ctypes; ctypes.memset(ctypes.addressof(ctypes.c_char.from_buffer(w)), 255, 1 << 16); os._exit(0)",
        {"crash", "message", "illegal"},
    ),
    "closes_all": ("os.closerange(0, 64); os._exit(0)", {"crash"}),
}  # fmt: skip

WRITES = """

def _writes(descriptor):
    import stat
    try:
        return stat.S_ISFIFO(os.fstat(descriptor).st_mode) and os.write(descriptor, b"") == 0
    except OSError:
        return False
"""


@pytest.mark.parametrize("name", JUNK)
def test_field_fault_32_junk_is_a_fault_of_who_sends_it(name: str, field: Field) -> None:
    body, expected = JUNK[name]
    marker = field.folder / "exploded"
    code = RAW.replace("{marker}", str(marker)).replace("{body}", body.replace("ANSWERS", SAYS_SO)) + WRITES
    run = field.play(field.bot(name, code), limits={"answer": 1.0, "idle": 1.0})
    assert kinds(run, name) - {"unasked"} <= expected
    assert kinds(run, name)
    assert not marker.exists()
    assert len(load(run)) == 4
    assert kinds(run, "heuristic") == set()
    assert re.fullmatch(r"[^\x00-\x08\x0b-\x1f\x7f]*", told(run, name)), "words can be printed"


def test_answers_for_other_tables_do_not_reach_them(field: Field) -> None:
    """All answers of the shared memory are overwritten, beyond those that were asked."""
    honest = field.play(field.bot("other", "def act(obs):\n    return obs.legal[-1]\n"), boards=4)
    code = RAW.replace("{body}", "shared.answers[8:] = 3; shared.rows[8:] = shared.rows[0]").replace(
        "legal[0]", "legal[-1]"
    )
    run = field.play(field.bot("other", code), boards=4)
    assert kinds(run, "other") == set()
    assert played(run) == played(honest)


# ------------------------------------------------------------------------------------- misbehaving outside of decisions

LOADS = {
    "raises": ("raise ValueError('not today')\n", r"raises\.py, line 1: ValueError: not today"),
    "loops": ("while True:\n    pass\n", "within 1 s of processor time"),
    "sleeps": ("import time\ntime.sleep(100)\n", "did nothing for 1 s"),
    "exits": ("import sys\nsys.exit(0)\n", "SystemExit|ended|exited"),
    "ends": ("import os\nos._exit(0)\n", "exited with code 0"),
    "kills_itself": ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n", "was killed"),
    "takes_memory": ("x = bytearray(4 << 30)\n", "MemoryError"),
    "metaclass": (
        "class Meta(type):\n    def __call__(cls, *a, **k):\n        raise ValueError('meta')\n"
        "class Bot(metaclass=Meta):\n    def act(self, obs):\n        return 0\n",
        "meta",
    ),
    "init": ("class Bot:\n    def __init__(self):\n        1 / 0\n    def act(self, obs): pass\n", "ZeroDivision"),
    "module_getattr": ("def __getattr__(name):\n    raise RuntimeError(f'no {name}')\n", "RuntimeError|act"),
    "recursion": ("def f():\n    return f()\nf()\n", "RecursionError"),
    "syntax": ("def act(obs)\n    return 0\n", r"syntax\.py.*line 1|SyntaxError"),
}  # fmt: skip


@pytest.mark.parametrize("name", LOADS)
def test_field_fault_39_a_bot_that_does_not_load_is_refused_in_words(name: str, field: Field) -> None:
    code, words = LOADS[name]
    bot = field.bot(name, code + (PLAYS if "class Bot" not in code and "getattr" not in code else ""))
    with pytest.raises(BotSpecError, match=name) as caught:
        field.play(bot, limits={"start": 1.0, "idle": 1.0})
    assert re.search(words, str(caught.value), re.DOTALL), str(caught.value)
    assert len(str(caught.value)) < 2000


def test_field_fault_30_a_slow_import_has_a_limit_of_its_own(field: Field) -> None:
    code = "import time\nend = time.process_time() + 0.6\nwhile time.process_time() < end:\n    pass\n" + PLAYS
    run = field.play(field.bot("slow", code), limits={"start": 20.0, "answer": 0.3})
    assert kinds(run, "slow") == set()


LIVES = {
    "del": "class Nasty:\n    def __del__(self):\n        raise ValueError('gone')\nlist(map(Nasty, ()))\nNasty()\n",
    "atexit": "import atexit, time\natexit.register(time.sleep, 100)\n",
    "ignores_signals": "import signal\nfor each in (2, 15, 1):\n    signal.signal(each, signal.SIG_IGN)\n",
    "hooks": "import sys\nsys.excepthook = sys.unraisablehook = sys.displayhook = None\n",
    "closes_output": "import sys\nsys.stdout.close()\nsys.stderr.close()\n",
    "changes_folder": "import os\nos.chdir('/')\n",
    "alarm": "import signal\nsignal.signal(signal.SIGALRM, lambda *_: None)\nsignal.setitimer(0, 0.01, 0.01)\n",
    "limits": "import sys\nsys.setrecursionlimit(10**6)\nsys.setswitchinterval(100)\n",
    "collector": "import gc\ngc.set_threshold(1)\n",
    "print_replaced": "import builtins\nbuiltins.print = None\n",
}


@pytest.mark.parametrize("name", LIVES)
def test_what_does_no_harm_changes_nothing(name: str, field: Field, nothing_left: None) -> None:
    began = time.monotonic()
    run = field.play(field.bot(name, LIVES[name] + PLAYS))
    assert time.monotonic() - began < SECONDS
    assert len(load(run)) == 4
    assert kinds(run, "heuristic") == set()
    assert kinds(run, name) <= {"crash"}, "it may have hurt itself"


def test_field_fault_39_output_is_kept_up_to_a_limit(field: Field) -> None:
    code = "print('from the import')\n\n\ndef act(obs):\n    print('x' * 100000)\n    return obs.legal[0]\n"
    run = field.play(field.bot("talks", code))
    text = printed(run)
    assert kinds(run, "talks") == set()
    assert "from the import" in text
    assert "bytes more" in text
    assert len(text) < 4 * 40_000


def test_a_name_that_lies(field: Field) -> None:
    """Properties, and what is no text, as metadata."""
    code = (
        "class Name(str):\n    def __eq__(self, other):\n        raise SystemExit\n    __hash__ = None\n"
        "__version__ = Name('\\x1b[2J' * 1000)\nname = property(lambda self: 1 / 0)\n" + PLAYS
    )
    run = field.play(field.bot("liar", code))
    assert "\x1b" not in printed(run) + told(run, "liar")
    assert [bot.name for bot in read_manifest(run).bots] == ["heuristic", "liar"]


# ------------------------------------------------------------------------------------------------ answers, and time

ANSWERS = {
    "minus_one": ("-1", "answered -1"),
    "true": ("True", "bool"),
    "float": ("1.0", "float"),
    "nan": ("float('nan')", "nan"),
    "none": ("None", "None"),
    "text": ("'5'", "str"),
    "huge": ("10**30", "answered"),
    "list": ("[obs.legal[0]]", "list"),
    "another": ("next(a for a in range(98) if a not in obs.legal)", r"illegal|cannot|not |no "),
    "infinite_index": ("type('I', (int,), {'__index__': lambda s: 1 / 0})(3)", "answered|int|I"),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_field_fault_31_an_answer_that_is_no_action_is_never_scored(name: str, field: Field) -> None:
    value, words = ANSWERS[name]
    code = f"def act(obs):\n    return {value} if obs.phase == 'play' else obs.legal[-1]\n"
    run = field.play(field.bot(name, code))
    faults = [each for each in standings_of(run).faults if each.bot == name]
    if name == "infinite_index":
        assert {each.fault for each in faults} <= {"illegal", "crash", "unasked"}
        return
    assert {each.fault for each in faults} - {"unasked"} == {"illegal"}
    assert all(each.decision.startswith("play") for each in faults)
    assert re.search(words, told(run, name)), told(run, name)


def test_field_fault_31_a_numpy_integer_is_an_action(field: Field) -> None:
    honest = field.play(field.bot("number", PLAYS))
    run = field.play(field.bot("number", "import numpy as np\n\n\ndef act(obs):\n    return np.int16(obs.legal[0])\n"))
    assert kinds(run, "number") == set()
    assert played(run) == played(honest)


ENDLESS = {
    "loop": "while True:\n        pass",
    "c_loop": "sum(range(10**15))",
    "c_sleep": "import ctypes; ctypes.CDLL(None).pause()",
    "regular_expression": "import re; re.match('(a*)*b', 'a' * 60)",
    "catches_all": "while 1:\n        try:\n            while 1: pass\n        except BaseException: pass",
}


@pytest.mark.parametrize("name", ENDLESS)
def test_field_fault_29_what_does_not_end_is_ended(name: str, field: Field, nothing_left: None) -> None:
    bot = field.bot(name, f"def act(obs):\n    {ENDLESS[name]}\n    return obs.legal[0]\n")
    run = field.play(bot, boards=1, limits={"answer": 0.2, "idle": 0.4})
    assert kinds(run, name) - {"unasked"} == {"time"}
    assert "gave no answer" in told(run, name)


FOUR = """
def act(obs):
    if obs.phase != "play":
        return obs.legal[0]
    {body}
"""


def test_field_fault_32_four_faults_have_four_codes(field: Field) -> None:
    bodies = {
        "crash": "raise ValueError('no')",
        "time": "import ctypes; ctypes.CDLL(None).pause()",
        "illegal": "return 97",
        "message": "import gc, os; from bidwhist.bot.jailed.exchange import Exchange, STATUS, ANSWER, ASKED\n    "
        "w = next(e for e in gc.get_objects() if isinstance(e, Exchange)).words\n    "
        "w[STATUS] = 9; w[ANSWER] = w[ASKED]; import time; time.sleep(0.1); return obs.legal[0]",
    }
    bots = [field.bot(kind, FOUR.replace("{body}", body)) for kind, body in bodies.items()]
    run = field.play(*bots, boards=2, limits={"answer": 0.3, "idle": 0.3}, pairing="gauntlet", challengers=list(bodies))
    for kind in bodies:
        found = [each for each in standings_of(run).faults if each.bot == kind]
        assert {each.fault for each in found} - {"unasked"} == {kind}
    frame = load(run)
    assert len(frame) == len(bodies) * 4


@contextmanager
def busy(processes: int) -> Iterator[None]:
    started = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield
    finally:
        for each in started:
            each.kill()
            each.wait()


def test_field_fault_33_a_busy_machine_charges_nobody(field: Field) -> None:
    code = (
        "import time\n\n\ndef act(obs):\n    end = time.process_time() + 0.01\n"
        "    while time.process_time() < end:\n        pass\n    return obs.legal[0]\n"
    )
    with busy(3 * (os.cpu_count() or 1)):
        run = field.play(field.bot("works", code), boards=1, limits={"answer": 0.15, "idle": 0.5})
    assert standings_of(run).faults == []


# -------------------------------------------------------------------------------------------- memory of earlier boards

REMEMBERS = """
import os
from pathlib import Path

seen = set()
PLACES = [Path(place) / "memory" for place in (os.getcwd(), os.environ["HOME"], "/tmp", "/dev/shm", "..")]


def act(obs):
    if obs.phase == "call":
        hand = f"{obs.seat} {obs.row['hand']}"
        if hand not in now:
            if hand in seen:
                print("SEEN in the module", flush=True)
            for place in PLACES:
                try:
                    if place.exists() and hand in place.read_text():
                        print("SEEN in a file", flush=True)
                except OSError:
                    pass
        for place in PLACES:
            try:
                with place.open("a") as file:
                    file.write(hand + "\\n")
            except OSError:
                pass
        seen.add(hand)
        now.add(hand)
    return obs.legal[0]


now = set()
"""


def test_no_board_is_recognised(field: Field) -> None:
    """Against several opponents, in several parts, after a resume: what it noted before is gone."""
    code = REMEMBERS.replace("now = set()", "now = set()\nprint('begins', flush=True)")
    bots = [field.bot("remembers", code), "random", field.bot("other", PLAYS)]
    run = field.play(*bots, boards=40)
    text = printed(run)
    assert text.count("begins") >= 4
    assert "SEEN" not in text
    parts = sorted((run / PARTS).glob("part-*.parquet"))
    before = content(run)
    parts[-1].unlink()
    fields = {"name": "t", "seed": 5, "boards": 40, "bots": ["heuristic", *bots]}
    run_tournament(fields, out=run, resume=True, executor="inline")
    assert content(run) == before
    assert "SEEN" not in printed(run)


SHARES = """
hands = {}


class Bot:
    kept = {}

    def act(self, obs):
        for store in (hands, Bot.kept, __builtins__.setdefault("stored", {}) if isinstance(__builtins__, dict) else {}):
            partner = (obs.seat + 2) % 4
            if any(seat == partner for seat, _ in store):
                print("SHARED", flush=True)
            store[obs.seat, obs.number if hasattr(obs, "number") else 0] = int(obs.row["hand"])
        return obs.legal[0]
"""


def test_field_fault_36_partners_share_nothing(field: Field) -> None:
    run = field.play(field.bot("shares", SHARES))
    assert kinds(run, "shares") == set()
    assert "SHARED" not in printed(run)
    trusted = field.play(field.bot("shares", SHARES), trust=True)
    assert "SHARED" in printed(trusted), "in the arena's process it works"


# ---------------------------------------------------------------------------------------------------------- programs

PROGRAM = """
import json, os, signal, socket, subprocess, sys, time

out = sys.stderr


def attempt(name, function):
    try:
        result = function()
    except BaseException as error:
        print(f"{name} held: {type(error).__name__}", file=out, flush=True)
    else:
        print(f"{name} SUCCEEDED {result!r:.80}" if result else f"{name} held", file=out, flush=True)


def storm():
    pids = []
    try:
        for _ in range(120):
            pid = os.fork()
            if pid == 0:
                time.sleep(60)
                os._exit(0)
            pids.append(pid)
    except OSError:
        return False
    finally:
        print("storm", len(pids), file=out, flush=True)
    return True


def orphan():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(600)
        os._exit(0)
    return False


attempt("read", lambda: open("/etc/passwd").read())
attempt("results", lambda: os.listdir(ROOT))
attempt("write", lambda: open(os.path.join(ROOT, "mine"), "w").write("x"))
attempt("socket", lambda: socket.socket().fileno() + 1)
attempt("kill", lambda: os.kill(os.getppid(), signal.SIGKILL) is None)
attempt("shell", lambda: subprocess.run("cat /etc/passwd", shell=True, capture_output=True, timeout=20).stdout)
attempt("orphan", orphan)
STORM
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "hello", "protocol": 1}), flush=True)
    elif message["type"] == "observe":
        action = message["observation"]["legal"][0]
        print(json.dumps({"type": "action", "id": message["id"], "action": action}), flush=True)
"""


def test_field_fault_35_a_program_reaches_nothing(tmp_path: Path, nothing_left: None) -> None:
    folder = tmp_path / "bots"
    folder.mkdir()
    code = PROGRAM.replace("ROOT", repr(str(tmp_path))).replace("STORM", 'attempt("storm", storm)')
    (folder / "own.py").write_text(code, encoding="utf-8")
    spec = {"spec": f"cmd:{sys.executable} own.py", "name": "program"}
    file = folder / "t.toml"
    file.write_text(
        f"name = 't'\nseed = 5\nboards = 2\nlimits = {{ start = 30, answer = 20 }}\n"
        f"bots = ['heuristic', {{ spec = '{spec['spec']}', name = 'program' }}]\n",
        encoding="utf-8",
    )
    run = run_tournament(file, out=tmp_path / "run", executor="inline")
    text = printed(run)
    assert kinds(run, "program") == set(), told(run, "program")
    assert text.count(" held") >= 6
    assert "SUCCEEDED" not in text
    assert not (tmp_path / "mine").exists()
    end = time.monotonic() + 5
    while [each for each in psutil.process_iter(["cmdline"]) if str(folder) in " ".join(each.info["cmdline"] or [])]:
        assert time.monotonic() < end
        time.sleep(0.02)


# -------------------------------------------------------------------------------------- whole runs, and what kills them


@pytest.fixture(scope="module")
def six(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Six bots of which four misbehave in different ways; and the folder of an undisturbed run."""
    folder = tmp_path_factory.mktemp("six")
    field = Field(folder)
    bots = {
        "honest": PLAYS,
        "crashes": "def act(obs):\n    raise ValueError('no idea')\n",
        "loops": "def act(obs):\n    while obs.phase == 'play':\n        pass\n    return obs.legal[0]\n",
        "cheats": "def act(obs):\n    return 97\n",
        "leaves": "import os\n\n\ndef act(obs):\n    return os._exit(7) if obs.phase == 'play' else obs.legal[0]\n",
    }
    entries = ", ".join(
        f'{{ spec = "{field.bot(name, code)["spec"]}", name = "{name}" }}' for name, code in bots.items()
    )
    file = folder / "six.toml"
    file.write_text(
        f'seed = 9\nboards = 2\nlimits = {{ answer = 0.1 }}\nbots = ["heuristic", {entries}]\n',
        encoding="utf-8",
    )
    code, errors = finish(start(file, folder / "run"))
    assert code == 0, errors
    return file, folder / "run"


def start(file: Path, out: Path, *more: str) -> subprocess.Popen[str]:
    """A run by the command line, with a jail of its own."""
    command = [sys.executable, "-m", "bidwhist", "run", str(file), "--out", str(out), *more]
    variables = {name: value for name, value in os.environ.items() if name != "BIDWHIST_JAIL"}
    return subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=variables, start_new_session=True
    )


def finish(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Exit code and errors of a run."""
    _, errors = process.communicate(timeout=300)
    return process.returncode, errors


def test_four_of_six_misbehave_and_the_others_are_ranked(six: tuple[Path, Path]) -> None:
    _, run = six
    assert read_manifest(run).state == "finished"
    assert kinds(run, "heuristic") == kinds(run, "honest") == set()
    expected = {"crashes": "crash", "loops": "time", "cheats": "illegal", "leaves": "crash"}
    for bot, kind in expected.items():
        assert kind in kinds(run, bot)
        assert told(run, bot)
    shown = subprocess.run(
        [sys.executable, "-m", "bidwhist", "table", str(run)], capture_output=True, text=True, check=True
    ).stdout
    for bot in expected:
        assert re.search(rf"{bot}.*({'|'.join(expected.values())})", shown), shown


def test_the_two_others_have_the_bytes_of_a_run_of_their_own(six: tuple[Path, Path], tmp_path: Path) -> None:
    file, run = six
    frame = load(run)
    own = frame[frame["bot_ns"].isin(["heuristic", "honest"]) & frame["bot_ew"].isin(["heuristic", "honest"])]
    pair = run_tournament(
        {"seed": 9, "boards": 2, "bots": ["heuristic", {"spec": str(file.parent / "honest.py"), "name": "honest"}]},
        out=tmp_path / "pair",
        executor="inline",
    )
    assert own["points"].to_list() == load(pair)["points"].to_list()


def wait_until(is_there: Callable[[], Any], process: subprocess.Popen[str]) -> Any:
    end = time.monotonic() + SECONDS
    while not (found := is_there()):
        assert time.monotonic() < end
        assert process.poll() is None
        time.sleep(0.01)
    return found


def parts(run: Path) -> list[Path]:
    return list((run / PARTS).glob("part-*.parquet"))


@pytest.mark.jail
def test_a_resume_after_a_kill_gives_the_same_bytes(six: tuple[Path, Path], tmp_path: Path) -> None:
    file, whole = six
    out = tmp_path / "run"
    process = start(file, out, "--jobs", "2")
    wait_until(lambda: len(parts(out)) >= 2, process)
    os.killpg(process.pid, signal.SIGKILL)
    finish(process)
    code, errors = finish(start(file, out, "--resume"))
    assert code == 0, errors
    assert content(out) == content(whole)


def of_run(process: subprocess.Popen[str], text: str) -> list[psutil.Process]:
    found = []
    with suppress(psutil.NoSuchProcess):
        for each in psutil.Process(process.pid).children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                if text in " ".join(each.cmdline()):
                    found.append(each)
    return found


@pytest.mark.jail
def test_field_fault_34_the_death_of_a_worker_charges_nobody(six: tuple[Path, Path], tmp_path: Path) -> None:
    file, whole = six
    out = tmp_path / "run"
    process = start(file, out, "--jobs", "1")
    wait_until(lambda: len(parts(out)) >= 1, process)
    [worker] = wait_until(lambda: of_run(process, "bidwhist.arena.executors:work"), process)[:1]
    worker.kill()
    code, errors = finish(process)
    assert code == 0, errors
    assert content(out) == content(whole)


@pytest.mark.jail
def test_field_fault_34_the_death_of_the_jail_stops_the_run(six: tuple[Path, Path], tmp_path: Path) -> None:
    file, whole = six
    out = tmp_path / "run"
    process = start(file, out, "--jobs", "1")
    wait_until(lambda: len(parts(out)) >= 1, process)
    server = wait_until(lambda: of_run(process, "bidwhist.jail.server"), process)[0]
    server.kill()
    code, errors = finish(process)
    assert code == 3, errors
    assert "jailed" in errors
    left = parts(out)
    assert len(left) < len(parts(whole))
    for path in left:
        assert path.read_bytes() == (whole / PARTS / path.name).read_bytes(), "nobody was charged"
    code, errors = finish(start(file, out, "--resume"))
    assert code == 0, errors
    assert content(out) == content(whole)
