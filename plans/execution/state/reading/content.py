"""The state of a key: fields with their names, types and values."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from compiled_plan.plans.execution.stages.descriptions import FieldForm
from compiled_plan.plans.execution.state.reading.keys import WantedKey, wanted_key
from compiled_plan.plans.execution.state.reading.model import Field, KeyReport, KeyState
from compiled_plan.plans.execution.state.reading.reader import StateReader, StoredOperator

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: Fields in ms on the clock of windows; the kernel's StateColumns converts the same ones to times.
ON_A_CLOCK = frozenset({"start", "end", "firstEnd", "lastEnd", "slice"})
_TIME, _CLOCK = "TIMESTAMP_LTZ(3)", "TIMESTAMP(3)"
_PLAIN: Mapping[str, str] = {
    "number": "BIGINT",
    "count": "BIGINT",
    "code": "BIGINT",
    "time": _TIME,
    "timeNear": _TIME,
    "maybeTime": _TIME,
    "flag": "BOOLEAN",
    "real": "DOUBLE",
    "bytes": "BYTES",
}
#: Fields that are rows.
ROWS = frozenset({"row", "maybeRow", "packedRow"})
_JSON = {
    "ignoreNullFields": "false",
    "timestampFormat": "yyyy-MM-dd HH:mm:ss.SSSSSS'Z'",
    "timestampNTZFormat": "yyyy-MM-dd HH:mm:ss.SSSSSS",
}
#: The field of an accumulator that only Python can read.
_PICKLED: FieldForm = {"name": "state", "is": "bytes"}
#: Maximum number of keys in a report: a window has many.
_MOST_KEYS = 1000


def key_report(reader: StateReader, operator: StoredOperator, wanted: Mapping[str, str]) -> KeyReport:
    """The state of a key, or of all keys that begin with it.

    Args:
        wanted: texts of values by the names of key columns; see `wanted_key`.

    Raises:
        CheckpointError: the key is not one of the operator's, or the state cannot be read.
    """
    key = wanted_key(operator, wanted)
    batch, keys = reader.at_rest(lambda rows: key_states(reader, operator, key, rows))
    return KeyReport(reader.uri, reader.number, batch, operator.uid, operator.words, operator.kind, keys)


def key_states(
    reader: StateReader, operator: StoredOperator, key: WantedKey, rows: DataFrame | None
) -> tuple[KeyState, ...]:
    """The state of the keys, from the rows of `StateReader.at_rest`."""
    if rows is None:
        return ()
    content = reader.content(rows.where(key.holds(F.col("key"))), operator.uid)
    keys = content.select("key", F.unix_millis("timer").alias("timer"), F.to_json("state", _JSON).alias("state"))
    return tuple(
        KeyState(row.key, row.timer, tuple(_fields(operator, operator.state["fields"], _parsed(row.state))))
        for row in keys.orderBy("key").limit(_MOST_KEYS).collect()
    )


def _parsed(text: str) -> Any:
    return json.loads(text, parse_float=Decimal)


def _fields(operator: StoredOperator, described: Sequence[FieldForm], values: Mapping[str, object]) -> Iterator[Field]:
    for field, (name, value) in zip(described, values.items(), strict=True):
        yield _field(operator, field, name, value)


def _field(operator: StoredOperator, field: FieldForm, name: str, value: Any) -> Field:
    """A field from the kernel's description and the value that Spark wrote as JSON."""
    kind = field["is"]
    if kind in ROWS:
        return Field(name, "ROW", None if value is None else tuple(_columns(operator, field, value)))
    match kind:
        case "rows":
            return Field(name, "ROWS", tuple(tuple(_columns(operator, field, row)) for row in value))
        case "values":
            return Field(name, f"ARRAY<{field['type']}>", tuple(_shown(item, field["type"]) for item in value))
        case "list" | "packedList":
            return Field(name, "LIST", tuple(tuple(_fields(operator, field["fields"], entry)) for entry in value))
        case "part":
            return Field(name, "PART", tuple(_fields(operator, field["fields"], value)))
        case "frame":
            return Field(name, "PART", _framed(operator, field, value))
        case "frames":
            parts = zip(field["parts"], value.items(), strict=True)
            calls = (Field(call, part["form"], _framed(operator, part, inner)) for part, (call, inner) in parts)
            return Field(name, "AGGREGATES", tuple(calls))
    type_ = field["type"] if kind == "value" else _CLOCK if name in ON_A_CLOCK else _PLAIN[kind]
    return Field(name, type_, _shown(value, type_))


def _framed(operator: StoredOperator, described: FieldForm, values: Mapping[str, Any]) -> tuple[Field, ...]:
    """The fields of an accumulator; for a pickled one of known type, the bytes."""
    fields = described["fields"]
    if described["form"] == "python-value":
        fields = fields if values[_PICKLED["name"]] is None else [_PICKLED]
        values = {field["name"]: values[field["name"]] for field in fields}
    return tuple(_fields(operator, fields, values))


def _columns(operator: StoredOperator, field: FieldForm, row: Mapping[str, Any]) -> Iterator[Field]:
    for column, (name, value) in zip(field["columns"], row.items(), strict=True):
        type_ = column["type"] if "call" in column else operator.column(column["input"], column["column"])["type"]
        yield Field(name, short_type(type_), _shown(value, type_))


def short_type(type_: str) -> str:
    """The type in its short form."""
    return type_.replace("VARCHAR(2147483647)", "STRING").replace("VARBINARY(2147483647)", "BYTES")


def _shown(value: object, type_: str) -> Any:
    """The value of a field: text if JSON would lose precision, JSON for composite values."""
    if isinstance(value, int) and not isinstance(value, bool) and type_.startswith("TIME("):
        return (datetime(1970, 1, 1) + timedelta(milliseconds=value)).time().isoformat()
    if isinstance(value, Decimal):
        return float(value) if type_.startswith(("FLOAT", "DOUBLE")) else format(value, "f")
    if isinstance(value, int) and type_.startswith("DECIMAL"):
        return str(value)
    if isinstance(value, str) and type_.startswith("TIMESTAMP"):
        return _short_time(value)
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False, default=str)
    return value


def _short_time(text: str) -> str:
    """Strip trailing zeros of fractional seconds, down to ms."""
    head, point, fraction = text.removesuffix("Z").partition(".")
    shorter = fraction.rstrip("0").ljust(3, "0")
    return f"{head}{point}{shorter}" + ("Z" if text.endswith("Z") else "")


def time_text(ms: int) -> str:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms)
    return moment.strftime("%Y-%m-%d %H:%M:%S.") + f"{moment.microsecond // 1000:03}Z"
