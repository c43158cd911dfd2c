"""Operators and predicates that sqlglot has no fitting class for."""

from __future__ import annotations

from typing import ClassVar

from sqlglot import exp

from compiled_plan.planner.sql.nodes.base import Node


class Plus(Node):
    """Unary plus. Args: `this`."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True}


class Overlaps(Node):
    """(a, b) OVERLAPS (c, d) and the other period predicates. Args: `this`, `expression`, `kind`.

    `kind`: "OVERLAPS", "CONTAINS", "EQUALS", "PRECEDES", "SUCCEEDS", "IMMEDIATELY PRECEDES" or
    "IMMEDIATELY SUCCEEDS"; the operands are `RowValue`s of two.
    """

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "expression": True, "kind": True}

    @property
    def kind(self) -> str:
        """The predicate in capitals."""
        return self._str("kind")


class IsPredicate(Node):
    """`this` IS [NOT] `kind`. Args: `this`, `kind`, `negated`.

    `kind`: "NULL", "TRUE", "FALSE", "UNKNOWN", "JSON VALUE", "JSON OBJECT", "JSON ARRAY", "JSON SCALAR"
    (`IS JSON` alone is "JSON VALUE").
    """

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "kind": True, "negated": False}

    @property
    def kind(self) -> str:
        """What is tested, in capitals."""
        return self._str("kind")

    @property
    def negated(self) -> bool:
        """Whether NOT was written."""
        return self._flag("negated")


class IsDistinctFrom(Node):
    """`this` IS [NOT] DISTINCT FROM `expression`. Args: `this`, `expression`, `negated`."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "expression": True, "negated": False}

    @property
    def negated(self) -> bool:
        """Whether NOT was written."""
        return self._flag("negated")


class Like(Node):
    """`this` LIKE|SIMILAR TO `pattern` [ESCAPE `escape`]. Args: `this`, `pattern`, `escape`, `kind`."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "pattern": True, "escape": False, "kind": True}

    @property
    def pattern(self) -> exp.Expr:
        """The pattern."""
        return self._node("pattern")

    @property
    def escape(self) -> exp.Expr | None:
        """The escape character, or None."""
        return self._maybe("escape")

    @property
    def kind(self) -> str:
        """ "LIKE" or "SIMILAR TO"."""
        return self._str("kind")


class Quantified(Node):
    """`this` op ANY|ALL (query or list). Args: `this`, `op`, `quantifier`, `query` or `expressions`."""

    arg_types: ClassVar[dict[str, bool]] = {
        "this": True,
        "op": True,
        "quantifier": True,
        "query": False,
        "expressions": False,
    }

    @property
    def op(self) -> str:
        """ "=", "<>", "<", "<=", ">" or ">="."""
        return self._str("op")

    @property
    def quantifier(self) -> str:
        """ "ANY" (SOME is ANY) or "ALL"."""
        return self._str("quantifier")

    @property
    def query(self) -> exp.Expr | None:
        """The subquery, or None for a list of values."""
        return self._maybe("query")
