"""Row expressions: immutable trees over the columns of an operator's input.

Source: the `kind` objects of Flink 2.3's compiled plans (INPUT_REF, LITERAL, CALL, FIELD_ACCESS, CORREL_VARIABLE,
PATTERN_INPUT_REF). Every expression knows its type; a call is named by Flink's internal name, `$UPPER$1`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from compiled_plan.plans.errors import PlanError
from compiled_plan.plans.trees import fold_tree
from compiled_plan.plans.types import FieldsType, LogicalType

T = TypeVar("T")


class RexNode:
    """Base of all row expressions; each subclass has a `type`, and is a frozen dataclass."""

    __slots__ = ()

    def children(self) -> tuple[RexNode, ...]:
        return ()

    def with_children(self, children: tuple[RexNode, ...]) -> RexNode:
        """Copy the expression with new children."""
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


class _Hashed(RexNode):
    """An expression that caches its hash, which is needed often, and at every level of a deep expression."""

    __slots__ = ("_hash",)
    _hash: int


@dataclass(frozen=True, slots=True, eq=False)
class Call(_Hashed):
    """A function or operator applied to operands.

    `name` is Flink's internal name (`$+$1`), or the registered name of a user's function. `syntax` is as in the plan
    (BINARY, SPECIAL, ...; None for FUNCTION, which plans omit). `extra` holds further JSON fields of the call
    (catalogName, class, functionKind) as pairs.
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

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            root: RexNode = self
            return fold_tree(root, _unhashed, _keep_hash)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if other.__class__ is not self.__class__ or hash(self) != hash(other):
            return NotImplemented if other.__class__ is not self.__class__ else False
        waiting: list[tuple[RexNode, RexNode]] = [(self, other)]
        while waiting:
            left, right = waiting.pop()
            if left is right:
                continue
            if type(left) is not Call or type(right) is not Call:
                if left != right:
                    return False
            elif _own(left) != _own(right) or len(left.operands) != len(right.operands):
                return False
            else:
                waiting += zip(left.operands, right.operands, strict=True)
        return True


def _own(call: Call) -> tuple[object, ...]:
    return call.name, call.type, call.syntax, call.extra


def _unhashed(rex: RexNode) -> tuple[RexNode, ...]:
    """The children to hash before the hash of an expression."""
    return () if type(rex) is not Call or hasattr(rex, "_hash") else rex.operands


def _keep_hash(rex: RexNode, children: tuple[int, ...]) -> int:
    if type(rex) is not Call:
        return hash(rex)
    try:
        return rex._hash
    except AttributeError:
        computed = hash((*_own(rex), children))
        object.__setattr__(rex, "_hash", computed)
        return computed


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
        """The field's type; nullable if the row is."""
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


#: The names of casts.
CASTS = frozenset(("$CAST$1", "$TRY_CAST$1", "$cast$1"))


def type_of(rex: RexNode) -> LogicalType:
    result = getattr(rex, "type", None)
    if not isinstance(result, LogicalType):
        raise PlanError(f"expression {type(rex).__name__} has no type")
    return result


_CHILDREN: Callable[[RexNode], tuple[RexNode, ...]] = operator.methodcaller("children")


def walk(rex: RexNode) -> Iterator[RexNode]:
    """The expression and all its descendants, parents first."""
    waiting = [rex]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(node.children()))


def fold(rex: RexNode, combine: Callable[[RexNode, tuple[T, ...]], T]) -> T:
    """Fold an expression bottom-up, at any depth: `combine` takes a node and the results of its children."""
    return fold_tree(rex, _CHILDREN, combine)


def flattened(rex: RexNode, name: str) -> Iterator[RexNode]:
    """The operands of calls of this name, nested calls expanded in place; any other expression itself."""
    waiting = [rex]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Call) and node.name == name:
            waiting += reversed(node.operands)
        else:
            yield node


def transform(rex: RexNode, change: Callable[[RexNode], RexNode]) -> RexNode:
    """Rebuild an expression bottom-up with `change` applied to every node."""
    if not rex.children():
        return change(rex)

    def rebuilt(node: RexNode, changed: tuple[RexNode, ...]) -> RexNode:
        if changed and not all(map(operator.is_, changed, node.children())):
            node = node.with_children(changed)
        return change(node)

    return fold(rex, rebuilt)


def input_refs(rex: RexNode) -> frozenset[int]:
    """The indices of the input columns that an expression reads."""
    return frozenset(node.index for node in walk(rex) if isinstance(node, InputRef))


def map_inputs(rex: RexNode, mapping: Callable[[int], int]) -> RexNode:
    """Replace every input index with `mapping(index)`; types stay the same."""

    def change(node: RexNode) -> RexNode:
        return InputRef(mapping(node.index), node.type) if isinstance(node, InputRef) else node

    return transform(rex, change)
