"""Programs without changes that affect state continue; settings of a program are compared, too."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.execution.session.partitions import ASKED
from compiled_plan.plans.nodes.base import StateEntry
from compiled_plan.plans.plan import CompiledPlan
from tests.plans.execution.state.checkpoint.places import Place, table
from tests.support.checkpoints import without_digests

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SALES = "shop STRING, price INT, pieces INT"
SHOPS = "shop STRING, rent INT"
SINKS = "".join(table(name, "k STRING, n BIGINT", "debezium-json") for name in ("prices", "counts", "rents"))
TABLES = table("sales", SALES) + table("shops", SHOPS) + SINKS
PRICES = "INSERT INTO prices SELECT shop, SUM(price) FROM sales GROUP BY shop"
COUNTS = "INSERT INTO counts SELECT shop, SUM(pieces) FROM sales GROUP BY shop"
RENTS = (
    "INSERT INTO rents SELECT k, SUM(n) FROM (SELECT s.shop AS k, h.rent AS n FROM sales AS s JOIN shops AS h "
    "ON s.shop = h.shop UNION ALL SELECT * FROM (VALUES ('x', 1000)) AS v (k, n)) GROUP BY k"
)


def together(*statements: str) -> str:
    return f"EXECUTE STATEMENT SET BEGIN {' '.join(f'{statement};' for statement in statements)} END"


def renumbered(plan: CompiledPlan) -> CompiledPlan:
    """Other ids and descriptions, the nodes in reverse order, and no uids."""
    data = json.loads(plan.to_json())
    for node in data["nodes"]:
        node["id"], node["description"] = 1000 - node["id"], "another"
        node.pop("uid", None)
    for edge in data["edges"]:
        edge["source"], edge["target"] = 1000 - edge["source"], 1000 - edge["target"]
    data["nodes"].reverse()
    return CompiledPlan.from_dict(data)


@pytest.fixture
def place(spark: SparkSession, tmp_path: Path) -> Place:
    place = Place(spark, tmp_path)
    sales = [{"shop": "x", "price": 3, "pieces": 10}, {"shop": "y", "price": 5, "pieces": 20}]
    place.add({"sales": sales, "shops": [{"shop": "x", "rent": 7}]})
    return place


def more(place: Place) -> None:
    place.add({"sales": [{"shop": "x", "price": 100, "pieces": 1000}], "shops": [{"shop": "y", "rent": 9}]})


@pytest.mark.wide
def test_changes_without_effect_on_state_continue(place: Place) -> None:
    """Swapped statements, renamed tables and columns, a view, ids, descriptions, a TTL, monitoring, two phases."""
    place.run(place.compiled(TABLES, together(PRICES, COUNTS, RENTS)))
    more(place)
    monitored = ", 'source.monitor-interval' = '1 s'"
    # The tables' names are in another order than their paths.
    tables = table("sales", SALES, more=monitored).replace("TABLE sales", "TABLE a_sales")
    tables = table("shops", SHOPS).replace("TABLE shops", "TABLE z_shops") + tables + SINKS
    tables += "CREATE VIEW sold AS SELECT pieces AS p, shop AS who FROM a_sales;\n"
    tables += (
        "SET 'table.exec.mini-batch.enabled' = 'true'; SET 'table.exec.mini-batch.allow-latency' = '1 s'; "
        "SET 'table.exec.mini-batch.size' = '10'; SET 'table.exec.state.ttl' = '1 d';\n"
    )
    counts = "INSERT INTO counts (n, k) SELECT SUM(p) AS all_of_it, who FROM sold GROUP BY who"
    prices, rents = (
        statement.replace("FROM sales", "FROM a_sales").replace("JOIN shops", "JOIN z_shops")
        for statement in (PRICES, RENTS)
    )
    plan = renumbered(place.compiled(tables, together(rents, counts, prices)))
    place.run(plan)
    assert place.rows("prices") == [("x", 103), ("y", 5)]
    assert place.rows("counts") == [("x", 1010), ("y", 20)]
    assert place.rows("rents") == [("x", 1014), ("y", 9)]


def with_uids(plan: CompiledPlan, *uids: str) -> CompiledPlan:
    """User-defined uids, in the order of the plan."""
    new_uids = iter(uids)
    nodes = [node.model_copy(update={"uid": next(new_uids)}) if node.uid else node for node in plan.nodes]
    return plan.with_nodes(nodes)


@pytest.mark.deep
def test_state_that_goes_by_the_order_of_statements_would_be_swapped(place: Place) -> None:
    place.run(with_uids(place.compiled(TABLES, together(PRICES, COUNTS)), "first", "second"))
    more(place)
    swapped = with_uids(place.compiled(TABLES, together(COUNTS, PRICES)), "first", "second")
    said = place.refusal(swapped)
    assert "operator first (SUM(pieces) by shop, of sales), aggregates: checkpoint has SUM(sales.price), " in said
    assert "operator second (SUM(price) by shop, of sales), aggregates: checkpoint has SUM(sales.pieces), " in said
    place.run(swapped, guarded=False)
    assert ("x", 1003) in place.rows("counts"), "pieces on top of prices"
    assert ("x", 1010) not in place.rows("counts")


KEYED = "k STRING, n INT, PRIMARY KEY ({}) NOT ENFORCED"
TOTALS = "SELECT shop, SUM(price) FROM timed GROUP BY shop"
TIMED = TABLES + table("timed", f"{SALES}, at1 TIMESTAMP(3), WATERMARK FOR at1 AS at1")


@pytest.mark.deep
def test_the_primary_key_of_a_sink_is_compared(place: Place) -> None:
    def keyed_by(key: str) -> CompiledPlan:
        """An upsert sink with a primary key that is not the query's, which exposes its input."""
        sink = table("up", KEYED.replace("({})", f"({key})"), "debezium-json")
        plan = place.compiled(TIMED + sink, f"INSERT INTO up {TOTALS}")
        (writer,) = plan.sinks
        entry = StateEntry(index=0, ttl="0 ms", name="sinkMaterializeState")
        keeping = {"require_upsert_materialize": True, "input_upsert_key": (0,), "state": (entry,), "uid": None}
        return plan.with_nodes([n.model_copy(update=keeping) if n.id == writer.id else n for n in plan.nodes])

    place.add({"timed": [{"shop": "x", "price": 3}, {"shop": "y", "price": 3}]})
    place.run(keyed_by("n"))
    place.add({"timed": [{"shop": "y", "price": 100}]})
    assert "primary key: checkpoint has n, plan has k" in place.refusal(keyed_by("k"))
    place.run(keyed_by("k"), guarded=False)
    assert place.rows("up") == [("x", 3), ("y", 103), ("y", 3)], "two rows of one key"


