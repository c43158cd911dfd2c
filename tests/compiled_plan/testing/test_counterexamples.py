"""Counterexamples: each part of a change that is not fully compatible has a small one, the others have none."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.execution.stages.prepared import PreparedPlan
from compiled_plan.plans.execution.state.upgrade.refusing import UpgradeError
from compiled_plan.plans.execution.testing import quick
from compiled_plan.plans.execution.testing.engine import Engines
from compiled_plan.plans.execution.testing.sessions import engines_of
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from compiled_plan.testing.counterexamples import Search, search
from compiled_plan.testing.example_files import Names, example_file, label, result_of
from compiled_plan.testing.reporting import failure_text
from tests.upgrades.kinds import KINDS
from tests.upgrades.kinds.model import Kind
from tests.upgrades.programs import compiled

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Kinds whose refusal concerns a table or the whole program: no option starts them.
_NEVER = ("another-path",)
_PLAIN = [kind for kind in KINDS if not kind.needs_query and kind.name not in _NEVER]


@pytest.fixture
def engines(spark: SparkSession) -> Engines:
    return engines_of(spark)


def searched(kind: Kind, engines: Engines, tries: int) -> Search:
    old, new = (compiled(kind, is_new, Path("/data")) for is_new in (False, True))
    return search(old, new, engines, 30, tries, 120)


@pytest.mark.sampled(30)
@pytest.mark.parametrize("kind", _PLAIN, ids=lambda kind: kind.name)
def test_the_parts_that_are_not_fully_compatible_have_small_examples(kind: Kind, engines: Engines) -> None:
    outcome = searched(kind, engines, 12)
    assert outcome.missing == ()
    parts = [watch.part for example in outcome.examples for watch in example.parts]
    assert [label(part) for part in parts if part.verdict is Verdict.FULL] == []
    assert all(len(example.outcome.input) <= 5 for example in outcome.examples)
    assert outcome.compared >= 6 and outcome.compared + outcome.failed >= 12


@pytest.mark.parametrize("name", _NEVER)
def test_a_change_that_no_option_starts_has_no_example(name: str, engines: Engines) -> None:
    kind = next(kind for kind in KINDS if kind.name == name)
    with pytest.raises(UpgradeError):
        searched(kind, engines, 1)


ORDERS = """
CREATE TABLE orders (customer STRING, price INT, status STRING)
  WITH ('connector' = 'filesystem', 'path' = 'orders', 'format' = 'json');
