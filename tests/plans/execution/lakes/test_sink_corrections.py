"""Correcting upgrades of tables of lakes: read back at their current version, the difference is one commit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan.plans.execution.lakes.sink import LakeSink
from compiled_plan.plans.execution.state.upgrade import corrections
from compiled_plan.plans.execution.state.upgrade.corrections import Correction
from compiled_plan.plans.plan import CompiledPlan
from tests.plans.execution.shadow.test_promoting import promoted
from tests.plans.execution.state.checkpoint.places import Place, table
from tests.support.lakes import IcebergCatalog, delta, needs_delta, needs_iceberg, rows_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.usefixtures("lakes")
SALES = table("sales", "shop STRING, price INT, status STRING")
COLUMNS = "shop STRING, total BIGINT, tags MAP<STRING, INT>, PRIMARY KEY (shop) NOT ENFORCED"
TOTALS = "INSERT INTO totals SELECT shop, SUM(price), MAP['n', CAST(COUNT(*) AS INT)] FROM sales GROUP BY shop"
PAID = TOTALS.replace("GROUP", "WHERE status = 'paid' GROUP")


@pytest.fixture
def place(spark: SparkSession, tmp_path: Path) -> Place:
    place = Place(spark, tmp_path)
    place.add({"sales": [sale("x", 3), sale("y", 5, "open"), sale("z", 7)]})
    return place


def sale(shop: str, price: int, status: str = "paid") -> dict[str, Any]:
    return {"shop": shop, "price": price, "status": status}


def corrected(place: Place, plan: CompiledPlan, **options: Any) -> list[Correction]:
    run, sent = place.started(plan, upgrade="correct", **options), list[Correction]()
    run.start.on_corrected = sent.append
    run.execute()
    return sent


@needs_delta
def test_a_delta_table_gets_one_commit(place: Place) -> None:
    path = place.folder / "totals"
    declared = SALES + delta("totals", COLUMNS, path, sink__create_table="true")
    old, new = (place.compiled(declared, query) for query in (TOTALS, PAID))
    place.run(old)
    place.add({"sales": [sale("x", 4, "open"), sale("z", 1)]})
    place.run(old)
    versions = len(list((path / "_delta_log").glob("*.json")))
    (correction,) = corrected(place, new)
    assert (correction.equal, correction.updated, correction.deleted, correction.inserted) == (1, 1, 1, 0)
    assert rows_of(place.spark, path) == [("x", 3, {"n": 1}), ("z", 8, {"n": 2})]
    log = sorted((path / "_delta_log").glob("*.json"))[versions:]
    (text,) = (file.read_text() for file in log)
    (marker,) = (action["txn"] for line in text.splitlines() if "txn" in (action := json.loads(line)))
    assert marker["version"] == 0
    place.add({"sales": [sale("z", 1)]})
    place.run(new)
    assert rows_of(place.spark, path) == [("x", 3, {"n": 1}), ("z", 9, {"n": 3})]


@needs_delta
def test_a_promotion_tries_its_commit_on_a_copy(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    path, copies, copied = place.folder / "totals", list[LakeSink | None](), LakeSink.copied
    monkeypatch.setattr(LakeSink, "copied", lambda *arguments: copies.append(copied(*arguments)) or copies[-1])
    declared = SALES + delta("totals", COLUMNS, path, sink__create_table="true")
    old, new = (place.compiled(declared, query) for query in (TOTALS, PAID))
    place.run(old)
    before = sorted((path / "_delta_log").iterdir())
    assert promoted(place, new, upgrade="correct").promoted == 2
    assert sorted((path / "_delta_log").iterdir()) == before
    (copy,) = copies
    assert copy is not None and copy.last == 0
    place.run(new)
    assert rows_of(place.spark, path) == [("x", 3, {"n": 1}), ("z", 7, {"n": 1})]


@needs_delta
def test_a_column_that_the_table_does_not_have_yet(place: Place) -> None:
    path, key = place.folder / "totals", "PRIMARY KEY (shop) NOT ENFORCED"
    tables = [
        SALES
        + delta(
            "totals", f"shop STRING, total BIGINT, {more}{key}", path, sink__create_table="true", mergeSchema="true"
        )
        for more in ("", "least INT, ")
    ]
    old = place.compiled(tables[0], "INSERT INTO totals SELECT shop, SUM(price) FROM sales GROUP BY shop")
    place.run(old)
    place.add({"sales": [sale("x", 4, "open")]})
    query = "INSERT INTO totals SELECT shop, SUM(price), MIN(price) FROM sales GROUP BY shop"
    (correction,) = corrected(place, place.compiled(tables[1], query))
    assert (correction.updated, correction.rows) == (3, 3)
    assert rows_of(place.spark, path) == [("x", 7, 3), ("y", 5, 5), ("z", 7, 7)]


@needs_iceberg
def test_an_iceberg_table_gets_one_snapshot(place: Place) -> None:
    catalog = IcebergCatalog(place.spark, place.folder)
    declared = SALES + catalog.declared(COLUMNS, "totals", sink__create_table="true")
    old, new = (place.compiled(declared, query) for query in (TOTALS, PAID))
    place.run(old)
    (correction,) = corrected(place, new)
    assert (correction.equal, correction.deleted, correction.rows) == (2, 1, 1)
    assert catalog.rows("totals") == [("x", 3, {"n": 1}), ("z", 7, {"n": 1})]


@needs_delta
@pytest.mark.wide
def test_a_commit_that_was_not_recorded_is_not_repeated(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process ends between the commit of the table and the record in the checkpoint."""
    path = place.folder / "totals"
    declared = SALES + delta("totals", COLUMNS, path, sink__create_table="true")
    old, new = (place.compiled(declared, query) for query in (TOTALS, PAID))
    place.run(old)
    send = corrections._send

    def ended(*arguments: Any) -> None:
        send(*arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(corrections, "_send", ended)
        with pytest.raises(KeyboardInterrupt):
            corrected(place, new)
    versions = len(list((path / "_delta_log").glob("*.json")))
    (correction,) = corrected(place, new)
    assert (correction.sent, correction.rows) == (True, 1)
    assert len(list((path / "_delta_log").glob("*.json"))) == versions
    assert rows_of(place.spark, path) == [("x", 3, {"n": 1}), ("z", 7, {"n": 1})]
