"""From a data type to the functions that convert its values, both ways."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from plans.errors import CompiledPlanError, DataError, UnsupportedError
from plans.types import logical as t
from plans.types.conversions.builtin import PACKAGED, SIMPLE, Conversion, PackageConversion, same
from plans.types.conversions.converter import ClassLoader, open_converter

if TYPE_CHECKING:
    from plans.types.data_types import DataType

Function = Callable[[Any], Any]
#: Classes and the functions that convert their objects; the first that fits is taken.
Choices = list[tuple[type, Function]]

_FAULTS = (ValueError, TypeError, ArithmeticError, AttributeError)


@dataclasses.dataclass(frozen=True, slots=True)
class Compiled:
    """Both directions of a conversion; both pass NULL by and raise DataError with column, type and value.

    `plain`: values come out as they are, so that nothing need be done for them.
    """

    to_internal: Function
    to_external: Function
    plain: bool = False


def compile_conversion(data_type: DataType, path: str, loader: ClassLoader) -> Compiled:
    """The functions for a data type.

    Args:
        data_type: with the hints of `bridged_to`, and the custom conversions of its logical types.
        path: the column, for errors.
        loader: finds the classes of structured types.

    Raises:
        UnsupportedError: values of the type cannot be converted.
        DataError: the class of a structured type does not fit its fields.
    """
    type_ = data_type.logical_type
    own = dict(type_.conversions)
    if data_type.bridge is not None and data_type.converter is not None:
        own[data_type.bridge] = data_type.converter
    for converter in own.values():
        open_converter(converter, loader)
    # The most special class first.
    special = sorted(own.items(), key=lambda item: -len(item[0].__mro__))
    fits = _fits(type_, path)
    choices: Choices = [(class_, _strict(item.to_internal, item, path, fits)) for class_, item in special]
    custom = own.get(data_type.bridge) if data_type.bridge is not None else None
    outward: Function | None
    if custom is None:
        built_in, outward = _built_in(data_type, path, loader)
    else:
        outward = _strict(custom.to_external, custom, path, _same)
        plain = data_type.without_bridge()
        built_in = _built_in(plain, path, loader)[0] if plain.has_built_in else []
    inward = _Inward(type_, path, choices + built_in)
    if outward is None:
        return Compiled(inward, _same, plain=True)
    return Compiled(inward, _Outward(type_, path, outward))


def _same(value: Any) -> Any:
    return value


def _fits(type_: t.LogicalType, path: str) -> Function:
    """What a converter gives must be a value of the type; checked where the type holds no other."""
    simple = SIMPLE.get(type(type_))
    if simple is None:
        return _same
    return _Inward(type_, path, [(item.class_, _bound(item.to_internal, type_)) for item in simple if item.to_internal])


def _strict(convert: Function, converter: object, path: str, fits: Function) -> Function:
    """A custom conversion, which may not give None, nor what `fits` refuses."""

    def found(value: Any) -> Any:
        made = convert(value)
        if made is None:
            raise DataError(
                f"{type(converter).__name__} gave None for {_shown(value)}",
                where=_where(path),
                remedy="a converter is never given None and may not give it: raise ValueError for what is no value",
            )
        try:
            return fits(made)
        except DataError as fault:
            what = f"{type(converter).__name__} gave what is no value for {_shown(value)}: {fault.message}"
            raise DataError(what, where=fault.where, remedy=fault.remedy) from None

    return found


class _Inward:
    """Objects to internal values, by the class of the object."""

    __slots__ = ("choices", "known", "path", "type")

    def __init__(self, type_: t.LogicalType, path: str, choices: Choices) -> None:
        self.type, self.path, self.choices = type_, path, choices
        self.known: dict[type, Function] = {}

    def __call__(self, value: Any) -> Any:
        if value is None:
            return None if self.type.nullable else self._refuse_null()
        convert = self.known.get(type(value)) or self._find(value)
        try:
            return convert(value)
        except CompiledPlanError:
            raise
        except _FAULTS as fault:
            raise DataError(f"{_shown(value)} is no value of {self.type}: {fault}", where=_where(self.path)) from fault

    def _find(self, value: Any) -> Function:
        for class_, convert in self.choices:
            if isinstance(value, class_):
                self.known[type(value)] = convert
                return convert
        taken = ", ".join(dict.fromkeys(class_.__name__ for class_, _ in self.choices)) or "none"
        raise DataError(
            f"{_shown(value)} of class {type(value).__name__} is no value of {self.type}",
            where=_where(self.path),
            remedy=f"classes that are: {taken}; or give the type a conversion, with bridged_to(class, converter)",
        )

    def _refuse_null(self) -> NoReturn:
        raise DataError(
            f"None is no value of {self.type}",
            where=_where(self.path),
            remedy="give a value, or declare the column without NOT NULL",
        )


class _Outward:
    """Internal values to objects."""

    __slots__ = ("convert", "path", "type")

    def __init__(self, type_: t.LogicalType, path: str, convert: Function) -> None:
        self.type, self.path, self.convert = type_, path, convert

    def __call__(self, value: Any) -> Any:
        if value is None:
            return None
        try:
            return self.convert(value)
        except CompiledPlanError:
            raise
        except _FAULTS as fault:
            raise DataError(
                f"{_shown(value)} cannot come out of {self.type}: {fault}", where=_where(self.path)
            ) from fault


def _where(path: str) -> str:
    return f"column {path}" if path else ""


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _built_in(data_type: DataType, path: str, loader: ClassLoader) -> tuple[Choices, Function | None]:
    """The built-in conversions of a type; outward None where values come out as they are."""
    from plans.types.conversions import nested

    type_ = data_type.logical_type
    simple = SIMPLE.get(type(type_))
    if simple is not None:
        return _simple(data_type, simple)
    compile_child = nested.children(data_type, path, loader)
    built = nested.BUILDERS.get(type(type_))
    if built is None:
        raise UnsupportedError(
            f"values of type {type_} have no built-in conversion",
            where=_where(path),
            remedy="cast it to another type, or give it a conversion with bridged_to(class, converter)",
        )
    return built(data_type, compile_child, loader)


def _simple(data_type: DataType, conversions: Sequence[Conversion]) -> tuple[Choices, Function | None]:
    type_, outer = data_type.logical_type, data_type.conversion_class
    choices: Choices = [
        (item.class_, _same if item.to_internal is same else _bound(item.to_internal, type_))
        for item in conversions
        if item.to_internal is not None
    ]
    packaged = PACKAGED.get(type(type_), ())
    choices += [(_class_like(item), _bound(item.to_internal, type_)) for item in packaged]
    own = next((item.to_external for item in packaged if item.fits(outer)), None)
    if own is not None:
        return choices, lambda value: own(value, outer)
    chosen = next(item for item in conversions if item.class_ is outer and item.to_external is not None)
    assert chosen.to_external is not None
    return choices, None if chosen.to_external is same else _bound(chosen.to_external, type_)


def _class_like(packaged: PackageConversion) -> type:
    """What stands for a class that is known by name: its instances are those of the class."""

    class Named(type):
        def __instancecheck__(cls, instance: object) -> bool:
            return packaged.fits(type(instance))

    return Named(packaged.name, (), {})


def _bound(convert: Callable[[Any, Any], Any], type_: t.LogicalType) -> Function:
    return lambda value: convert(value, type_)
