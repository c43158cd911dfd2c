"""Parts of a query: grouping and hints."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from compiled_plan.planner.sql.nodes.base import Node

if TYPE_CHECKING:
    from collections.abc import Sequence


class GroupBy(Node):
    """GROUP BY. Args: `expressions`: expressions, `GroupingSets`, `Rollup`, `Cube`, or `RowValue`.

    A `RowValue` (not `explicit`) among them is a set of columns: `()` the empty set, `(a, b)` the same as `a, b`.
    """

    arg_types: ClassVar[dict[str, bool]] = {"expressions": True, "distinct": False}


class GroupingSets(Node):
    """GROUPING SETS (...). Args: `expressions`: as in `GroupBy`."""

    arg_types: ClassVar[dict[str, bool]] = {"expressions": True}


class Rollup(Node):
    """ROLLUP (...). Args: `expressions`: expressions or `RowValue` for a set of columns."""

    arg_types: ClassVar[dict[str, bool]] = {"expressions": True}


class Cube(Node):
    """CUBE (...). Args: `expressions`: expressions or `RowValue` for a set of columns."""

    arg_types: ClassVar[dict[str, bool]] = {"expressions": True}


class HintOption(Node):
    """'key' = 'value' in a hint. Args: `key_`, `value` (text)."""

    arg_types: ClassVar[dict[str, bool]] = {"key_": True, "value": True}

    @property
    def option(self) -> str:
        """The key as written."""
        return self._str("key_")

    @property
    def value(self) -> str:
        """The value as written."""
        return self._str("value")


class TableHint(Node):
    """One hint of `/*+ ... */`. Args: `this` (`exp.Identifier`), `options` (list of `HintOption`), `expressions`.

    `options` of STATE_TTL('a'='1s'), OPTIONS('k'='v'), LOOKUP(...); `expressions`: the names of BROADCAST(a, b),
    each an `exp.Identifier` or `exp.Literal`.
    """

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "options": False, "expressions": False}

    @property
    def name(self) -> str:
        """The hint's name in capitals."""
        return self._node("this").name.upper()

    @property
    def options(self) -> dict[str, str]:
        """The key-value options; the last of equal keys wins."""
        options = cast("Sequence[HintOption]", self._list("options"))
        return {option.option: option.value for option in options}

    @property
    def arguments(self) -> list[str]:
        """The names of a hint without values."""
        return [argument.name for argument in self._list()]
