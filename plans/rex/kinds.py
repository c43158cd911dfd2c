"""Kinds of types that functions distinguish, one letter each: the alphabet of signatures."""

from __future__ import annotations

from compiled_plan.plans import types as t

#: Type, letter, and words for messages.
_KINDS: tuple[tuple[type[t.LogicalType], str, str], ...] = (
    (t.BooleanType, "b", "BOOLEAN"),
    (t.NumericType, "N", "a number"),
    (t.CharacterType, "C", "a text"),
    (t.BytesType, "B", "bytes"),
    (t.DateType, "D", "DATE"),
    (t.TimeType, "T", "TIME"),
    (t.TimestampType, "S", "TIMESTAMP"),
    (t.TimestampLtzType, "L", "TIMESTAMP_LTZ"),
    (t.TimestampTzType, "Z", "TIMESTAMP WITH TIME ZONE"),
    (t.YearMonthIntervalType, "Y", "an interval of months"),
    (t.DayTimeIntervalType, "I", "an interval of time"),
    (t.ArrayType, "A", "ARRAY"),
    (t.MapType, "M", "MAP"),
    (t.MultisetType, "U", "MULTISET"),
    (t.RowType, "R", "ROW"),
    (t.StructuredType, "G", "STRUCTURED"),
    (t.SymbolType, "K", "a keyword"),
    (t.RawType, "W", "RAW"),
    (t.VariantType, "V", "VARIANT"),
    (t.BitmapType, "P", "BITMAP"),
    (t.DescriptorType, "d", "DESCRIPTOR"),
    (t.NullType, "0", "NULL"),
)


def kind_of(type_: t.LogicalType) -> str:
    return next(letter for kind, letter, _ in _KINDS if isinstance(type_, kind))


def kind_text(letter: str) -> str:
    """A kind as words, for messages."""
    return next(text for _, known, text in _KINDS if known == letter)
