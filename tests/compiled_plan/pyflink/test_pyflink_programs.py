"""Programs for PyFlink print here what they print in PyFlink: those in `programs/`, and PyFlink's own examples.

`programs.json` has the lines of PyFlink 2.3; `record_programs.py` writes it.
"""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from tests.bench.nexmark.flink import ENVIRONMENT
from tests.compiled_plan.pyflink.record_programs import EXAMPLES, PROGRAMS, RECORDED, as_ours, lines_of, remaining

LINES: dict[str, list[str]] = json.loads(RECORDED.read_text("utf-8"))
#: Programs in each run of the tests; the others take minutes together.
QUICK = ("values", "process_json_data_with_udf", "pandas/pandas_udaf")
#: Programs that execute no query, and so start no Spark.
DECLARING = ("catalogs", "catalog_objects", "descriptions")


def marked(names: Iterable[str]) -> list[Any]:
    return [pytest.param(name, marks=() if name in QUICK else pytest.mark.deep) for name in names]


def example(name: str) -> Path | None:
    """The file of an example, in the Python that FLINK_PYTHON names or in that of the benchmarks."""
    python = Path(os.environ.get("FLINK_PYTHON", ENVIRONMENT / "bin" / "python"))
    folders = python.parent.parent.glob("lib/python*/site-packages/pyflink/examples/table")
    return next((path for folder in folders if (path := folder / f"{name}.py").exists()), None)


def test_every_program_is_recorded() -> None:
    assert sorted(LINES) == sorted([*(path.stem for path in PROGRAMS.glob("*.py")), *EXAMPLES])


@pytest.mark.parametrize("name", DECLARING)
def test_declarations_print_the_lines_of_pyflink(name: str) -> None:
    assert lines_of(PROGRAMS.joinpath(f"{name}.py").read_text("utf-8")) == LINES[name]


@pytest.mark.wide
@pytest.mark.parametrize("name", marked(sorted({path.stem for path in PROGRAMS.glob("*.py")} - {*DECLARING})))
def test_programs_print_the_lines_of_pyflink(name: str, shared_session: None) -> None:
    assert lines_of(PROGRAMS.joinpath(f"{name}.py").read_text("utf-8")) == LINES[name]


@pytest.mark.parametrize("name", marked(EXAMPLES))
def test_examples_of_pyflink_print_their_lines(
    name: str, shared_session: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = example(name)
    if program is None:
        pytest.skip("PyFlink is not installed: set FLINK_PYTHON to a Python that has it")
    monkeypatch.setattr(sys, "argv", [name])
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile(as_ours(program.read_text("utf-8")), str(program), "exec"), {"__name__": "__main__"})
    assert remaining(printed.getvalue().splitlines()) == LINES[name]
