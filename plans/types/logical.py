"""Flink's logical types as frozen values.

Source: Flink's "Data Types" page and the type strings in Flink 2.3's compiled plans. Every type knows whether it is
nullable; `str(type)` is the serialisable string of a plan (`VARCHAR(2147483647) NOT NULL`). Precisions and lengths
are in digits, characters or bytes, as in SQL.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sized
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, Self

from plans.errors import ProgramError

if TYPE_CHECKING:
    from plans.types.conversions.converter import DataTypeConverter

MAX_LENGTH = 2147483647
#: The serializer of a RAW type whose values are pickled Python objects.
PICKLE = "pickle"


class TimeKind(Enum):
    """What a timestamp column is to the planner: a plain value or a time attribute."""

    REGULAR = "REGULAR"
    ROWTIME = "ROWTIME"
    PROCTIME = "PROCTIME"


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalType:
    """Base of all types. `nullable` is True unless the type says NOT NULL.

    `conversions` are the program's own, see `with_custom_conversion`; they are no part of what the type is.
    """

    nullable: bool = True
    conversions: tuple[tuple[type, DataTypeConverter[Any, Any]], ...] = field(default=(), compare=False, repr=False)

    #: Flink's LogicalTypeRoot, the name used in the JSON form of a type.
    ROOT: ClassVar[str] = ""

    def __str__(self) -> str:
        return self.text() + ("" if self.nullable else " NOT NULL")

    def text(self) -> str:
        """The serialisable string without nullability."""
        return self.ROOT

    def with_nullability(self, nullable: bool) -> Self:
        """The same type with the given nullability."""
        return self if self.nullable is nullable else replace(self, nullable=nullable)

    def not_null(self) -> Self:
        """The same type, NOT NULL."""
        return self.with_nullability(False)

    def children(self) -> Iterator[LogicalType]:
        """The types this one is made of, in order."""
        return iter(())

    def with_custom_conversion(self, class_: type, converter: DataTypeConverter[Any, Any] | None) -> Self:
        """The same type, whose values may also be objects of a class of the program's own.

        Source: the DataTypeConverter FLIP, "Public Interfaces", 2.

        Args:
            class_: the external class; subclasses are converted too.
            converter: converts its objects; has `to_internal` and `to_external`.

        Raises:
            ProgramError: `class_` is no class; `converter` is None, or lacks a method.
        """
        if converter is None:
            raise ProgramError(
                f"the converter of {getattr(class_, '__name__', class_)} for {self} is None",
                where="with_custom_conversion()",
                remedy="give an object of a subclass of DataTypeConverter",
            )
        return self.with_custom_conversions({class_: converter})

    def with_custom_conversions(self, conversions: Mapping[type, DataTypeConverter[Any, Any] | None]) -> Self:
        """The same type with several custom conversions; a class with None is left out.

        Raises:
            ProgramError: as `with_custom_conversion`.
        """
        from plans.types.conversions.converter import check_conversion

        added = {class_: converter for class_, converter in conversions.items() if converter is not None}
        for class_, converter in added.items():
            check_conversion(class_, converter)
        return replace(self, conversions=tuple((dict(self.conversions) | added).items()))


class BooleanType(LogicalType):
    """BOOLEAN."""

    __slots__ = ()

    ROOT: ClassVar[str] = "BOOLEAN"


class NumericType(LogicalType):
    """Base of all numbers."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegerType(NumericType):
    """Base of the exact whole numbers; `BITS` is their width."""

    BITS: ClassVar[int] = 0


class TinyIntType(IntegerType):
    """TINYINT."""

    __slots__ = ()

    ROOT: ClassVar[str] = "TINYINT"
    BITS: ClassVar[int] = 8


class SmallIntType(IntegerType):
    """SMALLINT."""

    __slots__ = ()

    ROOT: ClassVar[str] = "SMALLINT"
    BITS: ClassVar[int] = 16


class IntType(IntegerType):
    """INT."""

    __slots__ = ()

    ROOT: ClassVar[str] = "INTEGER"
    BITS: ClassVar[int] = 32

    def text(self) -> str:
        return "INT"


class BigIntType(IntegerType):
    """BIGINT."""

    __slots__ = ()

    ROOT: ClassVar[str] = "BIGINT"
    BITS: ClassVar[int] = 64


class FloatType(NumericType):
    """FLOAT, 32 bits."""

    __slots__ = ()

    ROOT: ClassVar[str] = "FLOAT"


class DoubleType(NumericType):
    """DOUBLE, 64 bits."""

    __slots__ = ()

    ROOT: ClassVar[str] = "DOUBLE"


@dataclass(frozen=True, slots=True, kw_only=True)
class DecimalType(NumericType):
    """DECIMAL(precision, scale), precision 1 to 38."""

    ROOT: ClassVar[str] = "DECIMAL"
    precision: int = 10
    scale: int = 0

    def text(self) -> str:
        return f"DECIMAL({self.precision}, {self.scale})"