CREATE TABLE totals (customer STRING, total INT, PRIMARY KEY (customer) NOT ENFORCED) WITH ('connector' = 'print');
INSERT INTO totals SELECT customer, SUM(price) FROM orders GROUP BY customer;
"""


def example_of(folder: Path, old: str, new: str, engines: Engines, tries: int = 10) -> tuple[str, Search]:
    """The texts of the examples, after they passed as tests; and the search."""
    names = Names(str(folder / "old.sql"), str(folder / "new.sql"))
    plans = []
    for name, text in ((names.old, old), (names.new, new)):
        Path(name).write_text(text)
        plans.append(TableEnvironment().compile_script(text))
    outcome = search(plans[0], plans[1], engines, 30, tries, 120)
    texts = []
    for example in outcome.examples:
        failure = result_of(example, names, engines).failure
        assert failure is None, failure_text(failure)
        texts.append(example_file(example, names))
    return "\n".join(texts), outcome


def test_an_example_is_a_test_that_passes(engines: Engines, tmp_path: Path) -> None:
    new = ORDERS.replace("FROM orders", "FROM orders WHERE status <> 'closed'")
    text, _ = example_of(tmp_path, ORDERS, new, engines)
    assert "{customer: a, price: 1" in text
    assert "verdict: partially compatible}" in text and "#   totals: + {customer: a, total: 2}\n" in text
    assert "(SUM(price) by customer, of orders), partially compatible, from the change on:\n#   - +I {" in text


def test_each_operator_has_its_example(engines: Engines, tmp_path: Path) -> None:
    """The example of an operator is none of an operator upstream."""
    inner = "(SELECT customer, status, MAX(price) AS price FROM orders GROUP BY customer, status)"
    old = ORDERS.replace("FROM orders", f"FROM {inner}")
    _, outcome = example_of(tmp_path, old, old.replace("MAX", "MIN"), engines, 30)
    differing = {
        label(part.part): (part.nodes[1], [*example.outcome.operators])
        for example in outcome.examples
        for part in example.parts
    }
    sink, *operators = sorted(differing, key=lambda name: name != "sink totals")
    assert sink == "sink totals" and len(operators) == 2
    # The outer operator is the one with the higher number.
    outer, others = max(differing[name] for name in operators)
    assert others == [outer]


def test_an_operator_whose_state_cannot_be_read_starts_empty(engines: Engines, tmp_path: Path) -> None:
    text, outcome = example_of(
        tmp_path,
        ORDERS,
        ORDERS.replace("customer, SUM", "status, SUM").replace("GROUP BY customer", "GROUP BY status"),
        engines,
    )
    assert "verdict: incompatible, reset: [group-aggregate-orders-" in text
    assert outcome.missing == () and ", incompatible, from the change on:" in text


def test_both_runs_share_the_query_of_the_new_program(engines: Engines, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lowering a plan takes most of the time of a search; an operator that starts empty keeps its old uid."""
    lowered, lower = list[PreparedPlan](), quick._lower

    def seen(spark: SparkSession, prepared: PreparedPlan, *, bounded: bool, watched: bool) -> quick._Lowered:
        lowered.append(prepared)
        return lower(spark, prepared, bounded=bounded, watched=watched)

    monkeypatch.setattr(quick, "_lower", seen)
    new = ORDERS.replace("customer, SUM", "status, SUM").replace("GROUP BY customer", "GROUP BY status")
    plans = [TableEnvironment().compile_script(text.replace("orders", "sales")) for text in (ORDERS, new)]
    assert search(plans[0], plans[1], engines, 30, 4).examples and len(lowered) == 2


def test_tables_and_columns_that_change(engines: Engines, tmp_path: Path) -> None:
    """Rows have the names, columns and types that the program of their run declares."""
    old = ORDERS.replace("price INT", "price DECIMAL(4, 1), small TINYINT")
    old = old.replace("SUM(price)", "SUM(small)").replace("GROUP", "WHERE price > 99.95 AND small < 1000 GROUP")
    new = old.replace("price > 99.95", "price > 10").replace("orders", "sales").replace("'sales'", "'orders'")
    text, _ = example_of(tmp_path, old, new.replace("price DECIMAL", "note STRING, price DECIMAL"), engines)
    before, _, after = text.partition("upgrade")
    assert "sales:" not in before and ("orders:" in before or "sales:" in after)
    assert "note: " not in before


MATCHES = """
CREATE TABLE prices (symbol STRING, price INT, volume INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
  WITH ('connector' = 'filesystem', 'path' = 'prices', 'format' = 'json');
CREATE TABLE dips (symbol STRING, low INT) WITH ('connector' = 'print');
INSERT INTO dips SELECT symbol, low FROM (SELECT * FROM prices WHERE volume > 1000) MATCH_RECOGNIZE (
  PARTITION BY symbol ORDER BY ts MEASURES B.price AS low AFTER MATCH SKIP PAST LAST ROW
  PATTERN (A B{1,2} C) DEFINE B AS B.price < A.price, C AS C.price > A.price);
"""


def test_the_change_is_amid_a_match(engines: Engines, tmp_path: Path) -> None:
    """No match is lost unless the program changes between its rows."""
    text, outcome = example_of(tmp_path, MATCHES, MATCHES.replace("{1,2}", "{1,3}"), engines, 30)
    assert outcome.missing == () and [len(example.outcome.input) for example in outcome.examples] == [3]
    assert "verdict: incompatible, reset: [match-prices-" in text


