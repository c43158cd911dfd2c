"""A laid-out plan as one streaming DataFrame: sources, stages, and the projections between them.

Rows between stages are an envelope: `op`, `key`, `port`, `kind`, `ord`, `path`, and one nullable struct column per
port (see the kernel's README). One projection turns each row of a stage into the rows of all its consumers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F
from pyspark.sql.types import StructField, StructType

from plans.execution.connectors.base import KIND, ORD, PATH
from plans.execution.functions.steps import PythonStep, needs_step
from plans.execution.java import java_class
from plans.execution.operators.base import (
    Exploded,
    Flow,
    JoinedCondition,
    KeyedOperator,
    KeyedPort,
    Lowering,
    assigners_above,
    lower_keyed,
    lower_stateless,
)
from plans.execution.operators.changelog import sink_materializer
from plans.execution.options import NATIVE
from plans.execution.program import Program, consumers, is_target, scan_columns
from plans.execution.stages.layout import Port, output_column
from plans.execution.stages.native import first_of_each_key
from plans.execution.stages.watermarks import (
    CURRENT,
    WATERMARK,
    held_back,
    meeting,
    watermark_times,
    with_current_watermark,
    with_watermarks,
)
from plans.execution.types import to_spark
from plans.nodes import Sink, TableSourceScan
from plans.types import FieldsType, LogicalType, RowType

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

    from plans.nodes.base import PlanNode

_HEAD_TYPES = {"op": "string", "key": "string", "port": "int", KIND: "tinyint", ORD: "bigint", PATH: "binary"}


def struct_type(types: Sequence[LogicalType]) -> StructType:
    """Columns of these types as a struct with fields `v0`, `v1`, ...."""
    return StructType([StructField(f"v{at}", to_spark(type_), True) for at, type_ in enumerate(types)])


def struct_fields(struct: Column, count: int) -> tuple[Column, ...]:
    """The fields of such a struct."""
    return tuple(struct.getField(f"v{at}") for at in range(count))


@dataclass(frozen=True, slots=True)
class StageHandle:
    """A running stage: the plan nodes it hosts by uid, and the kernel's handle to read figures from."""

    nodes: Mapping[str, int]
    kernel: Any


@dataclass(frozen=True, slots=True)
class _Piece:
    """Rows for one consumer: a struct (`row`) where `condition` holds, or an array of such structs (`rows`)."""

    row: Column | None
    rows: Column | None
    condition: Column | None


def _at_path(path: Sequence[int], columns: RowType) -> Column:
    """The column at a path of field positions, as in a ProjectPushDown."""
    column: Column = F.col(f"f{path[0]}")
    type_: LogicalType = columns.types[path[0]]
    for at in path[1:]:
        assert isinstance(type_, FieldsType)
        column, type_ = column.getField(type_.names[at]), type_.types[at]
    return column


