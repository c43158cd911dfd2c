"""Counterexamples: every kind of change that is partially compatible has a small one, none has one otherwise."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.execution.state.upgrade.refusing import UpgradeError
from compiled_plan.plans.execution.testing.engine import Engines
from compiled_plan.plans.execution.testing.sessions import engines_of
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from compiled_plan.testing.counterexamples import Names, Search, search
from compiled_plan.testing.reporting import failure_text
from tests.upgrades.kinds import KINDS
from tests.upgrades.kinds.model import Kind
from tests.upgrades.programs import compiled

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_PLAIN = [kind for kind in KINDS if not kind.needs_query]


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
    assert len(example.input) <= 5


@pytest.mark.sampled(30)
@of(Verdict.FULL)
def test_a_fully_compatible_change_has_none(kind: Kind, engines: Engines) -> None:
    outcome = searched(kind, engines, 12)
    assert outcome.example is None and outcome.compared >= 6 and outcome.compared + outcome.failed == 12


def test_a_change_that_is_refused_has_no_example(engines: Engines) -> None:
    kind = next(kind for kind in KINDS if kind.name == "another-zone")
    with pytest.raises(UpgradeError):
        searched(kind, engines, 1)


ORDERS = """
CREATE TABLE orders (customer STRING, price INT, status STRING)
  WITH ('connector' = 'filesystem', 'path' = 'orders', 'format' = 'json');
CREATE TABLE totals (customer STRING, total INT, PRIMARY KEY (customer) NOT ENFORCED) WITH ('connector' = 'print');
INSERT INTO totals SELECT customer, SUM(price) FROM orders GROUP BY customer;
"""


def example_of(folder: Path, old: str, new: str, engines: Engines, tries: int = 10) -> tuple[str, Search]:
    """The text of the example, after it passed as a test; and the search."""
    names = Names(str(folder / "old.sql"), str(folder / "new.sql"))
    plans = []
    for name, text in ((names.old, old), (names.new, new)):
        Path(name).write_text(text)
        plans.append(TableEnvironment().compile_script(text))
    outcome = search(*plans, engines, 30, tries)
    if outcome.example is None:
        return "", outcome
    failure = outcome.example.result(names, engines).failure
    assert failure is None, failure_text(failure)
    return outcome.example.text(names), outcome


def test_an_example_is_a_test_that_passes(engines: Engines, tmp_path: Path) -> None:
    new = ORDERS.replace("FROM orders", "FROM orders WHERE status <> 'closed'")
    text, _ = example_of(tmp_path, ORDERS, new, engines)
    assert "{customer: a, price: 1" in text
    assert "verdict: partially compatible}" in text and "#   totals: + {customer: a, total: 1}\n" in text


def test_tables_and_columns_that_change(engines: Engines, tmp_path: Path) -> None:
    """Rows have the names, columns and types that the program of their run declares."""
    old = ORDERS.replace("price INT", "price DECIMAL(4, 1), small TINYINT")
    old = old.replace("SUM(price)", "SUM(small)").replace("GROUP", "WHERE price > 99.95 AND small < 1000 GROUP")
    new = old.replace("price > 99.95", "price > 10").replace("orders", "sales").replace("'sales'", "'orders'")
    text, _ = example_of(tmp_path, old, new.replace("price DECIMAL", "note STRING, price DECIMAL"), engines)
    before, _, after = text.partition("upgrade")
    assert "sales:" not in before and ("orders:" in before or "sales:" in after)
    assert "note: " not in before


def test_values_of_nested_columns(engines: Engines, tmp_path: Path) -> None:
    old = ORDERS.replace("customer STRING, price INT, status STRING", "item ROW<customer STRING, price INT>")
    old = old.replace("SELECT customer, SUM(price)", "SELECT item.customer, SUM(item.price)")
    old = old.replace("GROUP BY customer", "WHERE item.customer IS NOT NULL GROUP BY item.customer")
    text, _ = example_of(tmp_path, old, old.replace("IS NOT NULL", "<> 'b'"), engines)
    assert "- {item: {customer: b, price: 2}}\n" in text


def test_an_input_that_ends_a_program_is_no_example(engines: Engines, tmp_path: Path) -> None:
    division = ORDERS.replace("SUM(price)", "SUM(12 / (price - 1))")
    _, outcome = example_of(tmp_path, division, division, engines)
    assert outcome.example is None and outcome.failed > 0 and outcome.compared + outcome.failed == 10
