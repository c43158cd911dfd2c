"""Tests without a streaming query: the projections and operators of a run, batch by batch in one thread.

The plan is lowered as for a run. Only the parts around it differ: rows of the test instead of sources, the kernel's
`PlainQuery` instead of Spark's query, memory instead of a checkpoint.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from struct import Struct
from typing import TYPE_CHECKING, Any

from compiled_plan.plans.deferred import deferred
from compiled_plan.plans.errors import CompiledPlanError, ExecutionError
from compiled_plan.plans.execution.chunks import Chunk
from compiled_plan.plans.execution.connectors.testing import source_rows, source_schema
from compiled_plan.plans.execution.expressions import ExpressionContext, register
from compiled_plan.plans.execution.interfaces.connectors import KIND, ORD, PATH
from compiled_plan.plans.execution.operators.base import Lowering
from compiled_plan.plans.execution.session.options import TRANSFORM
from compiled_plan.plans.execution.spark.arrow import values_of
from compiled_plan.plans.execution.spark.failures import translate
from compiled_plan.plans.execution.spark.java import (
    JavaObject,
    cache_classes,
    column_of,
    disable_nagle,
    frame_of,
    java_class,
    settings,
)
from compiled_plan.plans.execution.stages.build import PartwisePlan, StageBuilder, StageHandle, StageOptions
from compiled_plan.plans.execution.stages.descriptions import StateForm
from compiled_plan.plans.execution.stages.hosts import hosted
from compiled_plan.plans.execution.stages.partitions import timings
from compiled_plan.plans.execution.stages.prepared import PreparedPlan, prepare, sink_tables
from compiled_plan.plans.execution.stages.tapping import emitted_rows
from compiled_plan.plans.execution.stages.watermarks import END
from compiled_plan.plans.execution.testing.continuing import NO_FUNCTIONS, LastProgram
from compiled_plan.plans.execution.testing.engine import TableRows
from compiled_plan.plans.execution.testing.replacing import PlanTables, replaced
from compiled_plan.plans.execution.testing.rows import arrow_rows, lookup_rows
from compiled_plan.plans.functions.naming import with_module_functions
from compiled_plan.plans.inspection.identity import with_uids
from compiled_plan.plans.inspection.placement import needs_step
from compiled_plan.plans.plan.session_options import UTC, with_zone

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from compiled_plan.plans.execution.stages.control import ControlRows
    from compiled_plan.plans.plan import CompiledPlan
    from compiled_plan.plans.types import LogicalType
else:
    pa = deferred("pyarrow")

_HOST = "org.compiledplan.kernel.host"
#: Numbers in what goes to the kernel and comes from it: the length of a part, and a count.
_LENGTH, _COUNT = Struct(">i"), Struct(">q")
#: The name of the tables of tests in their plans; each test has its engine to itself.
_TEST = "quick"


class NotQuickError(Exception):
    """A plan or step that only a streaming query can run; its text names the reason.

    >>> from compiled_plan.testing import NotQuickError, ProgramTest
    >>> try:  # doctest: +SKIP
    ...     with ProgramTest("orders.sql", engine="quick") as test:
    ...         test.end()
    ... except NotQuickError as reason:
    ...     print(reason)
    """


class _AnalyzedPlan(PartwisePlan):
    """A stage's input is planned apart from the stages before it, so nothing is replaced."""

    def __init__(self) -> None:
        pass

    def placeholder(self, frame: DataFrame) -> DataFrame:
        return frame

    def assembled(self, frame: DataFrame) -> DataFrame:
        return frame


class _Builder(StageBuilder):
    """Attaches stages to a `PlainQuery`."""

    query: Any

    def _partwise_plan(self) -> PartwisePlan:
        return _AnalyzedPlan()

    def _kernel_stage(self, frame: DataFrame, level: int, spec: str, control: ControlRows | None) -> JavaObject:
        kernel: JavaObject = self.query.stage(frame._jdf, spec)
        return kernel


