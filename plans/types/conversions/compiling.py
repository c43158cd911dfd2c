"""Compilation of a data type to functions that convert its values in both directions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NoReturn

from compiled_plan.plans.errors import CompiledPlanError, DataError, UnsupportedError
from compiled_plan.plans.types import logical as t
from compiled_plan.plans.types.conversions.builtin import PACKAGED, SIMPLE, Conversion, PackageConversion, same
from compiled_plan.plans.types.conversions.custom import Custom, reason, shown
from compiled_plan.plans.types.conversions.data_type import DataType, internal_type
from compiled_plan.plans.types.conversions.nested import BUILDERS, Choices, Compiled, Spot, children
from compiled_plan.plans.types.converter import ClassLoader, Convert


def compile_conversion(data_type: DataType, spot: Spot, loader: ClassLoader) -> Compiled:
    """The functions for a data type, including its `bridged_to` and the custom conversions of its logical types.

    Raises UnsupportedError for values that cannot be converted, DataError if the class of a structured type does not
    match its fields or a converter cannot be opened.
    """
    type_ = data_type.logical_type
    own = dict(type_.conversions)
    if data_type.bridge is not None and data_type.converter is not None:
        own[data_type.bridge] = data_type.converter
    # The most derived class first.
    special = sorted(own.items(), key=lambda item: -len(item[0].__mro__))
    fits = fitting(type_, spot, loader) if own else _same
    customs = {class_: Custom(item, class_, type_, str(spot)).open(loader) for class_, item in special}
    choices: Choices = [(class_, item.inward(fits)) for class_, item in customs.items()]
    custom = customs.get(data_type.bridge) if data_type.bridge is not None else None
    outward: Convert | None
    if custom is None:
        built_in, outward = _built_in(data_type, spot, loader)
    else:
        outward = custom.to_external
        plain = data_type.without_bridge()
        built_in = _built_in(plain, spot, loader)[0] if plain.has_built_in else []
    inward = _Inward(type_, spot, choices + built_in)
    if outward is None:
        return Compiled(inward, _same, plain=True)
    return Compiled(inward, _Outward(type_, spot, outward))


def _same(value: object) -> object:
    return value


def fitting(type_: t.LogicalType, spot: Spot, loader: ClassLoader) -> Convert:
    """Check of a converter's result: it must be an internal value of the type, including its components."""
    plain = internal_type(type_)
    return compile_conversion(plain, spot, loader).to_internal if plain.has_built_in else _same


class _Inward:
    __slots__ = ("choices", "known", "spot", "type")

    def __init__(self, type_: t.LogicalType, spot: Spot, choices: Choices) -> None:
        self.type, self.spot, self.choices = type_, spot, choices
        self.known: dict[type, Convert] = {}

    def __call__(self, value: object) -> object:
        if value is None:
            return None if self.type.nullable else self._refuse_null()
        convert = self.known.get(type(value)) or self._find(value)
        try:
            return convert(value)
        except CompiledPlanError:
            raise
        except Exception as fault:
            message = f"{shown(value)} is no value of {self.type}: {reason(fault)}"
            raise DataError(message, where=str(self.spot)) from fault

    def _find(self, value: object) -> Convert:
        for class_, convert in self.choices:
            if isinstance(value, class_):
                self.known[type(value)] = convert
                return convert
        accepted = ", ".join(dict.fromkeys(class_.__name__ for class_, _ in self.choices)) or "none"
        raise DataError(
            f"{shown(value)} of class {type(value).__name__} is no value of {self.type}",
            where=str(self.spot),
            remedy=f"classes that are: {accepted}; or give the type a conversion, with bridged_to(class, converter)",
        )

    def _refuse_null(self) -> NoReturn:
        raise DataError(
            f"None is no value of {self.type}",
            where=str(self.spot),
            remedy="give a value, or declare the column without NOT NULL",
        )


class _Outward:
    __slots__ = ("convert", "spot", "type")

    def __init__(self, type_: t.LogicalType, spot: Spot, convert: Convert) -> None:
        self.type, self.spot, self.convert = type_, spot, convert

    def __call__(self, value: object) -> object:
        if value is None:
            return None
        try:
            return self.convert(value)
        except CompiledPlanError:
            raise
        except Exception as fault:
            raise DataError(
                f"{shown(value)} cannot come out of {self.type}: {reason(fault)}", where=str(self.spot)
            ) from fault


def _built_in(data_type: DataType, spot: Spot, loader: ClassLoader) -> tuple[Choices, Convert | None]:
    """The built-in conversions of a type; the outward one is None if values are returned unchanged."""
    type_ = data_type.logical_type
    simple = SIMPLE.get(type(type_))
    if simple is not None:
        return _simple(data_type, simple)
    inner = children(data_type, spot, loader, compile_conversion)
    built = BUILDERS.get(type(type_))
    if built is None:
        raise UnsupportedError(
            f"values of type {type_} have no built-in conversion",
            where=str(spot),
            remedy="cast it to another type, or give it a conversion with bridged_to(class, converter)",
        )
    return built(data_type, inner, loader)


def _simple(data_type: DataType, conversions: Sequence[Conversion]) -> tuple[Choices, Convert | None]:
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
    """A stand-in for a class known by name: `isinstance` holds for instances of that class."""

    class Named(type):
        def __instancecheck__(cls, instance: object) -> bool:
            return packaged.fits(type(instance))

    return Named(packaged.name, (), {})


def _bound(convert: Callable[[object, object], object], type_: t.LogicalType) -> Convert:
    return lambda value: convert(value, type_)