class StageBuilder:
    """Builds the DataFrame of a plan. `sources` are the DataFrames of the scans and values, by node id."""

    def __init__(self, spark: SparkSession, lowering: Lowering, program: Program, options: Mapping[str, Any]) -> None:
        self.spark = spark
        self.lowering = lowering
        self.plan = lowering.plan
        self.program = program
        self.layout = layout = program.layout
        self.options = options
        self.handles: list[StageHandle] = []
        self.head_types = _HEAD_TYPES | ({WATERMARK: "bigint"} if program.event_time else {})
        hosted = [self.plan.node(node) for stage in layout.stages for node in stage]
        self.steps = {node.id: PythonStep(node, lowering) for node in hosted if needs_step(node)}
        self.operators: dict[int, KeyedOperator] = {
            node.id: self._lower(node) for node in hosted if node.id not in self.steps
        }

    def _lower(self, node: PlanNode) -> KeyedOperator:
        if isinstance(node, Sink):
            return sink_materializer(node, self.lowering)
        return lower_keyed(node, self.lowering)

    def build(self, sources: Mapping[int, DataFrame], ends: DataFrame | None = None) -> DataFrame:
        """The rows for the sinks, as an envelope.

        Args:
            sources: by node, in the order in which Spark is to number them.
            ends: the rows that end the input of sources with watermarks.
        """
        current: DataFrame | None = None
        for level in range(1, self.layout.last + 1):
            entering = [node for node in sources if self.layout.entries[node] == level]
            frames = [current] if current is not None else []
            frames += [self._enter(node, sources[node], ends, level) for node in entering]
            current = reduce(lambda left, right: left.unionByName(right), frames)
            if level < self.layout.last:
                current = self._project_outputs(self._attach(current, level), level)
        assert current is not None
        return current

    def sink_rows(self, envelope: DataFrame, sink: int) -> DataFrame:
        """Rows for one sink from the final envelope: `kind`, `ord`, `path`, `f0`, `f1`, ...."""
        port = Port(sink, 0)
        types = self._port_types(port)
        fields = struct_fields(F.col(port.column), len(types))
        columns = [field.alias(f"f{at}") for at, field in enumerate(fields)]
        rows = envelope if len(self.layout.arriving(self.layout.last)) == 1 else self._of(envelope, port)
        return rows.select(*(name for name in self._head(self.layout.last) if name != "op"), *columns)

    def _of(self, envelope: DataFrame, port: Port) -> DataFrame:
        return envelope.where(F.col("op") == F.lit(self._tag(port.node)))

    # ---- projections

    def _enter(self, source: int, frame: DataFrame, ends: DataFrame | None, level: int) -> DataFrame:
        """Rows of a source as an envelope in front of stage `level`."""
        flows = {
            start: Flow(F.col(KIND), F.col(ORD), F.col(PATH), self._scanned(source, start))
            for start in self.program.starts(source)
        }
        times = [
            time for start, flow in flows.items() for time in watermark_times(self.plan, start, flow, self.lowering)
        ]
        if times and self.program.reads_watermark:
            frame = with_current_watermark(self.spark, frame, times)
            flows = {start: replace(flow, current=F.col(CURRENT)) for start, flow in flows.items()}
        if self.program.event_time:
            frame = with_watermarks(frame, times, ends)
            flows = {start: replace(flow, watermark=F.col(WATERMARK)) for start, flow in flows.items()}
        pieces = [piece for start, flow in flows.items() for piece in self._pieces(start, flow, level)]
        return self._emit(frame, pieces, level)

    def _scanned(self, source: int, start: int) -> tuple[Column, ...]:
        """The columns of a scan, over the columns of its table."""
        node = self.plan.node(start)
        if not isinstance(node, TableSourceScan):
            assert isinstance(node.output_type, RowType)
            return tuple(F.col(f"f{at}") for at in range(len(node.output_type.fields)))
        table = self.program.tables[source].table
        keys = [key for key, _ in table.metadata]
        wanted = scan_columns(node)
        physical = [_at_path(path, table.columns) for path in wanted.paths]
        return (*physical, *(F.col(f"m{keys.index(key)}") for key, _ in wanted.metadata))

    def _project_outputs(self, frame: DataFrame, level: int) -> DataFrame:
        """Rows of stage `level` as an envelope in front of the next level."""
        hosted = self.layout.stages[level - 1]
        passing = self.layout.passing(level)
        alone = len(hosted) == 1 and not passing
        pieces: list[_Piece] = []
        for node in hosted:
            if node in self.steps:
                pieces += self._step_pieces(node, alone, level + 1)
                continue
            types = self.operators[node].output
            columns = struct_fields(F.col(output_column(node)), len(types))
            finish = self.operators[node].finish
            columns = columns if finish is None else tuple(finish(columns))
            condition = None if alone else F.col("op") == F.lit(self._tag(node))
            watermark = held_back(self.operators[node].holds_back) if self.program.event_time else None
            flow = Flow(F.col(KIND), F.col(ORD), F.col(PATH), columns, condition, watermark)
            pieces += self._pieces(node, flow, level + 1)
        if passing:
            condition = reduce(or_, [F.col("op") == F.lit(self._tag(port.node)) for port in passing])
            given = {port.column: F.col(port.column) for port in passing}
            head = [F.col(name) for name in self.head_types]
            pieces.append(_Piece(self._envelope(head, given, level + 1), None, condition))
        return self._emit(frame, pieces, level + 1)

    def _step_pieces(self, node: int, alone: bool, level: int) -> list[_Piece]:
        """Rows of a node that calls Python functions, the calls being columns of the frame."""
        condition = None if alone else F.col("op") == F.lit(self._tag(node))
        watermark = F.col(WATERMARK) if self.program.event_time else None
        flow = Flow(F.col(KIND), F.col(ORD), F.col(PATH), self._step_inputs(node), condition, watermark)
        made = lower_stateless(self.plan.node(node), 0, flow, self.steps[node].lowered())
        return [piece for item in made for piece in self._continued(node, item, level)]

    def _step_inputs(self, node: int) -> tuple[Column, ...]:
        port = Port(node, 0)
        return struct_fields(F.col(port.column), len(self._port_types(port)))

    def _head(self, level: int) -> list[str]:
        """The columns in front of a level beside those of its ports: behind the stages only what sinks read.

        Spark computes all columns that a micro-batch has, whether its sink reads them or not.
        """
        if level < self.layout.last:
            return list(self.head_types)
        several = len(self.layout.arriving(level)) > 1
        return [*(["op"] if several else []), KIND, *([ORD, PATH] if self.options["in_order"] else [])]

    def _emit(self, frame: DataFrame, pieces: Sequence[_Piece], level: int) -> DataFrame:
        columns = [*self._head(level), *(port.column for port in self.layout.arriving(level))]
        if len(pieces) == 1 and pieces[0].row is not None:
            piece = pieces[0]
            kept = frame if piece.condition is None else frame.where(piece.condition)
            assert piece.row is not None
            # Optimised to a plain projection: the fields of a struct that is made and taken apart at once.
            return kept.select(*(piece.row.getField(name).alias(name) for name in columns))
        arrays = [self._as_array(piece) for piece in pieces]
        rows = arrays[0] if len(arrays) == 1 else F.concat(*arrays)
        return frame.select(F.inline(rows)).toDF(*columns)

    def _as_array(self, piece: _Piece) -> Column:
        if piece.row is not None:
            if piece.condition is None:
                return F.array(piece.row)
            one = F.array(F.when(piece.condition, piece.row))
            return F.filter(one, lambda row: row.isNotNull())
        assert piece.rows is not None
        rows = piece.rows if piece.condition is None else F.when(piece.condition, piece.rows)
        # NULL, as that of a null array's elements, would take the rows of all other pieces along.
        return F.filter(F.coalesce(rows, F.array()), lambda row: row.isNotNull())

    def _pieces(self, producer: int, flow: Flow, level: int) -> list[_Piece]:
        """Rows that reach each consumer of `producer` through stateless nodes."""
        found: list[_Piece] = []
        for port in consumers(self.plan, producer):
            if is_target(self.plan, port):
                found.append(_Piece(self._target_row(port, flow, level), None, flow.condition))
                continue
            for made in lower_stateless(self.plan.node(port.node), port.index, flow, self.lowering):
                found += self._continued(port.node, made, level)
        return found

    def _continued(self, node: int, made: Flow | Exploded, level: int) -> list[_Piece]:
        return self._pieces(node, made, level) if isinstance(made, Flow) else [self._exploded(node, made, level)]

    def _exploded(self, node: int, made: Exploded, level: int) -> _Piece:
        def rows(element: Column, position: Column) -> Column:
            pieces = self._pieces(node, made.make(element, position), level)
            arrays = [self._as_array(piece) for piece in pieces]
            return arrays[0] if len(arrays) == 1 else F.concat(*arrays)

        return _Piece(None, F.flatten(F.transform(made.elements, rows)), made.condition)

    def _target_row(self, port: Port, flow: Flow, level: int) -> Column:
        if not self.options.get("bounded") and len(assigners_above(self.plan, abs(port.node))) > 1:
            flow = meeting(flow)
        head = [
            F.lit(self._tag(port.node)),
            self._key(port, flow),
            F.lit(port.index),
            flow.kind,
            flow.ord,
            flow.path,
            *(() if flow.watermark is None else (flow.watermark,)),
        ]
        columns = flow.columns if port.node not in self.operators else self._port(port).columns(flow)
        types = self._port_types(port)
        fields = [column.alias(f"v{at}") for at, column in enumerate(columns)]
        struct = F.struct(*fields).cast(struct_type(types))
        return self._envelope(head, {port.column: struct}, level)

    def _envelope(self, head: Sequence[Column], given: Mapping[str, Column], level: int) -> Column:
        """One envelope row; columns of other ports are null."""
        types, kept = self.head_types.items(), self._head(level)
        fields = [
            column.cast(type_).alias(name) for (name, type_), column in zip(types, head, strict=True) if name in kept
        ]
        for port in self.layout.arriving(level):
            other = given.get(port.column)
            column = F.lit(None).cast(struct_type(self._port_types(port))) if other is None else other
            fields.append(column.alias(port.column))
        return F.struct(*fields)

    # ---- targets

    def _tag(self, node: int) -> str:
        """What `op` says: the uid of a keyed operator, or a sink's tag."""
        if node in self.operators:
            uid = self.plan.node(node).uid
            assert uid is not None
            return uid
        return f"python:{node}" if node in self.steps else f"sink:{node}"

    def _port(self, port: Port) -> KeyedPort:
        return self.operators[port.node].ports[port.index]

    def _port_types(self, port: Port) -> tuple[LogicalType, ...]:
        if port.node in self.operators:
            return self._port(port).types
        return self.lowering.input_types(self.plan.node(abs(port.node)), port.index)

    def _key(self, port: Port, flow: Flow) -> Column:
        if port.node in self.operators:
            return self._port(port).key(flow)
        if port.node in self.steps:
            return F.lit("")
        # A row for a sink needs no key; spread such rows over the tasks that they pass.
        return F.concat(F.lit("#"), flow.ord.cast("string")) if self.layout.stages else F.lit("")

    # ---- stages

    def _attach(self, frame: DataFrame, level: int) -> DataFrame:
        from pyspark.sql import DataFrame as SparkDataFrame

        hosted = self.layout.stages[level - 1]
        if hosted[0] in self.steps:
            alone = len(hosted) == 1 and not self.layout.passing(level)
            for node in hosted:
                guard = None if alone else F.col("op") == F.lit(self._tag(node))
                frame = self.steps[node].compute(frame, self._step_inputs(node), guard)
            return frame
        if self.options["host"] == NATIVE:
            (node,) = hosted
            ttl = self.plan.node(node).ttl_entries[0].ttl_ms
            return first_of_each_key(frame, ttl, Port(node, 0).column, output_column(node))
        spec = {
            "name": f"stage-{level}",
            "host": self.options["host"],
            "timeMode": "event" if self.program.event_time else self.options.get("time_mode", "processing"),
            "operators": [self._spec(node) for node in hosted],
            "passThrough": [port.column for port in self.layout.passing(level)],
        }
        jvm = self.spark._jvm
        assert jvm is not None
        kernel = java_class(jvm, "org.compiledplan.kernel.Stage").attach(frame._jdf, json.dumps(spec))
        self.handles.append(StageHandle({self._tag(node): node for node in hosted}, kernel))
        return SparkDataFrame(kernel.output(), self.spark)

    def _spec(self, node_id: int) -> dict[str, Any]:
        operator, node = self.operators[node_id], self.plan.node(node_id)
        parameters = {
            name: self._condition(value) if isinstance(value, JoinedCondition) else value
            for name, value in operator.parameters.items()
        }
        if "conditions" in parameters:
            parameters["conditions"] = [
                self._condition(value) if isinstance(value, JoinedCondition) else value
                for value in parameters["conditions"]
            ]
        return {
            "uid": self._tag(node_id),
            "type": operator.type,
            "ports": [{"column": Port(node_id, at).column} for at in range(len(operator.ports))],
            "output": output_column(node_id),
            "outputSchema": json.loads(struct_type(operator.output).json()),
            # The kernel knows them by the number of the input; the file may list them in any order.
            "ttl": [entry.ttl_ms for entry in sorted(node.ttl_entries, key=lambda entry: entry.index)],
            "timeDomain": "event" if node_id in self.layout.event_time else "processing",
            "watermarkDelay": self._held_back(node_id),
            **parameters,
        }

    def _held_back(self, node: int) -> int:
        """How far, in ms, the watermark of an operator is behind the query's: as much as operators above hold back."""
        above = [at for at, targets in self.layout.targets.items() if any(port.node == node for port in targets)]
        return max(
            (self._held_back(at) + self.operators[at].holds_back for at in above if at in self.operators), default=0
        )

    def _condition(self, condition: JoinedCondition) -> str:
        """A condition over joined rows, compiled by Spark, as the kernel wants it."""
        types = struct_type(condition.types)
        nulls = (F.lit(None).cast(field.dataType).alias(field.name) for field in types.fields)
        sample = self.spark.range(0).select(*nulls)
        column = condition.make([F.col(field.name) for field in types.fields])
        jvm = self.spark._jvm
        assert jvm is not None
        return str(java_class(jvm, "org.compiledplan.kernel.Conditions").serialize(sample._jdf, column._jc))
