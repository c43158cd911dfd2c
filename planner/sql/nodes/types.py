"""Data types before resolution."""

from __future__ import annotations

from compiled_plan.planner.sql.nodes.base import Identifier, Node, node
from compiled_plan.planner.sql.nodes.literals import IntervalQualifier


@node
class TypeField(Node):
    """A field of ROW<...> or STRUCTURED<...>."""

    identifier: Identifier
    type: TypeSpec
    comment: str | None = None


@node
class TypeSpec(Node):
    """A data type as written, with synonyms normalized.

    Attributes:
        root: CHAR, VARCHAR, STRING, BOOLEAN, BINARY, VARBINARY, BYTES, DECIMAL, TINYINT, SMALLINT, INT, BIGINT,
            FLOAT, REAL, DOUBLE, DATE, TIME, TIMESTAMP, TIMESTAMP_LTZ, INTERVAL, ARRAY, MULTISET, MAP, ROW,
            STRUCTURED, RAW, VARIANT, BITMAP, DESCRIPTOR, or USER (a type by name, in `parts`).
        parameters: length, or precision and scale, as written.
        children: the element of ARRAY and MULTISET, key and value of MAP.
        fields: the fields of ROW and STRUCTURED.
        unit: the unit of INTERVAL.
        class_name: the class of STRUCTURED and RAW.
        snapshot: the snapshot of RAW's serializer.
        parts: the name of a USER type.
        nullable: False after NOT NULL, True after NULL, None if neither is written (then it is nullable).
    """

    root: str
    parameters: tuple[int, ...] = ()
    children: tuple[TypeSpec, ...] = ()
    fields: tuple[TypeField, ...] = ()
    unit: IntervalQualifier | None = None
    class_name: str = ""
    snapshot: str = ""
    parts: tuple[Identifier, ...] = ()
    nullable: bool | None = None
