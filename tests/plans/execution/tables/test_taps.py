"""Rows between the operators of a run, shown while it continues."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import GROUPS, NATIVE, RunOptions
from compiled_plan.plans.execution.stages.envelope import OneRow, Piece
from compiled_plan.plans.execution.stages.tapping import TapProjections
from compiled_plan.plans.functions import ScalarFunction
from compiled_plan.plans.inspection.placement import needs_step
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.types import RowType
from tests.support.files import lines, put, table
from tests.support.topics import Message, Topics

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tools.services.server import Server

MODULE = "tests.plans.execution.tables.test_taps"
KINDS = ("+I", "-U", "+U", "-D")


class Request:
    """A request that keeps the rows it gets."""

    def __init__(self, node: PlanNode, rows: int = 100) -> None:
        self.node, self.rows = node.id, rows
        self.shown: list[tuple[Any, ...]] = []
        self.names: Sequence[str] = ()
        self.fault: Exception | None = None

    @property
    def left(self) -> int:
        return self.rows - len(self.shown)

    def take(self, row_type: RowType, kinds: Sequence[int], columns: Sequence[Sequence[Any]]) -> None:
        self.names = row_type.names
        self.shown += [(KINDS[kind], *row) for kind, *row in zip(kinds, *columns, strict=True)]

    def fail(self, fault: Exception) -> None:
        self.fault = fault


class Taps:
    """Requests by micro-batch; None for none."""

    def __init__(self, requests: Iterable[Request | None]) -> None:
        self._requests = iter(requests)

    def request(self) -> Request | None:
        return next(self._requests, None)


class Twice(ScalarFunction):
    def eval(self, number: int) -> int:
        return 2 * number


def run(spark: SparkSession, plan: CompiledPlan, *requests: Request | None, **options: Any) -> None:
    """Run with one file of each folder per micro-batch."""
    Run(spark, plan, RunOptions(max_files_per_batch=1, **options), tap=Taps(requests)).execute()


def show(spark: SparkSession, plan: CompiledPlan, node: PlanNode, **options: Any) -> list[tuple[Any, ...]]:
    """The rows of a node in all micro-batches."""
    request = Request(node)
    Run(spark, plan, RunOptions(**options), tap=Taps(repeat(request))).execute()
    if request.fault is not None:
        raise request.fault
    return request.shown


def only(plan: CompiledPlan, name: str) -> PlanNode:
    (node,) = (node for node in plan.nodes if name in node.type)
    return node


@pytest.fixture
def joined(tmp_path: Path) -> CompiledPlan:
    """A filter, a join, and an aggregate of its rows in a second stage; six micro-batches."""
    put(tmp_path / "items", "1.json", {"name": "nut", "color": "red"}, {"name": "bolt", "color": "blue"})
    for price in range(2, 8):
        put(tmp_path / "orders", f"{price}.json", {"item": "nut", "price": price}, {"item": "bolt", "price": 1})
        # Files are read in the order of their times.
        os.utime(tmp_path / "orders" / f"{price}.json", (price, price))
    return TableEnvironment().compile_script(
        table(tmp_path, "orders", "item STRING, price INT")
        + table(tmp_path, "items", "name STRING, color STRING")
        + table(tmp_path, "sums", "color STRING, total INT", "debezium-json")
        + "INSERT INTO sums SELECT color, SUM(price * 2) FROM orders JOIN items ON item = name "
        + "WHERE price > 1 GROUP BY color"
    )


@pytest.mark.wide
def test_edges_of_two_stages_one_per_micro_batch(spark: SparkSession, tmp_path: Path, joined: CompiledPlan) -> None:
    join, aggregate = only(joined, "join"), only(joined, "group-aggregate")
    left, right = joined.inputs(join)
    scan = next(node for node in joined.nodes if "orders" in node.description)
    nodes = (right, None, scan, left, join, aggregate)
    requests = [None if node is None else Request(node) for node in nodes]
    run(spark, joined, *requests)
    assert [request and (request.shown, request.fault) for request in requests] == [
        ([("+I", "nut", "red"), ("+I", "bolt", "blue")], None),
        None,
        ([("+I", "nut", 4), ("+I", "bolt", 1)], None),
        ([("+I", "nut", 5)], None),
        ([("+I", "nut", 6, "nut", "red")], None),
        ([("-U", "red", 40), ("+U", "red", 54)], None),
    ]
    assert lines(tmp_path / "sums")[-1]["after"] == {"color": "red", "total": 54}


@pytest.mark.wide
def test_faults_end_a_request_and_not_the_run(
    spark: SparkSession, tmp_path: Path, joined: CompiledPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    join, aggregate = only(joined, "join"), only(joined, "group-aggregate")
    unknown, failing, later = Request(join), Request(join), Request(aggregate, rows=1)
    unknown.node = 99
    computed = TapProjections.emitted

    def emitted(towards: TapProjections, producer: int, level: int) -> list[Piece]:
        from pyspark.sql import functions as F

        fault = F.raise_error(F.concat(F.lit("no "), F.col("kind").cast("string"))).cast("boolean")
        pieces = computed(towards, producer, level)
        return pieces if producer == aggregate.id else [OneRow(piece.as_array()[0], fault) for piece in pieces]

    monkeypatch.setattr(TapProjections, "emitted", emitted)
    run(spark, joined, unknown, failing, None, later)
    assert "no node 99" in str(unknown.fault)
    assert "no 0" in str(failing.fault)
    assert (later.shown, later.fault) == ([("-U", "red", 18)], None)
    assert lines(tmp_path / "sums")[-1]["after"] == {"color": "red", "total": 54}


@pytest.mark.wide
def test_rows_of_a_union_and_of_collections(spark: SparkSession, tmp_path: Path) -> None:
    put(tmp_path / "texts", "1.json", {"words": ["a", "b", "a"]}, {"words": None})
    plan = TableEnvironment().compile_script(
        table(tmp_path, "texts", "words ARRAY<STRING>")
        + table(tmp_path, "most", "word STRING, n BIGINT", "debezium-json")
        + "INSERT INTO most SELECT word, MAX(n) FROM (SELECT word, COUNT(*) AS n FROM texts CROSS JOIN UNNEST(words) "
        + "AS t (word) GROUP BY word UNION ALL VALUES ('c', CAST(7 AS BIGINT))) GROUP BY word"
    )
    exploded = show(spark, plan, only(plan, "correlate"))
    assert [(kind, row[-1]) for kind, *row in exploded] == [("+I", "a"), ("+I", "b"), ("+I", "a")]
    assert sorted(show(spark, plan, only(plan, "union"))) == [("+I", "a", 2), ("+I", "b", 1), ("+I", "c", 7)]


@pytest.mark.wide
def test_a_union_of_rows_with_results_of_a_python_function_over_them_is_refused(
    spark: SparkSession, tmp_path: Path
) -> None:
    put(tmp_path / "orders", "1.json", {"item": "nut"})
    env = TableEnvironment()
    env.create_temporary_function("twice", Twice())
    plan = env.compile_script(
        table(tmp_path, "orders", "item STRING")
        + table(tmp_path, "most", "item STRING, n BIGINT", "debezium-json")
        + "CREATE TEMPORARY VIEW counts AS SELECT item, COUNT(*) AS n FROM orders GROUP BY item;"
        + "INSERT INTO most SELECT item, MAX(n) FROM "
        + "(SELECT item, n FROM counts UNION ALL SELECT item, twice(n) FROM counts) GROUP BY item"
    )
    with pytest.raises(Exception, match="cannot be tapped where they meet those that a Python function made of them"):
        show(spark, plan, only(plan, "union"), functions_from=(MODULE,))
    assert lines(tmp_path / "most")[-1]["after"] == {"item": "nut", "n": 2}


@pytest.mark.wide
def test_rows_after_a_python_function(spark: SparkSession, tmp_path: Path) -> None:
    put(tmp_path / "orders", "1.json", {"item": "nut"}, {"item": "bolt"}, {"item": "nut"})
    env = TableEnvironment()
    env.create_temporary_function("twice", Twice())
    plan = env.compile_script(
        table(tmp_path, "orders", "item STRING")
        + table(tmp_path, "counts", "item STRING, n BIGINT", "debezium-json")
        + "INSERT INTO counts SELECT item, twice(n) FROM (SELECT item, COUNT(*) AS n FROM orders GROUP BY item) "
        + "WHERE twice(n) > 2"
    )
    assert show(spark, plan, next(filter(needs_step, plan.nodes)), functions_from=(MODULE,)) == [("+I", "nut", 4)]


@pytest.mark.wide
def test_windows_in_two_phases(spark: SparkSession, tmp_path: Path) -> None:
    """Event time, CURRENT_WATERMARK, and dead letters, which are no rows."""
    put(tmp_path / "clicks", "1.json", {"page": "a", "ts": "2024-05-01 10:00:00"}, {"page": 5, "ts": "no time"})
    put(tmp_path / "clicks", "2.json", {"page": "b", "ts": "2024-05-01 10:02:00"})
    columns = "page STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND"
    letters = {"dead-letter.path": str(tmp_path / "letters")}
    plan = TableEnvironment().compile_script(
        table(tmp_path, "clicks", columns, **letters)
        + table(tmp_path, "pages", "page STRING, n BIGINT")
        + "INSERT INTO pages SELECT page, COUNT(*) FROM TABLE(TUMBLE(TABLE clicks, DESCRIPTOR(ts), INTERVAL '1' "
        + "MINUTE)) WHERE CURRENT_WATERMARK(ts) IS NULL OR page <> 'c' GROUP BY page, window_start, window_end"
    )
    entering = show(spark, plan, only(plan, "local-window-aggregate"))
    assert [row[:2] for row in entering] == [("+I", "a"), ("+I", "b")]
    windows = show(spark, plan, only(plan, "global-window-aggregate"))
    assert [row[:3] for row in windows] == [("+I", "a", 1), ("+I", "b", 1)]


@pytest.mark.wide
def test_a_topic_is_read_once_more(spark: SparkSession, kafka: Server) -> None:
    topics = Topics(spark, kafka)
    topics.make("tapped", 2)
    topics.send("tapped", [Message('{"n": 7}'), Message('{"n": 8}')])
    bounds = "'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset', 'format' = 'json'"
    plan = TableEnvironment().compile_script(
        f"CREATE TABLE ns (n INT) WITH ('connector' = 'kafka', 'topic' = 'tapped', {bounds}, {topics.options});"
        "CREATE TABLE kept (n INT) WITH ('connector' = 'blackhole'); INSERT INTO kept SELECT n + 1 FROM ns;"
    )
    calc = show(spark, plan, only(plan, "calc"))
    assert sorted(calc) == [("+I", 8), ("+I", 9)]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("host", "faults"), [(GROUPS, []), (NATIVE, ["rows that the host native emits"])])
def test_hosts(spark: SparkSession, tmp_path: Path, host: str, faults: list[str]) -> None:
    put(tmp_path / "orders", "1.json", {"item": "nut", "price": 3}, {"item": "nut", "price": 4})
    plan = TableEnvironment().compile_script(
        "SET 'table.exec.state.ttl' = '1 d';\n"
        + table(tmp_path, "orders", "item STRING, price INT, p AS PROCTIME()")
        + table(tmp_path, "firsts", "item STRING, price INT")
        + "INSERT INTO firsts SELECT item, price FROM (SELECT item, price, ROW_NUMBER() OVER "
        + "(PARTITION BY item ORDER BY p) AS n FROM orders) WHERE n = 1"
    )
    request = Request(only(plan, "deduplicate"))
    run(spark, plan, request, host=host)
    assert [fault in str(request.fault) for fault in faults] == [request.fault is not None] * len(faults)
    assert len(request.shown) == 1 - len(faults)
