"""Flink's logical types of Spark's types in their JSON form, which Delta Lake stores in its log.

Source: `DataType.json` of Spark; Delta's protocol, "Schema Serialization Format".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.types import logical as t

_SIMPLE: Mapping[str, t.LogicalType] = {
    "boolean": t.BOOLEAN,
    "byte": t.TINYINT,
    "short": t.SMALLINT,
    "integer": t.INT,
    "long": t.BIGINT,
    "float": t.FLOAT,
    "double": t.DOUBLE,
    "string": t.STRING,
    "binary": t.BYTES,
    "date": t.DATE,
    "timestamp_ntz": t.TimestampType(precision=6),
    "timestamp": t.TimestampLtzType(precision=6),
}
_SIZED = re.compile(r"(?P<name>char|varchar|decimal)\((?P<size>\d+)(?:, *(?P<scale>\d+))?\)")


def logical_type(type_: Any, column: str = "") -> t.LogicalType:
    """The nullable logical type of a type of Spark.

    Args:
        type_: its JSON form: a name, or an object for a nested type.
        column: the name of the column, for errors.

    Raises:
        UnsupportedError: no logical type corresponds; names the column.
    """
    if isinstance(type_, dict):
        match type_["type"]:
            case "array":
                element = logical_type(type_["elementType"], column)
                return t.ArrayType(element=element.with_nullability(type_["containsNull"]))
            case "map":
                key, value = logical_type(type_["keyType"], column), logical_type(type_["valueType"], column)
                return t.MapType(key=key.not_null(), value=value.with_nullability(type_["valueContainsNull"]))
            case "struct":
                return row_type(type_, column)
    text = str(type_["type"] if isinstance(type_, dict) else type_)
    simple = _SIMPLE.get(text.partition(" collate ")[0])
    if simple is not None:
        return simple
    sized = _SIZED.fullmatch(text)
    if sized is None:
        raise UnsupportedError(
            f"column {column!r} has Spark's type {text}, which has no SQL type",
            remedy="cast it before, to string or timestamp, say",
        )
    size = int(sized["size"])
    match sized["name"]:
        case "char":
            return t.CharType(length=size)
        case "varchar":
            return t.VarCharType(length=size)
    return t.DecimalType(precision=size, scale=int(sized["scale"] or 0))


def row_type(struct: Any, column: str = "") -> t.RowType:
    """The row type of a struct in its JSON form; the columns of a table without `column` name themselves in errors."""
    return t.RowType(
        fields=tuple(
            t.Field(
                field["name"], logical_type(field["type"], column or field["name"]).with_nullability(field["nullable"])
            )
            for field in struct["fields"]
        )
    )
