"""Notebooks in a Jupyter kernel of this Python; `python -m tests.support.notebooks FILE...` records their outputs."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

#: Seconds for one cell; the first run of a cell starts Spark.
PATIENCE = 600


def nbformat() -> Any:
    """The module, whose functions have no types."""
    return import_module("nbformat")


def read_notebook(path: Path) -> Any:
    """A notebook as stored."""
    return nbformat().read(path, as_version=4)


def run_notebook(path: Path, folder: Path) -> Any:
    """A copy of a notebook with the outputs of its cells, run in a new kernel in a folder."""
    from nbclient import NotebookClient

    notebook = read_notebook(path)
    client = NotebookClient(
        notebook, timeout=PATIENCE, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    )
    client.execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
    notebook.metadata.pop("language_info", None)
    return notebook


def outputs_of(notebook: Any) -> list[list[tuple[str, str]]]:
    """The outputs of the cells with code: forms of displayed objects, streams and errors, with their texts."""
    return [
        [part for output in cell.outputs for part in _parts(output)]
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


def _parts(output: Any) -> list[tuple[str, str]]:
    match output.output_type:
        case "stream":
            return [(output.name, output.text)]
        case "error":
            return [(output.ename, "\n".join(output.traceback))]
    return sorted(output.data.items())


def main() -> None:
    """Record the outputs of notebooks."""
    for name in sys.argv[1:]:
        path = Path(name)
        nbformat().write(run_notebook(path, path.parent), path)


if __name__ == "__main__":
    main()
