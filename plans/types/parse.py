"""Parser of type strings: the inverse of `str(type)`.

Source: the grammar of Flink's `LogicalTypeParser` on its "Data Types" page; names are case-insensitive.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from compiled_plan.plans.deep import deeply
from compiled_plan.plans.errors import NestingError, PlanError, ProgramError
from compiled_plan.plans.types import logical as t
from compiled_plan.plans.types.intervals import DIGITS, resolution

_TOKEN = re.compile(
    r"\s*(?:(?P<string>'(?:[^']|'')*')|(?P<quoted>`(?:[^`]|``)*`)|(?P<word>[A-Za-z_$][\w$.]*)|(?P<number>\d+)"
    r"|(?P<punct>[<>(),]))"
)


@lru_cache(maxsize=4096)
@deeply
def parse_type(text: str) -> t.LogicalType:
    """Parse a type string. Raises PlanError with the position if it is invalid or has too many levels."""
    parser = _Parser(text)
    try:
        type_ = parser.type()
    except NestingError as fault:
        raise PlanError(fault.message, remedy=fault.remedy) from None
    parser.end()
    return type_


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[tuple[str, str, int]] = []
        self.at = 0
        position = 0
        stripped = text.rstrip()
        while position < len(stripped):
            match = _TOKEN.match(text, position)
            if match is None or match.lastgroup is None:
                raise self.error(position)
            self.tokens.append((match.lastgroup, match.group(match.lastgroup), match.start(match.lastgroup)))
            position = match.end()

    def error(self, position: int | None = None) -> PlanError:
        if position is None:
            position = self.tokens[self.at][2] if self.at < len(self.tokens) else len(self.text)
        return PlanError(
            f"not a type: {self.text!r}, unexpected at position {position}: {self.text[position : position + 20]!r}",
            remedy="write a Flink type, such as INT NOT NULL, VARCHAR(20), ROW<`a` INT>, ARRAY<STRING>",
        )

    def peek(self, value: str) -> bool:
        if self.at >= len(self.tokens):
            return False
        kind, token, _ = self.tokens[self.at]
        return kind in ("word", "punct") and token.upper() == value

    def take(self, *values: str) -> bool:
        for offset, value in enumerate(values):
            index = self.at + offset
            if index >= len(self.tokens) or self.tokens[index][0] not in ("word", "punct"):
                return False
            if self.tokens[index][1].upper() != value:
                return False
        self.at += len(values)
        return True

    def need(self, value: str) -> None:
        if not self.take(value):
            raise self.error()

    def kind(self, kind: str) -> str:
        if self.at >= len(self.tokens) or self.tokens[self.at][0] != kind:
            raise self.error()
        self.at += 1
        return self.tokens[self.at - 1][1]

    def end(self) -> None:
        if self.at != len(self.tokens):
            raise self.error()

    def type(self) -> t.LogicalType:
        type_ = self.nullability(self.base())
        if self.take("ARRAY"):
            return self.nullability(t.ArrayType(element=type_))
        if self.take("MULTISET"):
            return self.nullability(t.MultisetType(element=type_))
        return type_

    def nullability(self, type_: t.LogicalType) -> t.LogicalType:
        if self.take("NOT", "NULL"):
            return type_.not_null()
        self.take("NULL")
        return type_

    def base(self) -> t.LogicalType:
        start = self.at
        name = self.kind("word").upper()
        reader = _READERS.get(name)
        if reader is None:
            self.at = start
            raise self.error()
        return reader(self)

    def number(self, least: int, most: int) -> int:
        number = int(self.kind("number"))
        if not least <= number <= most:
            raise PlanError(f"not a type: {self.text!r}, {number} is not between {least} and {most}")
        return number

    def length(self, default: int) -> int:
        """Parse `(n)`, in characters or bytes."""
        return self.bracketed(default, 1, t.MAX_LENGTH)

    def precision(self, default: int) -> int:
        """Parse `(p)` of a time: digits of a fraction of a second."""
        return self.bracketed(default, 0, 9)

    def bracketed(self, default: int, least: int, most: int) -> int:
        if not self.take("("):
            return default
        length = self.number(least, most)
        self.need(")")
        return length

    def optional_number(self) -> int | None:
        """Parse `(n)`; None if there is no parenthesis."""
        if not self.take("("):
            return None
        number = int(self.kind("number"))
        self.need(")")
        return number

    def name(self) -> str:
        if self.at < len(self.tokens) and self.tokens[self.at][0] == "quoted":
            return self.kind("quoted")[1:-1].replace("``", "`")
        return self.kind("word")

    def string(self) -> str:
        return self.kind("string")[1:-1].replace("''", "'")

    def fields(self, close: str) -> tuple[t.Field, ...]:
        fields: list[t.Field] = []
        while not self.take(close):
            if fields:
                self.need(",")
            name = self.name()
            type_ = self.type()
            comment = self.string() if self.at < len(self.tokens) and self.tokens[self.at][0] == "string" else None
            if any(field.name == name for field in fields):
                raise PlanError(f"not a type: {self.text!r}, the field {name!r} comes twice")
            fields.append(t.Field(name, type_, comment))
        return tuple(fields)


def _decimal(p: _Parser) -> t.LogicalType:
    precision, scale = 10, 0
    if p.take("("):
        precision = p.number(1, 38)
        if p.take(","):
            scale = p.number(0, precision)
        p.need(")")
    return t.DecimalType(precision=precision, scale=scale)


def _timestamp(p: _Parser) -> t.LogicalType:
    precision = p.precision(6)
    if p.take("WITH", "LOCAL", "TIME", "ZONE"):
        return t.TimestampLtzType(precision=precision)
    if p.take("WITH", "TIME", "ZONE"):
        return t.TimestampTzType(precision=precision)
    p.take("WITHOUT", "TIME", "ZONE")
    return t.TimestampType(precision=precision)


def _time(p: _Parser) -> t.LogicalType:
    precision = p.precision(0)
    p.take("WITHOUT", "TIME", "ZONE")
    return t.TimeType(precision=precision)


def _double(p: _Parser) -> t.LogicalType:
    p.take("PRECISION")
    return t.DOUBLE


def _wrapped(make: Callable[[t.LogicalType], t.LogicalType]) -> Callable[[_Parser], t.LogicalType]:
    def read(p: _Parser) -> t.LogicalType:
        p.need("<")
        element = p.type()
        p.need(">")
        return make(element)

    return read


def _map(p: _Parser) -> t.LogicalType:
    p.need("<")
    key = p.type()
    p.need(",")
    value = p.type()
    p.need(">")
    return t.MapType(key=key, value=value)


def _row(p: _Parser) -> t.LogicalType:
    if p.take("("):
        return t.RowType(fields=p.fields(")"))
    p.need("<")
    return t.RowType(fields=p.fields(">"))


def _structured(p: _Parser) -> t.LogicalType:
    p.need("<")
    name = p.string()
    fields: tuple[t.Field, ...] = ()
    if not p.take(">"):
        p.need(",")
        fields = p.fields(">")  # empty in the text `STRUCTURED<'x.Y', >` of Flink's plans
    try:
        return t.StructuredType(class_name=t.check_structured(name), fields=fields)
    except ProgramError as fault:
        raise PlanError(f"not a type: {p.text!r}, {fault.message}", remedy=fault.remedy) from None


def _raw(p: _Parser) -> t.LogicalType:
    p.need("(")
    name = p.string()
    p.need(",")
    serializer = p.string()
    p.need(")")
    return t.RawType(class_name=name, serializer=serializer)


def _interval(p: _Parser) -> t.LogicalType:
    start = p.kind("word").upper()
    second = start == "SECOND"
    number = p.optional_number() if second or start in DIGITS else None
    end = p.kind("word").upper() if p.take("TO") else None
    fraction = p.optional_number() if end == "SECOND" else number if second else None
    digits = None if second else number
    try:
        text = resolution(start, end, 2 if digits is None else digits, 6 if fraction is None else fraction)
    except PlanError as fault:
        raise PlanError(f"not a type: {p.text!r}, {fault.message}", remedy=fault.remedy) from None
    if start in ("YEAR", "MONTH"):
        return t.YearMonthIntervalType(resolution=text)
    return t.DayTimeIntervalType(resolution=text)


def _constant(type_: t.LogicalType) -> Callable[[_Parser], t.LogicalType]:
    return lambda _: type_


_READERS: dict[str, Callable[[_Parser], t.LogicalType]] = {
    "BOOLEAN": _constant(t.BOOLEAN),
    "TINYINT": _constant(t.TINYINT),
    "SMALLINT": _constant(t.SMALLINT),
    "INT": _constant(t.INT),
    "INTEGER": _constant(t.INT),
    "BIGINT": _constant(t.BIGINT),
    "FLOAT": _constant(t.FLOAT),
    "DOUBLE": _double,
    "DECIMAL": _decimal,
    "DEC": _decimal,
    "NUMERIC": _decimal,
    "STRING": _constant(t.STRING),
    "BYTES": _constant(t.BYTES),
    "CHAR": lambda p: t.CharType(length=p.length(1)),
    "VARCHAR": lambda p: t.VarCharType(length=p.length(1)),
    "BINARY": lambda p: t.BinaryType(length=p.length(1)),
    "VARBINARY": lambda p: t.VarBinaryType(length=p.length(1)),
    "DATE": _constant(t.DATE),
    "TIME": _time,
    "TIMESTAMP": _timestamp,
    "TIMESTAMP_LTZ": lambda p: t.TimestampLtzType(precision=p.precision(6)),
    "INTERVAL": _interval,
    "ARRAY": _wrapped(lambda e: t.ArrayType(element=e)),
    "MULTISET": _wrapped(lambda e: t.MultisetType(element=e)),
    "MAP": _map,
    "ROW": _row,
    "STRUCTURED": _structured,
    "RAW": _raw,
    "NULL": _constant(t.NULL),
    "SYMBOL": _constant(t.SymbolType()),
    "DESCRIPTOR": _constant(t.DescriptorType()),
    "VARIANT": _constant(t.VARIANT),
    "BITMAP": _constant(t.BITMAP),
}
