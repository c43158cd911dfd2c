"""Data types as written."""

from __future__ import annotations

from typing import ClassVar, cast

from compiled_plan.planner.sql.nodes.base import Node
from compiled_plan.planner.sql.nodes.literals import IntervalQualifier


class TypeField(Node):
    """A field of ROW<...> or STRUCTURED<...>. Args: `this` (`exp.Identifier`), `kind` (`TypeSpec`), `comment`."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "kind": True, "comment": False}

    @property
    def kind(self) -> TypeSpec:
        """The field's type."""
        return cast(TypeSpec, self._node("kind"))

    @property
    def comment(self) -> str | None:
        """The comment, or None."""
        return cast("str | None", self.args.get("comment"))


class TypeSpec(Node):
    """A data type as written, its synonyms made one.

    Args:
        `root`: CHAR, VARCHAR, STRING, BOOLEAN, BINARY, VARBINARY, BYTES, DECIMAL, TINYINT, SMALLINT, INT, BIGINT,
            FLOAT, REAL, DOUBLE, DATE, TIME, TIMESTAMP, TIMESTAMP_LTZ, INTERVAL, ARRAY, MULTISET, MAP, ROW,
            STRUCTURED, RAW, VARIANT, BITMAP, DESCRIPTOR, or USER (a type by name, in `parts`).
        `parameters`: list of int: length, precision, scale; empty when not written.
        `expressions`: children: the element of ARRAY and MULTISET, key and value of MAP.
        `fields`: list of `TypeField` of ROW and STRUCTURED.
        `unit`: `IntervalQualifier` of INTERVAL.
        `class_name`, `snapshot`: texts of STRUCTURED and RAW.
        `parts`: identifiers of a USER type.
        `nullable`: False after NOT NULL, True after NULL, None when neither was written (then it is nullable).
    """

    arg_types: ClassVar[dict[str, bool]] = {
        "root": True,
        "parameters": False,
        "expressions": False,
        "fields": False,
        "unit": False,
        "class_name": False,
        "snapshot": False,
        "parts": False,
        "nullable": False,
    }

    @property
    def root(self) -> str:  # type: ignore[override]
        """The type's root, in capitals."""
        return self._str("root")

    @property
    def parameters(self) -> list[int]:
        """Length, or precision and scale, as written."""
        return cast("list[int]", self.args.get("parameters") or [])

    @property
    def children(self) -> list[TypeSpec]:
        """Element, or key and value."""
        return cast("list[TypeSpec]", self._list())

    @property
    def fields(self) -> list[TypeField]:
        """The fields of ROW and STRUCTURED."""
        return cast("list[TypeField]", self._list("fields"))

    @property
    def unit(self) -> IntervalQualifier | None:
        """The unit of INTERVAL."""
        return cast("IntervalQualifier | None", self._maybe("unit"))

    @property
    def class_name(self) -> str:
        """The class name of STRUCTURED and RAW."""
        return self._str("class_name")

    @property
    def nullable(self) -> bool | None:
        """False after NOT NULL, True after NULL, None when neither was written."""
        return cast("bool | None", self.args.get("nullable"))
