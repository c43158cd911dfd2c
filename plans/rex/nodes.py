"""Row expressions: immutable trees over the columns of an operator's input.

Source: the `kind` objects of Flink 2.3's compiled plans (INPUT_REF, LITERAL, CALL, FIELD_ACCESS, CORREL_VARIABLE,
PATTERN_INPUT_REF). Every expression knows its type; a call is named by Flink's internal name, `$UPPER$1`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from plans.errors import PlanError
from plans.types import FieldsType, LogicalType


@dataclass(frozen=True, slots=True)
class RexNode:
    """Base of all row expressions; each subclass has a `type`."""

    def children(self) -> tuple[RexNode, ...]:
        """The expressions this one is made of, in order."""
        return ()

    def with_children(self, children: tuple[RexNode, ...]) -> RexNode:
        """The same expression over other children."""
        return self


@dataclass(frozen=True, slots=True)
class InputRef(RexNode):
    """Column `index` of the input, from 0; for a join, left columns first."""

    index: int
    type: LogicalType


@dataclass(frozen=True, slots=True)
class Literal(RexNode):
    """A constant. `value` is as in the plan's JSON: decimals and intervals as text, bytes as base64, dates as text.

    A symbol (a time unit, a JSON behaviour) has `symbol`, Flink's name of the enum, and its value in `value`.
    """

    value: bool | int | float | str | None
    type: LogicalType
    symbol: str | None = None


@dataclass(frozen=True, slots=True)
class Range:
    """One range of a Sarg; a bound is None where the range is open-ended."""

    lower: bool | int | float | str | None = None
    lower_closed: bool = False
    upper: bool | int | float | str | None = None
    upper_closed: bool = False
    has_lower: bool = False
    has_upper: bool = False


@dataclass(frozen=True, slots=True)
class Sarg(RexNode):
    """The second operand of `$SEARCH$1`: a set of ranges. `null_as` is TRUE, FALSE or UNKNOWN."""

    ranges: tuple[Range, ...]
    null_as: str
    type: LogicalType


@dataclass(frozen=True, slots=True)
class Call(RexNode):
    """A function or operator applied to operands.

    `name` is Flink's internal name (`$+$1`), or for a user's function its registered name. `syntax` is as in the
    plan (BINARY, SPECIAL, ...; None for FUNCTION, which plans leave out). `extra` keeps further JSON fields of the
    call (catalogName, class, functionKind) as a tuple of pairs.
    """

    name: str
    operands: tuple[RexNode, ...]
    type: LogicalType
    syntax: str | None = None
    extra: tuple[tuple[str, Any], ...] = ()

    def children(self) -> tuple[RexNode, ...]:
        return self.operands

    def with_children(self, children: tuple[RexNode, ...]) -> RexNode:
        return replace(self, operands=children)


@dataclass(frozen=True, slots=True)
class FieldAccess(RexNode):
    """Field `name` of a row-valued expression."""

    expr: RexNode
    name: str

    def children(self) -> tuple[RexNode, ...]:
        return (self.expr,)

    def with_children(self, children: tuple[RexNode, ...]) -> RexNode:
        return FieldAccess(children[0], self.name)

    @property
    def type(self) -> LogicalType:
        """The field's type; nullable where the row is."""
        row = type_of(self.expr)
        field = row.field_named(self.name) if isinstance(row, FieldsType) else None
        if field is None:
            raise PlanError(f"no field {self.name!r} in {row}")
        return field.type.with_nullability(True) if row.nullable else field.type


@dataclass(frozen=True, slots=True)
class CorrelVariable(RexNode):
    """The outer row of a correlate, `$cor0`."""

    name: str
    type: LogicalType


@dataclass(frozen=True, slots=True)
class PatternInputRef(RexNode):
    """A column of the rows matched to pattern variable `alpha` in MATCH_RECOGNIZE."""

    alpha: str
    index: int
    type: LogicalType


def type_of(rex: RexNode) -> LogicalType:
    """The type of any row expression."""
    found = getattr(rex, "type", None)
    if not isinstance(found, LogicalType):
        raise PlanError(f"expression {type(rex).__name__} has no type")
    return found


def walk(rex: RexNode) -> Iterator[RexNode]:
    """The expression and all its descendants, parents first."""
    yield rex
    for child in rex.children():
        yield from walk(child)


def transform(rex: RexNode, change: Callable[[RexNode], RexNode]) -> RexNode:
    """The expression rebuilt bottom-up with `change` applied to every node."""
    children = rex.children()
    if children:
        changed = tuple(transform(child, change) for child in children)
        if changed != children:
            rex = rex.with_children(changed)
    return change(rex)


def input_refs(rex: RexNode) -> frozenset[int]:
    """The indices of all input columns an expression reads."""
    return frozenset(node.index for node in walk(rex) if isinstance(node, InputRef))


def map_inputs(rex: RexNode, mapping: Callable[[int], int]) -> RexNode:
    """The expression with every input index replaced by `mapping(index)`; types are kept."""

    def change(node: RexNode) -> RexNode:
        return InputRef(mapping(node.index), node.type) if isinstance(node, InputRef) else node

    return transform(rex, change)
