"""Row expressions to Spark columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F

from plans import rex as r
from plans.errors import PlanError
from plans.execution.expressions import families as families
from plans.execution.expressions.context import ExpressionContext
from plans.execution.expressions.literals import literal_column
from plans.execution.expressions.registry import translator_of


def to_column(rex: r.RexNode, inputs: Sequence[Column], context: ExpressionContext) -> Column:
    """The Spark column that computes a row expression, with Flink's semantics.

    Args:
        rex: the expression, as read from a plan.
        inputs: the columns that its input references count, in order.
        context: time zone, time, and who translates users' functions.

    Raises:
        UnsupportedError: a function, or a form of it, that does not run; names it and `context.where`.
        PlanError: a reference to a column that the input does not have.
    """
    return _Translation(inputs, context).column(rex)


class _Translation:
    def __init__(self, inputs: Sequence[Column], context: ExpressionContext) -> None:
        self.inputs = inputs
        self.context = context

    def column(self, rex: r.RexNode) -> Column:
        reader = _READERS.get(type(rex))
        if reader is None:
            raise self.context.unsupported(f"expressions of kind {type(rex).__name__} cannot run here")
        return reader(self, rex)

    def input_ref(self, rex: r.InputRef) -> Column:
        if not 0 <= rex.index < len(self.inputs):
            raise PlanError(
                f"an expression reads column {rex.index} of an input with {len(self.inputs)} columns",
                where=self.context.where,
                remedy="compile the plan again, or correct `inputIndex`",
            )
        return self.inputs[rex.index]

    def call(self, rex: r.Call) -> Column:
        translator = translator_of(rex.name)
        arguments = tuple(self.column(operand) for operand in rex.operands)
        if translator is not None:
            return translator(rex, arguments, self.context)
        if self.context.user_function is not None:
            found = self.context.user_function(rex, arguments)
            if found is not None:
                return found
        function = r.python_function(rex)
        if function is not None:
            raise self.context.unsupported(
                f"the Python function {function.path} is called where only built-in functions run",
                remedy="call it in the SELECT list or WHERE clause of a query, behind the table's watermark",
            )
        raise self.context.unsupported(
            f"function {rex.name or dict(rex.extra)} is not known",
            remedy="use a built-in function, or register the function before the plan runs",
        )

    def field_access(self, rex: r.FieldAccess) -> Column:
        return self.column(rex.expr).getField(rex.name)

    def correl_variable(self, rex: r.CorrelVariable) -> Column:
        column = self.context.correlated.get(rex.name)
        if column is None:
            raise PlanError(f"correlation variable {rex.name} stands outside its correlate", where=self.context.where)
        return column


_READERS: dict[type[r.RexNode], Callable[[_Translation, Any], Column]] = {
    r.InputRef: _Translation.input_ref,
    r.Literal: lambda self, rex: literal_column(rex, self.context),
    # The translator of $SEARCH$1 reads the ranges from the call.
    r.Sarg: lambda self, rex: F.lit(None),
    r.Call: _Translation.call,
    r.FieldAccess: _Translation.field_access,
    r.CorrelVariable: _Translation.correl_variable,
}
