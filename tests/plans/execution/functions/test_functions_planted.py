"""Planted pickles in state and tables: nothing that they name runs, whichever way they are read.

The first run plays the attacker: while `ARMED` exists, objects of `Planted` pickle as a call that creates a folder.
"""

from __future__ import annotations

import json
import os
import pickle
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import pytest

from compiled_plan.checkpoints import export_state, inspect_key, inspect_state
from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import ExecutionError
from compiled_plan.plans.execution.functions.accumulating import _MERGE, _PICKLED, Accumulators, AggregatePayload
from compiled_plan.plans.execution.functions.bootstrap import FunctionFailure
from compiled_plan.plans.execution.functions.codec import write_var, writer
from compiled_plan.plans.execution.functions.runtime import Payload
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.functions import AggregateFunction, DataTypeHint, ScalarFunction
from compiled_plan.plans.functions.pickles import unpickling
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.types import BIGINT
from tests.support.checkpoints import without_digests

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.attack

#: Workers are separate processes, so a file selects what is pickled.
ARMED = Path(f"/tmp/compiled-plan-planted-{os.getpid()}")


@pytest.fixture(autouse=True)
def disarmed() -> Iterator[None]:
    yield
    ARMED.unlink(missing_ok=True)


@contextmanager
def armed(target: Path) -> Iterator[None]:
    ARMED.write_text(str(target))
    yield
    ARMED.unlink()


class Planted(list[int]):
    def __reduce__(self) -> Any:
        if ARMED.exists():
            return os.mkdir, (ARMED.read_text(),)
        return Planted, (), None, iter(self)


class Total(AggregateFunction[int, Planted]):
    def create_accumulator(self) -> Planted:
        return Planted([0])

    def accumulate(self, accumulator: Planted, value: int) -> None:
        accumulator[0] += value

    def retract(self, accumulator: Planted, value: int) -> None:
        accumulator[0] -= value

    def merge(self, accumulator: Planted, others: list[Planted]) -> None:
        for partial in others:
            accumulator[0] += partial[0]

    def get_value(self, accumulator: Planted) -> int:
        return accumulator[0]


class Wrap(ScalarFunction):
    def eval(self, value: int) -> Annotated[Planted, DataTypeHint("RAW")]:
        return Planted([value])


class Unwrap(ScalarFunction):
    def eval(self, value: Annotated[Planted, DataTypeHint("RAW")]) -> int:
        return value[0]


WINDOW = "FROM TABLE({}(TABLE t{}, DESCRIPTOR(ts), {})) GROUP BY k, window_start, window_end"
OVER = "OVER (PARTITION BY k ORDER BY ts {})"
#: By entry point: a query that returns numbers.
QUERIES = {
    "group": "SELECT total(v) FROM t GROUP BY k",
    "distinct": "SELECT total(DISTINCT v) FROM t GROUP BY k",
    "retraction": "SELECT total(n) FROM (SELECT k, v, COUNT(*) AS n FROM t GROUP BY k, v) GROUP BY k",
    "tumble": "SELECT total(v) " + WINDOW.format("TUMBLE", "", "INTERVAL '1' HOUR"),
    "session": "SELECT total(v) " + WINDOW.format("SESSION", " PARTITION BY k", "INTERVAL '1' HOUR"),
    "over": f"SELECT total(v) {OVER.format('ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW')} FROM t",
    "raw in a join": "SELECT unwrap(l.r) FROM (SELECT k, v, wrap(v) AS r FROM t) l JOIN t r ON l.k = r.k AND l.v < r.v",
    "raw in a rank": "SELECT unwrap(r) FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS n "
    "FROM (SELECT k, ts, wrap(v) AS r FROM t)) WHERE n = 2",
}


