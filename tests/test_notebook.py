"""The notebooks execute, on the run that they play and on others, and are kept with the outputs of the former."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from jupyter_client.manager import KernelManager

from bidwhist import run_tournament
from notebooks import MEASURED, NOTEBOOKS, execute, kernel

NAMES = ["first-look", "bidding", "where-two-bots-differ", "how-many-boards", "my-bot-against-the-house"]
BOTS = [
    {"spec": "heuristic", "name": "$\\pi$"},
    {"spec": "random?calls=pass", "name": 'x,"y"'},
    {"spec": "random", "name": "W" * 80},
]

by_name = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


@pytest.fixture(scope="module")
def manager() -> Iterator[KernelManager]:
    with kernel() as manager:
        yield manager


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A run of either format, of bots with names that are no words."""
    folder = tmp_path_factory.mktemp("a folder")
    fields = {"name": "fresh", "seed": 5, "bots": BOTS}
    sizes: dict[str, dict[str, Any]] = {"boards": {"boards": 40}, "games": {"format": "games", "games": 6}}
    return {
        name: run_tournament({**fields, **more}, out=folder / name, executor="inline") for name, more in sizes.items()
    }


def code_of(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def texts_of(cell: Any) -> list[str]:
    """The outputs of a cell as text; of pictures question and answer."""
    return [output.get("text") or output["data"]["text/plain"] for output in cell.outputs]


def assert_pictures(notebook: Any) -> None:
    """Each cell that asks for a picture shows it, and nothing has gone wrong."""
    for cell in code_of(notebook):
        kinds = [output.output_type if output.output_type != "stream" else output.name for output in cell.outputs]
        assert set(kinds) <= {"execute_result", "stdout"}, (cell.source, cell.outputs)
        pictures = [output for output in cell.outputs if "image/png" in output.get("data", {})]
        assert len(pictures) == len(re.findall(r"^plots\.\w+\(", cell.source, re.MULTILINE)), cell.source


def test_these_are_the_notebooks() -> None:
    assert sorted(path.stem for path in NOTEBOOKS) == sorted(NAMES)


@by_name
def test_notebooks_are_kept_with_the_outputs_of_the_run_that_they_play(path: Path, manager: KernelManager) -> None:
    kept, now = nbformat.read(path, as_version=4), execute(path, manager)
    nbformat.validate(kept)
    assert kept.metadata == now.metadata
    for one, other in zip(code_of(kept), code_of(now), strict=True):
        assert one.execution_count == other.execution_count
        if MEASURED in one.metadata.get("tags", ()):
            assert len(one.outputs) == len(other.outputs) == 1
        else:
            assert texts_of(one) == texts_of(other), one.source
    for notebook in (kept, now):
        assert_pictures(notebook)
        assert "tmp" not in "".join(text for cell in code_of(notebook) for text in texts_of(cell))


@pytest.mark.parametrize(
    ("name", "format_"),
    [
        *((name, format_) for name in ("first-look", "bidding", "how-many-boards") for format_ in ("boards", "games")),
        ("where-two-bots-differ", "boards"),
    ],
)
def test_notebooks_take_another_run(name: str, format_: str, manager: KernelManager, runs: dict[str, Path]) -> None:
    (path,) = (path for path in NOTEBOOKS if path.stem == name)
    notebook = execute(path, manager, runs[format_])
    assert_pictures(notebook)
    text = "".join(text for cell in code_of(notebook) for text in texts_of(cell))
    assert "$\\pi$" in text
    assert "mc?worlds" not in text
