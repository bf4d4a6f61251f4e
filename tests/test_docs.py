"""The documentation: its examples run and print what they promise, and it names everything there is to name."""

import contextlib
import importlib
import io
import re
import runpy
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, get_args

import click
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from bidwhist.arena.config import BotLine, Config, LimitsTable, make_config
from bidwhist.cli import group
from bidwhist.observation import Obs, Random
from bidwhist.play import run_tournament
from bidwhist.replay import tricks
from bidwhist.replay.played import TRICKS
from bidwhist.results import calls, contracts, faults, load, timings
from bidwhist.results.auction import CALLS, CONTRACTS
from bidwhist.results.columns import CARDS, COLUMNS, Column
from bidwhist.results.faults import FAULTS_COLUMNS
from bidwhist.results.frame import FRAME
from bidwhist.results.incidents import INCIDENTS
from bidwhist.results.manifest import BotEntry, Manifest, Stage
from bidwhist.results.reader import FrameColumn
from bidwhist.results.standings import DIFFERENCES, FAULTS, PAIRINGS, RANKS, STANDINGS
from bidwhist.results.statistics import (
    DIFFERENCES_COLUMNS,
    PAIRINGS_COLUMNS,
    PARTNERS_COLUMNS,
    RANKS_COLUMNS,
    STANDINGS_COLUMNS,
    TableColumn,
)
from bidwhist.results.summaries import TIMINGS_COLUMNS
from bidwhist.rules import OPTIONS, PRESETS, Group

ROOT = Path(__file__).resolve().parent.parent
DOCS = sorted((ROOT / "docs").glob("*.md"))
PAGES = [*DOCS, *(path for path in (ROOT / "README.md", ROOT / "SECURITY.md") if path.exists())]
GUIDES = ("rules", "tournaments", "architecture", "bots", "protocol", "check", "ladder", "tutorial", "analysis")
FOLLOWED = ("bots", "tutorial")  # pages whose commands are run in order, like their scripts

every_page = pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)


def guide(name: str) -> str:
    folder = ROOT if name == "README" else ROOT / "docs"
    return (folder / f"{name}.md").read_text(encoding="utf-8")


def section(text: str, heading: str) -> str:
    """The text below a heading, up to the next one of the same rank or a higher one."""
    marks = heading.split(" ")[0]
    found = re.search(rf"^{re.escape(heading)}\n(.*?)(?=^#{{1,{len(marks)}}} |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found, heading
    return found[1]


def rows(text: str) -> list[list[str]]:
    """The cells of all table rows in a text, without the heads."""
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"]
    rules = {place for place, row in enumerate(cells) if all(set(cell) <= {"-"} for cell in row)}
    return [row for place, row in enumerate(cells) if place not in rules and place + 1 not in rules]


def named(text: str) -> set[str]:
    """All that stands in back quotes outside of code blocks."""
    return set(re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)))


# ------------------------------------------------------------------------------------------------------- examples


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, and the output that stands below it, if any."""

    language: str
    text: str
    output: str | None

    @property
    def file(self) -> str | None:
        """The name that its first line gives it."""
        found = re.match(r"# (\S+\.(?:py|toml))\n", self.text)
        return found[1] if found else None


def blocks(text: str) -> Iterator[Block]:
    found = list(re.finditer(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    for place, match in enumerate(found):
        after = found[place + 1] if place + 1 < len(found) else None
        is_output = after is not None and after[1] == "text" and not text[match.end() : after.start()].strip()
        yield Block(match[1], match[2], after[2] if after is not None and is_output else None)


def run_examples(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Do in an empty folder what a page does, block by block; what each printed."""
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder)
    printed = []
    for block in blocks(guide(name)):
        if block.file:
            (folder / block.file).parent.mkdir(exist_ok=True)
            (folder / block.file).write_text(block.text, encoding="utf-8")
        if block.language == "python":
            printed.append(run_script(block, folder))
        elif block.language == "sh" and name in FOLLOWED:
            printed.append("".join(run_command(line) for line in block.text.splitlines()))
        elif block.language == "diff":
            edit(block.text)
            continue
        else:
            continue
        if block.output is not None:
            assert_is_as_shown(printed[-1], block.output)
        forget_modules_in(folder)
    return [without_measures(text.replace(str(folder), "")) for text in printed]


