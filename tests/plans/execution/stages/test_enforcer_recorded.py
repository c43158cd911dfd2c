"""Rows under each combination of enforcer options, with Flink's results, recorded by `record.py`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan.api.environment import TableEnvironment
from compiled_plan.plans.errors import ExecutionError, UnsupportedError
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.execution.stages.prepared import prepare
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.plan.session_options import with_session
from tests.plans.execution.enforced import cases

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FLINK = json.loads(cases.ANSWERS.read_text(encoding="utf-8"))
RUNS = [choice for choice in cases.CHOICES if "refused" not in FLINK[" ".join(choice)].values()]


def plan_of(choice: tuple[str, str, str], folder: Path) -> CompiledPlan:
    """The plan as Flink compiles it, which leaves one of the options to the run."""
    options = cases.options(choice)
    nested = options.pop(cases.NESTED)
    program = ";\n".join((*cases.tables(folder / "rows.json", folder / "out"), "INSERT INTO o SELECT * FROM t"))
    return with_session(TableEnvironment(options).compile_script(program), {cases.NESTED: nested})


def ran(spark: SparkSession, choice: tuple[str, str, str], folder: Path, names: list[str]) -> list[dict[str, Any]]:
    """The rows of these that are written."""
    folder.mkdir()
    rows = [json.dumps(cases.ROWS[name]) + "\n" for name in names]
    (folder / "rows.json").write_text("".join(rows), encoding="utf-8")
    Run(spark, plan_of(choice, folder), RunOptions()).execute()
    return cases.written(folder / "out")


@pytest.mark.parametrize("choice", RUNS, ids=" ".join)
def test_rows_are_written_dropped_or_refused_as_flink_does(
    spark: SparkSession, tmp_path: Path, choice: tuple[str, str, str]
) -> None:
    answers = FLINK[" ".join(choice)]
    failing = [name for name, answer in answers.items() if answer == "failed"]
    taken = [name for name in answers if answers[name] not in ("failed", "broken")]
    expected = [answers[name] for name in taken if answers[name] != "dropped"]
    assert ran(spark, choice, tmp_path / "taken", taken) == expected
    for at, name in enumerate(failing):
        with pytest.raises(ExecutionError, match="is being written into it"):
            ran(spark, choice, tmp_path / str(at), [name])


def test_values_in_collections_are_not_cut() -> None:
    choice = ("TRIM_PAD", "ERROR", "ROWS_AND_COLLECTIONS")
    assert set(FLINK[" ".join(choice)].values()) == {"refused"}
    with pytest.raises(UnsupportedError, match="values within collections are not cut or padded"):
        prepare(plan_of(choice, Path("/nowhere")))