@dataclass(frozen=True)
class _Lowered:
    """A plan as a query of the kernel.

    Args:
        outputs: the name of the rows of each of its sinks, as `Engine.take` returns them, and their columns.
    """

    prepared: PreparedPlan
    query: Any
    handles: Sequence[StageHandle]
    outputs: Sequence[tuple[str, Sequence[LogicalType]]]

    @cached_property
    def text(self) -> str:
        """The plan in JSON."""
        return self.prepared.plan.to_json()

    @cached_property
    def states(self) -> Mapping[str, StateForm]:
        """The formats of its operators' state, by uid."""
        return {uid: state for handle in self.handles for uid, state in handle.states().items()}

    @cached_property
    def described(self) -> tuple[str, str]:
        """Its stages and states, for the kernel."""
        return json.dumps([handle.spec for handle in self.handles]), json.dumps(self.states)


@dataclass(frozen=True, slots=True)
class _PlanText:
    """A plan, equal to others with its text."""

    text: str
    plan: CompiledPlan = field(compare=False)


@dataclass(frozen=True, slots=True)
class _ProgramChange:
    """A program that continues another one, equal to others with their texts.

    Args:
        texts: the plans of both.
        last: the program that wrote the state.
        prepared: the program that continues.
        partial, migrates, reset: as in `Engine.start`.
    """

    texts: tuple[str, str]
    last: LastProgram = field(compare=False)
    prepared: PreparedPlan = field(compare=False)
    partial: bool
    migrates: bool
    reset: tuple[str, ...]


#: Session, plan, boundedness, and whether the rows of operators are taken.
_Key = tuple[str, str, bool, bool]
#: Queries that no test uses, the last one last: lowering a plan takes most of the time of a test.
_KEPT: dict[_Key, _Lowered] = {}
_MOST_KEPT = 16


