"""Logical types with the Python class of their values (in Flink, data types), for parameters and results."""

from __future__ import annotations

import builtins
import datetime as dt
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from compiled_plan.plans import types as t
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.types.mutable_row import MutableRow
from compiled_plan.plans.types.row import Row


@dataclass(frozen=True, slots=True)
class Bridged:
    """A logical type and the Python representation of its values."""

    type: t.LogicalType
    class_: builtins.type | None = None  # the class of its values; None: the default
    children: tuple[Bridged, ...] = ()  # of the component types, in order; empty: the defaults
    converter: Any = None  # user-defined converter between internal values and objects of the class

    def with_nullability(self, nullable: bool) -> Bridged:
        """The same with this nullability."""
        return Bridged(self.type.with_nullability(nullable), self.class_, self.children, self.converter)

    @property
    def parts(self) -> tuple[Bridged, ...]:
        """The children, including default ones."""
        return self.children or tuple(Bridged(child) for child in self.type.children())


def name_of(class_: object) -> str:
    """A class's full name, which the patterns of RAW classes match; for other annotations, their text."""
    if isinstance(class_, type) and not hasattr(class_, "__args__"):
        return f"{class_.__module__}.{class_.__qualname__}"
    return str(class_)


_INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32")
#: The classes of a type's values, the default first. Classes of packages that may not be installed are names.
CLASSES: dict[type[t.LogicalType], tuple[type | str, ...]] = {
    t.BooleanType: (bool, "numpy.bool", "numpy.bool_"),
    **dict.fromkeys(
        (t.TinyIntType, t.SmallIntType, t.IntType, t.BigIntType), (int, *(f"numpy.{name}" for name in _INTEGERS))
    ),
    **dict.fromkeys((t.FloatType, t.DoubleType), (float, "numpy.float32", "numpy.float64")),
    t.DecimalType: (Decimal,),
    **dict.fromkeys((t.CharType, t.VarCharType), (str, bytes)),
    **dict.fromkeys((t.BinaryType, t.VarBinaryType), (bytes, bytearray, memoryview)),
    t.DateType: (dt.date, int),
    t.TimeType: (dt.time, int),
    t.TimestampType: (dt.datetime, "pandas.Timestamp", "pandas._libs.tslibs.timestamps.Timestamp"),
    t.TimestampLtzType: (dt.datetime, int, "pandas.Timestamp", "pandas._libs.tslibs.timestamps.Timestamp"),
    t.DayTimeIntervalType: (dt.timedelta, int),
    t.YearMonthIntervalType: (int, "dateutil.relativedelta.relativedelta"),
    t.ArrayType: (list, tuple, "numpy.ndarray"),
    t.MapType: (dict,),
    t.MultisetType: (dict, Counter),
    t.RowType: (Row, tuple, dict),
}
_WIDER: dict[object, type] = {Sequence: list, Mapping: dict}


def default_class(type_: t.LogicalType) -> type | None:
    """The default class of a type's values; None if any class is accepted (structured types, RAW)."""
    class_ = CLASSES.get(type(type_), (None,))[0]
    return class_ if isinstance(class_, type) else None


def supports(type_: t.LogicalType, class_: type) -> bool:
    """Return True if values of a type can be objects of a class."""
    if isinstance(type_, t.RawType):
        return True
    if isinstance(type_, t.FieldsType) and has_fields(class_):
        return True
    if isinstance(type_, t.StructuredType):
        return class_ in (Row, tuple, dict)
    known = CLASSES.get(type(type_), ())
    return class_ in known or name_of(class_) in known


def has_fields(class_: object) -> bool:
    """Return True for a user-defined class with named fields: a dataclass, a NamedTuple, a plain class."""
    if not isinstance(class_, type) or class_ in (Row, MutableRow, object):
        return False
    if hasattr(class_, "__dataclass_fields__") or (issubclass(class_, tuple) and hasattr(class_, "_fields")):
        return True
    return class_.__module__ not in ("builtins", "datetime", "decimal", "collections", "enum") and not any(
        base.__module__ in ("builtins", "enum", "datetime", "decimal", "collections")
        for base in class_.__mro__
        if base is not object
    )


def bridge_to(type_: t.LogicalType, class_: type, where: str) -> Bridged:
    """A type whose values are objects of a class. Raises ProgramError, listing the supported classes."""
    class_ = _WIDER.get(class_, class_)
    if not supports(type_, class_):
        known = [name if isinstance(name, str) else name.__name__ for name in CLASSES.get(type(type_), ())]
        raise ProgramError(
            f"{where}: values of type {type_} cannot be {name_of(class_).removeprefix('builtins.')}",
            remedy=f"write bridged_to= one of {', '.join(known)}" if known else "leave bridged_to out",
        )
    return Bridged(type_, None if class_ is default_class(type_) else class_)