class Program:
    """A program in a folder: its input, its checkpoint, and the folder that a planted pickle would create."""

    def __init__(self, spark: SparkSession, folder: Path, query: str) -> None:
        self.spark, self.folder, self.checkpoint, self.target = spark, folder, folder / "checkpoint", folder / "ran"
        (folder / "t").mkdir()
        self.plan = self.planned(query)
        self.put(1, "2024-01-01 00:00:01")
        with armed(self.target):
            self.start()

    def planned(self, query: str) -> CompiledPlan:
        env = TableEnvironment()
        for name, function in {"total": Total, "wrap": Wrap, "unwrap": Unwrap}.items():
            env.create_temporary_function(name, function)
        time = "ts TIMESTAMP(3), WATERMARK FOR ts AS ts"
        env.execute_sql(
            f"CREATE TABLE t (k STRING, v INT, {time}) WITH ('connector' = 'filesystem', 'format' = 'json',"
            f" 'path' = '{self.folder}/t')"
        )
        env.execute_sql("CREATE TABLE o (n BIGINT) WITH ('connector' = 'print')")
        return CompiledPlan.from_json(env.compile_plan_sql(f"INSERT INTO o {query}").to_json())

    def put(self, value: int, time: str) -> None:
        (self.folder / "t" / f"{value}.json").write_text(json.dumps({"k": "a", "v": value, "ts": time}) + "\n")

    def start(self, **options: Any) -> list[str]:
        lines: list[str] = []
        run_options = RunOptions(checkpoint=str(self.checkpoint), available_now=True, **options)
        Run(self.spark, self.plan, run_options, lines.append).execute()
        return lines

    def refused(self, **options: Any) -> None:
        """The second run: another row for the key, and the results from there on."""
        self.put(2, "2024-01-01 00:00:02")
        with pytest.raises(ExecutionError, match=r"names posix\.mkdir.*--trust-pickled-state"):
            self.start(**options)
        assert not self.target.exists()


def _spec(checkpoint: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the description of the checkpoint's Python aggregate functions."""
    without_digests(checkpoint)
    for file in checkpoint.glob("**/stages.json"):
        stages = json.loads(file.read_text())
        for operator in (operator for stage in stages for operator in stage["operators"]):
            for call in operator["parameters"].get("aggs", ()):
                change(call["python"])
        file.write_text(json.dumps(stages))


@pytest.mark.wide
def test_state(spark: SparkSession, tmp_path: Path) -> None:
    """Read, continued and migrated; and the planted pickle works where the run trusts it.

    The checkpoint that is read names another process in which its functions are computed.
    """
    program = Program(spark, tmp_path, QUERIES["group"])
    uid = next(node.uid for node in program.plan.nodes if node.uid)
    at = str(shutil.copytree(program.checkpoint, tmp_path / "copy"))
    process = {"executable": "/bin/mkdir", "program": str(program.target)}
    _spec(Path(at), lambda python: python.update(process))
    assert inspect_state(at).operators
    assert inspect_key(at, uid, {"k": "a"})
    assert export_state(at, uid, str(tmp_path / "exported")) == 1
    assert not program.target.exists()
    program.refused()
    program.refused(upgrade="migrate")
    with pytest.raises(ExecutionError, match="accumulate"):
        program.start(trust_pickled_state=True)
    assert program.target.exists()


@pytest.mark.deep
@pytest.mark.parametrize("way", QUERIES)
def test_state_of_operators(spark: SparkSession, tmp_path: Path, way: str) -> None:
    Program(spark, tmp_path, QUERIES[way]).refused()


def test_accumulators_of_requests(tmp_path: Path) -> None:
    """The one that a request updates, and one that it merges, as of sessions."""
    payload = Payload(Total(), "accumulate", "total", "INT", (None,), None, None, (), False, False)
    answer = AggregatePayload(payload, (None,), writer(BIGINT), Accumulators(None, unpickling(Planted))).start()
    target = tmp_path / "ran"
    plain, planted = bytearray([_PICKLED]), bytearray([_PICKLED])
    for request, data in ((plain, pickle.dumps(Planted([1]))), (planted, _planted(target))):
        write_var(len(data), request)
        request += data
    assert answer(bytes([1, *plain, _MERGE, *plain]))
    for request in (planted, plain + bytes([_MERGE]) + planted):
        with pytest.raises(FunctionFailure, match=r"names posix\.mkdir"):
            answer(bytes([1, *request]))
    assert not target.exists()


def _planted(target: Path) -> bytes:
    with armed(target):
        return pickle.dumps(Planted())


@pytest.mark.wide
def test_a_table(spark: SparkSession, tmp_path: Path) -> None:
    """RAW columns of files are bytes from any writer."""
    target = tmp_path / "ran"
    spark.createDataFrame([(bytearray(_planted(target)),)], "r BINARY").write.parquet(str(tmp_path / "p"))
    env = TableEnvironment()
    env.create_temporary_function("unwrap", Unwrap)
    env.execute_sql(
        f"CREATE TABLE p (r RAW('{__name__}.Planted', 'pickle')) WITH ('connector' = 'filesystem', "
        f"'format' = 'parquet', 'path' = '{tmp_path}/p')"
    )
    env.execute_sql("CREATE TABLE o (n BIGINT) WITH ('connector' = 'print')")
    plan = CompiledPlan.from_json(env.compile_plan_sql("INSERT INTO o SELECT unwrap(r) FROM p").to_json())
    with pytest.raises(ExecutionError, match=r"names posix\.mkdir"):
        Run(spark, plan, RunOptions()).execute()
    assert not target.exists()
