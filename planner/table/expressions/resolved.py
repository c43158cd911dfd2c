"""`ResolvedExpression`: an expression of a schema with its type.

Source: PyFlink's class of this name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.parse import parse_expression
from compiled_plan.planner.table.expressions.expression import Expression
from compiled_plan.planner.table.expressions.types import as_data_type
from compiled_plan.plans.types import LogicalType

if TYPE_CHECKING:
    from compiled_plan.plans.types.conversions.data_type import DataType


class ResolvedExpression(Expression):
    """The expression of a computed column or a watermark: its SQL and its type.

    The methods of expressions return expressions without a type, as for `col` and `lit`.
    """

    __slots__ = ("_sql", "_type")

    _sql: str
    _type: LogicalType

    @staticmethod
    def of(sql: str, type_: LogicalType) -> ResolvedExpression:
        """The expression of a text in SQL.

        Args:
            sql: the text.
            type_: its type.
        """
        expression = ResolvedExpression(parse_expression(sql, sql))
        object.__setattr__(expression, "_sql", sql)
        object.__setattr__(expression, "_type", type_)
        return expression

    @classmethod
    def _make(cls, node: ast.Expression, **flags: bool) -> Any:
        return Expression(node, **flags)

    def get_output_data_type(self) -> DataType:
        """The type of the expression's values."""
        return as_data_type(self._type)

    def get_resolved_children(self) -> list[ResolvedExpression]:
        """An empty list: the expression of a schema is one text of SQL."""
        return []

    def as_serializable_string(self) -> str:
        """The expression as SQL, for another parser."""
        return self._sql

    def as_summary_string(self) -> str:
        """The expression as SQL, for messages and descriptions."""
        return self._sql

    def __str__(self) -> str:
        return self._sql

    def __repr__(self) -> str:
        return self._sql
