"""`TableSchema`: the columns of a table, by names and types.

Source: PyFlink's class of this name, and its text.
"""

from __future__ import annotations

from collections.abc import Sequence

from compiled_plan.planner.sql.binding.inserts import summary
from compiled_plan.planner.table.columns import SchemaColumn
from compiled_plan.planner.table.schemas import ResolvedSchema


class _Builder:
    def __init__(self) -> None:
        self._names: list[str] = []
        self._types: list[object] = []

    def field(self, name: str, data_type: object) -> _Builder:
        """Add a column behind those added so far."""
        self._names.append(name)
        self._types.append(data_type)
        return self

    def build(self) -> TableSchema:
        """The schema of the columns added so far."""
        return TableSchema(self._names, self._types)


class TableSchema(ResolvedSchema):
    """The columns of a table.

    Args:
        field_names: their names.
        data_types: their types.
    """

    Builder = _Builder

    def __init__(self, field_names: Sequence[str] = (), data_types: Sequence[object] = ()) -> None:
        pairs = zip(field_names, data_types, strict=True)
        super().__init__(tuple(SchemaColumn.physical(name, type_) for name, type_ in pairs))

    @staticmethod
    def of_resolved(schema: ResolvedSchema) -> TableSchema:
        """The same columns and primary key."""
        table_schema = TableSchema()
        object.__setattr__(table_schema, "columns", schema.columns)
        object.__setattr__(table_schema, "primary_key", schema.primary_key)
        return table_schema

    @classmethod
    def builder(cls) -> _Builder:
        """Create a builder of a `TableSchema`."""
        return _Builder()

    def __str__(self) -> str:
        lines = []
        for column in self.columns:
            extras = "" if column.extras is None else f" {column.extras}"
            lines.append(f"{column.name}: {summary(column.data_type)}{extras}")
        for spec in self.get_watermark_specs():
            of_type = "" if spec.output_type is None else f": {summary(spec.output_type)}"
            lines.append(f"WATERMARK FOR {spec.rowtime_attribute}{of_type} AS {spec.watermark_expression}")
        if (key := self.get_primary_key()) is not None:
            lines.append(f"CONSTRAINT {key.name} PRIMARY KEY ({', '.join(key.columns)})")
        return "".join(("root\n", *(f" |-- {line}\n" for line in lines)))

    def __repr__(self) -> str:
        return str(self)
