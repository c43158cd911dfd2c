"""Shadow runs: a changed program beside the one in force, over the same rows."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan.plans.errors import CheckpointError, UnsupportedError
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.execution.shadow.report import Outcome, ShadowReport
from compiled_plan.plans.execution.shadow.rounds import Limits
from compiled_plan.plans.execution.shadow.shadow import shadow
from compiled_plan.plans.execution.spark.storage import LocalFolder
from compiled_plan.plans.execution.state.checkpoint.store import Store
from compiled_plan.plans.plan import CompiledPlan
from tests.plans.execution.state.checkpoint.places import Place, table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TABLES = table("sales", "shop STRING, price INT, pieces INT") + (
    "CREATE TABLE totals (shop STRING, total BIGINT, pieces BIGINT, PRIMARY KEY (shop) NOT ENFORCED) "
    "WITH ('connector' = 'filesystem', 'path' = '{folder}/totals', 'format' = 'debezium-json');\n"
    "CREATE TABLE sold (shop STRING, price INT) "
    "WITH ('connector' = 'filesystem', 'path' = '{folder}/sold', 'format' = 'json');\n"
)
TOTALS = "INSERT INTO totals SELECT shop, SUM(price), SUM(pieces) FROM sales GROUP BY shop"
SOLD = "INSERT INTO sold SELECT shop, price FROM sales WHERE price > 2"


def together(*statements: str) -> str:
    """One program of several statements."""
    return f"EXECUTE STATEMENT SET BEGIN {'; '.join(statements)}; END"


@pytest.fixture
def place(spark: SparkSession, tmp_path: Path) -> Place:
    place = Place(spark, tmp_path)
    place.add({"sales": [sale("x", 3, 10), sale("y", 5, 20)]})
    return place


def sale(shop: str, price: int, pieces: int = 1) -> dict[str, Any]:
    return {"shop": shop, "price": price, "pieces": pieces}


def shadowed(
    place: Place,
    new: CompiledPlan,
    limits: Limits | None = None,
    report: Callable[[ShadowReport], None] = lambda _: None,
    **options: Any,
) -> ShadowReport:
    """A shadow run, after which the checkpoint and the tables are as before."""
    before = digests(place.folder)
    result = shadow(
        place.spark, new, RunOptions(checkpoint=str(place.checkpoint), **options), limits or Limits(), report
    )
    if limits is None:
        assert digests(place.folder) == before
    return result


def digests(folder: Path) -> dict[Path, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_the_same_program_is_equal(place: Place) -> None:
    plan = place.compiled(TABLES, TOTALS)
    place.run(plan)
    place.add({"sales": [sale("x", 1), sale("z", 9)]})
    report = shadowed(place, plan)
    assert (report.outcome, report.rows_in, report.batch) == (Outcome.EQUAL, 2, 0)
    (rows,) = report.tables
    assert (rows.key, rows.equal, rows.keys) == (("shop",), 2, 2)


def test_a_changed_filter_is_named_and_shown_by_key(place: Place) -> None:
    old, new = (place.compiled(TABLES, TOTALS.replace("GROUP", f"{where} GROUP")) for where in ("", "WHERE price > 2"))
    place.run(old)
    place.add({"sales": [sale("x", 1), sale("y", 3), sale("z", 1)]})
    report = shadowed(place, new)
    assert report.outcome is Outcome.NAMED
    (rows,) = report.tables
    assert (rows.equal, rows.other_values, rows.only_old, rows.only_new) == (1, 0, 2, 0)
    assert [(one.case, one.key, one.old, one.new) for one in rows.examples] == [
        ("old", '{"shop":"x"}', '{"total":4,"pieces":11}', None),
        ("old", '{"shop":"z"}', '{"total":1,"pieces":1}', None),
    ]


@pytest.mark.wide
def test_a_changed_column_counts_by_column(place: Place) -> None:
    old, new = (place.compiled(TABLES, TOTALS.replace("SUM(pieces)", call)) for call in ("SUM(pieces)", "MAX(pieces)"))
    place.run(old)
    place.add({"sales": [sale("x", 1), sale("z", 1)]})
    (rows,) = shadowed(place, new).tables
    assert (rows.outcome, rows.equal, rows.other_values, rows.columns) == (Outcome.NAMED, 1, 1, {"pieces": 1})


@pytest.mark.wide
def test_rows_without_a_key_are_counted(place: Place) -> None:
    old, new = (place.compiled(TABLES, SOLD.replace("> 2", than)) for than in ("> 2", "> 3"))
    place.run(old)
    place.add({"sales": [sale("x", 3), sale("x", 3), sale("z", 4)]})
    report = shadowed(place, new)
    (rows,) = report.tables
    assert (report.outcome, rows.key, rows.equal, rows.only_old) == (Outcome.NAMED, (), 1, 1)
    assert rows.examples[0].text == '{"shop":"x","price":3}: old 2, new no row'


def test_rounds_follow_new_rows_up_to_the_limit(place: Place) -> None:
    old, new = (place.compiled(TABLES, TOTALS.replace("GROUP", f"{where} GROUP")) for where in ("", "WHERE price > 2"))
    place.run(old)

    def add(report: ShadowReport) -> None:
        if report.rounds < 4:
            place.add({"sales": [sale("y", 1), sale(f"s{report.rounds}", 3)]})

    report = shadowed(place, new, Limits(rows=6, seconds=120), add)
    assert report.rows_in == 6
    (rows,) = report.tables
    assert (rows.equal, rows.only_old, rows.keys) == (3, 1, 4)
    # The old run goes on with all of these rows, each once.
    place.run(old)
    assert place.rows("totals") == [("s1", 3, 1), ("s2", 3, 1), ("s3", 3, 1), ("x", 3, 10), ("y", 8, 23)]


@pytest.mark.wide
def test_a_table_that_the_new_program_adds_is_read_too(place: Place) -> None:
    tables = TABLES + table("shops", "shop STRING, rent INT")
    old = place.compiled(tables, TOTALS)
    new = place.compiled(
        tables,
        TOTALS.replace("FROM sales", "FROM (SELECT * FROM sales UNION ALL SELECT shop, rent, 0 FROM shops) AS s"),
    )
    place.run(old)
    place.add({"sales": [sale("x", 1)], "shops": [{"shop": "x", "rent": 100}, {"shop": "z", "rent": 2}]})
    (rows,) = shadowed(place, new).tables
    assert (rows.other_values, rows.only_new) == (1, 1)


def test_programs_that_cannot_read_the_same_rows_are_refused(place: Place) -> None:
    tables = (
        TABLES
        + table("shops", "shop STRING, price INT, pieces INT")
        + table("more", "shop STRING, price INT, pieces INT")
    )
    union = TOTALS.replace("FROM sales", "FROM (SELECT * FROM sales UNION ALL SELECT * FROM shops) AS s")
    place.add({"shops": [sale("x", 1)], "more": [sale("x", 1)]})
    place.run(place.compiled(tables, union))
    with pytest.raises(UnsupportedError, match="the old one alone reads shops, the new one more"):
        shadowed(place, place.compiled(tables, union.replace("shops", "more")))


def test_a_start_that_is_refused_is_refused_here(place: Place) -> None:
    plan = place.compiled(TABLES, TOTALS)
    with pytest.raises(CheckpointError, match="the checkpoint is not there"):
        shadowed(place, plan)


@pytest.mark.wide
def test_a_row_that_one_program_alone_deletes_is_in_the_other_one(place: Place) -> None:
    tables = TABLES + table("stock", "shop STRING, price INT", "debezium-json")
    program = "INSERT INTO totals SELECT shop, SUM(price), 0 FROM stock {} GROUP BY shop"
    old, new = (place.compiled(tables, program.format(where)) for where in ("", "WHERE price > 1"))
    row = {"shop": "x", "price": 1}
    place.add({"stock": [{"before": None, "after": row, "op": "c"}]})
    place.run(old)
    place.add({"stock": [{"before": row, "after": None, "op": "d"}]})
    (rows,) = shadowed(place, new).tables
    assert (rows.only_old, rows.only_new, rows.keys) == (0, 1, 1)


@pytest.mark.wide
def test_an_operator_is_filled_from_history_first(place: Place) -> None:
    old, new = (place.compiled(TABLES, TOTALS.replace("SUM(pieces)", call)) for call in ("SUM(pieces)", "MAX(pieces)"))
    place.run(old)
    store = Store(LocalFolder(place.checkpoint))
    head = store.head()
    assert head is not None
    operators = json.loads(store.program(head).description)["operators"]
    (uid,) = (operator["uid"] for operator in operators if operator["uid"].startswith("group-aggregate"))
    place.add({"sales": [sale("x", 1), sale("y", 2, 30)]})
    report = shadowed(place, new, reset=(uid,), warm_up=(uid,))
    # Without its history, the maximum of x would be 1.
    assert [(one.key, one.new) for one in report.tables[0].examples] == [
        ('{"shop":"x"}', '{"total":4,"pieces":10}'),
        ('{"shop":"y"}', '{"total":7,"pieces":30}'),
    ]


@pytest.mark.wide
def test_a_copy_of_an_upgraded_checkpoint_has_no_whole_log_either(place: Place) -> None:
    """Filling from history then needs watermarks that are no longer logged: the shadow says so, like the start."""
    timed = "shop STRING, at1 TIMESTAMP(3), n INT, WATERMARK FOR at1 AS at1"
    tables = table("orders", timed) + table("visits", timed) + table("counts", "shop STRING, n INT", "debezium-json")
    query = """INSERT INTO counts SELECT o.shop, {}(v.n) FROM orders AS o JOIN visits AS v ON o.shop = v.shop
    AND v.at1 BETWEEN o.at1 - INTERVAL '1' HOUR AND o.at1 GROUP BY o.shop"""
    row = {"shop": "x", "at1": "2026-01-01 00:00:00", "n": 1}
    place.add({"orders": [row], "visits": [row]})
    first, second, third = (place.compiled(tables, query.format(call)) for call in ("SUM", "MAX", "MIN"))
    place.run(first)
    place.run(second, upgrade="migrate-partial")
    place.add({"orders": [row], "visits": [row]})
    place.run(second)
    operators = json.loads(Store(LocalFolder(place.checkpoint)).program_in_force().description)["operators"]
    uids = (operator["uid"] for operator in operators)
    reset = tuple(uid for uid in uids if uid.startswith(("interval-join", "group-aggregate")))
    options: dict[str, Any] = {"upgrade": "migrate-partial", "warm_up": ("all",), "reset": reset}
    with pytest.raises(CheckpointError, match="how far each was read at which time") as start:
        place.started(third, **options)
    with pytest.raises(CheckpointError) as refused:
        shadow(place.spark, third, RunOptions(checkpoint=str(place.checkpoint), **options), Limits())
    assert refused.value.message == start.value.message
