"""One program with an operator of each kind, its rows, and the checkpoint of a run over them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from compiled_plan.plans.execution.spark.java import frame_of
from compiled_plan.plans.execution.state.reading.content import key_report
from compiled_plan.plans.execution.state.reading.figures import state_report
from compiled_plan.plans.execution.state.reading.model import KeyState, OperatorState, StateReport
from compiled_plan.plans.execution.state.reading.reader import StateReader, StoredOperator
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.plan import CompiledPlan
from tests.plans.execution.state.checkpoint.places import Place, Row, table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

T = TypeVar("T")
HOUR = 3_600_000
_TIME = "ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' MINUTE"
TABLES = (
    "SET 'table.exec.source.cdc-events-duplicate' = 'true';\nSET 'table.exec.state.ttl' = '1 h';\n"
    + table("orders", f"id INT, item STRING, price DECIMAL(10, 2), d DATE, p AS PROCTIME(), {_TIME}")
    + table("ships", f"oid INT, place STRING, {_TIME}")
    + table("rates", f"item STRING, rate INT, {_TIME}, PRIMARY KEY (item) NOT ENFORCED", "debezium-json")
)
_NUMBERED = "(SELECT *, ROW_NUMBER() OVER (PARTITION BY item ORDER BY {by}) AS r FROM orders)"
#: Query of each sink.
QUERIES: Mapping[str, str] = {
    "aggregate": "SELECT item, CAST(COUNT(DISTINCT d) + SUM(id) AS STRING) FROM orders GROUP BY item",
    "by_two": "SELECT item, CAST(COUNT(*) AS STRING) FROM orders GROUP BY item, d",
    "inner_join": "SELECT item, place FROM orders JOIN ships ON id = oid",
    "left_join": "SELECT /*+ STATE_TTL('orders' = '2 h', 'ships' = '0 s') */ item, place FROM orders "
    "LEFT JOIN ships ON id = oid AND place <> item",
    "semi_join": "SELECT item, item FROM orders WHERE id IN (SELECT oid FROM ships)",
    "ranked": f"SELECT item, CAST(id AS STRING) FROM {_NUMBERED.format(by='price DESC')} WHERE r <= 2",
    "last_row": f"SELECT item, CAST(id AS STRING) FROM {_NUMBERED.format(by='p DESC')} WHERE r = 1",
    "first_row": f"SELECT item, item FROM {_NUMBERED.format(by='p ASC')} WHERE r = 1",
    "normalized": "SELECT item, CAST(rate AS STRING) FROM rates",
    "tumbled": "SELECT item, CAST(SUM(price) AS STRING) FROM TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' "
    "MINUTE) GROUP BY item, window_start, window_end",
    "sessions": "SELECT item, CAST(COUNT(*) AS STRING) FROM SESSION(TABLE orders PARTITION BY item, DESCRIPTOR(ts), "
    "INTERVAL '10' MINUTE) GROUP BY item, window_start, window_end",
    "over_rows": "SELECT item, CAST(SUM(price) OVER (PARTITION BY item ORDER BY ts ROWS BETWEEN 1 PRECEDING AND "
    "CURRENT ROW) AS STRING) FROM orders",
    "near": "SELECT item, place FROM orders, ships WHERE id = oid AND ships.ts BETWEEN orders.ts AND orders.ts + "
    "INTERVAL '1' HOUR",
    "versions": "SELECT o.item, CAST(rate AS STRING) FROM orders AS o JOIN rates FOR SYSTEM_TIME AS OF o.ts AS r "
    "ON o.item = r.item",
    "matched": "SELECT item, CAST(x AS STRING) FROM orders MATCH_RECOGNIZE (PARTITION BY item ORDER BY ts MEASURES "
    "B.id AS x AFTER MATCH SKIP PAST LAST ROW PATTERN (A B) DEFINE A AS A.price > 5, B AS B.price < 2) AS m",
}
MATERIALIZED = "keyed"
SINKS = "".join(f"CREATE TABLE {name} (a STRING, b STRING) WITH ('connector' = 'blackhole');\n" for name in QUERIES) + (
    f"CREATE TABLE {MATERIALIZED} (a BIGINT PRIMARY KEY NOT ENFORCED, b STRING) WITH ('connector' = 'blackhole');\n"
)
STATEMENTS = (
    "EXECUTE STATEMENT SET BEGIN\n"
    + "".join(f"INSERT INTO {name} {query};\n" for name, query in QUERIES.items())
    + f"INSERT INTO {MATERIALIZED} SELECT COUNT(*), item FROM orders GROUP BY item ON CONFLICT DO DEDUPLICATE;\n"
    + "END"
)


def _order(id_: int, item: str | None, price: str, day: str | None, minute: int) -> Row:
    return {"id": id_, "item": item, "price": float(price), "d": day, "ts": f"2024-01-01 10:{minute:02}:00"}


#: The watermark goes to 10:29, so the tumbling window until 10:40 is open.
ROWS: Mapping[str, tuple[Row, ...]] = {
    "orders": (
        _order(1, "nut", "9.50", "2024-01-01", 1),
        _order(2, "bolt", "1.00", "2024-01-02", 2),
        _order(3, "nut", "7.25", "2024-01-01", 3),
        _order(4, None, "3.00", None, 4),
        _order(5, "nut", "6.00", "2024-01-03", 30),
        _order(6, 'O\'Neil, "x"', "2.00", "2024-01-03", 31),
    ),
    "ships": (
        {"oid": 1, "place": "port", "ts": "2024-01-01 10:05:00"},
        {"oid": 1, "place": "nut", "ts": "2024-01-01 10:06:00"},
        {"oid": 6, "place": "yard", "ts": "2024-01-01 10:31:00"},
    ),
    "rates": tuple(
        {"before": None, "after": {"item": item, "rate": rate, "ts": f"2024-01-01 10:{minute}:00"}, "op": "c"}
        for item, rate, minute in (("nut", 7, "00"), ("bolt", 3, "31"))
    ),
}


@dataclass(frozen=True)
class OneScan(StateReader):
    """Reader that scans the state once, for all tests."""

    @cached_property
    def _scan(self) -> tuple[int | None, DataFrame | None]:
        def local(rows: DataFrame | None) -> DataFrame | None:
            if rows is None:
                return None
            session: Any = self.spark._jsparkSession
            return frame_of(session.createDataFrame(rows._jdf.collectAsList(), rows._jdf.schema()), self.spark)

        return super().at_rest(local)

    def at_rest(self, read: Callable[[DataFrame | None], T]) -> tuple[int | None, T]:
        batch, rows = self._scan
        return batch, read(rows)


@dataclass(frozen=True)
class Looked:
    """A checkpoint that is read.

    Args:
        reader: of the checkpoint.
        plan: that ran on it.
        folder: of everything.
    """

    reader: StateReader
    plan: CompiledPlan
    folder: Path

    @property
    def checkpoint(self) -> Path:
        return self.folder / "checkpoint"

    @cached_property
    def report(self) -> StateReport:
        """Figures of all operators."""
        return state_report(self.reader)

    def operator(self, sink: str) -> StoredOperator:
        """The operator nearest to a sink; for a materializing sink, the sink itself."""
        node: PlanNode = next(
            node
            for node in self.reader.plan.nodes
            if isinstance(node, Sink) and node.dynamic_table_sink.table.path[-1] == sink
        )
        while node.uid not in self.reader.operators:
            node = self.reader.plan.inputs(node.id)[0]
        return self.reader.operators[str(node.uid)]

    def figures(self, sink: str) -> OperatorState:
        uid = self.operator(sink).uid
        return next(operator for operator in self.report.operators if operator.uid == uid)

    def states(self, sink: str, **key: str) -> tuple[KeyState, ...]:
        return key_report(self.reader, self.operator(sink), key).keys


def looked_at(place: Place, plan: CompiledPlan) -> Looked:
    """Run a plan over the available rows, and open its checkpoint."""
    place.run(plan)
    return opened(place, plan)


def opened(place: Place, plan: CompiledPlan) -> Looked:
    """Open the checkpoint of a plan that has run."""
    return Looked(OneScan.open(place.spark, str(place.checkpoint)), plan, place.folder)
