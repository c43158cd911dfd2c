"""Flink's programs with Flink's results, compiled here and by Flink, all in one Spark session."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.execution.spark.java import settings
from compiled_plan.plans.execution.testing.sessions import engines_of
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.testing.reporting import failure_text
from compiled_plan.testing.running import run_case
from tests.conformance.as_tests import as_test, is_test
from tests.conformance.cases import CATEGORIES, Case, cases, difference
from tests.conformance.compiled import compiled, fingerprint, recorded, same_execution
from tests.support.tiers import but_wide

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CHOSEN = cases(*CATEGORIES)
RUNNABLE = [case for case in CHOSEN if not case.refused_at]
#: Programs of several stages, which run on two partitions; the others run faster on one.
ON_TWO_PARTITIONS = ("pipelines", "statement_set")
#: Cases whose plan of Flink runs as a query in `make test`.
QUERIES = (
    "aggregate/agg_over_agg",
    "pipelines/window_agg_then_group",
)
#: Cases that are tests of `test-plan`, which takes a fifth of the time. Every eighth runs in `make test`, the rest in
#: `make test-wide`, like the queries of all.
WITHOUT_A_QUERY = [case for case in RUNNABLE if case.name not in QUERIES and is_test(case)]
#: Programs that fail at run time in `make test`: in an expression, and at a sink.
FAILURES = ("calc/cast_invalid_fails_at_runtime", "sink_semantics/do_error_swap")
RECORDED = recorded()


def run(spark: SparkSession, plan: CompiledPlan) -> None:
    from compiled_plan.plans.execution.run import Run
    from compiled_plan.plans.execution.session.options import RunOptions

    Run(spark, plan, RunOptions()).execute()


def name(case: Case) -> str:
    return case.name


@pytest.fixture
def partitions(case: Case, spark: SparkSession) -> Iterator[None]:
    """The number of partitions that a case runs on."""
    with settings(spark, {} if case.folder.parent.name in ON_TWO_PARTITIONS else {"spark.sql.shuffle.partitions": "1"}):
        yield


@pytest.mark.usefixtures("partitions")
@pytest.mark.parametrize(
    "case",
    but_wide(RUNNABLE, lambda case: case.name in QUERIES),
    ids=name,
)
def test_flinks_plan(case: Case, spark: SparkSession, tmp_path: Path) -> None:
    run(spark, CompiledPlan.from_json(case.flink_plan(tmp_path)))
    assert difference(case, tmp_path) == ""


@pytest.mark.sampled(8)
@pytest.mark.parametrize("case", WITHOUT_A_QUERY, ids=name)
def test_flinks_plan_without_a_query(case: Case, spark: SparkSession, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text(case.flink_plan(tmp_path))
    test = as_test(case, tmp_path, str(plan))
    assert test is not None
    result = run_case(test, engines_of(spark))
    assert result.failure is None, failure_text(result.failure)


@pytest.mark.usefixtures("partitions")
@pytest.mark.parametrize("case", RUNNABLE, ids=name)
def test_program(case: Case, spark: SparkSession, tmp_path: Path) -> None:
    plan = compiled(case, tmp_path)
    if same_execution(plan, CompiledPlan.from_json(case.flink_plan(tmp_path))):
        return  # `test_flinks_plan` runs it, or `test_flinks_plan_without_a_query`
    if RECORDED.get(case.name) == fingerprint(case, plan, tmp_path):
        return  # `test_recorded_plans` runs it
    run(spark, plan)
    assert difference(case, tmp_path) == ""


@pytest.mark.wide
@pytest.mark.usefixtures("partitions")
@pytest.mark.parametrize("case", [case for case in RUNNABLE if case.name in RECORDED], ids=name)
def test_recorded_plans(case: Case, spark: SparkSession, tmp_path: Path) -> None:
    plan = compiled(case, tmp_path)
    run(spark, plan)
    assert difference(case, tmp_path) == ""
    assert RECORDED[case.name] == fingerprint(case, plan, tmp_path)


@pytest.mark.parametrize("case", [case for case in cases("errors") if case.refused_at == "compile"], ids=name)
def test_programs_that_flink_refuses_to_compile(case: Case, tmp_path: Path) -> None:
    with pytest.raises(CompiledPlanError):
        compiled(case, tmp_path)


@pytest.mark.parametrize(
    "case",
    but_wide(
        [case for case in (*CHOSEN, *cases("errors")) if case.refused_at == "run"],
        lambda case: case.name in FAILURES,
    ),
    ids=name,
)
def test_programs_that_fail_in_flink(case: Case, spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(CompiledPlanError):
        run(spark, compiled(case, tmp_path))
