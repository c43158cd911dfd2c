"""Counterexamples: every kind of change that is partially compatible has a small one, none has one otherwise."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.execution.session.options import TRANSFORM
from compiled_plan.plans.execution.state.upgrade.refusing import UpgradeError
from compiled_plan.plans.execution.testing.engine import Engines
from compiled_plan.plans.execution.testing.sessions import engines_of
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from compiled_plan.testing.cases import cases_of
from compiled_plan.testing.counterexamples import Search, search
from compiled_plan.testing.document import read_document
from compiled_plan.testing.reporting import failure_text
from compiled_plan.testing.running import run_case
from tests.upgrades.kinds import KINDS
from tests.upgrades.kinds.model import Kind
from tests.upgrades.programs import compiled

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Kinds that a query alone shows: of its partitions, its hosts and its history.
_PLAIN = [
    kind for kind in KINDS if kind.hosts == (TRANSFORM, TRANSFORM) and kind.partitions is None and not kind.warm_up
]


@pytest.fixture
def engines(spark: SparkSession) -> Engines:
    return engines_of(spark)


def searched(kind: Kind, engines: Engines, tries: int) -> Search:
    old, new = (compiled(kind, is_new, Path("/data")) for is_new in (False, True))
    return search(old, new, engines, 30, tries)


def of(verdict: Verdict) -> pytest.MarkDecorator:
    kinds = [kind for kind in _PLAIN if kind.verdict is verdict]
    return pytest.mark.parametrize("kind", kinds, ids=lambda kind: kind.name)


@pytest.mark.sampled(30)
@of(Verdict.PARTIAL)
def test_a_partially_compatible_change_has_a_small_example(kind: Kind, engines: Engines) -> None:
    example = searched(kind, engines, 120).example
    assert example is not None
    assert len(example.input.before) + len(example.input.after) <= 5


@pytest.mark.sampled(30)
@of(Verdict.FULL)
def test_a_fully_compatible_change_has_none(kind: Kind, engines: Engines) -> None:
    outcome = searched(kind, engines, 12)
    assert outcome.example is None and outcome.tries == 12


def test_a_change_that_is_refused_has_no_example(engines: Engines) -> None:
    kind = next(kind for kind in KINDS if kind.name == "another-zone")
    with pytest.raises(UpgradeError):
        searched(kind, engines, 1)


ORDERS = """
CREATE TABLE orders (customer STRING, price INT, status STRING)
  WITH ('connector' = 'filesystem', 'path' = 'orders', 'format' = 'json');
CREATE TABLE totals (customer STRING, total INT, PRIMARY KEY (customer) NOT ENFORCED) WITH ('connector' = 'print');
INSERT INTO totals SELECT customer, SUM(price) FROM orders {where}GROUP BY customer;
"""


def test_an_example_is_a_test_that_passes(engines: Engines, tmp_path: Path) -> None:
    for name, where in (("old.sql", ""), ("new.sql", "WHERE status <> 'closed' ")):
        (tmp_path / name).write_text(ORDERS.format(where=where))
    old, new = (TableEnvironment().compile_script((tmp_path / name).read_text()) for name in ("old.sql", "new.sql"))
    example = search(old, new, engines, 30, 10).example
    assert example is not None
    text = example.text("old.sql", "new.sql")
    assert "{customer: a, price: 1" in text
    assert "verdict: partially compatible}" in text and "#   totals: + {customer: a, total: 1}\n" in text
    (case,) = cases_of(read_document(tmp_path / "example.test.yaml", text))
    result = run_case(case, engines)
    assert result.failure is None, failure_text(result.failure)