@dataclass(frozen=True, slots=True, kw_only=True)
class CharacterType(LogicalType):
    """Base of CHAR and VARCHAR; `length` in characters."""

    length: int = 1

    def text(self) -> str:
        return f"{self.ROOT}({self.length})"


class CharType(CharacterType):
    """CHAR(n)."""

    __slots__ = ()

    ROOT: ClassVar[str] = "CHAR"


@dataclass(frozen=True, slots=True, kw_only=True)
class VarCharType(CharacterType):
    """VARCHAR(n); STRING is VARCHAR(2147483647)."""

    ROOT: ClassVar[str] = "VARCHAR"
    length: int = MAX_LENGTH


@dataclass(frozen=True, slots=True, kw_only=True)
class BytesType(LogicalType):
    """Base of BINARY and VARBINARY; `length` in bytes."""

    length: int = 1

    def text(self) -> str:
        return f"{self.ROOT}({self.length})"


class BinaryType(BytesType):
    """BINARY(n)."""

    __slots__ = ()

    ROOT: ClassVar[str] = "BINARY"


@dataclass(frozen=True, slots=True, kw_only=True)
class VarBinaryType(BytesType):
    """VARBINARY(n); BYTES is VARBINARY(2147483647)."""

    ROOT: ClassVar[str] = "VARBINARY"
    length: int = MAX_LENGTH


class DateType(LogicalType):
    """DATE."""

    __slots__ = ()

    ROOT: ClassVar[str] = "DATE"


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeType(LogicalType):
    """TIME(precision), precision 0 to 9."""

    ROOT: ClassVar[str] = "TIME_WITHOUT_TIME_ZONE"
    precision: int = 0

    def text(self) -> str:
        return f"TIME({self.precision})"


@dataclass(frozen=True, slots=True, kw_only=True)
class TimestampBase(LogicalType):
    """Base of the timestamps; `kind` tells time attributes from plain values."""

    precision: int = 6
    kind: TimeKind = TimeKind.REGULAR

    @property
    def is_time_attribute(self) -> bool:
        """True for rowtime and proctime."""
        return self.kind is not TimeKind.REGULAR

    def as_regular(self) -> Self:
        """The same type as a plain value."""
        return self if self.kind is TimeKind.REGULAR else replace(self, kind=TimeKind.REGULAR)


class TimestampType(TimestampBase):
    """TIMESTAMP(p), without time zone."""

    __slots__ = ()

    ROOT: ClassVar[str] = "TIMESTAMP_WITHOUT_TIME_ZONE"

    def text(self) -> str:
        return f"TIMESTAMP({self.precision})"


class TimestampLtzType(TimestampBase):
    """TIMESTAMP_LTZ(p), a point in time shown in the session's time zone."""

    __slots__ = ()

    ROOT: ClassVar[str] = "TIMESTAMP_WITH_LOCAL_TIME_ZONE"

    def text(self) -> str:
        return f"TIMESTAMP({self.precision}) WITH LOCAL TIME ZONE"


@dataclass(frozen=True, slots=True, kw_only=True)
class TimestampTzType(LogicalType):
    """TIMESTAMP(p) WITH TIME ZONE."""

    ROOT: ClassVar[str] = "TIMESTAMP_WITH_TIME_ZONE"
    precision: int = 6

    def text(self) -> str:
        return f"TIMESTAMP({self.precision}) WITH TIME ZONE"


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalType(LogicalType):
    """Base of the intervals. `resolution` is the text between INTERVAL and the end: `DAY(2) TO SECOND(3)`."""

    resolution: str = ""

    def text(self) -> str:
        return f"INTERVAL {self.resolution}"


@dataclass(frozen=True, slots=True, kw_only=True)
class YearMonthIntervalType(IntervalType):
    """INTERVAL YEAR, MONTH or YEAR TO MONTH; values are months."""

    ROOT: ClassVar[str] = "INTERVAL_YEAR_MONTH"
    resolution: str = "YEAR(2) TO MONTH"


@dataclass(frozen=True, slots=True, kw_only=True)
class DayTimeIntervalType(IntervalType):
    """INTERVAL DAY to SECOND in all its resolutions; values are milliseconds."""

    ROOT: ClassVar[str] = "INTERVAL_DAY_TIME"
    resolution: str = "DAY(2) TO SECOND(6)"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayType(LogicalType):
    """ARRAY<element>."""

    ROOT: ClassVar[str] = "ARRAY"
    element: LogicalType

    def text(self) -> str:
        return f"ARRAY<{self.element}>"

    def children(self) -> Iterator[LogicalType]:
        yield self.element


@dataclass(frozen=True, slots=True, kw_only=True)
class MultisetType(LogicalType):
    """MULTISET<element>, at run time a map from element to count."""

    ROOT: ClassVar[str] = "MULTISET"
    element: LogicalType

    def text(self) -> str:
        return f"MULTISET<{self.element}>"

    def children(self) -> Iterator[LogicalType]:
        yield self.element