def run_script(block: Block, folder: Path) -> str:
    path = folder / (block.file or "example.py")
    path.write_text(block.text, encoding="utf-8")
    importlib.invalidate_caches()  # it may import what was written a moment ago
    with contextlib.redirect_stdout(io.StringIO()) as out:
        runpy.run_path(str(path))
    return out.getvalue()


def run_command(line: str) -> str:
    """What a command of a page prints; of pytest the last line, without its time."""
    program, *arguments = shlex.split(line, comments=True)
    if program == "pytest":
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", *arguments], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout
        return re.sub(r" in [0-9.]+s.*", "", done.stdout.splitlines(keepends=True)[-1])
    assert program == "bw-arena", line
    result = CliRunner().invoke(group, arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def edit(text: str) -> None:
    """Change a file as a diff says, whose first line names it."""
    head, *lines = text.splitlines(keepends=True)
    path = Path(head.removeprefix("--- ").strip())
    old, new = ("".join(line[1:] for line in lines if line[0] in marks) for marks in (" -", " +"))
    before = path.read_text(encoding="utf-8")
    assert before.count(old) == 1, old
    path.write_text(before.replace(old, new), encoding="utf-8")


def assert_is_as_shown(printed: str, shown: str) -> None:
    """A line `...` on a page stands for any lines."""
    shown, printed = without_measures(shown), without_measures(printed)
    parts = [re.escape(part) for part in re.split(r"^\.\.\.\n", shown, flags=re.MULTILINE)]
    if len(parts) == 1:
        assert printed == shown
    assert re.fullmatch("(?:.*\n)*?".join(parts), printed), printed


def without_measures(text: str) -> str:
    """Without what depends on the machine, the time, or the sources of house bots."""
    text = re.sub(r"^[.]+ +\[100%\]\n", "", text, flags=re.MULTILINE)  # pytest's progress
    text = re.sub(r"^(ok +(?:starts|time for a decision|memory) ).*", r"\1", text, flags=re.MULTILINE)
    return re.sub(r"\b[0-9a-f]{12}\b|\d{4}-\d\d-\d\d \d\d:\d\d", "…", text)


def forget_modules_in(folder: Path) -> None:
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None)).startswith(str(folder)):
            del sys.modules[name]


@pytest.mark.parametrize("name", [*GUIDES, "README"])
def test_field_fault_44_examples_run_and_run_alike(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = run_examples(name, tmp_path / "first", monkeypatch)
    monkeypatch.undo()
    assert run_examples(name, tmp_path / "second", monkeypatch) == first


def test_the_examples_show_something() -> None:
    assert {block.file for block in blocks(guide("bots"))} >= {"follow.py", "bold.py", "duel.toml", "play_duel.py"}
    assert sum(block.output is not None for name in GUIDES for block in blocks(guide(name))) >= 7


TOML = [(name, block.text) for name in GUIDES for block in blocks(guide(name)) if block.language == "toml"]


@pytest.mark.parametrize(("name", "text"), TOML)
def test_every_toml_block_is_a_tournament(name: str, text: str) -> None:
    fields = tomllib.loads(text)
    whole = fields if "bots" in fields else {"seed": 1, "boards": 1, "bots": ["random", "heuristic"], **fields}
    assert make_config(whole, name)


COMMANDS = [
    line
    for page in PAGES
    for block in blocks(page.read_text(encoding="utf-8"))
    if block.language in ("sh", "bash", "console")
    for line in block.text.splitlines()
    if line.startswith("bw-arena ")
]


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_line_is_understood(line: str) -> None:
    name, *arguments = shlex.split(line, comments=True)[1:]
    command = group.get_command(click.Context(group), name)
    assert command is not None
    command.make_context(name, arguments)


# --------------------------------------------------------------------------------------------------------- links


def slug(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower()).replace(" ", "-")


def anchors(page: Path) -> set[str]:
    return {slug(heading) for heading in re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)}


