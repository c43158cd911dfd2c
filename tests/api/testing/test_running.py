"""Tests of programs in both engines: their results, and what a failure shows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.api.testing.cases import Case, cases_in, cases_of
from compiled_plan.api.testing.document import read_document
from compiled_plan.api.testing.programs import ProgramTest
from compiled_plan.api.testing.reporting import failure_text, junit, result_lines
from compiled_plan.api.testing.running import run_case
from compiled_plan.plans.execution.testing.engine import QUICK, SPARK, Engines
from compiled_plan.plans.execution.testing.sessions import engines_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HERE = Path(__file__).parent
SAMPLE = HERE.parent.parent.parent / "samples/testing/orders.test.yaml"
CASES = [*cases_in(HERE / "steps.yaml"), *cases_in(SAMPLE)]
#: Tests that `make test` runs on Spark, too.
ON_SPARK = ("a killed run repeats its micro-batch", "windows of several micro-batches close")


@pytest.fixture
def engines(spark: SparkSession) -> Engines:
    return engines_of(spark)


def passes(case: Case, engines: Engines, engine: str) -> None:
    result = run_case(case, engines, engine)
    assert result.failure is None, failure_text(result.failure)


def name(case: Case) -> str:
    return case.name


QUICK_CASES = [case for case in CASES if all(step.kind != "upgrade" for step in case.steps)]


@pytest.mark.parametrize("case", QUICK_CASES, ids=name)
def test_without_a_query(case: Case, engines: Engines) -> None:
    passes(case, engines, QUICK)


@pytest.mark.parametrize("case", [case for case in CASES if case.name in ON_SPARK], ids=name)
def test_on_spark(case: Case, engines: Engines) -> None:
    passes(case, engines, SPARK)


@pytest.mark.wide
@pytest.mark.parametrize("case", [case for case in CASES if case.name not in ON_SPARK], ids=name)
def test_all_on_spark(case: Case, engines: Engines) -> None:
    passes(case, engines, SPARK)


WRONG = """\
init: programs/tables.sql
program: programs/sums.sql
steps:
  - rows: {orders: [{customer: a, price: 1}, {customer: b, price: 5}]}
  - expect: {sums: [+I: {customer: a, total: 1}, +I: {customer: b, total: 6}]}
"""


def test_a_wrong_expectation_shows_the_row(engines: Engines) -> None:
    (case,) = cases_of(read_document(HERE / "wrong.test.yaml", WRONG))
    result = run_case(case, engines)
    assert result.failure is not None
    lines = failure_text(result.failure).splitlines()
    assert "wrong.test.yaml', line 5: sums differs" in lines[0]
    assert lines[2:] == [
        "    +I {customer: a, total: 1}",
        "  - +I {customer: b, total: 6}",
        "  + +I {customer: b, total: 5}",
        "  total: expected 6, got 5",
    ]
    assert [line.text[:6] for line in result_lines(result)] == ["FAILED"]
    assert '<failure message="sums differs">' in junit([result], 0.1)


def test_a_plan_for_a_query_goes_to_spark(engines: Engines) -> None:
    text = "sql: INSERT INTO places VALUES (1, 'Ulm')\ninit: programs/tables.sql\nsteps:\n  - clock: +1 s\n"
    (case,) = cases_of(read_document(HERE / "values.test.yaml", text))
    result = run_case(case, engines)
    assert (result.engine, result.reason) == (SPARK, "node 1 has constant rows")
    assert result.failure is None


def test_steps_in_python(engines: Engines) -> None:
    program, init = HERE / "programs/sums.sql", [HERE / "programs/tables.sql"]
    with ProgramTest(program, init=init, engines=engines) as test:
        test.rows(orders=[{"customer": "a", "price": 1}])
        test.restart()
        test.rows(orders=[[2, "a", 2, None]])
        test.expect_table(sums=[{"customer": "a", "total": 3}])
        test.clock("+2 h")
        test.rows(orders=[{"customer": "a", "price": 4}])
        with pytest.raises(AssertionError, match="total: expected 7, got 4"):
            test.expect(sums=[{"+I": ["a", 7]}])