@dataclass(frozen=True, slots=True, kw_only=True)
class MapType(LogicalType):
    """MAP<key, value>."""

    ROOT: ClassVar[str] = "MAP"
    key: LogicalType
    value: LogicalType

    def text(self) -> str:
        return f"MAP<{self.key}, {self.value}>"

    def children(self) -> Iterator[LogicalType]:
        yield self.key
        yield self.value


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a row or structured type."""

    name: str
    type: LogicalType
    comment: str | None = None

    def __str__(self) -> str:
        text = f"{quote_identifier(self.name)} {self.type}"
        return text if self.comment is None else f"{text} {quote_string(self.comment)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldsType(LogicalType):
    """Base of types with named fields."""

    fields: tuple[Field, ...] = ()

    def children(self) -> Iterator[LogicalType]:
        return (field.type for field in self.fields)

    @property
    def names(self) -> tuple[str, ...]:
        """The field names in order."""
        return tuple(field.name for field in self.fields)

    @property
    def types(self) -> tuple[LogicalType, ...]:
        """The field types in order."""
        return tuple(field.type for field in self.fields)

    def field_named(self, name: str) -> Field | None:
        """The field of that name, or None."""
        return next((field for field in self.fields if field.name == name), None)


class RowType(FieldsType):
    """ROW<name type 'comment', ...>."""

    __slots__ = ()

    ROOT: ClassVar[str] = "ROW"

    def text(self) -> str:
        return f"ROW<{', '.join(map(str, self.fields))}>"


@dataclass(frozen=True, slots=True, kw_only=True)
class StructuredType(FieldsType):
    """STRUCTURED<'class name', name type, ...>.

    `json` keeps the JSON form of a plan (as text) where a plan writes the type as an object.
    """

    ROOT: ClassVar[str] = "STRUCTURED_TYPE"
    class_name: str
    json: str | None = field(default=None, compare=False)

    def same_class(self, other: StructuredType) -> bool:
        """Whether objects of both are of one class: of one name, with fields of the same names in the same order."""
        return self.class_name == other.class_name and self.names == other.names

    def text(self) -> str:
        return f"STRUCTURED<{quote_string(self.class_name)}, {', '.join(map(str, self.fields))}>"


class NullType(LogicalType):
    """The type of an untyped NULL."""

    __slots__ = ()

    ROOT: ClassVar[str] = "NULL"


class SymbolType(LogicalType):
    """The type of a flag such as a time unit or a JSON behaviour; only in literals."""

    __slots__ = ()

    ROOT: ClassVar[str] = "SYMBOL"


class DescriptorType(LogicalType):
    """The type of DESCRIPTOR(...)."""

    __slots__ = ()

    ROOT: ClassVar[str] = "DESCRIPTOR"


class VariantType(LogicalType):
    """VARIANT, semi-structured data."""

    __slots__ = ()

    ROOT: ClassVar[str] = "VARIANT"


@dataclass(frozen=True, slots=True, kw_only=True)
class RawType(LogicalType):
    """RAW('class', 'serializer'), bytes that only a JVM class understands.

    `json` keeps the JSON form of a plan (as canonical text) where a plan writes RAW as an object.
    """

    ROOT: ClassVar[str] = "RAW"
    class_name: str
    serializer: str = ""
    json: str | None = field(default=None, compare=False)

    def text(self) -> str:
        return f"RAW({quote_string(self.class_name)}, {quote_string(self.serializer)})"


def check_structured(name: str, fields: Sized) -> str:
    """The name of a structured type, checked together with its fields.

    Any name will do that is not blank: FLIP-520 does not want it to be that of a class. Flink 2.3 itself loads only
    those that are made of identifiers.

    Raises:
        ProgramError: a blank name, or no fields: neither Flink nor this product could read the type's text again.
    """
    if not name.strip():
        raise ProgramError(
            f"invalid class name {name!r}: a structured type needs a name", remedy="write it as 'package.module.Class'"
        )
    if not fields:
        raise ProgramError(
            f"the structured type {name!r} has no fields", remedy=f"name them: STRUCTURED<{quote_string(name)}, a INT>"
        )
    return name


def quote_identifier(name: str) -> str:
    """`name` in backticks, inner backticks doubled."""
    return "`" + name.replace("`", "``") + "`"


def quote_string(text: str) -> str:
    """`text` as a SQL string literal."""
    return "'" + text.replace("'", "''") + "'"


def row_of(names: list[str] | tuple[str, ...], types: list[LogicalType] | tuple[LogicalType, ...]) -> RowType:
    """A row type from names and types of equal number."""
    return RowType(fields=tuple(Field(name, type_) for name, type_ in zip(names, types, strict=True)))


BOOLEAN = BooleanType()
TINYINT = TinyIntType()
SMALLINT = SmallIntType()
INT = IntType()
BIGINT = BigIntType()
FLOAT = FloatType()
DOUBLE = DoubleType()
STRING = VarCharType()
BYTES = VarBinaryType()
DATE = DateType()
NULL = NullType()
