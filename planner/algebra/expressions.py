"""Constructors and decompositions of row expressions for the rules: boolean logic, comparisons, CASE, casts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from compiled_plan.plans.rex import Call, InputRef, Literal, RexNode, flattened, map_inputs, transform, type_of, walk
from compiled_plan.plans.types import BIGINT, BOOLEAN, CharacterType, LogicalType, RowType

TRUE = Literal(True, BOOLEAN.not_null())
FALSE = Literal(False, BOOLEAN.not_null())

#: The negated comparison, valid for operands that are not null.
NEGATED = {
    "$=$1": "$<>$1",
    "$<>$1": "$=$1",
    "$<$1": "$>=$1",
    "$>=$1": "$<$1",
    "$>$1": "$<=$1",
    "$<=$1": "$>$1",
}

#: The comparison with its sides exchanged.
MIRRORED = {
    "$=$1": "$=$1",
    "$<>$1": "$<>$1",
    "$<$1": "$>$1",
    "$>$1": "$<$1",
    "$<=$1": "$>=$1",
    "$>=$1": "$<=$1",
}


def is_true(rex: RexNode | None) -> bool:
    """Return True if the condition is absent or the literal TRUE."""
    return rex is None or (isinstance(rex, Literal) and rex.value is True)


def is_false(rex: RexNode | None) -> bool:
    """Return True if the condition is the literal FALSE or NULL, so that no row passes it."""
    return isinstance(rex, Literal) and (rex.value is False or rex.value is None)


def is_call(rex: RexNode, name: str) -> bool:
    """Return True if `rex` is a call of the internal name `name`."""
    return isinstance(rex, Call) and rex.name == name


def conjuncts(rex: RexNode | None) -> list[RexNode]:
    """The operands of a top-level AND; none for TRUE."""
    return [] if rex is None else [part for part in flattened(rex, "$AND$1") if not is_true(part)]


def disjuncts(rex: RexNode) -> list[RexNode]:
    """The operands of a top-level OR."""
    return list(flattened(rex, "$OR$1"))


def conjunction(parts: Iterable[RexNode]) -> RexNode:
    """AND of `parts` without duplicates: TRUE for none, the part itself for one."""
    return _logical("$AND$1", list(dict.fromkeys(parts)), TRUE)


def disjunction(parts: Iterable[RexNode]) -> RexNode:
    """OR of `parts`: FALSE for none."""
    return _logical("$OR$1", list(dict.fromkeys(parts)), FALSE)


def negation(rex: RexNode) -> RexNode:
    return Call("$NOT$1", (rex,), BOOLEAN.with_nullability(type_of(rex).nullable), "PREFIX")


def comparison(name: str, left: RexNode, right: RexNode) -> RexNode:
    """Comparison of `left` and `right` by the operator with that internal name."""
    nullable = type_of(left).nullable or type_of(right).nullable
    return Call(name, (left, right), BOOLEAN.with_nullability(nullable), "BINARY")


def equals(left: RexNode, right: RexNode) -> RexNode:
    return comparison("$=$1", left, right)


def is_null(rex: RexNode) -> RexNode:
    return Call("$IS NULL$1", (rex,), BOOLEAN.not_null(), "POSTFIX")


def is_not_null(rex: RexNode) -> RexNode:
    return Call("$IS NOT NULL$1", (rex,), BOOLEAN.not_null(), "POSTFIX")


def not_distinct(left: RexNode, right: RexNode) -> RexNode:
    """Null-safe equality in the form `(a = b) OR (a IS NULL AND b IS NULL)`."""
    if not type_of(left).nullable or not type_of(right).nullable:
        return equals(left, right)
    return disjunction((equals(left, right), conjunction((is_null(left), is_null(right)))))


def null_safe_sides(rex: RexNode) -> tuple[RexNode, RexNode] | None:
    """The sides of `(a = b) OR (a IS NULL AND b IS NULL)`; IS TRUE and IS NOT NULL may surround the equality."""
    branches = disjuncts(rex)
    if len(branches) != 2:
        return None
    for equal, missing in (branches, branches[::-1]):
        tests = [part.children()[0] for part in conjuncts(missing) if is_call(part, "$IS NULL$1")]
        if len(tests) != 2 or len(conjuncts(missing)) != 2:
            continue
        tested = [part.children()[0] if is_call(part, "$IS TRUE$1") else part for part in conjuncts(equal)]
        equalities = [part for part in tested if is_call(part, "$=$1")]
        known = [part.children()[0] for part in tested if is_call(part, "$IS NOT NULL$1")]
        if len(equalities) != 1 or len(equalities) + len(known) != len(tested) or not set(known) <= set(tests):
            continue
        left, right = equalities[0].children()
        if {left, right} == set(tests):
            return left, right
    return None


def case(branches: Sequence[tuple[RexNode, RexNode]], default: RexNode, type_: LogicalType | None = None) -> RexNode:
    """`CASE WHEN .. THEN .. ELSE default END`; by default of the default's type, nullable if a branch is."""
    values = [value for _, value in branches] + [default]
    result_type = type_ or type_of(default).with_nullability(any(type_of(value).nullable for value in values))
    operands = tuple(item for branch in branches for item in branch)
    return Call("$CASE$1", (*operands, default), result_type, "SPECIAL")


