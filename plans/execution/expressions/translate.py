"""Row expressions to Spark columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F

from compiled_plan.plans import rex as r
from compiled_plan.plans.errors import PlanError
from compiled_plan.plans.execution.expressions.context import ExpressionContext
from compiled_plan.plans.execution.expressions.literals_to_columns import literal_column
from compiled_plan.plans.execution.expressions.registry import translator_of
from compiled_plan.plans.trees import fold_tree

#: Modules that register translators. A family of functions has the same name as in `planner.functions`, and several
#: modules if it is large: `arithmetic_functions`.
FAMILIES = (
    "arithmetic",
    "arithmetic_functions",
    "bitmaps",
    "casts",
    "collections",
    "conditional",
    "hashes",
    "json",
    "operators_comparison",
    "operators_logic",
    "strings",
    "structured",
    "temporal",
    "temporal_texts",
    "variants",
)
for _family in FAMILIES:
    import_module(f"{__package__}.{_family}")


def to_column(rex: r.RexNode, inputs: Sequence[Column], context: ExpressionContext) -> Column:
    """The Spark column that computes a row expression, with Flink's semantics.

    Args:
        rex: the expression, as read from a plan.
        inputs: the columns that its input references index, in order.
        context: time zone, time, and the translator of user functions.

    Raises:
        UnsupportedError: a function, or a form of it, that does not run; names it and `context.where`.
        PlanError: a reference to a column that the input does not have.
    """
    return fold_tree(rex, _parts, _Translation(inputs, context).column)


#: Operators that programs chain at length and Flink nests; their columns need not nest.
_CHAINED = frozenset(("$AND$1", "$OR$1", "$||$1"))


def _parts(rex: r.RexNode) -> tuple[r.RexNode, ...]:
    if isinstance(rex, r.Call) and rex.name in _CHAINED:
        return tuple(r.flattened(rex, rex.name))
    return rex.children()


class _Translation:
    def __init__(self, inputs: Sequence[Column], context: ExpressionContext) -> None:
        self.inputs = inputs
        self.context = context

    def column(self, rex: r.RexNode, children: tuple[Column, ...]) -> Column:
        """The column of an expression from the columns of its children."""
        reader = _READERS.get(type(rex))
        if reader is None:
            raise self.context.unsupported(f"expressions of kind {type(rex).__name__} cannot run here")
        return reader(self, rex, children)

    def input_ref(self, rex: r.InputRef, children: tuple[Column, ...]) -> Column:
        if not 0 <= rex.index < len(self.inputs):
            raise PlanError(
                f"an expression reads column {rex.index} of an input with {len(self.inputs)} columns",
                where=self.context.where,
                remedy="compile the plan again, or correct `inputIndex`",
            )
        return self.inputs[rex.index]

    def call(self, rex: r.Call, arguments: tuple[Column, ...]) -> Column:
        translator = translator_of(rex.name)
        if rex.name in _CHAINED:
            rex = replace(rex, operands=_parts(rex))
        if translator is not None:
            return translator(rex, arguments, self.context)
        if self.context.user_function is not None:
            column = self.context.user_function(rex, arguments)
            if column is not None:
                return column
        if r.java_function(rex) is not None and self.context.java is not None:
            return self.context.java.column(rex, arguments, self.context.where)
        function = r.python_function(rex)
        if function is not None:
            raise self.context.unsupported(
                f"the Python function {function.path} is called where only built-in functions run",
                remedy="call it in the SELECT list or WHERE clause of a query, behind the table's watermark",
            )
        raise self.context.unsupported(
            f"function {r.called_name(rex)!r} is not known",
            remedy="use a built-in function, or register the function before the plan runs",
        )

    def field_access(self, rex: r.FieldAccess, children: tuple[Column, ...]) -> Column:
        return children[0].getField(rex.name)

    def correl_variable(self, rex: r.CorrelVariable, children: tuple[Column, ...]) -> Column:
        column = self.context.correlated.get(rex.name)
        if column is None:
            raise PlanError(f"correlation variable {rex.name} stands outside its correlate", where=self.context.where)
        return column


_READERS: dict[type[r.RexNode], Callable[[_Translation, Any, tuple[Column, ...]], Column]] = {
    r.InputRef: _Translation.input_ref,
    r.Literal: lambda self, rex, children: literal_column(rex, self.context),
    # The translator of $SEARCH$1 reads the ranges from the call.
    r.Sarg: lambda self, rex, children: F.lit(None),
    r.Call: _Translation.call,
    r.FieldAccess: _Translation.field_access,
    r.CorrelVariable: _Translation.correl_variable,
}
