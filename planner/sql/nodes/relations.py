"""What stands in FROM."""

from __future__ import annotations

from typing import ClassVar, cast

from sqlglot import exp

from compiled_plan.planner.sql.nodes.base import Named, Node
from compiled_plan.planner.sql.nodes.calls import Call
from compiled_plan.planner.sql.nodes.queries import TableHint


class _Aliased(Node):
    """A relation that may have an alias."""

    @property
    def table_alias(self) -> exp.TableAlias | None:
        """The alias with its columns, or None."""
        return cast("exp.TableAlias | None", self._maybe("alias"))

    @property
    def lateral(self) -> bool:
        """Whether LATERAL was written."""
        return self._flag("lateral")


class TableRef(_Aliased, Named):
    """A table or view by name. Args: `parts`, `hints`, `as_of`, `alias`."""

    arg_types: ClassVar[dict[str, bool]] = {"parts": True, "hints": False, "as_of": False, "alias": False}

    @property
    def hints(self) -> list[TableHint]:
        """The hints after the name."""
        return cast("list[TableHint]", self._list("hints"))

    @property
    def as_of(self) -> exp.Expr | None:
        """The expression of FOR SYSTEM_TIME AS OF, or None."""
        return self._maybe("as_of")


class BoundRelation(Node):
    """A relation that is bound already: a `Table` of the Table API. No parser makes one.

    Args: `relation` (the binder's `From`), `as_of` (the time of FOR SYSTEM_TIME AS OF, or None). It is a query, too.
    """

    arg_types: ClassVar[dict[str, bool]] = {"relation": True, "as_of": False}

    @property
    def as_of(self) -> exp.Expr | None:
        """The time as of which the rows are, or None."""
        return self._maybe("as_of")


class Unnest(_Aliased):
    """UNNEST(...) [WITH ORDINALITY]. Args: `expressions`, `ordinality`, `lateral`, `alias`."""

    arg_types: ClassVar[dict[str, bool]] = {
        "expressions": True,
        "ordinality": False,
        "lateral": False,
        "alias": False,
    }

    @property
    def ordinality(self) -> bool:
        """Whether WITH ORDINALITY was written."""
        return self._flag("ordinality")


class TableFunction(_Aliased):
    """A table function in FROM. Args: `call`, `form`, `lateral`, `alias`, `hints`."""

    arg_types: ClassVar[dict[str, bool]] = {
        "call": True,
        "form": False,
        "lateral": False,
        "alias": False,
        "hints": False,
    }

    @property
    def call(self) -> Call:
        """The call."""
        return cast(Call, self._node("call"))

    @property
    def form(self) -> str:
        """ "LATERAL TABLE", "TABLE" or ""."""
        return self._str("form")


class Join(Node):
    """Two relations joined. Args: `left`, `right`, `kind`, `natural`, `on`, `using` (see the module)."""

    arg_types: ClassVar[dict[str, bool]] = {
        "left": True,
        "right": True,
        "kind": True,
        "natural": False,
        "on": False,
        "using": False,
    }

    @property
    def left(self) -> exp.Expr:
        """The left relation."""
        return self._node("left")

    @property
    def right(self) -> exp.Expr:
        """The right relation."""
        return self._node("right")

    @property
    def kind(self) -> str:
        """ "INNER", "LEFT", "RIGHT", "FULL", "CROSS", "COMMA", "LEFT SEMI" or "LEFT ANTI"."""
        return self._str("kind")

    @property
    def natural(self) -> bool:
        """Whether NATURAL was written."""
        return self._flag("natural")

    @property
    def on(self) -> exp.Expr | None:
        """The condition, or None."""
        return self._maybe("on")

    @property
    def using(self) -> list[exp.Identifier]:
        """The columns of USING, or an empty list."""
        return cast("list[exp.Identifier]", self._list("using"))


class MatchRecognize(_Aliased):
    """`this` MATCH_RECOGNIZE (...).

    Args: `this` (relation), `partition_by` (list), `order` (`exp.Order`), `measures` (list of `exp.Alias`), `rows`
    ("ONE ROW PER MATCH", "ALL ROWS PER MATCH" or None), `after` (text of AFTER MATCH in capitals, or None),
    `after_variable` (`exp.Identifier` or None), `pattern` (text of the pattern), `within` (expr or
    None), `subset` (list of `exp.Alias` over `RowValue`), `define` (list of `exp.Alias`), `alias`.
    """

    arg_types: ClassVar[dict[str, bool]] = {
        "this": True,
        "partition_by": False,
        "order": False,
        "measures": False,
        "rows": False,
        "after": False,
        "after_variable": False,
        "pattern": True,
        "within": False,
        "subset": False,
        "define": True,
        "alias": False,
    }
