"""`TableSchema`: the columns of a table, by names and types.

Source: PyFlink's class of this name.
"""

from __future__ import annotations

from collections.abc import Sequence

from compiled_plan.planner.table.columns import SchemaColumn
from compiled_plan.planner.table.schemas import ResolvedSchema


class _Builder:
    """Builder of a `TableSchema`."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._types: list[object] = []

    def field(self, name: str, data_type: object) -> _Builder:
        """Add a column."""
        self._names.append(name)
        self._types.append(data_type)
        return self

    def build(self) -> TableSchema:
        """Return the schema."""
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

    @classmethod
    def builder(cls) -> _Builder:
        """Create a builder."""
        return _Builder()
