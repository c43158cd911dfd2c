"""The base of the nodes that this dialect adds to sqlglot's."""

from __future__ import annotations

from typing import ClassVar, cast

from sqlglot import exp


class Node(exp.Expression):
    """Base of the nodes that this dialect adds to sqlglot's."""

    arg_types: ClassVar[dict[str, bool]] = {}

    def _node(self, key: str) -> exp.Expr:
        return cast("exp.Expr", self.args[key])

    def _maybe(self, key: str) -> exp.Expr | None:
        return cast("exp.Expr | None", self.args.get(key))

    def _list(self, key: str = "expressions") -> list[exp.Expr]:
        return cast("list[exp.Expr]", self.args.get(key) or [])

    def _str(self, key: str) -> str:
        return cast(str, self.args.get(key) or "")

    def _flag(self, key: str) -> bool:
        return bool(self.args.get(key))


class Named(Node):
    """A node that holds a dotted name in `parts`."""

    @property
    def parts(self) -> list[exp.Identifier]:
        """The identifiers of the name, as written, outermost first."""
        return cast("list[exp.Identifier]", self._list("parts"))

    @property
    def names(self) -> tuple[str, ...]:
        """The name as strings, case kept."""
        return tuple(part.name for part in self.parts)