@pytest.mark.deep
def test_the_conflict_strategy_of_a_sink_is_compared(place: Place) -> None:
    def program(strategy: str) -> CompiledPlan:
        sink = f"CREATE TABLE up ({KEYED.replace('({})', '(n)')}) WITH ('connector' = 'blackhole');\n"
        return place.compiled(TIMED + sink, f"INSERT INTO up {TOTALS} ON CONFLICT DO {strategy}")

    place.add({"timed": [{"shop": "x", "price": 3, "at1": "2024-01-01 00:00:00"}]})
    place.run(program("NOTHING"))
    said = place.refusal(program("ERROR"))
    assert "conflict strategy: checkpoint has ON CONFLICT DO NOTHING, plan has ON CONFLICT DO ERROR" in said
    said = place.refusal(program("DEDUPLICATE"))
    assert "operator: checkpoint has sink-compactor, plan has sink-upsert-materializer" in said
    # Their states have different formats, which would distinguish them if nothing else did.
    with pytest.raises(CheckpointError, match="state sink-compactor 1, this release has sink-upsert-materializer 1"):
        place.run(program("DEDUPLICATE"), guarded=False)


FUNCTION = '''
"""Prices."""
from compiled_plan.plans.functions import ScalarFunction

RATE = {rate}


class Taxed(ScalarFunction):
    def eval(self, price: int | None) -> int | None:
        {comment}
        return None if price is None else price * RATE
'''


