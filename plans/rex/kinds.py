"""The kinds of types that functions tell apart, a letter each: what signatures are written in."""

from __future__ import annotations

from compiled_plan.plans import types as t

_KINDS: tuple[tuple[type[t.LogicalType], str], ...] = (
    (t.BooleanType, "b"),
    (t.NumericType, "N"),
    (t.CharacterType, "C"),
    (t.BytesType, "B"),
    (t.DateType, "D"),
    (t.TimeType, "T"),
    (t.TimestampType, "S"),
    (t.TimestampLtzType, "L"),
    (t.TimestampTzType, "Z"),
    (t.YearMonthIntervalType, "Y"),
    (t.DayTimeIntervalType, "I"),
    (t.ArrayType, "A"),
    (t.MapType, "M"),
    (t.MultisetType, "U"),
    (t.RowType, "R"),
    (t.StructuredType, "G"),
    (t.SymbolType, "K"),
    (t.RawType, "W"),
    (t.VariantType, "V"),
    (t.BitmapType, "P"),
    (t.DescriptorType, "d"),
    (t.NullType, "0"),
)

_NAMES = {
    "b": "BOOLEAN",
    "N": "a number",
    "C": "a text",
    "B": "bytes",
    "D": "DATE",
    "T": "TIME",
    "S": "TIMESTAMP",
    "L": "TIMESTAMP_LTZ",
    "Z": "TIMESTAMP WITH TIME ZONE",
    "Y": "an interval of months",
    "I": "an interval of time",
    "A": "ARRAY",
    "M": "MAP",
    "U": "MULTISET",
    "R": "ROW",
    "G": "STRUCTURED",
    "K": "a keyword",
    "W": "RAW",
    "V": "VARIANT",
    "P": "BITMAP",
    "d": "DESCRIPTOR",
    "0": "NULL",
}


def kind_of(type_: t.LogicalType) -> str:
    """The letter of a type's kind."""
    return next(letter for kind, letter in _KINDS if isinstance(type_, kind))


def kind_text(letter: str) -> str:
    """A kind for messages."""
    return _NAMES[letter]