def test_values_of_nested_columns(engines: Engines, tmp_path: Path) -> None:
    old = ORDERS.replace("customer STRING, price INT, status STRING", "item ROW<customer STRING, price INT>")
    old = old.replace("SELECT customer, SUM(price)", "SELECT item.customer, SUM(item.price)")
    old = old.replace("GROUP BY customer", "WHERE item.customer IS NOT NULL GROUP BY item.customer")
    text, _ = example_of(tmp_path, old, old.replace("IS NOT NULL", "<> 'b'"), engines)
    assert "- {item: {customer: b, price: 2}}\n" in text


def test_an_input_that_ends_a_program_is_no_example(engines: Engines, tmp_path: Path) -> None:
    division = ORDERS.replace("SUM(price)", "SUM(12 / (price - 1))")
    _, outcome = example_of(tmp_path, division, division, engines)
    assert not outcome.examples and outcome.failed > 0 and outcome.compared + outcome.failed == 10


def changed(old: str, new: str, engines: Engines) -> Search:
    """The search over a program with a statement changed."""
    plans = [TableEnvironment().compile_script(CLICKS + text) for text in (old, new)]
    return search(plans[0], plans[1], engines, 30, 12, 36)


CLICKS = """
CREATE TABLE clicks (shop STRING, price INT, pieces INT, at1 TIMESTAMP(3), WATERMARK FOR at1 AS at1)
  WITH ('connector' = 'filesystem', 'path' = 'clicks', 'format' = 'json');
CREATE TABLE visits (shop STRING, at1 TIMESTAMP(3), WATERMARK FOR at1 AS at1)
  WITH ('connector' = 'filesystem', 'path' = 'visits', 'format' = 'json');
CREATE TABLE a (shop STRING, n BIGINT, m BIGINT) WITH ('connector' = 'print');
CREATE TABLE b (shop STRING, n BIGINT) WITH ('connector' = 'print');
"""


def test_a_null_of_rows_that_do_not_change_again(engines: Engines) -> None:
    count = "INSERT INTO a SELECT shop, COUNT(price), SUM(pieces) FROM clicks WHERE pieces > 30 GROUP BY shop;"
    join = "INSERT INTO b SELECT c.shop, 1 FROM clicks AS c JOIN visits AS v ON c.shop = v.shop;"
    old = f"EXECUTE STATEMENT SET BEGIN {count} {join} END;"
    outcome = changed(old, old.replace("COUNT(price)", "COUNT(*)"), engines)
    assert outcome.missing == () and [len(example.outcome.input) for example in outcome.examples] == [1]


def test_the_order_of_rows_of_one_time_that_pass_a_filter(engines: Engines) -> None:
    """Rows of one time are out of order in few inputs: the watermark follows each row of a later time."""
    old = "INSERT INTO a SELECT shop, pieces, price FROM clicks WHERE pieces > 50 ORDER BY at1, pieces DESC;"
    outcome = changed(old, old.replace(", pieces DESC", ""), engines)
    assert outcome.missing == () and len(outcome.examples) == 1


@pytest.mark.parametrize("old", [0, 1], ids=["removed", "added"])
def test_a_statement_that_holds_the_watermark_back(old: int, engines: Engines) -> None:
    """Rows that are late because of a table that one program alone reads do not depend on the state."""
    sort = "INSERT INTO a SELECT shop, pieces, price FROM clicks ORDER BY at1;"
    join = "INSERT INTO b SELECT c.shop, 1 FROM clicks AS c JOIN visits AS v ON c.shop = v.shop AND c.at1 = v.at1;"
    texts = f"EXECUTE STATEMENT SET BEGIN {sort} {join} END;", sort
    outcome = changed(texts[old], texts[not old], engines)
    parts = [watch.part for example in outcome.examples for watch in example.parts]
    assert [label(part) for part in parts if part.verdict is Verdict.FULL] == []
