"""State TTLs of whole runs: on the clock, over restarts, after idle gaps, changed between starts.

The kernel's own tests try every operator with a simulated clock; these show that a plan's TTLs reach it.
Each step is a run of its own on one checkpoint, so every step is also a restart.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import HOSTS, RunOptions
from compiled_plan.plans.inspection.ttl import parse_edit, set_ttls
from compiled_plan.plans.plan import CompiledPlan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TTL_SECONDS = 1.0
AFTER = TTL_SECONDS + 0.2


class Pipeline:
    """A program over folders that tests add files to, run step by step on one checkpoint."""

    def __init__(self, spark: SparkSession, folder: Path, program: str, host: str = HOSTS[0]) -> None:
        self.spark, self.folder, self.host = spark, folder, host
        self.files = 0
        self.plan = TableEnvironment().compile_script(program.replace("{folder}", str(folder)))

    def ttl(self, **entries: str) -> None:
        """Set state entries in the nodes that have them."""
        for node in self.plan.nodes:
            for entry in node.ttl_entries:
                if entry.name in entries:
                    edit = parse_edit(f"{node.id}.{entry.name}={entries[entry.name]}")
                    text, _ = set_ttls(self.plan.to_json(), [edit])
                    self.plan = CompiledPlan.from_json(text)

    def reverse_entries(self) -> None:
        """Reverse every `state` array: an entry is identified by its index, not its position."""
        data = self.plan.to_dict()
        for node in data["nodes"]:
            node.get("state", []).reverse()
        self.plan = CompiledPlan.from_dict(data)

    def add(self, table: str, *rows: dict[str, object]) -> None:
        """Put rows into a table's folder."""
        target = self.folder / table
        target.mkdir(exist_ok=True)
        self.files += 1
        (target / f"{self.files}.json").write_text("".join(json.dumps(row) + "\n" for row in rows))

    def run(self, **options: Any) -> list[dict[str, object]]:
        """Run once; the changes (+1, -1) of the sink's table."""
        before = self._events()
        options = {"checkpoint": str(self.folder / "checkpoint"), "host": self.host, **options}
        Run(self.spark, self.plan, RunOptions(**options)).execute()
        return [json.loads(text) for text in (self._events() - before).elements()]

    def _events(self) -> Counter[str]:
        files = (self.folder / "out").glob("part-*") if (self.folder / "out").exists() else ()
        return Counter(line for file in files for line in file.read_text().splitlines())


def table(name: str, columns: str, format: str = "json") -> str:
    folder = "out" if name == "sink" else name
    options = f"'connector' = 'filesystem', 'path' = '{{folder}}/{folder}', 'format' = '{format}'"
    return f"CREATE TABLE {name} ({columns}) WITH ({options});\n"


JOIN = (
    table("orders", "id INT, item STRING")
    + table("payments", "id INT, paid INT")
    + table("sink", "id INT, item STRING, paid INT")
    + "INSERT INTO sink SELECT o.id, o.item, p.paid FROM orders AS o JOIN payments AS p ON o.id = p.id;"
)
COUNT = (
    table("clicks", "page STRING")
    + table("sink", "page STRING, n BIGINT", "debezium-json")
    + "INSERT INTO sink SELECT page, COUNT(*) FROM clicks GROUP BY page;"
)


OVER = (
    table("clicks", "page STRING, p AS PROCTIME()")
    + table("sink", "page STRING, n BIGINT")
    + "INSERT INTO sink SELECT page, COUNT(*) OVER (PARTITION BY page ORDER BY p) FROM clicks;"
)


def joined(item: str, paid: int) -> dict[str, object]:
    return {"id": 1, "item": item, "paid": paid}


def created(n: int) -> dict[str, object]:
    return {"before": None, "after": {"page": "a", "n": n}, "op": "c"}


def test_each_side_of_a_join_expires_by_its_own_ttl(spark: SparkSession, tmp_path: Path) -> None:
    pipeline = Pipeline(spark, tmp_path, JOIN)
    pipeline.ttl(leftState=f"{int(TTL_SECONDS * 1000)} ms", rightState="0 ms")
    pipeline.reverse_entries()
    check_sides_forget(pipeline)


def check_sides_forget(pipeline: Pipeline) -> None:
    """Orders expire, payments stay."""
    pipeline.add("orders", {"id": 1, "item": "old"})
    pipeline.add("payments", {"id": 1, "paid": 10})
    assert pipeline.run() == [joined("old", 10)]
    time.sleep(AFTER)
    pipeline.add("payments", {"id": 1, "paid": 20})
    assert pipeline.run() == [], "the order is forgotten"
    pipeline.add("orders", {"id": 1, "item": "new"})
    assert sorted(row["paid"] for row in pipeline.run()) == [10, 20], "payments are never forgotten"  # type: ignore[type-var]


@pytest.mark.wide
def test_an_aggregate_starts_again_after_its_ttl(spark: SparkSession, tmp_path: Path) -> None:
    pipeline = Pipeline(spark, tmp_path, COUNT)
    pipeline.ttl(groupAggregateState=f"{int(TTL_SECONDS * 1000)} ms")
    pipeline.add("clicks", {"page": "a"}, {"page": "a"})
    assert created(2) in pipeline.run()
    time.sleep(AFTER)
    pipeline.add("clicks", {"page": "a"})
    assert pipeline.run() == [created(1)]


@pytest.mark.wide
def test_a_ttl_may_change_between_starts_to_and_from_never(spark: SparkSession, tmp_path: Path) -> None:
    pipeline = Pipeline(spark, tmp_path, COUNT)
    pipeline.add("clicks", {"page": "a"})
    assert pipeline.run() == [created(1)]
    time.sleep(AFTER)
    pipeline.add("clicks", {"page": "a"})
    assert created(2) in pipeline.run(), "0 never expires"
    pipeline.ttl(groupAggregateState="1 ms")
    time.sleep(0.01)
    pipeline.add("clicks", {"page": "a"})
    assert pipeline.run() == [created(1)], "a new TTL holds for old entries at once"
    pipeline.ttl(groupAggregateState="0 ms")
    pipeline.add("clicks", {"page": "a"})
    assert created(2) in pipeline.run()


@pytest.mark.wide
def test_an_over_aggregate_evicts_idle_keys(spark: SparkSession, tmp_path: Path) -> None:
    """By `table.exec.state.ttl`, which its node stores in its configuration; changed between starts."""
    pipeline = Pipeline(spark, tmp_path, OVER)

    def click() -> list[dict[str, object]]:
        pipeline.add("clicks", {"page": "a"})
        return pipeline.run()

    assert click() == [{"page": "a", "n": 1}]
    pipeline.ttl(idleState="1 h")
    assert click() == [{"page": "a", "n": 2}]
    pipeline.ttl(idleState=f"{int(TTL_SECONDS * 1000)} ms")
    time.sleep(AFTER)
    assert click() == [{"page": "a", "n": 1}]
