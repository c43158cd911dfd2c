"""`Rowtime` and `Schema` of `pyflink.table.descriptors`, which Flink deprecates: properties by key.

Source: PyFlink's classes of these names. No operation of Flink's Table API takes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

from compiled_plan.planner.diagnostics.refusing import refused_method
from compiled_plan.planner.table.expressions.types import logical_type
from compiled_plan.planner.table.schemas import ResolvedSchema
from compiled_plan.plans.errors import ProgramError


def _of_java(name: str) -> object:
    return refused_method(
        f"Rowtime.{name}()",
        "classes of Java are not loaded by programs in Python",
        'declare the watermark: Schema.new_builder().watermark("ts", "ts - INTERVAL \'5\' SECOND")',
    )


class Rowtime:
    """The properties of a column with event time."""

    def __init__(self) -> None:
        self._properties: dict[str, str] = {}

    def to_properties(self) -> dict[str, str]:
        """The properties of the descriptor by key."""
        return dict(self._properties)

    def timestamps_from_field(self, field_name: str) -> Self:
        """Take the times from a column."""
        return self._set("timestamps", "from-field", ("from", field_name))

    def timestamps_from_source(self) -> Self:
        """Take the times from the source."""
        return self._set("timestamps", "from-source")

    timestamps_from_extractor = _of_java("timestamps_from_extractor")

    def watermarks_periodic_ascending(self) -> Self:
        """Set the watermark of times in ascending order."""
        return self._set("watermarks", "periodic-ascending")

    def watermarks_periodic_bounded(self, delay: int) -> Self:
        """Set a watermark with a delay in milliseconds."""
        return self._set("watermarks", "periodic-bounded", ("delay", str(delay)))

    def watermarks_from_source(self) -> Self:
        """Take the watermarks from the source."""
        return self._set("watermarks", "from-source")

    watermarks_from_strategy = _of_java("watermarks_from_strategy")

    def _set(self, part: str, type_: str, *options: tuple[str, str]) -> Self:
        self._properties |= {f"rowtime.{part}.{key}": value for key, value in (("type", type_), *options)}
        return self


class Schema:
    """The properties of columns.

    Args:
        schema: their names and types.
        fields: types by name.
        rowtime: the properties of the last column.
    """

    def __init__(
        self,
        schema: ResolvedSchema | None = None,
        fields: Mapping[str, object] | None = None,
        rowtime: Rowtime | None = None,
    ) -> None:
        self._columns: dict[str, dict[str, str]] = {}
        if schema is not None:
            self.schema(schema)
        if fields is not None:
            self.fields(fields)
        if rowtime is not None:
            self.rowtime(rowtime)

    def schema(self, table_schema: ResolvedSchema) -> Self:
        """Replace the columns by those of a schema."""
        self._columns = {}
        pairs = zip(table_schema.get_field_names(), table_schema.get_field_data_types(), strict=True)
        return self.fields(dict(pairs))

    def field(self, field_name: str, field_type: object) -> Self:
        """Add a column behind those added so far."""
        type_ = field_type if isinstance(field_type, str) else str(logical_type(field_type))
        self._columns[field_name] = {"name": field_name, "data-type": type_}
        return self

    def fields(self, fields: Mapping[str, object]) -> Self:
        """Add columns behind those added so far."""
        for name, type_ in fields.items():
            self.field(name, type_)
        return self

    def from_origin_field(self, origin_field_name: str) -> Self:
        """Set the name of the last column in the data."""
        self._last()["from"] = origin_field_name
        return self

    def proctime(self) -> Self:
        """Make the last column one of processing time."""
        self._last()["proctime"] = "true"
        return self

    def rowtime(self, rowtime: Rowtime) -> Self:
        """Make the last column one of event time."""
        self._last().update(rowtime.to_properties())
        return self

    def to_properties(self) -> dict[str, str]:
        """The properties of the descriptor by key."""
        columns = enumerate(self._columns.values())
        return {f"schema.{at}.{key}": value for at, column in columns for key, value in column.items()}

    def _last(self) -> dict[str, str]:
        if not self._columns:
            raise ProgramError("there is no column yet", where="Schema", remedy="add one with field(...) before")
        return next(reversed(self._columns.values()))


__all__ = ["Rowtime", "Schema"]