@dataclass(slots=True)
class QuickEngine:
    """See `Engine`.

    Args:
        spark: the session.
        clock: the time at which the test begins.
        functions_from: modules and folders from which the plan may import functions.
        watched: True to also take the rows that operators emit, by the node's id.
    """

    spark: SparkSession
    clock: int
    functions_from: Sequence[str] = ()
    watched: bool = False
    _memory: Any = None
    _lowered: _Lowered | None = None
    _ran: bool = False
    _tables: PlanTables = field(default_factory=lambda: PlanTables({}, {}, {}))
    _late: int = 0
    _taken: dict[str, list[Chunk]] = field(default_factory=dict)
    _failure: CompiledPlanError | None = None
    _looked_up: dict[str, object] = field(default_factory=dict)
    _key: _Key = ("", "", False, False)

    def start(
        self,
        plan: CompiledPlan,
        *,
        bounded: bool,
        accepts_partial: bool = False,
        migrates: bool = False,
        reset: Sequence[str] = (),
    ) -> None:
        with self._faults():
            self._check_failure()
            plan = with_module_functions(plan, self.functions_from)
            text = plan.to_json()
            last, prepared, mappings = self._lowered, _prepared(_PlanText(text, plan)), None
            if last is not None:
                before = LastProgram(last.prepared, last.states, self.spark.version)
                change = _ProgramChange((last.text, text), before, prepared, accepts_partial, migrates, (*reset,))
                prepared, mappings = _continued(change)
            self._tables, self._ran = PlanTables.of(plan), False
            self._give_back()
            self._key = (self.spark.sparkContext.applicationId, prepared.plan.to_json(), bounded, self.watched)
            self._lowered = _KEPT.pop(self._key, None) or _lower(
                self.spark, prepared, bounded=bounded, watched=self.watched
            )
            disable_nagle(self.spark)
            if last is None:
                self._memory = java_class(self.spark._jvm, f"{_HOST}.plain.PlainMemory")()
            if last is None or mappings is None:
                self._lowered.query.begin(self._memory)
            else:
                migration = _migration(self.spark, *last.described, *self._lowered.described, mappings)
                self._memory = migration.begin(self._lowered.query, self._memory, self.clock)
            self._late = 0

    def look_up(self, table: str, rows: Sequence[Sequence[object]]) -> None:
        with self._faults():
            self._looked_up[table] = lookup_rows(self.spark, self._tables.lookups[table], rows)

    def feed(self, rows: Mapping[str, TableRows]) -> None:
        assert self._lowered is not None
        streams = {}
        for source in self._lowered.prepared.tables.values():
            name = source.table.options["id"]
            if name in rows:
                table = arrow_rows(source.table, rows[name])
                stream = pa.BufferOutputStream()
                with pa.ipc.new_stream(stream, table.schema) as writer:
                    writer.write_table(table)
                streams[str(source.id)] = stream.getvalue().to_pybytes()
        self._run(streams)

    def set_clock(self, millis: int) -> None:
        self.clock = millis
        self._run({})

    def set_watermark(self, millis: int) -> None:
        if not self._ran:
            raise ExecutionError(
                "the watermark cannot move before the first rows", remedy="give rows in a step before it"
            )
        self._memory.move(millis)
        self._run({})

    def end(self) -> None:
        assert self._lowered is not None
        if self._lowered.prepared.event_time and self._ran:
            self.set_watermark(END)

    def stop(self, *, kill: bool = False) -> None:
        """Do nothing: each micro-batch is committed, and would give the same rows again."""

    def take(self) -> Mapping[str, Sequence[Chunk]]:
        taken, self._taken = self._taken, {}
        return taken

    def late_rows(self) -> int:
        late, self._late = self._late, 0
        return late

    def close(self) -> None:
        self._give_back()

    def _give_back(self) -> None:
        """Keep the query for the next test of its plan."""
        if self._lowered is not None:
            _KEPT[self._key] = self._lowered
            self._lowered = None
        while len(_KEPT) > _MOST_KEPT:
            del _KEPT[next(iter(_KEPT))]

    def _run(self, rows: Mapping[str, bytes]) -> None:
        """Run a batch, and one more for the timers of a watermark that it moved."""
        assert self._lowered is not None
        query = self._lowered.query
        if not rows and not self._ran:
            # A query runs no batch without rows as its first one.
            return
        with self._faults():
            self._check_failure()
        with self._faults(fails=True), self._lookups():
            self._ran = True
            streams = b"".join(_LENGTH.pack(len(data)) + data for data in rows.values())
            self._received(query.run(",".join(rows), streams, self.clock))
            if self._lowered.prepared.event_time:
                self._received(query.run("", b"", self.clock))

    def _received(self, result: bytes) -> None:
        """Take the result of a batch, see the kernel's `PlainQuery.run`."""
        assert self._lowered is not None
        (late,), at = _COUNT.unpack_from(result), _COUNT.size
        self._late += late
        for name, types in self._lowered.outputs:
            (length,), at = _LENGTH.unpack_from(result, at), at + _LENGTH.size
            if length:
                self._taken.setdefault(name, []).append(_chunk(result[at : at + length], types))
            at += length

    def _check_failure(self) -> None:
        """Raise the fault of a failed micro-batch: a query would repeat it, and fail again."""
        if self._failure is not None:
            raise self._failure

    @contextmanager
    def _lookups(self) -> Iterator[None]:
        """Lend the lookup tables to the query, whose names are the same in all tests."""
        memory = java_class(self.spark._jvm, "org.compiledplan.kernel.lookup.MemoryTable")
        for table, rows in self._looked_up.items():
            memory.put(f"{_TEST}/{table}", rows)
        try:
            yield
        finally:
            for table in self._looked_up:
                memory.put(f"{_TEST}/{table}", None)

    @contextmanager
    def _faults(self, *, fails: bool = False) -> Iterator[None]:
        """Translate errors; with `fails`, the query has failed."""
        try:
            yield
        except NotQuickError:
            raise
        except Exception as fault:
            error = fault if isinstance(fault, CompiledPlanError) else translate(fault)
            self._failure = error if fails else self._failure
            raise error from fault


