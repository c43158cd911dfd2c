"""The part of PyFlink's DataStream API that table programs begin with: an environment, and collections as streams.

Source: PyFlink's `StreamExecutionEnvironment`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from compiled_plan.planner.diagnostics.refusing import Refusal
from compiled_plan.planner.functions.element_types import element_rows
from compiled_plan.planner.options.configuration import Configuration
from compiled_plan.planner.table import selecting
from compiled_plan.planner.table.declared_schemas import Schema
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.types import FieldsType
from compiled_plan.plans.types.conversions.data_types import DataType, DataTypes
from compiled_plan.plans.types.mutable_row import MutableRow
from compiled_plan.plans.types.row import Row
from compiled_plan.pyflink.common.time import Instant
from compiled_plan.session.embedding import from_rows

if TYPE_CHECKING:
    from compiled_plan.environment import TableEnvironment
    from compiled_plan.table import Table

_REFUSAL = Refusal(
    "the DataStream API is not supported",
    "read from a table with create_temporary_table(...) and from_path(...), and write the operations in the Table API",
)


class _Refusing:
    """Base of classes whose further methods are refused by name."""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            if name.startswith("_"):
                raise AttributeError(name)
            raise _REFUSAL.error(f"{type(self).__name__}.{name}()")


@dataclass(frozen=True)
class DataStream(_Refusing):
    """A collection as a bounded stream, for `StreamTableEnvironment.from_data_stream`.

    Args:
        rows: its elements.
        type_info: the type of `Types.ROW(...)`; None to infer it.
    """

    rows: Sequence[Any]
    type_info: object = None


class StreamExecutionEnvironment(_Refusing):
    """The options of a program that creates a `StreamTableEnvironment` from it."""

    def __init__(self, configuration: Configuration | None = None) -> None:
        self.configuration = Configuration(configuration)

    @staticmethod
    def get_execution_environment(configuration: Configuration | None = None) -> StreamExecutionEnvironment:
        """Create an environment with these options."""
        return StreamExecutionEnvironment(configuration)

    def set_parallelism(self, parallelism: int) -> StreamExecutionEnvironment:
        """Set the option `parallelism.default`, which has no effect: Spark decides by its cores and partitions."""
        self.configuration.set_integer("parallelism.default", parallelism)
        return self

    def get_parallelism(self) -> int:
        """The value of the option `parallelism.default`."""
        return self.configuration.get_integer("parallelism.default", 1)

    def set_max_parallelism(self, max_parallelism: int) -> StreamExecutionEnvironment:
        """Set the option `pipeline.max-parallelism`, which has no effect."""
        self.configuration.set_integer("pipeline.max-parallelism", max_parallelism)
        return self

    def enable_checkpointing(self, interval: int, mode: object = None) -> StreamExecutionEnvironment:
        """Set the option `execution.checkpointing.interval`, which has no effect: each micro-batch is a checkpoint.

        A run keeps its checkpoint if it has a folder for it: `plan.execute(checkpoint="/data/orders")`.
        """
        self.configuration.set_string("execution.checkpointing.interval", f"{interval} ms")
        return self

    def configure(self, configuration: Configuration) -> None:
        """Add options to those of the session."""
        self.configuration.add_all(configuration)

    def add_jars(self, *jars_path: str) -> None:
        """Add files to the option `pipeline.jars`, which has no effect: connectors here are Spark's."""
        self._append("pipeline.jars", jars_path)

    def add_classpaths(self, *classpaths: str) -> None:
        """Add folders to the option `pipeline.classpaths`, which has no effect: connectors here are Spark's."""
        self._append("pipeline.classpaths", classpaths)

    def _append(self, key: str, places: Sequence[str]) -> None:
        known = [part for part in self.configuration.get_string(key, "").split(";") if part]
        self.configuration.set_string(key, ";".join([*known, *places]))

    def from_collection(self, collection: Iterable[object], type_info: object = None) -> DataStream:
        """A collection as a bounded stream.

        Args:
            collection: the elements.
            type_info: their type, `Types.ROW([...])`; inferred by default.
        """
        return DataStream(list(collection), type_info)


def table_of(environment: TableEnvironment, stream: object, fields_or_schema: Sequence[object]) -> Table:
    """The table of a stream of `from_collection`. See `StreamTableEnvironment.from_data_stream`."""
    if not isinstance(stream, DataStream):
        raise ProgramError(
            f"from_data_stream() takes a stream of from_collection(), not {stream!r}",
            where="from_data_stream()",
            remedy=_REFUSAL.remedy,
        )
    composite = [isinstance(row, list | tuple | Row | MutableRow) for row in stream.rows]
    rows = [
        tuple(map(_moment, row)) if whole else (_moment(row),)
        for row, whole in zip(stream.rows, composite, strict=True)
    ]
    row_type = DataTypes.of(stream.type_info) if stream.type_info is not None else _inferred(rows)
    if not isinstance(row_type.logical_type, FieldsType):
        row_type = DataTypes.ROW(DataTypes.FIELD("f0", row_type))
    schema = fields_or_schema[0] if fields_or_schema else Schema()
    if isinstance(schema, Schema):
        return from_rows(environment.context, rows, row_type, schema)
    table = from_rows(environment.context, rows, row_type, Schema())
    names = [item for item in fields_or_schema if isinstance(item, str)]
    if len(names) == len(fields_or_schema) and not set(names) <= set(table.columns):
        return table.alias(*names)
    return selecting.select(table, fields_or_schema)


def _inferred(rows: Sequence[Sequence[object]]) -> DataType:
    width = max((len(row) for row in rows), default=0)
    return DataTypes.of(element_rows(rows, [f"f{at}" for at in range(width)])[0])


def _moment(value: object) -> object:
    return value.to_datetime() if isinstance(value, Instant) else value
