"""Function calls, their arguments and windows, and the JSON functions."""

from __future__ import annotations

from typing import ClassVar, cast

from sqlglot import exp

from compiled_plan.planner.sql.nodes.base import Named, Node


class Call(Named):
    """A function call.

    Args: `parts` (name as written, 1 to 3 identifiers), `expressions` (arguments), `distinct`, `bare` (written
    without parentheses), `filter` (expr of FILTER (WHERE ...)), `within_group` (`exp.Order`), `order` (`exp.Order`
    inside the parentheses), `nulls` ("IGNORE" or "RESPECT"), `on_null` ("NULL" or "ABSENT", JSON aggregates),
    `over` (`WindowSpec` or `exp.Identifier` of a named window).
    """

    arg_types: ClassVar[dict[str, bool]] = {
        "parts": True,
        "expressions": False,
        "distinct": False,
        "bare": False,
        "filter": False,
        "within_group": False,
        "order": False,
        "nulls": False,
        "on_null": False,
        "over": False,
    }

    @property
    def name(self) -> str:
        """The last part of the name, in capitals (function names know no case)."""
        return self.parts[-1].name.upper()

    @property
    def arguments(self) -> list[exp.Expr]:
        """The arguments in order."""
        return self._list()

    @property
    def distinct(self) -> bool:
        """Whether DISTINCT stood before the arguments."""
        return self._flag("distinct")

    @property
    def filter(self) -> exp.Expr | None:
        """The condition of FILTER (WHERE ...), or None."""
        return self._maybe("filter")

    @property
    def over(self) -> exp.Expr | None:
        """`WindowSpec`, `exp.Identifier`, or None when this is no window aggregate."""
        return self._maybe("over")


class NamedArgument(Node):
    """`name` => `this`. Args: `name_` (`exp.Identifier`), `this`."""

    arg_types: ClassVar[dict[str, bool]] = {"name_": True, "this": True}

    @property
    def name(self) -> str:
        """The argument's name as written."""
        return self._node("name_").name


class TableArgument(Node):
    """TABLE t, or (query), [PARTITION BY a, b] [ORDER BY c] as an argument of a table function.

    Args: `this` (`TableRef` or `exp.Subquery`), `partition_by` (list), `order` (`exp.Order` or None).
    """

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "partition_by": False, "order": False}

    @property
    def partition_by(self) -> list[exp.Expr]:
        """The partition expressions, or an empty list."""
        return self._list("partition_by")


class Descriptor(Node):
    """DESCRIPTOR(a, b). Args: `expressions` (list of `exp.Identifier`)."""

    arg_types: ClassVar[dict[str, bool]] = {"expressions": True}


class FrameBound(Node):
    """One end of a frame. Args: `kind`, `this` (offset, or None).

    `kind`: "UNBOUNDED PRECEDING", "PRECEDING", "CURRENT ROW", "FOLLOWING" or "UNBOUNDED FOLLOWING".
    """

    arg_types: ClassVar[dict[str, bool]] = {"kind": True, "this": False}

    @property
    def kind(self) -> str:
        """The bound in capitals."""
        return self._str("kind")


class Frame(Node):
    """ROWS|RANGE BETWEEN `start` AND `end`. Args: `unit` ("ROWS" or "RANGE"), `start`, `end` (None: not written)."""

    arg_types: ClassVar[dict[str, bool]] = {"unit": True, "start": True, "end": False}

    @property
    def unit(self) -> str:
        """ "ROWS" or "RANGE"."""
        return self._str("unit")

    @property
    def start(self) -> FrameBound:
        """The lower end."""
        return cast(FrameBound, self._node("start"))

    @property
    def end(self) -> FrameBound | None:
        """The upper end; None when only one end was written (it is then CURRENT ROW)."""
        return cast("FrameBound | None", self._maybe("end"))


class WindowSpec(Node):
    """OVER (...) or the body of WINDOW w AS (...).

    Args: `base` (`exp.Identifier` of a named window it starts from), `partition_by` (list), `order` (`exp.Order` or
    None), `frame` (`Frame` or None).
    """

    arg_types: ClassVar[dict[str, bool]] = {
        "base": False,
        "partition_by": False,
        "order": False,
        "frame": False,
    }

    @property
    def partition_by(self) -> list[exp.Expr]:
        """The partition expressions."""
        return self._list("partition_by")

    @property
    def frame(self) -> Frame | None:
        """The frame, or None when not written."""
        return cast("Frame | None", self._maybe("frame"))


class NamedWindow(Node):
    """WINDOW `name` AS (`spec`). Args: `this` (`exp.Identifier`), `spec` (`WindowSpec`)."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "spec": True}

    @property
    def spec(self) -> WindowSpec:
        """The window."""
        return cast(WindowSpec, self._node("spec"))


class JsonValue(Node):
    """JSON_VALUE(this, path [RETURNING type] [behaviour ON EMPTY] [behaviour ON ERROR]).

    Args: `this`, `path`, `returning` (`TypeSpec` or None), `on_empty` and `on_error` (None, "NULL", "ERROR", or an
    expression for DEFAULT expr).
    """

    arg_types: ClassVar[dict[str, bool]] = {
        "this": True,
        "path": True,
        "returning": False,
        "on_empty": False,
        "on_error": False,
    }


class JsonQuery(Node):
    """JSON_QUERY. Args: as `JsonValue`, and `wrapper`.

    `wrapper`: None, "WITHOUT ARRAY", "WITH CONDITIONAL ARRAY" or "WITH UNCONDITIONAL ARRAY"; `on_empty`, `on_error`:
    None, "NULL", "ERROR", "EMPTY ARRAY" or "EMPTY OBJECT".
    """

    arg_types: ClassVar[dict[str, bool]] = {
        "this": True,
        "path": True,
        "returning": False,
        "wrapper": False,
        "on_empty": False,
        "on_error": False,
    }


class JsonExists(Node):
    """JSON_EXISTS. Args: `this`, `path`, `on_error` (None, "TRUE", "FALSE", "UNKNOWN" or "ERROR")."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "path": True, "on_error": False}


class JsonPair(Node):
    """KEY `this` VALUE `value` of JSON_OBJECT. Args: `this`, `value`."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "value": True}


class JsonObject(Node):
    """JSON_OBJECT. Args: `expressions` (list of `JsonPair`), `on_null` (None, "NULL" or "ABSENT")."""

    arg_types: ClassVar[dict[str, bool]] = {"expressions": False, "on_null": False}


class JsonArray(Node):
    """JSON_ARRAY. Args: `expressions`, `on_null` (None, "NULL" or "ABSENT")."""

    arg_types: ClassVar[dict[str, bool]] = {"expressions": False, "on_null": False}
