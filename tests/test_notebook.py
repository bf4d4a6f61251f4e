"""The notebook runs on a run's folder, and is kept without outputs."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from runs import make_run, manifest_of

NOTEBOOK = Path(__file__).parents[1] / "notebooks" / "first-look.ipynb"


def test_the_notebook_is_kept_clean() -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert code
    assert all(cell.outputs == [] and cell.execution_count is None for cell in code)


@pytest.mark.parametrize("as_games", [False, True], ids=["boards", "games"])
def test_the_notebook_draws_its_pictures(as_games: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bots = ["a", 'x,"y"', "$\\pi$"]
    run = make_run(tmp_path / "a run", manifest_of(bots, [(3, 40)], games=as_games))
    monkeypatch.setenv("BIDWHIST_RUN", str(run))
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    resources = {"metadata": {"path": str(NOTEBOOK.parent)}}
    NotebookClient(notebook, timeout=120, resources=resources).execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    pictures = [output for output in outputs if "image/png" in output.get("data", {})]
    assert len(pictures) == 3
    assert not [output for output in outputs if output.output_type == "error" or output.get("name") == "stderr"]
