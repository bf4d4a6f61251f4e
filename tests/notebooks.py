"""The notebooks, executed: `python tests/notebooks.py` does it in place, `make notebooks` runs it."""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nbformat
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[1] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
MEASURED = "measured"
"""The tag of a cell whose output is not the same on every machine."""

_SECONDS = 120  # for a cell


@contextmanager
def kernel(environment: Mapping[str, str] | None = None) -> Iterator[KernelManager]:
    """A process that executes notebooks, one after the other: what one has imported the next need not load again."""
    manager = KernelManager(kernel_name="python3")
    names = dict(os.environ)
    names.pop("BIDWHIST_RUN", None)
    manager.start_kernel(cwd=str(FOLDER), env=names | dict(environment or {}))
    try:
        yield manager
    finally:
        manager.shutdown_kernel(now=True)


def execute(path: Path, manager: KernelManager, run: Path | None = None) -> Any:
    """A notebook with the outputs that it has on its own run, or on another one; nothing is written."""
    notebook = nbformat.read(path, as_version=4)
    first = "%reset -f\nimport os\n" + (
        "os.environ.pop('BIDWHIST_RUN', None)" if run is None else f"os.environ['BIDWHIST_RUN'] = {str(run)!r}"
    )
    notebook.cells.insert(0, nbformat.v4.new_code_cell(first))
    client = NotebookClient(notebook, km=manager, timeout=_SECONDS, record_timing=False, coalesce_streams=True)
    try:
        client.execute()
    finally:
        if client.kc is not None:
            client.kc.stop_channels()
    del notebook.cells[0]
    number = 0
    for cell in notebook.cells:
        if cell.cell_type == "code":
            number += 1
            cell.execution_count = number
            for output in cell.outputs:
                if "execution_count" in output:
                    output.execution_count = number
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return notebook


def main() -> None:
    """Execute all notebooks, or those named, in place."""
    chosen = [FOLDER / f"{Path(name).stem}.ipynb" for name in sys.argv[1:]] or NOTEBOOKS
    with kernel() as manager:
        for path in chosen:
            nbformat.write(execute(path, manager), path)
            print(path.name)


if __name__ == "__main__":
    main()