def taxed(place: Place, rate: int, comment: str) -> CompiledPlan:
    module = place.folder / "taxes_of_test.py"
    module.write_text(FUNCTION.format(rate=rate, comment=comment))
    sys.modules.pop("taxes_of_test", None)
    importlib.invalidate_caches()
    env = TableEnvironment()
    env.create_temporary_function("taxed", importlib.import_module("taxes_of_test").Taxed)
    query = "INSERT INTO prices SELECT shop, SUM(taxed(price)) FROM sales GROUP BY shop;"
    return env.compile_script((TABLES + query).replace("{folder}", str(place.folder)))


@pytest.mark.wide
def test_the_code_of_a_function_is_compared(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(place.folder))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    place.run(taxed(place, 1, "# As it is."))
    more(place)
    said = place.refusal(taxed(place, 2, "# As it is."))
    assert "code of taxes_of_test.Taxed: checkpoint has code " in said
    place.run(taxed(place, 2, "# As it is."), guarded=False)
    assert place.rows("prices") == [("x", 203), ("y", 5)], "right would be 206 and 10"


SUMMED = '''
"""Sums."""
from compiled_plan.plans.functions import AggregateFunction


class Total(AggregateFunction[int, {type}]):
    def create_accumulator(self) -> {type}:
        return [{type}(0)][0]

    def accumulate(self, accumulator: {type}, price: int | None) -> {type}:
        return accumulator + {type}(price or 0)

    def get_value(self, accumulator: {type}) -> int:
        return int(accumulator)
'''


@pytest.mark.wide
def test_the_type_of_an_accumulator_is_compared(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(place.folder))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def program(type_: str) -> CompiledPlan:
        (place.folder / "sums_of_test.py").write_text(SUMMED.format(type=type_))
        sys.modules.pop("sums_of_test", None)
        importlib.invalidate_caches()
        env = TableEnvironment()
        env.create_temporary_function("total", importlib.import_module("sums_of_test").Total)
        query = "INSERT INTO prices SELECT shop, total(price) FROM sales GROUP BY shop;"
        return env.compile_script((TABLES + query).replace("{folder}", str(place.folder)))

    place.run(program("int"))
    more(place)
    said = place.refusal(program("float"))
    assert "accumulator of sums_of_test.Total: checkpoint has BIGINT NOT NULL, plan has DOUBLE NOT NULL" in said
    assert "keep the accumulator type BIGINT NOT NULL" in said
    place.run(program("int"))
    assert place.rows("prices") == [("x", 103), ("y", 5)]


def resumes(place: Place, plan: CompiledPlan) -> bool:
    return Run(place.spark, plan, RunOptions(checkpoint=str(place.checkpoint))).resumes


@pytest.mark.wide
def test_settings_of_a_plan_are_compared(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = place.compiled(TABLES, PRICES)
    place.run(plan)
    description = place.checkpoint / "generations/1/compiled-plan/programs/1/description.json"
    written = description.read_text()
    without_digests(place.checkpoint)

    def said(**changed: Any) -> str:
        document = json.loads(written)
        document["versions"] |= changed.pop("versions", {})
        description.write_text(json.dumps(document | changed))
        return place.refusal(plan)

    assert "the checkpoint has format 1" in said(format=1)
    assert "Spark: checkpoint has version 99.1.0, plan has version" in said(versions={"spark": "99.1.0"})
    description.write_text(written)
    states = description.with_name("state.json")
    states_text = states.read_text()
    (uid,) = json.loads(states_text)
    states.write_text(states_text.replace('"version": ', '"version": 9'))
    before = {path: path.read_bytes() for path in place.folder.rglob("*") if path.is_file()}
    with pytest.raises(CheckpointError, match=f"operator {uid}: checkpoint has state group-aggregate 9"):
        place.run(plan)
    assert {path: path.read_bytes() for path in place.folder.rglob("*") if path.is_file()} == before
    states.write_text(states_text)
    partitions = json.loads(written)["partitions"]
    place.spark.conf.set(ASKED, str(partitions + 3))
    try:
        assert place.started(plan).start.migrates
        place.spark.conf.set(ASKED, str(partitions))
        assert resumes(place, plan)
    finally:
        place.spark.conf.unset(ASKED)
