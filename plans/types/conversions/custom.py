"""User-defined converters: opening, calls and checks, with errors in the user's terms.

Source: the DataTypeConverter FLIP, "Public Interfaces", 1: neither method receives null, nor may it return null.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from compiled_plan.plans.errors import CompiledPlanError, DataError
from compiled_plan.plans.types import logical as t
from compiled_plan.plans.types.converter import ClassLoader, DataTypeConverter, open_converter


class Custom:
    """A user-defined converter for objects of a class; `where` is the column or parameter, for errors."""

    def __init__(self, converter: DataTypeConverter[Any, Any], class_: type, type_: t.LogicalType, where: str) -> None:
        self.converter, self.class_, self.type, self.where = converter, class_, type_, where
        self.name = type(converter).__name__

    def open(self, loader: ClassLoader) -> Custom:
        """Open the converter before its first value. Raises DataError if it cannot be opened."""
        try:
            open_converter(self.converter, loader)
        except CompiledPlanError:
            raise
        except Exception as fault:
            message = f"{self.name}, the converter of {self.class_.__name__} for {self.type}, cannot be opened"
            raise DataError(f"{message}: {reason(fault)}", where=self.where) from fault
        return self

    def inward(self, fits: Callable[[object], object]) -> Callable[[object], object]:
        """`to_internal`, with `fits` to check its result and return the internal value. Raises DataError."""
        convert = self.converter.to_internal

        def checked(external: object) -> object:
            internal = self._call(convert, external, "to_internal")
            try:
                return fits(internal)
            except DataError as fault:
                message = f"{self.name}.to_internal gave what is no value for {shown(external)}: {fault.message}"
                raise DataError(message, where=fault.where or self.where, remedy=fault.remedy) from None

        return checked

    def to_external(self, internal: object) -> object:
        """Convert an internal value to an object of the converter's class."""
        external = self._call(self.converter.to_external, internal, "to_external")
        if not isinstance(external, self.class_):
            raise DataError(
                f"{self.name}.to_external gave {shown(external)} of class {type(external).__name__} for "
                f"{shown(internal)} of {self.type}, and not of class {self.class_.__name__}",
                where=self.where,
                remedy=f"give an object of {self.class_.__name__}, or name the other class in bridged_to",
            )
        return external

    def _call(self, convert: Callable[[object], object], value: object, method: str) -> object:
        try:
            result = convert(value)
        except CompiledPlanError:
            raise
        except Exception as fault:
            message = f"{self.name}.{method} failed for {shown(value)} of {self.type}: {reason(fault)}"
            raise DataError(message, where=self.where) from fault
        if result is None:
            raise DataError(
                f"{self.name}.{method} gave None for {shown(value)} of {self.type}",
                where=self.where,
                remedy="a converter is never given None and may not give it: raise ValueError for what is no value",
            )
        return result


def shown(value: object) -> str:
    """Text of a value for a message, truncated; also for objects whose `repr` fails."""
    try:
        text = repr(value)
    except Exception:
        text = f"an object of {type(value).__name__}"
    return text if len(text) <= 80 else f"{text[:77]}..."


def reason(fault: BaseException) -> str:
    """Text of an exception for a message, with its class if the text alone is unclear."""
    text = str(fault)
    plain = text and isinstance(fault, ValueError | TypeError | ArithmeticError)
    return text if plain else f"{type(fault).__name__}: {text}"
