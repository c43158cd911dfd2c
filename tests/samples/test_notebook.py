"""The sample notebook in a Jupyter kernel: its stored outputs are those of a new run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.support.notebooks import outputs_of, read_notebook, run_notebook

NOTEBOOK = Path(__file__).resolve().parents[2] / "samples" / "notebook.ipynb"


@pytest.mark.spark
@pytest.mark.wide
def test_stored_outputs_are_those_of_a_run(tmp_path: Path) -> None:
    run, stored = run_notebook(NOTEBOOK, tmp_path), read_notebook(NOTEBOOK)
    assert _unordered(run) == _unordered(stored), "python -m tests.support.notebooks samples/notebook.ipynb"


def _unordered(notebook: Any) -> list[list[tuple[str, list[str]]]]:
    """The outputs of each cell, without the order of rows, which depends on the number of cores."""
    return [
        [(form, sorted(re.split(r"\n|(?<=</tr>)|(?=<tr>)", text))) for form, text in cell]
        for cell in outputs_of(notebook)
    ]


def test_stored_outputs_load_nothing() -> None:
    text = NOTEBOOK.read_text(encoding="utf-8")
    assert "data:image/svg+xml;base64," in text
    assert "http" not in text
    ((name, line),) = outputs_of(read_notebook(NOTEBOOK))[-1]
    assert name == "DataError"
    assert "; try: " in line and "--" not in line and "\n" not in line
