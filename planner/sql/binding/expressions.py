"""Scalar expressions: syntax to typed row expressions.

`bind` dispatches on the class of the node in `BINDERS`, which covers all expressions of `planner.sql.nodes`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from compiled_plan.planner.functions import casts, plan_literals
from compiled_plan.planner.functions.registry import resolve_call
from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.core import Binder, Context
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.rex import RexNode, type_of
from compiled_plan.plans.types import BOOLEAN, BooleanType, CharacterType, NullType, NumericType

N = TypeVar("N", bound=ast.Expression)
BindExpression = Callable[[Binder, N, Context], RexNode]

BINDERS: dict[type[ast.Expression], BindExpression[Any]] = {}


def binds(*classes: type[N]) -> Callable[[BindExpression[N]], BindExpression[N]]:
    """Register a function as the binder of these node classes."""

    def register(function: BindExpression[N]) -> BindExpression[N]:
        for class_ in classes:
            BINDERS[class_] = function
        return function

    return register


def bind(binder: Binder, node: ast.Expression, context: Context) -> RexNode:
    """The typed row expression of `node` over the scope of `context`.

    Raises:
        ProgramError: unknown name or function, wrong types; with line, column and caret.
        UnsupportedError: a construct that is not supported.
    """
    handler = BINDERS.get(type(node))
    if handler is None:
        raise binder.source.unsupported(node, f"{type(node).__name__} in an expression")
    with binder.source.at(node):
        return handler(binder, node, context)


def bind_value(binder: Binder, node: ast.Expression, context: Context) -> RexNode:
    """Bind an expression that becomes a column, where a bare NULL has no type.

    Raises:
        ProgramError: as `bind`, and for NULL without CAST.
    """
    rex = bind(binder, node, context)
    if isinstance(type_of(rex), NullType):
        raise binder.source.error(node, "illegal use of NULL: its type is unknown here", "write CAST(NULL AS type)")
    return rex


def bind_condition(binder: Binder, node: ast.Expression, context: Context) -> RexNode:
    """Bind a boolean expression.

    Raises:
        ProgramError: as `bind`, and for another type.
    """
    rex = bind(binder, node, context)
    if isinstance(type_of(rex), NullType):
        return casts.cast(rex, BOOLEAN)
    if not isinstance(type_of(rex), BooleanType):
        raise binder.source.error(node, f"{context.clause} must be a condition, not {type_of(rex)}")
    return rex


def call(binder: Binder, name: str, operands: Sequence[ast.Expression], context: Context) -> RexNode:
    """The call of the function or operator `name` with bound operands."""
    return resolve_call(name, [bind(binder, operand, context) for operand in operands])


def bind_number(binder: Binder, node: ast.Expression, text: str) -> RexNode:
    """The literal of a number.

    Raises:
        ProgramError: it has more digits than any type.
    """
    try:
        return plan_literals.number(text)
    except ArithmeticError:
        raise binder.source.error(node, f"not a number: {text}") from None


def check_equality(left: RexNode, right: RexNode) -> None:
    """Raise for `=` and `<>` of a number and a text, which Flink only casts for `<`, BETWEEN and IN.

    Raises:
        ProgramError: names both types.
    """
    left_type, right_type = type_of(left), type_of(right)
    for number, text in ((left_type, right_type), (right_type, left_type)):
        if isinstance(number, NumericType) and isinstance(text, CharacterType):
            raise ProgramError(
                f"{left_type} and {right_type} cannot be tested for equality: "
                "there is no implicit conversion between them",
                remedy="CAST one side to the type of the other",
            )
