"""Flink's programs with Flink's results, compiled here and by Flink, all in one Spark session."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.plan import CompiledPlan
from tests.conformance.cases import Case, cases, categories, difference, same_plan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CATEGORIES = tuple(category for category in categories() if category != "errors")
CHOSEN = cases(*CATEGORIES)
RUNNABLE = [case for case in CHOSEN if not case.refused_at]


def compile_program(text: str) -> CompiledPlan:
    from compiled_plan.api.environment import TableEnvironment

    return TableEnvironment().compile_script(text)


def run(spark: SparkSession, plan: CompiledPlan) -> None:
    from compiled_plan.plans.execution.run import Run
    from compiled_plan.plans.execution.session.options import RunOptions

    Run(spark, plan, RunOptions()).execute()


def name(case: Case) -> str:
    return case.name


@pytest.mark.parametrize("case", RUNNABLE, ids=name)
def test_program(case: Case, spark: SparkSession, tmp_path: Path) -> None:
    run(spark, compile_program(case.program(tmp_path)))
    assert difference(case, tmp_path) == ""


@pytest.fixture
def one_partition(spark: SparkSession) -> Iterator[None]:
    """State in one partition: faster, if another test runs the same rows with two."""
    setting = "spark.sql.shuffle.partitions"
    before = str(spark.conf.get(setting))
    spark.conf.set(setting, "1")
    yield
    spark.conf.set(setting, before)


@pytest.mark.parametrize("case", RUNNABLE, ids=name)
def test_the_plan_equals_flinks(case: Case, spark: SparkSession, one_partition: None, tmp_path: Path) -> None:
    plan = case.flink_plan(tmp_path)
    if same_plan(plan, compile_program(case.program(tmp_path)).to_json()):
        return  # `test_program` runs it
    run(spark, CompiledPlan.from_json(plan))
    assert difference(case, tmp_path) == ""


@pytest.mark.parametrize("case", [case for case in cases("errors") if case.refused_at == "compile"], ids=name)
def test_programs_that_flink_refuses_to_compile(case: Case, tmp_path: Path) -> None:
    with pytest.raises(CompiledPlanError):
        compile_program(case.program(tmp_path))


@pytest.mark.parametrize("case", [case for case in [*CHOSEN, *cases("errors")] if case.refused_at == "run"], ids=name)
def test_programs_that_fail_in_flink(case: Case, spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(CompiledPlanError):
        run(spark, compile_program(case.program(tmp_path)))
