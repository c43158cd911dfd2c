"""Parsing of keys: `id=5`, `name=O'Neil`, `day=2026-01-31`, `shop=NULL`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from datetime import time as clock
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from compiled_plan.plans import types as t
from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.expressions import canonical_key
from compiled_plan.plans.execution.spark.types import to_spark
from compiled_plan.plans.execution.state.reading.reader import StoredOperator
from compiled_plan.plans.findings import did_you_mean

if TYPE_CHECKING:
    from pyspark.sql import Column

NULL = "NULL"
_BITS: Mapping[type[t.LogicalType], int] = {
    t.TinyIntType: 8,
    t.SmallIntType: 16,
    t.IntType: 32,
    t.BigIntType: 64,
    t.YearMonthIntervalType: 32,
    t.DayTimeIntervalType: 64,
}


def key_of(texts: Sequence[str]) -> Mapping[str, str]:
    """Parse values of key columns: `id=5`.

    Raises:
        CheckpointError: malformed text, or a column twice.
    """
    values: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise CheckpointError(
                f"--key {text} is not of the form COLUMN=VALUE", remedy="write --key id=5, or --key id=NULL"
            )
        if name.strip() in values:
            raise CheckpointError(f"--key {name.strip()} is there twice", remedy="give each column once")
        values[name.strip()] = value
    return values


@dataclass(frozen=True, slots=True)
class WantedKey:
    """The leading columns of a key, in order, with the values to look for; None is NULL."""

    types: tuple[t.LogicalType, ...]
    values: tuple[Any, ...]
    whole: bool

    def holds(self, key: Column) -> Column:
        """True if the text of a key matches.

        The key of a window has more text after the columns; no key of an operator is a prefix of another followed by a
        comma.
        """
        literals = [
            _literal(value, type_).cast(to_spark(type_)) for value, type_ in zip(self.values, self.types, strict=True)
        ]
        longer = canonical_key([*literals, F.lit(0).cast("bigint")], [*self.types, t.BIGINT])
        begins = key.startswith(F.left(longer, F.length(longer) - 1))
        return begins | (key == canonical_key(literals, list(self.types))) if self.whole else begins


def wanted_key(operator: StoredOperator, wanted: Mapping[str, str]) -> WantedKey:
    """Resolve `wanted`, texts by the names of columns: leading columns of one input's key.

    Raises:
        CheckpointError: a column is not part of the key, one is left out, or a text is no value of its type.
    """
    keys = [[operator.column(column["input"], column["column"]) for column in key] for key in operator.state["keys"]]
    if not any(keys):
        raise CheckpointError(
            f"operator {operator.uid} has one key for all rows", remedy="leave --key out, or --export all of it"
        )
    names = [[column["name"] for column in key] for key in keys]
    at = next((at for at, key_names in enumerate(names) if set(wanted) <= set(key_names)), None)
    if at is None:
        raise _not_in_key(operator, wanted, names)
    key = keys[at]
    chosen = key[: len(wanted)]
    missing = [column["name"] for column in chosen if column["name"] not in wanted]
    if missing:
        raise CheckpointError(
            f"the key of operator {operator.uid} is ({', '.join(names[at])}), looked up from its first column on",
            remedy=f"give {missing[0]} too: --key {missing[0]}=...",
        )
    types = tuple(t.parse_type(column["type"]) for column in chosen)
    values = tuple(
        _value(wanted[column["name"]], column["name"], type_) for column, type_ in zip(chosen, types, strict=True)
    )
    return WantedKey(types, values, len(chosen) == len(key))


def literal_of(text: str, name: str, type_: t.LogicalType) -> Column:
    """The value of a text as a column of Spark.

    Raises:
        CheckpointError: the text is no value of the type of the column `name`.
    """
    return _literal(_value(text, name, type_), type_).cast(to_spark(type_))


def _not_in_key(operator: StoredOperator, wanted: Mapping[str, str], names: Sequence[Sequence[str]]) -> CheckpointError:
    keys = " or ".join(dict.fromkeys(f"({', '.join(key_names)})" for key_names in names))
    known = list(dict.fromkeys(name for key_names in names for name in key_names))
    column = next((name for name in wanted if name not in known), None)
    if column is None:
        return CheckpointError(
            f"the columns {', '.join(wanted)} do not belong to one key of operator {operator.uid}",
            remedy=f"give those of one input: {keys}",
        )
    inputs = operator.state["columns"]
    if any(known_column["name"] == column for columns in inputs for known_column in columns):
        return CheckpointError(
            f"the column {column} is no part of the key of operator {operator.uid}",
            remedy=f"the key is {keys}; --export writes all entries, to look for other columns",
        )
    return CheckpointError(
        f"operator {operator.uid} has no column {column}", remedy=did_you_mean(column, known, f"its key is {keys}")
    )


def _value(text: str, name: str, type_: t.LogicalType) -> object:
    """The value of a text; None for NULL. A text in single quotes is a string, whatever its content."""
    if text == NULL:
        return None
    for kind, parse, example in _PARSERS:
        if isinstance(type_, kind):
            try:
                return parse(text, type_)
            except (ValueError, InvalidOperation):
                raise CheckpointError(
                    f"{text!r} is no value of the key column {name}, which is {type_.with_nullability(True)}",
                    remedy=f"write it as {example}, or NULL",
                ) from None
    raise CheckpointError(
        f"the key column {name} is {type_}, of which no value can be written here",
        remedy="--export all entries, and look for it there",
    )


def _string(text: str, _: t.LogicalType) -> str:
    quoted = len(text) > 1 and text[0] == text[-1] == "'"
    return text[1:-1].replace("''", "'") if quoted else text


def _boolean(text: str, _: t.LogicalType) -> bool:
    return {"true": True, "false": False}[text.lower()] if text.lower() in ("true", "false") else _wrong()


def _whole(text: str, type_: t.LogicalType) -> int:
    number, limit = int(text), 1 << (_BITS[type(type_)] - 1)
    return number if -limit <= number < limit else _wrong()


def _decimal(text: str, type_: t.LogicalType) -> Decimal:
    assert isinstance(type_, t.DecimalType)
    number = Decimal(text)
    scaled = number.scaleb(type_.scale) if number.is_finite() else number
    if not number.is_finite() or scaled != scaled.to_integral_value() or abs(scaled) >= 10**type_.precision:
        raise ValueError
    return number


def _time(text: str, _: t.LogicalType) -> int:
    time = clock.fromisoformat(text)
    return ((time.hour * 60 + time.minute) * 60 + time.second) * 1000 + time.microsecond // 1000


def _timestamp(text: str, _: t.LogicalType) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo is None else _wrong()


def _point(text: str, _: t.LogicalType) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _wrong() -> Any:
    raise ValueError


#: Parsers of texts by type, and the format of values in messages.
_PARSERS: tuple[
    tuple[type[t.LogicalType] | tuple[type[t.LogicalType], ...], Callable[[str, t.LogicalType], object], str], ...
] = (
    (t.CharacterType, _string, "a text"),
    (t.BooleanType, _boolean, "true or false"),
    ((*_BITS,), _whole, "a whole number of its range"),
    (t.DecimalType, _decimal, "a number with no more digits than the type has"),
    ((t.FloatType, t.DoubleType), lambda text, _: float(text), "a number, such as 0.5, NaN or -Infinity"),
    (t.BytesType, lambda text, _: bytes.fromhex(text), "hexadecimal digits"),
    (t.DateType, lambda text, _: date.fromisoformat(text), "2026-01-31"),
    (t.TimeType, _time, "23:59:59.999"),
    (t.TimestampType, _timestamp, "2026-01-31 23:59:59.999"),
    (t.TimestampLtzType, _point, "2026-01-31 23:59:59.999Z"),
)


def _literal(value: Any, type_: t.LogicalType) -> Column:
    match value:
        case datetime():
            return F.lit(value.isoformat(sep=" "))
        case bytes():
            return F.lit(bytearray(value))
    return F.lit(value)
