"""Which columns the file formats hold; both the planner and the executor refuse the others.

Source: Flink's pages "Raw", "ORC", "Avro", and what Flink 2.3 refuses.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from plans import types as t


@dataclass(frozen=True, slots=True)
class Unfit:
    """What a format cannot hold, and what to do."""

    message: str
    remedy: str


Rule = Callable[[t.RowType, Mapping[str, str]], Unfit | None]


def unfit_columns(name: str, row: t.RowType, options: Mapping[str, str]) -> Unfit | None:
    """What format `name` cannot hold of a row's columns; None where all is well.

    Args:
        name: the format.
        row: the columns in the files.
        options: the format's options without prefix.
    """
    rule = _RULES.get(name)
    return rule(row, options) if rule is not None else None


def _json(name: str) -> Rule:
    def rule(row: t.RowType, options: Mapping[str, str]) -> Unfit | None:
        remedy = "JSON has maps and multisets with keys that are texts only: make the key a STRING"
        return next(
            (_column(name, field, remedy) for field in row.fields if any(map(_no_json, _within(field.type)))), None
        )

    return rule


def _no_json(type_: t.LogicalType) -> bool:
    match type_:
        case t.MapType():
            return not isinstance(type_.key, t.CharacterType)
        case t.MultisetType():
            return not isinstance(type_.element, t.CharacterType)
    return isinstance(type_, t.RawType | t.VariantType | t.TimestampTzType)


def _without(name: str, wrong: tuple[type[t.LogicalType], ...], remedy: str) -> Rule:
    """The rule of a format that cannot hold some types."""

    def rule(row: t.RowType, options: Mapping[str, str]) -> Unfit | None:
        for field in row.fields:
            if any(isinstance(type_, wrong) for type_ in _within(field.type)):
                return _column(name, field, remedy)
        return None

    return rule


#: Types whose values the name of a folder can hold.
FOLDER_TYPES = (t.CharacterType, t.BooleanType, t.NumericType, t.DateType, t.TimestampType)

_RAW = (
    t.CharacterType,
    t.BytesType,
    t.BooleanType,
    t.IntegerType,
    t.FloatType,
    t.DoubleType,
)


def _raw(row: t.RowType, options: Mapping[str, str]) -> Unfit | None:
    if len(row.fields) > 1:
        return Unfit(
            f"format 'raw' holds one column, and there are {len(row.fields)}: {', '.join(row.names)}",
            "leave one column, or use another format",
        )
    for field in row.fields:
        if not isinstance(field.type, _RAW):
            return _column("raw", field, "make it a STRING, BYTES, BOOLEAN, or a number that is no DECIMAL")
    charset = options.get("charset", "UTF-8")
    if not _known_charset(charset):
        return Unfit(
            f"option 'raw.charset' names an unknown charset, {charset!r}",
            "name one that Java has, such as UTF-8, ISO-8859-1 or UTF-16LE",
        )
    return None


def _known_charset(name: str) -> bool:
    """Whether Java may know a charset; of some families it has members that Python does not have."""
    try:
        codecs.lookup(name)
    except (LookupError, ValueError):
        return name.lower().startswith(("x-", "ibm", "cesu", "windows-", "tis-", "gb", "jis"))
    return True


_AVRO_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def _avro(row: t.RowType, options: Mapping[str, str]) -> Unfit | None:
    legacy = options.get("timestamp_mapping.legacy", "true").strip().lower() == "true"
    for field in row.fields:
        for type_ in _within(field.type):
            remedy = _avro_remedy(type_, legacy)
            if remedy is not None:
                return _column("avro", field, remedy)
    for name in (name for type_ in _within(row) if isinstance(type_, t.FieldsType) for name in type_.names):
        if not _AVRO_NAME.fullmatch(name):
            return Unfit(
                f"format 'avro' cannot hold a column named {name!r}", "use letters, digits and underscores alone"
            )
    return None


def _avro_remedy(type_: t.LogicalType, legacy: bool) -> str | None:
    corrected = "set 'avro.timestamp_mapping.legacy' = 'false'"
    match type_:
        case t.TimestampType() if legacy and type_.precision > 3:
            return f"make it a TIMESTAMP(3), or {corrected}"
        case t.TimestampLtzType() if legacy:
            return f"make it a TIMESTAMP(3), or {corrected}"
        case t.TimeType() if type_.precision > 3:
            return "make it a TIME(3)"
        case t.MapType() if not isinstance(type_.key, t.CharacterType):
            return "make the map's key a STRING"
        case t.MultisetType() if not isinstance(type_.element, t.CharacterType):
            return "make the multiset's element a STRING"
        case t.RawType() | t.VariantType() | t.TimestampTzType() | t.IntervalType():
            return "declare it as STRING or BYTES"
    return None


def _column(name: str, field: t.Field, remedy: str) -> Unfit:
    return Unfit(f"format {name!r} cannot hold column {field.name!r} of type {field.type}", remedy)


def _within(type_: t.LogicalType) -> Iterator[t.LogicalType]:
    yield type_
    for child in type_.children():
        yield from _within(child)


_ORC = (t.TimeType, t.NullType, t.MultisetType, t.RawType, t.VariantType, t.TimestampTzType, t.IntervalType)
_RULES: Mapping[str, Rule] = {
    **{name: _json(name) for name in ("json", "debezium-json", "canal-json", "maxwell-json")},
    "csv": _without("csv", (t.MapType, t.MultisetType, t.RawType), "use the format json, or arrays in place of maps"),
    "parquet": _without("parquet", (t.TimeType, t.NullType), "declare it as STRING or INT"),
    "orc": _without("orc", _ORC, "declare it as STRING or INT"),
    "avro": _avro,
    "raw": _raw,
}
