"""The envelope: the schema of rows between two stages, which carries rows for several inputs in one DataFrame.

The head is `op`, `key`, `port`, `kind`, `ord`, `path`, and in plans with event time `watermark`. It is followed by one
nullable struct column per target input (see the kernel's README). A row has the struct of its own input only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql.types import StructField, StructType

from compiled_plan.plans.execution.interfaces.connectors import KIND, ORD, PATH
from compiled_plan.plans.execution.spark import lambdas
from compiled_plan.plans.execution.spark.types import to_spark
from compiled_plan.plans.execution.stages.control import MARK
from compiled_plan.plans.execution.stages.hosted import Hosted
from compiled_plan.plans.execution.stages.layout import Layout, Port
from compiled_plan.plans.execution.stages.watermarks import WATERMARK
from compiled_plan.plans.types import LogicalType

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

OP, KEY, PORT = "op", "key", "port"
_HEAD_TYPES = {OP: "string", KEY: "string", PORT: "int", KIND: "tinyint", ORD: "bigint", PATH: "binary"}


def struct_type(types: Sequence[LogicalType]) -> StructType:
    """A struct of columns of these types, with fields `v0`, `v1`, ...."""
    return StructType([StructField(f"v{at}", to_spark(type_), True) for at, type_ in enumerate(types)])


def struct_fields(struct: Column, count: int) -> tuple[Column, ...]:
    """The fields of such a struct."""
    return tuple(struct.getField(f"v{at}") for at in range(count))


@dataclass(frozen=True, slots=True)
class OneRow:
    """One envelope row per current row for which `condition` is true (None: all)."""

    row: Column
    condition: Column | None

    def as_array(self) -> Column:
        """An array of the row, or an empty one."""
        if self.condition is None:
            return F.array(self.row)
        return lambdas.filtered(F.array(F.when(self.condition, self.row)), lambda row: row.isNotNull())


@dataclass(frozen=True, slots=True)
class ManyRows:
    """An array of envelope rows per current row for which `condition` is true (None: all)."""

    rows: Column
    condition: Column | None

    def as_array(self) -> Column:
        """The array, empty instead of null."""
        rows = self.rows if self.condition is None else F.when(self.condition, self.rows)
        # NULL, from the elements of a null array, would also drop the rows of all other pieces.
        return lambdas.filtered(F.coalesce(rows, F.array()), lambda row: row.isNotNull())


Piece = OneRow | ManyRows


def joined(pieces: Iterable[Piece]) -> Column:
    """The rows of all pieces as one array."""
    arrays = [piece.as_array() for piece in pieces]
    return arrays[0] if len(arrays) == 1 else F.concat(*arrays)


def selected(frame: DataFrame, pieces: Sequence[Piece], columns: Sequence[str]) -> DataFrame:
    """The rows of all pieces over a frame, which have these columns."""
    if len(pieces) == 1 and isinstance(pieces[0], OneRow):
        piece = pieces[0]
        rows = frame if piece.condition is None else frame.where(piece.condition)
        # Spark optimises the fields of a struct that is built only to be read to a plain projection.
        return rows.select(*(piece.row.getField(name).alias(name) for name in columns))
    return frame.select(F.inline(joined(pieces))).toDF(*columns)


@dataclass(frozen=True, slots=True)
class Envelope:
    """The envelope of one plan.

    Args:
        layout: the rows before each stage.
        hosted: the types of the inputs.
        event_time: True if rows carry the watermark at which they arrive.
        in_order: True if a sink reads the order of the rows.
        tick: the `op` of control rows that pass all stages; empty if there are none.
    """

    layout: Layout
    hosted: Hosted
    event_time: bool
    in_order: bool
    tick: str = ""

    @property
    def head_types(self) -> dict[str, str]:
        """The head columns, with their Spark types."""
        return _HEAD_TYPES | ({WATERMARK: "bigint"} if self.event_time else {})

    def head(self, level: int) -> tuple[str, ...]:
        """The head columns before a level; after the stages only those that sinks read.

        Spark computes all columns of a micro-batch, whether its sink reads them or not.
        """
        if level < self.layout.last:
            return tuple(self.head_types)
        several = len(self.layout.arriving(level)) > 1 or bool(self.tick)
        return (*((OP,) if several else ()), KIND, *((ORD, PATH) if self.in_order else ()))

    def row(self, level: int, head: Mapping[str, Column], structs: Mapping[Port, Column]) -> Column:
        """A row before a level: its head and its structs; those of other inputs are null."""
        fields = [head[name].cast(self.head_types[name]).alias(name) for name in self.head(level)]
        for port in self.layout.arriving(level):
            struct = structs.get(port)
            column = F.lit(None).cast(struct_type(self.hosted.types(port))) if struct is None else struct
            fields.append(column.alias(port.column))
        return F.struct(*fields)

    def struct(self, port: Port, columns: Sequence[Column]) -> Column:
        fields = [column.alias(f"v{at}") for at, column in enumerate(columns)]
        return F.struct(*fields).cast(struct_type(self.hosted.types(port)))

    def fields(self, port: Port) -> tuple[Column, ...]:
        """The columns in the struct of an input."""
        return struct_fields(F.col(port.column), len(self.hosted.types(port)))

    def passing(self, level: int) -> list[Piece]:
        """The rows after a level that pass it unchanged."""
        ports = self.layout.passing(level)
        held = [*map(self.holds, ports), *(F.col(OP) == F.lit(op) for op in self._controls(level))]
        if not held:
            return []
        condition = reduce(or_, held)
        head = {name: F.col(name) for name in self.head_types}
        return [OneRow(self.row(level + 1, head, {port: F.col(port.column) for port in ports}), condition)]

    def _controls(self, level: int) -> tuple[str, ...]:
        """The `op` values of the control rows after a level; the last stage sends no watermarks."""
        if not self.tick:
            return ()
        return (self.tick, MARK) if self.event_time and level + 1 < self.layout.last else (self.tick,)

    def ticks(self, frame: DataFrame) -> DataFrame:
        """Control rows before the first stage, from the rows of the tick source; see the kernel's `Ticks`."""
        columns = {OP: F.lit(self.tick), KEY: F.col(KEY), PORT: F.lit(-1), KIND: F.lit(0), ORD: F.lit(0)}
        columns[PATH] = F.lit(None)
        if self.event_time:
            known = self._mark(F.col(KEY), F.col("source"), F.col("number"), F.col("partition"), F.col(WATERMARK))
            known[KIND] = F.col(KIND)
            is_known = F.col(KIND).isNotNull()
            columns = {name: F.when(is_known, known[name]).otherwise(column) for name, column in columns.items()}
            columns[WATERMARK] = F.col(WATERMARK)
        return self.select(frame, [OneRow(self.row(1, columns, {}), None)], 1)

    def marks(self, keys: Sequence[str], source: int, partitions: int, place: Column, moved: Column) -> Piece:
        """Control rows before the first stage, with the watermark of a source's partition.

        Args:
            keys: a key for each partition of the stage, which routes rows to it.
            source: the number of the source.
            partitions: number of its partitions.
            place: the name of the partition.
            moved: its watermark in ms; null if it has not moved.
        """

        def mark(key: Column) -> Column:
            return self.row(1, self._mark(key, F.lit(source), F.lit(partitions), place, moved), {})

        return ManyRows(lambdas.transform(F.array(*map(F.lit, keys)), mark), moved.isNotNull())

    @staticmethod
    def _mark(key: Column, source: Column, number: Column, place: Column, watermark: Column) -> dict[str, Column]:
        head = {OP: F.lit(MARK), KEY: key, PORT: source, KIND: F.lit(0), ORD: number, PATH: place.cast("binary")}
        return {**head, WATERMARK: watermark}

    def holds(self, port: Port) -> Column:
        """The condition of the rows for an input."""
        return F.col(OP) == F.lit(self.hosted.port_tag(port))

    def select(self, frame: DataFrame, pieces: Sequence[Piece], level: int) -> DataFrame:
        """The rows of all pieces over a frame: the envelope before a level."""
        return selected(frame, pieces, [*self.head(level), *(port.column for port in self.layout.arriving(level))])

    def sink_head(self) -> tuple[Column, ...]:
        """The head columns that sinks read, after all stages."""
        return tuple(F.col(name) for name in self.head(self.layout.last) if name != OP)
