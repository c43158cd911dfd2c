"""DataTypeConverter: conversion between objects of a Python class and the internal values of a logical type.

Source: the DataTypeConverter FLIP, "Public Interfaces". Internal values are the column values:

| type | internal value |
| --- | --- |
| CHAR, VARCHAR | str |
| BOOLEAN | bool |
| TINYINT, SMALLINT, INT, BIGINT | int |
| FLOAT, DOUBLE | float |
| DECIMAL | decimal.Decimal of the type's scale |
| BINARY, VARBINARY | bytes |
| DATE | datetime.date |
| TIME | int, milliseconds of the day |
| TIMESTAMP | datetime.datetime without time zone, microseconds |
| TIMESTAMP_LTZ | datetime.datetime in UTC, microseconds |
| INTERVAL YEAR TO MONTH | int, months |
| INTERVAL DAY TO SECOND | int, milliseconds |
| ARRAY | list |
| MAP | dict |
| MULTISET | dict from element to count |
| ROW, STRUCTURED | tuple in the order of the fields |
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from compiled_plan.plans.errors import ProgramError

Internal = TypeVar("Internal")
External = TypeVar("External")

#: Resolves a class by name; None if there is none or it is not allowed.
ClassLoader = Callable[[str], "type | None"]
#: Converts a value between two of its forms: internal, object of a class, Arrow, stored.
Convert = Callable[[Any], Any]


class DataTypeConverter(ABC, Generic[Internal, External]):
    """Converter between the internal values of a logical type and the objects of a class.

    NULL bypasses converters: neither method receives None, nor may it return None. A converter may be pickled.

    >>> import compiled_plan as cp
    >>> from ipaddress import IPv4Address
    >>> class Address(cp.DataTypeConverter[str, IPv4Address]):
    ...     def to_internal(self, external: IPv4Address) -> str:
    ...         return str(external)
    ...     def to_external(self, internal: str) -> IPv4Address:
    ...         return IPv4Address(internal)
    >>> data_type = cp.DataTypes.STRING().bridged_to(IPv4Address, Address())
    >>> data_type.bridge.__name__, data_type.converter.to_external("10.0.0.1")
    ('IPv4Address', IPv4Address('10.0.0.1'))
    """

    def open(self, class_loader: ClassLoader) -> None:
        """Prepare the converter; called once per process before the first value.

        Args:
            class_loader: resolves the names of allowed classes.
        """

    @abstractmethod
    def to_internal(self, external: External) -> Internal:
        """Convert an object to its internal value."""

    @abstractmethod
    def to_external(self, internal: Internal) -> External:
        """Convert an internal value to an object."""


def open_converter(converter: DataTypeConverter[Any, Any], class_loader: ClassLoader) -> None:
    """Open a converter; its `open` may lack the parameter."""
    opening = getattr(converter, "open", None)
    if opening is None:
        return
    if inspect.signature(opening).parameters:
        opening(class_loader)
    else:
        opening()


def check_conversion(class_: object, converter: object) -> None:
    """Raise ProgramError if `class_` is no class, or `converter` lacks a method."""
    if not isinstance(class_, type):
        raise ProgramError(f"a conversion class must be a class, not {class_!r}")
    missing = [name for name in ("to_internal", "to_external") if not callable(getattr(converter, name, None))]
    if isinstance(converter, type) or missing:
        converter_name = converter.__name__ if isinstance(converter, type) else type(converter).__name__
        raise ProgramError(
            f"{converter_name} is no converter for {class_.__name__}",
            remedy=f"give an object of a class with {' and '.join(missing or ['to_internal', 'to_external'])}, "
            "such as a subclass of DataTypeConverter",
        )
    for method in ("to_internal", "to_external"):
        _check_parameters(converter, method)


def _check_parameters(converter: object, method: str) -> None:
    try:
        signature = inspect.signature(getattr(converter, method))
    except (TypeError, ValueError):  # implemented in C, without a signature
        return
    try:
        signature.bind(None)
    except TypeError:
        raise ProgramError(
            f"{type(converter).__name__}.{method} does not take one value: its parameters are {signature}",
            remedy=f"write def {method}(self, value)",
        ) from None