def cast(rex: RexNode, type_: LogicalType) -> RexNode:
    """`rex` cast to a compatible type, including nullability; unchanged if the type is the same."""
    return rex if type_of(rex) == type_ else Call("$CAST$1", (rex,), type_, "SPECIAL")


def same_representation(left: LogicalType, right: LogicalType) -> bool:
    """Return True if values of both types compare without a cast; texts do, whatever their lengths."""
    if isinstance(left, CharacterType) and isinstance(right, CharacterType):
        return True
    return left.not_null() == right.not_null()


def size(rex: RexNode) -> int:
    """The number of nodes in an expression."""
    return sum(1 for _ in walk(rex))


def null_of(type_: LogicalType) -> Literal:
    return Literal(None, type_.with_nullability(True))


def bigint(value: int) -> Literal:
    return Literal(value, BIGINT.not_null())


def shift(rex: RexNode, by: int) -> RexNode:
    """The expression with every column index increased by `by`."""
    return map_inputs(rex, lambda index: index + by) if by else rex


def substitute(rex: RexNode, columns: Sequence[RexNode]) -> RexNode:
    """The expression with every column replaced by its defining expression."""
    return transform(rex, lambda node: columns[node.index] if isinstance(node, InputRef) else node)


def without_nullable_casts(rex: RexNode, *, inside: bool = False) -> RexNode:
    """The expression without inner casts that only remove NOT NULL, as Flink simplifies it.

    Args:
        rex: the expression.
        inside: also simplify the outermost cast, which changes the expression's own type.
    """

    def change(node: RexNode) -> RexNode:
        if node is rex and not inside:
            return node
        if isinstance(node, Call) and node.name == "$CAST$1" and isinstance(node.operands[0], InputRef):
            operand_type = node.operands[0].type
            return (
                node.operands[0]
                if not operand_type.nullable and operand_type.with_nullability(True) == node.type
                else node
            )
        if isinstance(node, Call) and node.name in NEGATED:
            return replace(
                node, type=node.type.with_nullability(any(type_of(operand).nullable for operand in node.operands))
            )
        return node

    if isinstance(rex, InputRef | Literal):
        return rex
    return transform(rex, change)


#: Limit in nodes: inlining beyond it keeps two projections instead of one.
MOST_NODES = 1000


def stays_small(above: Sequence[RexNode], below: Sequence[RexNode]) -> bool:
    """Return True if `above` with the columns of `below` inlined is no larger than both apart, or below `MOST_NODES`.

    A column that is read twice is inlined twice, so stacked projections would double at each level.
    """
    sizes = [size(rex) for rex in below]
    merged = sum(sizes[node.index] if isinstance(node, InputRef) else 1 for rex in above for node in walk(rex))
    return merged <= max(MOST_NODES, sum(sizes) + sum(map(size, above)))


def retype(rex: RexNode, row: RowType) -> RexNode:
    """The expression with the types of its column references taken from `row`."""
    types = row.types
    return transform(rex, lambda node: InputRef(node.index, types[node.index]) if isinstance(node, InputRef) else node)


def contains(rex: RexNode, test: Callable[[RexNode], bool] | type[RexNode]) -> bool:
    """Return True if the expression or a part of it is of a class, or passes a test."""
    check = (lambda node: isinstance(node, test)) if isinstance(test, type) else test
    return any(check(node) for node in walk(rex))


def _logical(name: str, parts: list[RexNode], empty: Literal) -> RexNode:
    if not parts:
        return empty
    if len(parts) == 1:
        return parts[0]
    return Call(name, tuple(parts), BOOLEAN.with_nullability(any(type_of(part).nullable for part in parts)), "BINARY")
