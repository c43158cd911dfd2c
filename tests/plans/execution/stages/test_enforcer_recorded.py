"""Rows under each combination of enforcer options, with Flink's results, recorded by `record.py`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import ExecutionError, UnsupportedError
from compiled_plan.plans.execution.interfaces.connectors import resolved_table
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.execution.spark.types import to_spark
from compiled_plan.plans.execution.stages import enforcer
from compiled_plan.plans.execution.stages.prepared import prepare
from compiled_plan.plans.nodes.table_rules import physical_row
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.plan.session_options import with_session
from tests.plans.execution.enforced import cases

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

FLINK = json.loads(cases.ANSWERS.read_text(encoding="utf-8"))
RUNS = [choice for choice in cases.CHOICES if "refused" not in FLINK[" ".join(choice)].values()]


def plan_of(choice: tuple[str, str, str], folder: Path) -> CompiledPlan:
    """The plan as Flink compiles it, which leaves one of the options to the run."""
    options = cases.options(choice)
    nested = options.pop(cases.NESTED)
    program = ";\n".join((*cases.tables(folder / "rows.json", folder / "out"), "INSERT INTO o SELECT * FROM t"))
    return with_session(TableEnvironment(options).compile_script(program), {cases.NESTED: nested})


def ran(spark: SparkSession, choice: tuple[str, str, str], folder: Path, names: list[str]) -> list[dict[str, Any]]:
    """The rows of these that a run writes."""
    folder.mkdir()
    rows = [json.dumps(cases.ROWS[name]) + "\n" for name in names]
    (folder / "rows.json").write_text("".join(rows), encoding="utf-8")
    Run(spark, plan_of(choice, folder), RunOptions()).execute()
    return cases.written(folder / "out")


@pytest.fixture(scope="module")
def inputs(session: SparkSession) -> DataFrame:
    """All rows: their names and the columns of the sink."""
    (sink,) = prepare(plan_of(RUNS[0], Path("/nowhere"))).sinks
    schema = to_spark(physical_row(resolved_table(sink)).with_nullability(True))
    texts = [(name, json.dumps(row)) for name, row in cases.ROWS.items()]
    frame = session.createDataFrame(texts, "name string, text string")
    return frame.select("name", F.from_json("text", schema).alias("row")).select("name", "row.*").cache()


@pytest.mark.wide
@pytest.mark.parametrize("choice", RUNS, ids=" ".join)
def test_rows_are_written_dropped_or_refused_as_flink_does(
    inputs: DataFrame, choice: tuple[str, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    faults: list[Column] = []
    raise_error = F.raise_error

    def recorded(fault: Column) -> Column:
        faults.append(fault)
        return raise_error(fault)

    with monkeypatch.context() as patched:
        patched.setattr(enforcer.F, "raise_error", recorded)
        (sink,) = prepare(plan_of(choice, Path("/nowhere"))).sinks
        columns = inputs.columns[1:]
        rows = enforcer.enforced(sink, [F.col(name) for name in columns])
    fault = F.coalesce(*(F.when(fault != enforcer.DROP, fault) for fault in faults), F.lit(""))
    fields = [column.alias(name) for column, name in zip(rows.columns, columns, strict=True)]
    text = F.to_json(F.struct(*fields), {"ignoreNullFields": "false"})
    frame = inputs if rows.condition is None else inputs.where(rows.condition)
    answers = dict.fromkeys(cases.ROWS, "dropped") | {
        name: "failed" if "is being written into it" in fault else json.loads(text)
        for name, fault, text in frame.select("name", fault, F.when(fault == "", text)).collect()
    }
    expected = FLINK[" ".join(choice)]
    broken = {name for name, answer in expected.items() if answer == "broken"}
    assert {name: answers[name] for name in answers if name not in broken} == {
        name: answer for name, answer in expected.items() if name not in broken
    }
    if faults and "failed" in expected.values():
        with pytest.raises(Exception, match="is being written into it"):
            frame.select(text).collect()


@pytest.mark.deep
@pytest.mark.parametrize("choice", RUNS, ids=" ".join)
def test_runs_write_drop_or_refuse_rows_as_flink_does(
    spark: SparkSession, tmp_path: Path, choice: tuple[str, str, str]
) -> None:
    answers = FLINK[" ".join(choice)]
    taken = [name for name in answers if answers[name] not in ("failed", "broken")]
    expected = [answers[name] for name in taken if answers[name] != "dropped"]
    assert ran(spark, choice, tmp_path / "taken", taken) == expected
    for at, name in enumerate(name for name, answer in answers.items() if answer == "failed"):
        with pytest.raises(ExecutionError, match="is being written into it"):
            ran(spark, choice, tmp_path / str(at), [name])


def test_values_in_collections_are_not_cut() -> None:
    choice = ("TRIM_PAD", "ERROR", "ROWS_AND_COLLECTIONS")
    assert set(FLINK[" ".join(choice)].values()) == {"refused"}
    with pytest.raises(UnsupportedError, match="values within collections are not cut or padded"):
        prepare(plan_of(choice, Path("/nowhere")))