@every_page
def test_links_resolve(page: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if link.startswith(("http://", "https://")):
            continue
        target, _, anchor = link.partition("#")
        path = (page.parent / target).resolve() if target else page
        assert path.is_relative_to(ROOT), link
        assert path.exists(), link
        assert not anchor or anchor in anchors(path), link


@pytest.mark.parametrize("name", GUIDES)
def test_contents_list_every_section(name: str) -> None:
    text = guide(name)
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert re.findall(r"^- \[(.+)\]\(#\S+\)$", text, re.MULTILINE) == headings


# --------------------------------------------------------------------------------------------------------- rules


def as_toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


def test_every_rule_stands_once_and_choices_are_marked() -> None:
    found = {row[0]: row[1] for row in rows(section(guide("rules"), "## classic, rule by rule"))}
    assert list(found) == [f"C{number}" for number in range(1, 19)]
    choices = {rule: text.count("*(chosen)*") for rule, text in found.items() if "*(chosen)*" in text}
    assert choices == {"C2": 1, "C7": 2, "C9": 1, "C13": 1, "C14": 2, "C18": 1}


def test_every_field_has_its_values() -> None:
    values: dict[str, list[str]] = {}
    field = ""
    for first, value, meaning in rows(section(guide("rules"), "## Fields")):
        field = first.strip("`") or field
        values.setdefault(field, []).append(value.strip("`"))
        ranges = re.findall(r"`(\d+)` to `(\d+)`", meaning)
        if ranges:
            low, high = map(int, ranges[0])
            assert {low, high} == {min(OPTIONS[field].values), max(OPTIONS[field].values)}
            assert values[field] == [as_toml(OPTIONS[field].values[0])]
            values[field] = [as_toml(each) for each in OPTIONS[field].values]
    assert values == {name: [as_toml(each) for each in option.values] for name, option in OPTIONS.items()}


def test_fields_stand_in_the_section_of_their_group() -> None:
    fields = section(guide("rules"), "## Fields")
    headings = {"scoring": "Score of a hand"}
    for kind in get_args(Group):
        table = rows(section(fields, f"### {headings.get(kind, kind.capitalize())}"))
        told = [row[0].strip("`") for row in table if row[0]]
        assert told == [name for name, option in OPTIONS.items() if option.group == kind]


def test_every_preset_differs_from_classic_as_said() -> None:
    found = {name.strip("`"): text for name, text in rows(section(guide("rules"), "## Presets"))}
    assert list(found) == list(PRESETS)
    for name, text in found.items():
        said = tomllib.loads("\n".join(re.findall(r"`([^`]+ = [^`]+)`", text)))
        assert said == PRESETS[name].differences(), name


# --------------------------------------------------------------------------------------------------- tournaments


def test_every_field_of_the_tournament_file_is_told() -> None:
    text = guide("tournaments")
    told = section(text, "## The tournament file")
    limits = section(told, "### Limits")
    assert sorted(row[0].strip("`") for row in rows(limits)) == sorted(LimitsTable.__struct_fields__)
    others = rows(told.replace(limits, ""))
    assert sorted(row[0].strip("`") for row in others) == sorted(Config.__struct_fields__)
    assert all(re.search(rf"\b{field}\b", told) for field in BotLine.__struct_fields__)


def parameters(command: click.Command, kind: type[click.Parameter]) -> list[str]:
    return [each.opts[0] for each in command.params if isinstance(each, kind)]


def test_every_command_and_option_is_told() -> None:
    text = section(guide("tournaments"), "## Commands")
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        assert f"`bw-arena {name}" in text
        for option in parameters(command, click.Option):
            assert re.search(rf"`[^`]*{option}\b", text), f"{name} {option}"


def test_every_option_of_run_overrides_or_is_told_with_run() -> None:
    command = group.get_command(click.Context(group), "run")
    assert command is not None
    told = [row[0].strip("`").split(" ")[0] for row in rows(section(guide("tournaments"), "## Commands"))]
    assert {each for each in told if each.startswith("--")} == set(parameters(command, click.Option))


def test_every_field_of_the_manifest_is_told() -> None:
    found = named(section(guide("tournaments"), "### manifest.json"))
    for struct in (Manifest, BotEntry, Stage):
        assert set(struct.__struct_fields__) <= found


def table_of(cells: Iterable[tuple[str, ...]]) -> list[list[str]]:
    """Rows of a table from a name and what is told of it; neighbours of which the same is told share a row."""
    return [
        [" ".join(f"`{each[0]}`" for each in alike), *told] for told, alike in groupby(cells, key=lambda each: each[1:])
    ]


def test_the_table_of_columns_of_a_part_is_that_of_their_declarations() -> None:
    def where(column: Column) -> str:
        if column in CARDS:
            return f"null where plays are not recorded: {column.meaning}"
        return ("only in `games`: " if column.games_only else "") + column.meaning

    told = rows(section(guide("tournaments"), "### boards/part-NNNNNN.parquet"))
    assert told == table_of((column.name, column.type, where(column)) for column in COLUMNS.values())


@pytest.fixture(scope="module")
def small_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    fields = {"seed": 1, "format": "games", "games": 2, "record": "plays", "bots": ["random", "random?calls=pass"]}
    return run_tournament(fields, out=tmp_path_factory.mktemp("docs") / "run", executor="inline")


def test_the_table_of_columns_of_standings_is_that_of_their_declarations(small_run: Path) -> None:
    def name(column: TableColumn) -> str:
        by_level = re.sub(r"^(declared|made)_\d$", r"\1_<level>", column.name)
        return re.sub(r"^(declared|made)_[a-z_]+$", r"\1_<strain>", by_level)

    def where(column: TableColumn) -> str:
        found = [column in STANDINGS_COLUMNS, column in PARTNERS_COLUMNS]
        return "both" if all(found) else "standings" if found[0] else "pairings"

    bot = STANDINGS_COLUMNS.index(PAIRINGS_COLUMNS[0]) + 1
    of_pairings = [column for column in PARTNERS_COLUMNS[2:] if column not in STANDINGS_COLUMNS]
    others = (PAIRINGS_COLUMNS[1], PARTNERS_COLUMNS[1])
    columns = [*STANDINGS_COLUMNS[:bot], *others, *STANDINGS_COLUMNS[bot:], *of_pairings]
    cells = dict.fromkeys((name(column), where(column), column.meaning) for column in columns)
    assert rows(section(guide("tournaments"), "### standings.parquet and pairings.parquet")) == table_of(cells)
    for heading, declared in (
        ("### faults.parquet", FAULTS_COLUMNS),
        ("### ranks.parquet", RANKS_COLUMNS),
        ("### differences.parquet", DIFFERENCES_COLUMNS),
    ):
        told = rows(section(guide("tournaments"), heading))
        assert told == table_of((column.name, column.meaning) for column in declared)
    for file, declared in (
        (STANDINGS, STANDINGS_COLUMNS),
        (PAIRINGS, PAIRINGS_COLUMNS),
        (FAULTS, FAULTS_COLUMNS),
        (RANKS, RANKS_COLUMNS),
        (DIFFERENCES, DIFFERENCES_COLUMNS),
    ):
        schema = pq.read_schema(small_run / file)
        types = {"int32": "int32", "int64": "int64", "float64": "double", "string": "string", "bool_": "bool"}
        found = [(field.name, str(field.type)) for field in schema]
        assert found == [(column.name, types[column.type]) for column in declared]


@pytest.mark.parametrize(
    ("heading", "columns", "read"),
    [
        ("## Reading the results", FRAME, partial(load, plays=True)),
        ("### Calls", CALLS, calls),
        ("### Contracts", CONTRACTS, contracts),
        ("### Cards played", TRICKS, tricks),
        ("### Faults one by one", INCIDENTS, faults),
        ("### Times", TIMINGS_COLUMNS, timings),
    ],
)
def test_the_table_of_columns_of_a_frame_is_that_of_their_declarations(
    heading: str, columns: Sequence[FrameColumn | TableColumn], read: Callable[[Path], Any], small_run: Path
) -> None:
    def where(column: FrameColumn | TableColumn) -> str:
        if isinstance(column, TableColumn):
            return column.meaning
        if column.mixed_only:
            return f"only in `mixed`: {column.meaning}"
        only = "only with `plays=True`: " if column.plays_only else "only in `games`: " if column.games_only else ""
        return only + column.meaning

    told = rows(section(guide("tournaments"), heading))
    assert told == table_of((column.name, where(column)) for column in columns)
    of_mixed = [column for column in columns if isinstance(column, FrameColumn) and column.mixed_only]
    assert list(read(small_run).columns) == [column.name for column in columns if column not in of_mixed]


def test_every_frame_is_told() -> None:
    import bidwhist.replay
    import bidwhist.results

    page = re.sub(r"^```.*?^```$", "", guide("tournaments"), flags=re.MULTILINE | re.DOTALL)
    text = section(page, "## Reading the results") + section(page, "## Frames for analysis")
    for module in (bidwhist.results, bidwhist.replay):
        assert all(re.search(rf"\b{name}\b[(`]", text) for name in module.__all__)


def test_every_file_of_a_run_is_told(small_run: Path) -> None:
    text = section(guide("tournaments"), "## A run's folder")
    for path in small_run.rglob("*"):
        if path.is_file():
            assert path.relative_to(small_run).as_posix() in text


def test_machine_output_is_as_told(small_run: Path) -> None:
    import json

    text = section(guide("tournaments"), "## Machine output")
    result = CliRunner().invoke(group, ["table", str(small_run), "--json"])
    assert result.exit_code == 0, result.output
    output = json.loads(result.stdout)
    assert set(output) <= named(text)
    told = named(text) | named(section(guide("tournaments"), "## A run's folder"))
    standing = output["standings"][0]
    for keys in (output["run"], standing, output["pairings"][0], *standing["by_level"].values()):
        assert set(keys) <= told
    assert set(standing["by_strain"]) <= told


# ---------------------------------------------------------------------------------------------------------- bots


def public_names(kind: type[Any]) -> set[str]:
    return {name for name in vars(kind) if not name.startswith("_")}


def test_every_property_of_obs_is_told() -> None:
    told = [row[0].strip("`") for row in rows(section(guide("bots"), "## What a bot sees"))]
    assert sorted(told) == sorted(public_names(Obs))


def test_every_method_of_random_is_told() -> None:
    told = {row[0].strip("`").partition("(")[0] for row in rows(section(guide("bots"), "## Chance"))}
    assert told == public_names(Random)


def test_every_helper_of_batch_bots_is_told() -> None:
    import bidwhist.rows

    text = re.sub(r"^```.*?^```$", "", guide("bots"), flags=re.MULTILINE | re.DOTALL)  # comments look like headings
    table = rows(section(text, "## Many decisions at once"))
    told = {name.partition("(")[0] for row in table for name in re.findall(r"`([^`]+)`", row[0])}
    assert told == set(bidwhist.rows.__all__)


def test_every_tool_for_authors_is_told() -> None:
    import bidwhist.bot

    told = section(re.sub(r"^```.*?^```$", "", guide("bots"), flags=re.MULTILINE | re.DOTALL), "## One decision again")
    assert all(f"{name}(" in told for name in bidwhist.bot.__all__)


def test_pages_are_plain() -> None:
    for name in GUIDES:
        text = guide(name)
        assert not re.search(r"[ \t]$|\t", text, re.MULTILINE), name
        assert "../shared" not in text, name
