"""Attributes of data types by PyFlink's names, and their texts.

Source: PyFlink's classes of types, such as `RowType` and `ArrayType`, and their `repr`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from compiled_plan.plans.types import logical as t
from compiled_plan.plans.types.views import ListView, MapView


def class_name(type_: TypeAttributes) -> str:
    """The name of the class that the type has in PyFlink."""
    if type_.bridge in (ListView, MapView):
        return f"{type_.bridge.__name__}Type"
    plain = type(type_.logical_type).__name__
    return _RENAMED.get(plain, plain)


def text_of(type_: TypeAttributes) -> str:
    """The type as PyFlink shows it in lists and consoles: `VarCharType(10, true)`."""
    logical, nullable = type_.logical_type, str(type_.logical_type.nullable).lower()
    name = class_name(type_)
    if isinstance(logical, t.FieldsType):
        return f"{name}({','.join(map(repr, fields_of(type_)))})"
    parts = [repr(child) for child in type_.children]
    parts += [str(getattr(logical, name)) for name in ("length", "precision", "scale") if hasattr(logical, name)]
    # A view is part of an accumulator, and never null.
    return f"{name}({', '.join(parts if type_.bridge in (ListView, MapView) else [*parts, nullable])})"


@dataclass(frozen=True, repr=False)
class TypeField:
    """A field of a row type."""

    name: str
    data_type: TypeAttributes
    description: str

    def __repr__(self) -> str:
        return f"RowField({self.name}, {self.data_type!r}, {self.description})"


def fields_of(type_: TypeAttributes) -> list[TypeField]:
    """The fields of a row type.

    Raises:
        TypeError: a type without fields.
    """
    logical = type_.logical_type
    if not isinstance(logical, t.FieldsType):
        raise TypeError(f"{logical} has no fields")
    pairs = zip(logical.fields, type_.children, strict=True)
    # A field without a description has this one in PyFlink.
    return [TypeField(field.name, child, "..." if field.comment is None else field.comment) for field, child in pairs]


class TypeAttributes:
    """Attributes of types: the parameters of `logical_type`, its components and fields."""

    if TYPE_CHECKING:
        logical_type: t.LogicalType
        bridge: type | None
        children: tuple[Any, ...]

    def type_name(self) -> str:
        """The name of the kind of type: INT, VARCHAR, ROW."""
        return class_name(self).removesuffix("Type").upper()

    def __getattr__(self, name: str) -> object:
        if not name.startswith("_"):
            reader = next((read for kind, read in _READERS.get(name, ()) if isinstance(self.logical_type, kind)), None)
            if reader is not None:
                return reader(self)
            if name in _PARAMETERS and hasattr(self.logical_type, name):
                return getattr(self.logical_type, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __bool__(self) -> bool:
        return True

    def __len__(self) -> int:
        return len(fields_of(self))

    def __iter__(self) -> Iterator[TypeField]:
        return iter(fields_of(self))

    def __getitem__(self, key: str | int) -> TypeField:
        fields = fields_of(self)
        if isinstance(key, int):
            return fields[key]
        field = next((field for field in fields if field.name == key), None)
        if field is None:
            raise KeyError(f"the row type has no field {key!r}")
        return field


_Reader = Callable[[TypeAttributes], object]
_PARAMETERS = ("length", "precision", "scale")
_READERS: dict[str, tuple[tuple[type[t.LogicalType], _Reader], ...]] = {
    "element_type": ((t.ArrayType, lambda type_: type_.children[0]), (t.MultisetType, lambda type_: type_.children[0])),
    "key_type": ((t.MapType, lambda type_: type_.children[0]),),
    "value_type": ((t.MapType, lambda type_: type_.children[1]),),
    "fields": ((t.FieldsType, fields_of),),
    "names": ((t.FieldsType, lambda type_: [field.name for field in fields_of(type_)]),),
    "field_names": ((t.FieldsType, lambda type_: lambda: [field.name for field in fields_of(type_)]),),
    "field_types": ((t.FieldsType, lambda type_: lambda: list(type_.children)),),
}
_RENAMED = {"TimestampLtzType": "LocalZonedTimestampType", "TimestampTzType": "ZonedTimestampType"}
