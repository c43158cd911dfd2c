"""Conformance cases as tests of `test-plan`: Flink's results in both engines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.plans.execution.testing.engine import QUICK, SPARK, Engines
from compiled_plan.plans.execution.testing.sessions import engines_of
from compiled_plan.testing.reporting import failure_text
from compiled_plan.testing.running import run_case
from tests.conformance.as_tests import as_test, is_test
from tests.conformance.cases import CATEGORIES, Case, cases

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TESTS = [case for case in cases(*CATEGORIES) if is_test(case)]
#: The tests of `make test`; `test_conformance` tests Flink's plans of most others.
FEW = ("aggregate/group_by_expression", "calc/calc_on_retract_source", "sink_semantics/join_then_pk_sink_of_one_side")


def name(case: Case) -> str:
    return case.name


@pytest.fixture
def engines(spark: SparkSession) -> Engines:
    return engines_of(spark)


def passes(case: Case, engines: Engines, engine: str, out: Path) -> None:
    test = as_test(case, out)
    assert test is not None
    result = run_case(test, engines, engine)
    assert result.failure is None, failure_text(result.failure)


def test_most_cases_are_tests() -> None:
    assert len(TESTS) >= 200
    assert {case.name for case in TESTS} >= set(FEW)


@pytest.mark.parametrize("case", [case for case in TESTS if case.name in FEW], ids=name)
def test_some_without_a_query(case: Case, engines: Engines, tmp_path: Path) -> None:
    passes(case, engines, QUICK, tmp_path)


@pytest.mark.wide
@pytest.mark.parametrize("case", [case for case in TESTS if case.name in FEW[:1]], ids=name)
def test_some_on_spark(case: Case, engines: Engines, tmp_path: Path) -> None:
    passes(case, engines, SPARK, tmp_path)


@pytest.mark.wide
@pytest.mark.parametrize("engine", [QUICK, SPARK])
@pytest.mark.parametrize("case", TESTS, ids=name)
def test_all(case: Case, engine: str, engines: Engines, tmp_path: Path) -> None:
    passes(case, engines, engine, tmp_path)
