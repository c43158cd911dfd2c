"""Statistics of a catalog's tables, as the program gives them. The planner reads none.

Source: PyFlink's `CatalogTableStatistics`, `CatalogColumnStatistics`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any


@dataclass(frozen=True)
class CatalogTableStatistics:
    """Counts and sizes of a table or a partition; -1 if unknown."""

    row_count: int = -1
    field_count: int = -1
    total_size: int = -1
    raw_data_size: int = -1
    properties: Mapping[str, str] = field(default_factory=dict)

    def get_row_count(self) -> int:
        return self.row_count

    def get_field_count(self) -> int:
        return self.field_count

    def get_total_size(self) -> int:
        return self.total_size

    def get_raw_data_size(self) -> int:
        """The size in memory in bytes."""
        return self.raw_data_size

    def get_properties(self) -> dict[str, str]:
        return dict(self.properties)

    def copy(self) -> CatalogTableStatistics:
        return replace(self)


@dataclass(frozen=True)
class CatalogColumnStatistics:
    """Statistics of columns by name."""

    column_statistics_data: Mapping[str, object] = field(default_factory=dict)
    properties: Mapping[str, str] = field(default_factory=dict)

    def get_column_statistics_data(self) -> dict[str, Any]:
        return dict(self.column_statistics_data)

    def get_properties(self) -> dict[str, str]:
        return dict(self.properties)

    def copy(self) -> CatalogColumnStatistics:
        return replace(self)