def _chunk(data: bytes, types: Sequence[LogicalType]) -> Chunk:
    rows = pa.ipc.open_stream(data).read_all()
    columns = [values_of(rows.column(f"f{at}"), type_) for at, type_ in enumerate(types)]
    return Chunk(rows.column(KIND).to_pylist(), columns)


@lru_cache(_MOST_KEPT)
def _continued(change: _ProgramChange) -> tuple[PreparedPlan, str | None]:
    """The program that continues, and the mappings that migrate the state, for the kernel."""
    prepared, mappings = change.last.continued(
        change.prepared, partial=change.partial, migrates=change.migrates, reset=change.reset
    )
    return prepared, None if mappings is None else json.dumps([mapping.to_dict() for mapping in mappings])


@lru_cache(_MOST_KEPT)
def _migration(spark: SparkSession, *texts: str) -> JavaObject:
    """The kernel's migration from one program, by its stages and states, to another one by mappings."""
    migration: JavaObject = java_class(spark._jvm, "org.compiledplan.kernel.state.seeding.PlainMigration")(*texts)
    return migration


@lru_cache(_MOST_KEPT)
def _prepared(text: _PlanText) -> PreparedPlan:
    plan = with_uids(with_zone(replaced(text.plan, _TEST), None, UTC))
    prepared = hosted(prepare(plan), TRANSFORM)
    python = next((node for node in plan.nodes if needs_step(node)), None)
    if python is not None:
        raise NotQuickError(f"node {python.id} calls functions in Python")
    if prepared.values:
        raise NotQuickError(f"node {next(iter(prepared.values))} has constant rows")
    if prepared.reads_watermark:
        raise NotQuickError("it calls CURRENT_WATERMARK")
    if timings(prepared):
        raise NotQuickError("it has idle timeouts or watermarks of single rows")
    return prepared


def _lower(spark: SparkSession, prepared: PreparedPlan, *, bounded: bool, watched: bool) -> _Lowered:
    cache_classes(spark._jvm)
    register(spark)
    session: Any = spark._jsparkSession
    java_class(spark._jvm, f"{_HOST}.input.OrderNumber").register(session)
    java_class(spark._jvm, f"{_HOST}.watermarks.RowWatermark").register(session)
    query = java_class(spark._jvm, f"{_HOST}.plain.PlainQuery")(session)
    context = ExpressionContext(proctime=column_of(query.now()))
    lowering = Lowering(prepared.plan, context, NO_FUNCTIONS, False)
    builder = _Builder(spark, lowering, prepared, StageOptions(TRANSFORM, bounded, in_order=True))
    builder.query = query
    frames = {}
    # Spark would refuse to plan streams outside of a query.
    with settings(spark, {"spark.sql.streaming.unsupportedOperationCheck": "false"}):
        for node, source in prepared.tables.items():
            schema = source_schema(source.table)
            frames[node] = source_rows(frame_of(query.source(str(node), schema.json()), spark), source.table)
        rows = frame_of(query.once(builder.build(frames)._jdf), spark)
        tables = sink_tables(prepared.sinks)
        outputs: list[tuple[str, Sequence[LogicalType]]] = []
        for sink in prepared.sinks:
            table = tables[sink.id]
            names = [KIND, ORD, PATH, *(f"f{at}" for at in range(len(table.columns.fields)))]
            query.sink(builder.sink_rows(sink).among(rows).select(*names)._jdf)
            outputs.append((table.options["id"], table.columns.types))
        for node, taps in dict(emitted_rows(builder) if watched else {}).items():
            query.sink(taps._jdf)
            types = prepared.plan.node(node).output_type.types
            outputs.append((str(node), [type_.as_regular() for type_ in types]))
    return _Lowered(prepared, query, builder.handles, outputs)
