"""Exact conversion of objects to plain values of the kernel: they round-trip unchanged, or `UnfitError` is raised.

Accumulators are stored with it: they are mutated in place, so a value that a type would round, truncate or convert to
another class does not belong to that type. Plain values are those of the kernel's `Marshal`: lists for rows, integers
for times and decimals. Many values are checked at once, in the interpreter's own loops.
"""

from __future__ import annotations

import datetime as dt
from array import array
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from decimal import Decimal
from types import NoneType
from typing import Any

from compiled_plan.plans import types as t
from compiled_plan.plans.execution.functions.codec import EPOCH, EPOCH_DAY, EPOCH_UTC, MICRO, WIDE
from compiled_plan.plans.types.classes import is_named_tuple
from compiled_plan.plans.types.converter import Convert
from compiled_plan.plans.types.python.bridge import Bridged
from compiled_plan.plans.types.row import Row, RowKind

Values = Collection[Any]
Holds = Callable[[Values], bool]

_MILLI = dt.timedelta(milliseconds=1)


class UnfitError(Exception):
    """An object that is not exactly a value of its type."""


@dataclass(frozen=True, slots=True)
class Exact:
    """The conversions of a type's values.

    Args:
        outs: from objects to plain values; raises `UnfitError`.
        back: from a non-null plain value to the object; None for the identity.
    """

    outs: Callable[[Values], Values]
    back: Convert | None = None

    def write(self, value: object) -> Any:
        """The plain value of an object.

        Raises:
            UnfitError: the object is not exactly a value of the type.
        """
        [plain] = self.outs((value,))
        return plain

    def read(self, plain: object) -> Any:
        """The object of a plain value."""
        return plain if self.back is None else self.back(plain)


def exact(bridged: Bridged) -> Exact | None:
    """The codec of a type; None for a type whose values might not round-trip."""
    class_, type_ = bridged.class_, bridged.type
    if bridged.converter is not None:
        return None
    match type_:
        case t.ArrayType() if class_ in (None, tuple):
            element = exact(bridged.parts[0])
            return None if element is None else _array(element, class_ or list, type_.nullable)
        case t.MapType() if class_ is None:
            key, value = map(exact, bridged.parts)
            return None if key is None or value is None else _map(key, value, type_.nullable)
        case t.FieldsType():
            return _fields(bridged, type_)
    return _leaf(type_) if class_ is None else None


def _leaf(type_: t.LogicalType) -> Exact | None:
    match type_:
        case t.BooleanType():
            return _of(bool, type_)
        case t.IntegerType():
            return _of(int, type_, _in_range(_CODES[type_.BITS]))
        case t.DoubleType():
            return _of(float, type_)
        case t.VarCharType() if type_ == t.STRING.with_nullability(type_.nullable):
            return _of(str, type_, lambda values: all(map(_is_text, values)))
        case t.VarBinaryType() if type_ == t.BYTES.with_nullability(type_.nullable):
            return _of(bytes, type_)
        case t.DecimalType():
            scale = type_.scale
            return _of(
                Decimal,
                type_,
                lambda values: all(_fits(value, type_) for value in values),
                lambda value: int(value.scaleb(scale, WIDE)),
                lambda plain: Decimal(plain).scaleb(-scale, WIDE),
            )
        case t.DateType():
            return _of(
                dt.date,
                type_,
                None,
                lambda value: value.toordinal() - EPOCH_DAY,
                lambda plain: dt.date.fromordinal(plain + EPOCH_DAY),
            )
        case t.TimestampLtzType() | t.TimestampType() if type_.precision >= 6:
            zone, epoch = (dt.UTC, EPOCH_UTC) if isinstance(type_, t.TimestampLtzType) else (None, EPOCH)
            return _of(
                dt.datetime,
                type_,
                lambda values: all(value.tzinfo is zone and not value.fold for value in values),
                lambda value: (value - epoch) // MICRO,
                lambda plain: epoch + plain * MICRO,
            )
        case t.DayTimeIntervalType():
            return _of(
                dt.timedelta,
                type_,
                lambda values: not any(value % _MILLI for value in values),
                lambda value: value // _MILLI,
                lambda plain: plain * _MILLI,
            )
    return None


def _of(
    class_: type,
    type_: t.LogicalType,
    holds: Holds | None = None,
    out: Convert | None = None,
    back: Convert | None = None,
) -> Exact:
    allowed = {class_, NoneType} if type_.nullable else {class_}

    def outs(values: Values) -> Values:
        classes = set(map(type, values))
        if not classes <= allowed:
            raise UnfitError
        if holds is not None and class_ in classes:
            present = [value for value in values if value is not None] if NoneType in classes else values
            if not holds(present):
                raise UnfitError
        return values if out is None else [None if value is None else out(value) for value in values]

    return Exact(outs, back)


#: The codes of `array` for integers, by number of bits.
_CODES = {8: "b", 16: "h", 32: "i", 64: "q"}


def _in_range(code: str) -> Holds:
    def holds(values: Values) -> bool:
        try:
            array(code, values)
        except OverflowError:
            return False
        return True

    return holds


def _is_text(value: str) -> bool:
    if value.isascii():
        return True
    try:
        return bool(value.encode())
    except UnicodeEncodeError:
        return False


