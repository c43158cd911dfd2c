"""Atomic types except times: numbers, texts, bytes, and types that only Flink or a class understands."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from compiled_plan.plans.types.base import LogicalType, quote_string

MAX_LENGTH = 2147483647
#: The serializer of a RAW type whose values are pickled Python objects.
PICKLE = "pickle"


class BooleanType(LogicalType):
    __slots__ = ()
    ROOT: ClassVar[str] = "BOOLEAN"


class NumericType(LogicalType):
    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegerType(NumericType):
    """Base of the integers; `BITS` is their width."""

    BITS: ClassVar[int] = 0


class TinyIntType(IntegerType):
    __slots__ = ()
    ROOT: ClassVar[str] = "TINYINT"
    BITS: ClassVar[int] = 8


class SmallIntType(IntegerType):
    __slots__ = ()
    ROOT: ClassVar[str] = "SMALLINT"
    BITS: ClassVar[int] = 16


class IntType(IntegerType):
    __slots__ = ()
    ROOT: ClassVar[str] = "INTEGER"
    BITS: ClassVar[int] = 32

    def text(self) -> str:
        return "INT"


class BigIntType(IntegerType):
    __slots__ = ()
    ROOT: ClassVar[str] = "BIGINT"
    BITS: ClassVar[int] = 64


class FloatType(NumericType):
    """FLOAT, 32 bits of IEEE 754."""

    __slots__ = ()
    ROOT: ClassVar[str] = "FLOAT"


class DoubleType(NumericType):
    """DOUBLE, 64 bits of IEEE 754."""

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
    """CHAR(n): texts of n characters."""

    __slots__ = ()
    ROOT: ClassVar[str] = "CHAR"


@dataclass(frozen=True, slots=True, kw_only=True)
class VarCharType(CharacterType):
    """VARCHAR(n); without a length, STRING: VARCHAR(2147483647)."""

    ROOT: ClassVar[str] = "VARCHAR"
    length: int = MAX_LENGTH


@dataclass(frozen=True, slots=True, kw_only=True)
class BytesType(LogicalType):
    """Base of BINARY and VARBINARY; `length` in bytes."""

    length: int = 1

    def text(self) -> str:
        return f"{self.ROOT}({self.length})"


class BinaryType(BytesType):
    """BINARY(n): values of n bytes."""

    __slots__ = ()
    ROOT: ClassVar[str] = "BINARY"


@dataclass(frozen=True, slots=True, kw_only=True)
class VarBinaryType(BytesType):
    """VARBINARY(n); without a length, BYTES: VARBINARY(2147483647)."""

    ROOT: ClassVar[str] = "VARBINARY"
    length: int = MAX_LENGTH


class NullType(LogicalType):
    """The type of an untyped NULL."""

    __slots__ = ()
    ROOT: ClassVar[str] = "NULL"


class SymbolType(LogicalType):
    """The type of a flag such as a time unit or a JSON behaviour; only in literals."""

    __slots__ = ()
    ROOT: ClassVar[str] = "SYMBOL"


class DescriptorType(LogicalType):
    """Type of DESCRIPTOR(...), an argument that names columns."""

    __slots__ = ()
    ROOT: ClassVar[str] = "DESCRIPTOR"


class BitmapType(LogicalType):
    """BITMAP, a compressed set of integers."""

    __slots__ = ()
    ROOT: ClassVar[str] = "BITMAP"


class VariantType(LogicalType):
    """VARIANT: a value that carries its type, as in JSON."""

    __slots__ = ()
    ROOT: ClassVar[str] = "VARIANT"


@dataclass(frozen=True, slots=True, kw_only=True)
class RawType(LogicalType):
    """RAW('class', 'serializer'), bytes that only a JVM class understands.

    `json` holds a plan's JSON form (as canonical text) if the plan writes RAW as an object.
    """

    ROOT: ClassVar[str] = "RAW"
    class_name: str
    serializer: str = ""
    json: str | None = field(default=None, compare=False)

    def text(self) -> str:
        return f"RAW({quote_string(self.class_name)}, {quote_string(self.serializer)})"


BOOLEAN = BooleanType()
TINYINT = TinyIntType()
SMALLINT = SmallIntType()
INT = IntType()
BIGINT = BigIntType()
FLOAT = FloatType()
DOUBLE = DoubleType()
STRING = VarCharType()
BYTES = VarBinaryType()
NULL = NullType()
BITMAP = BitmapType()
VARIANT = VariantType()
