"""Operators, predicates, CASE and CAST. The tree reflects precedence: parentheses have no node."""

from __future__ import annotations

from compiled_plan.planner.sql.nodes.base import Expression, Node, node
from compiled_plan.planner.sql.nodes.clauses import QueryNode
from compiled_plan.planner.sql.nodes.types import TypeSpec


@node
class Binary(Expression):
    """`left` operator `right`; chains are left-deep.

    The operator is OR, AND, `=`, `<>`, `<`, `<=`, `>`, `>=`, `+`, `-`, `*`, `/`, `%`, `||`, IS [NOT] DISTINCT FROM,
    or a predicate of periods: OVERLAPS, CONTAINS, EQUALS, [IMMEDIATELY] PRECEDES, [IMMEDIATELY] SUCCEEDS.
    """

    operator: str
    left: Expression
    right: Expression


@node
class Unary(Expression):
    """NOT, `-` or `+` before an operand. NOT BETWEEN, NOT IN, NOT LIKE and NOT EXISTS are NOT of the predicate."""

    operator: str
    operand: Expression


@node
class IsPredicate(Expression):
    """`operand` IS [NOT] `kind`: NULL, TRUE, FALSE, UNKNOWN, JSON VALUE (IS JSON alone), OBJECT, ARRAY or SCALAR."""

    operand: Expression
    kind: str
    negated: bool = False


@node
class Between(Expression):
    """`operand` BETWEEN [SYMMETRIC] `low` AND `high`."""

    operand: Expression
    low: Expression
    high: Expression
    symmetric: bool = False


@node
class In(Expression):
    """`operand` IN a query, or IN `items`."""

    operand: Expression
    items: tuple[Expression, ...] = ()
    query: QueryNode | None = None


@node
class Quantified(Expression):
    """`operand` operator ANY|ALL of a query, or of `items`; SOME is ANY."""

    operand: Expression
    operator: str
    quantifier: str
    items: tuple[Expression, ...] = ()
    query: QueryNode | None = None


@node
class Like(Expression):
    """`operand` LIKE|SIMILAR TO `pattern` [ESCAPE `escape`]; `kind` is the predicate."""

    operand: Expression
    pattern: Expression
    escape: Expression | None
    kind: str


@node
class Exists(Expression):
    """The predicate EXISTS (query), true or false."""

    query: QueryNode


@node
class When(Node):
    """A branch of CASE: WHEN `condition` THEN `result`."""

    condition: Expression
    result: Expression


@node
class Case(Expression):
    """CASE WHEN ... END; CASE x WHEN v is CASE WHEN x = v."""

    branches: tuple[When, ...]
    default: Expression | None = None


@node
class Cast(Expression):
    """CAST(`operand` AS `type`), or TRY_CAST with `safe`."""

    operand: Expression
    type: TypeSpec
    safe: bool = False