def _fits(value: Decimal, type_: t.DecimalType) -> bool:
    _, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int) or exponent < -type_.scale:
        return False
    return len(digits) + exponent <= type_.precision - type_.scale


def _backs(part: Exact) -> Callable[[Values], Any]:
    """The conversion of plain values, including None, to objects."""
    back = part.back
    if back is None:
        return lambda plains: plains
    return lambda plains: [None if plain is None else back(plain) for plain in plains]


def _of_class(class_: object, nullable: bool, out: Convert) -> Callable[[Values], Values]:
    """The conversion of objects of a class to plain values, one by one."""

    def outs(values: Values) -> Values:
        plains = []
        for value in values:
            if type(value) is not class_ and not (nullable and value is None):
                raise UnfitError
            plains.append(None if value is None else out(value))
        return plains

    return outs


def _array(element: Exact, class_: Any, nullable: bool) -> Exact:
    outs, backs = element.outs, _backs(element)
    if class_ is list:
        return Exact(_of_class(list, nullable, outs), None if element.back is None else backs)
    return Exact(_of_class(class_, nullable, lambda items: list(outs(items))), lambda items: class_(backs(items)))


def _map(key: Exact, value: Exact, nullable: bool) -> Exact:
    keys, values = _backs(key), _backs(value)

    def out(mapping: dict[object, object]) -> dict[object, object]:
        return dict(zip(key.outs(mapping.keys()), value.outs(mapping.values()), strict=True))

    def back(plain: dict[object, object]) -> dict[Any, Any]:
        return dict(zip(keys(plain.keys()), values(plain.values()), strict=True))

    return Exact(_of_class(dict, nullable, out), None if key.back is None and value.back is None else back)


# --- rows and objects ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Form:
    """Objects of a class by the values of their fields: `take` raises `UnfitError` for objects with further state."""

    class_: Any
    take: Callable[[Any], Sequence[Any]]
    make: Callable[[list[object]], object]


def _fields(bridged: Bridged, type_: t.FieldsType) -> Exact | None:
    parts = [part for part in map(exact, bridged.parts) if part is not None]
    form = _form(bridged.class_ or (Row if isinstance(type_, t.RowType) else None), type_.names)
    if form is None or len(parts) < len(type_.fields):
        return None
    columns = [part.outs for part in parts]
    backs = [part.back for part in parts]
    take, make = _of_class(form.class_, type_.nullable, form.take), form.make

    def outs(values: Values) -> Values:
        rows = take(values)
        present = rows if None not in rows else [row for row in rows if row is not None]
        by_column = [out(column) for out, column in zip(columns, zip(*present, strict=True), strict=bool(present))]
        plains = map(list, zip(*by_column, strict=True))
        return [None if row is None else next(plains) for row in rows]

    def back(plain: list[object]) -> object:
        pairs = zip(backs, plain, strict=True)
        return make([value if value is None or convert is None else convert(value) for convert, value in pairs])

    return Exact(outs, back)


def _form(class_: Any, names: tuple[str, ...]) -> _Form | None:
    """The form of a class; None if its objects may have state beside their fields."""
    if class_ is None or not names:
        return None
    if issubclass(class_, tuple):
        return _tuple(class_, names)
    if class_ is dict:
        return _Form(dict, _taking(lambda value: value, names), lambda values: dict(zip(names, values, strict=True)))
    own = ("__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__getnewargs__", "__getnewargs_ex__")
    if any(getattr(class_, name, None) is not getattr(object, name, None) for name in own):
        return None
    slots = {name for base in class_.__mro__ for name in vars(base).get("__slots__", ())}

    # Bypass the constructor, which may compute.
    def filled(values: list[object]) -> object:
        instance = class_.__new__(class_)
        instance.__dict__.update(zip(names, values, strict=True))
        return instance

    def slotted(values: list[object]) -> object:
        instance = class_.__new__(class_)
        for name, value in zip(names, values, strict=True):
            object.__setattr__(instance, name, value)
        return instance

    if class_.__dictoffset__:
        return None if slots else _Form(class_, _taking(vars, names), filled)
    held = lambda value: {name: getattr(value, name) for name in names if hasattr(value, name)}  # noqa: E731
    return _Form(class_, _taking(held, names), slotted) if slots == set(names) else None


def _taking(fields: Callable[[Any], dict[str, object]], names: tuple[str, ...]) -> Callable[[Any], list[object]]:
    wanted = set(names)

    def take(value: object) -> list[object]:
        held = fields(value)
        if held.keys() != wanted:
            raise UnfitError
        return [held[name] for name in names]

    return take


def _tuple(class_: Any, names: tuple[str, ...]) -> _Form | None:
    def take(value: Sequence[object]) -> Sequence[object]:
        if len(value) != len(names):
            raise UnfitError
        return value

    def take_row(value: Row) -> Sequence[Any]:
        if value.field_names != names or value.kind is not RowKind.INSERT:
            raise UnfitError
        return value

    if class_ is Row:
        return _Form(Row, take_row, lambda values: Row.of(values, names))
    if class_ is tuple:
        return _Form(tuple, take, tuple)
    if is_named_tuple(class_) and class_._fields == names and not class_.__dictoffset__:
        return _Form(class_, take, class_._make)
    return None
