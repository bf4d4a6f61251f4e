"""Bots of several files: folders and zip archives with helpers, data and requirements; what archives may not hold."""

import io
import stat
import zipfile
from pathlib import Path

import pytest

from bidwhist import _cache
from bidwhist.bot.jailed.isolation import STRANGERS, TRUSTED, contained
from bidwhist.bot.sources import archive
from bidwhist.bot.sources.find import find_bot
from bidwhist.bot.sources.keep import find_kept, keep
from bidwhist.check.examine import check
from bidwhist.errors import BotSpecError
from bidwhist.ladder.submit import submit
from bidwhist.play import play_board, run_tournament
from bidwhist.record import format_record
from bidwhist.results import load
from bidwhist.rules import CLASSIC

BOT = """\
from pathlib import Path
from helper import pick

WEIGHTS = (Path(__file__).parent / "data" / "weights.bin").read_bytes()

def act(obs):
    return pick(obs.legal, WEIGHTS)
"""
HELPER = """\
def pick(legal, weights):
    return legal[weights[0] % len(legal)]
"""
FILES = {"bot.py": BOT, "helper.py": HELPER, "data/weights.bin": "\x05" * 64}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for what is unpacked, of this test alone."""
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    monkeypatch.setattr(_cache, "HOME", folder)
    return folder


def make_zip(name: str, files: dict[str, str], below: str = "") -> Path:
    path = Path(name)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for place, content in files.items():
            made.writestr(below + place, content)
    return path


def make_folder(name: str, files: dict[str, str]) -> Path:
    for place, content in files.items():
        path = Path(name, place)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return Path(name)


@pytest.mark.parametrize("below", ["", "mybot/"])
@pytest.mark.parametrize("isolation", [STRANGERS, TRUSTED], ids=["jailed", "trusted"])
def test_an_archive_is_its_folder(below: str, isolation: object) -> None:
    make_zip("a.zip", FILES, below)
    make_folder("a", FILES)
    trust = isolation is TRUSTED
    tables = [
        format_record(play_board(spec, "random", seed=3, board=5, trust=trust))
        for spec in ("a.zip", "./a", "a.zip:act")
    ]
    assert tables[0] == tables[1] == tables[2]
    assert find_bot("a.zip").entry.sha256 == find_bot("./a").entry.sha256
    assert find_bot("a.zip").stem == "a"


def test_a_run_plays_from_the_unpacked_copy() -> None:
    make_zip("a.zip", FILES)
    folder = run_tournament({"name": "z", "seed": 1, "boards": 4, "bots": ["a.zip", "random"]}, out="out")
    rows = load(folder)
    assert len(rows) == 8
    Path("a.zip").unlink()
    run_tournament({"name": "z", "seed": 1, "boards": 6, "bots": ["a.zip", "random"]}, out="out", resume=True)
    assert len(load(folder)) == 12


def test_check_and_submit_take_archives() -> None:
    make_zip("a.zip", FILES)
    assert check("a.zip", presets=["classic"], boards=0, positions=2).passed
    Path("ladder").mkdir()
    Path("ladder/ladder.toml").write_text('seed = 1\nboards = 2\nbots = ["random", "heuristic"]\n')
    assert submit("a.zip", Path("ladder")).bot == "a"


def test_the_copy_of_an_archive_is_a_folder(tmp_path: Path) -> None:
    make_zip("a.zip", FILES)
    source = contained(find_bot("a.zip"))
    kept = keep(source, tmp_path / "bots")
    assert kept.contained
    assert kept.entry == source.entry
    assert find_kept(source.entry, tmp_path / "bots").files.keys() == {f"bot/{place}" for place in FILES}


def odd(name: str, content: bytes = b"x", mode: int = 0) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as made:
        made.writestr("bot.py", BOT)
        info = zipfile.ZipInfo(name)
        info.external_attr = mode << 16
        made.writestr(info, content)
    return data.getvalue()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (odd("../out.py"), "would lie outside of its folder"),
        (odd("a/../../out.py"), "would lie outside of its folder"),
        (odd("/etc/out.py"), "would lie outside of its folder"),
        (odd("a\\..\\out.py"), "would lie outside of its folder"),
        (odd("link", b"/etc/passwd", stat.S_IFLNK | 0o777), "is a link"),
        (odd("bot.py/inner"), "lies in what is a file, too"),
        (odd("a\nb"), "has no name that can be used"),
        (odd("x" * 240), "has no name that can be used"),
        (odd("/".join("d" * 1000)), "has no name that can be used"),
        (odd("/".join("x" * 33)), "has no name that can be used"),
        (b"PK\x03\x04 no archive", r"is no zip archive$"),
        (b"", r"is no zip archive$"),
    ],
)
def test_odd_archives_are_refused_in_words(data: bytes, reason: str, home: Path, tmp_path: Path) -> None:
    Path("a.zip").write_bytes(data)
    before = {path for path in tmp_path.rglob("*") if home not in path.parents}
    with pytest.raises(BotSpecError, match=reason):
        find_bot("a.zip")
    assert {path for path in tmp_path.rglob("*") if home not in path.parents} == before
    assert list((home / "archives").iterdir()) == []


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_that_is_there_twice_is_refused(home: Path) -> None:
    with zipfile.ZipFile("a.zip", "w") as made:
        made.writestr("bot.py", BOT)
        made.writestr("bot.py", "act = print")
    with pytest.raises(BotSpecError, match=r"bot\.py' is there twice"):
        find_bot("a.zip")


def test_a_bomb_is_refused_while_it_is_unpacked(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MOST_BYTES", 1 << 20)
    make_zip("a.zip", {"bot.py": BOT, "zeros": "\0" * (4 << 20)})
    assert Path("a.zip").stat().st_size < 20_000
    with pytest.raises(BotSpecError, match="more than 1 MB when unpacked"):
        find_bot("a.zip")
    assert list((home / "archives").iterdir()) == []


def test_too_many_files_are_refused(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MOST_FILES", 3)
    make_zip("a.zip", {"bot.py": BOT, "a": "", "b": "", "c": ""})
    with pytest.raises(BotSpecError, match="more than 3 files"):
        find_bot("a.zip")


def test_an_archive_without_the_file_that_plays(home: Path) -> None:
    make_zip("a.zip", {"other.py": BOT})
    with pytest.raises(BotSpecError, match=r"has no bot\.py, at its top or in its only folder"):
        find_bot("a.zip")


@pytest.mark.parametrize("kind", ["folder", "zip"])
@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ("nosuchpackage>=2\nnumpy<1\n", r"needs what is not installed here: nosuchpackage>=2, numpy<1 \([\d.]+ is"),
        ("numpy\n-r more.txt\n", r"line 2: '-r more\.txt' is no name of a package"),
        ("numpy @ https://example.org/numpy.whl\n", "line 1: .* names an address"),
    ],
)
def test_requirements_that_are_not_met_are_named(kind: str, lines: str, reason: str) -> None:
    files = {**FILES, "requirements.txt": lines}
    spec = str(make_zip("a.zip", files)) if kind == "zip" else f"./{make_folder('a', files)}"
    with pytest.raises(BotSpecError, match=reason):
        find_bot(spec)


def test_requirements_that_are_met() -> None:
    lines = '# weights\nnumpy>=1.20  # arrays\n\nnosuchpackage; python_version < "3"\nclick>=8,<99\n'
    make_folder("a", {**FILES, "requirements.txt": lines})
    with find_bot("./a").load(CLASSIC) as bot:
        assert bot.name == "./a"


@pytest.mark.parametrize(
    "spec", ["a?b.zip", "./a?b.zip", "a?x=1.zip", "./a?x=1.zip", "own?.py", "./folder?", "cmd:./own?"]
)
def test_a_question_mark_in_a_path_is_told_to_begin_parameters(spec: str) -> None:
    if spec.endswith(".zip"):
        make_zip(spec, FILES)
    elif spec.endswith(".py"):
        Path(spec).write_text(BOT)
    elif not spec.startswith("cmd:"):
        make_folder(spec, FILES)
    body = spec.partition("?")[0]
    with pytest.raises(BotSpecError) as caught:
        find_bot(spec)
    assert f"; parameters begin with the ?, so the path is read as {body!r}" in str(caught.value)
    assert ("has to be renamed" in str(caught.value)) == (not spec.startswith("cmd:"))
    with pytest.raises(
        BotSpecError, match=r"there is no such (file|folder) in .*; parameters begin with the \?, so the"
    ):
        find_bot("./not_there?x=1.zip")
