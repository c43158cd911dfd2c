"""Data types: a logical type and the external Python class of its values."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from compiled_plan.plans.errors import DataError, ProgramError
from compiled_plan.plans.types import logical as t
from compiled_plan.plans.types.classes import constructor, resolve_class
from compiled_plan.plans.types.conversions.builtin import PACKAGED, SIMPLE
from compiled_plan.plans.types.conversions.type_attributes import TypeAttributes, text_of
from compiled_plan.plans.types.converter import DataTypeConverter, check_conversion
from compiled_plan.plans.types.mutable_row import MutableRow
from compiled_plan.plans.types.row import Row

#: The built-in external classes of nested types; the first is the default.
CLASSES: dict[type[t.LogicalType], tuple[type, ...]] = {
    t.ArrayType: (list, tuple),
    t.MapType: (dict,),
    t.MultisetType: (dict, Counter, list),
    t.RowType: (Row, tuple, list, dict, MutableRow),
    t.StructuredType: (Row, tuple, list, dict, MutableRow),
    t.NullType: (type(None),),
}


@dataclass(frozen=True, repr=False)
class DataType(TypeAttributes):
    """A logical type with the class of its values where they enter or leave a table. Immutable.

    >>> import compiled_plan as cp
    >>> cp.DataTypes.BIGINT().not_null()
    BigIntType(false)
    >>> cp.DataTypes.ARRAY(cp.DataTypes.STRING()).children
    (VarCharType(2147483647, true),)

    Args:
        logical_type: the type within programs.
        bridge: the external class; None for the type's default.
        converter: converts objects of `bridge`; None for a built-in conversion.
        children: the data types of the components: the element, key and value, or fields.
    """

    logical_type: t.LogicalType
    bridge: type | None = None
    converter: DataTypeConverter[Any, Any] | None = None
    children: tuple[DataType, ...] = ()

    def not_null(self) -> DataType:
        """The same type, NOT NULL."""
        return replace(self, logical_type=self.logical_type.not_null())

    def nullable(self) -> DataType:
        """The same type, which also holds NULL."""
        return replace(self, logical_type=self.logical_type.with_nullability(True))

    def bridged_to(self, class_: type, converter: DataTypeConverter[Any, Any] | None = None) -> DataType:
        """The same type with another external class.

        Args:
            class_: one of the type's built-in classes, one of its custom conversions, or any class with a converter.
            converter: converts objects of `class_` from and to internal values.

        Raises:
            ProgramError: there is neither a conversion to the class nor a converter; lists the type's conversions.
        """
        if converter is not None:
            check_conversion(class_, converter)
            return replace(self, bridge=class_, converter=converter)
        if not isinstance(class_, type):
            raise ProgramError(f"a conversion class must be a class, not {class_!r}")
        known = self.conversion_classes
        packaged = any(item.fits(class_) for item in PACKAGED.get(type(self.logical_type), ()))
        if class_ in known or packaged:
            return replace(self, bridge=class_, converter=None)
        if isinstance(self.logical_type, t.FieldsType) and _fits(class_, self.logical_type):
            return replace(self, bridge=class_, converter=None)
        raise ProgramError(
            f"{self.logical_type} has no conversion to class {class_.__name__}",
            remedy=f"give a converter with it, or choose one of: {', '.join(item.__name__ for item in known)}",
        )

    @cached_property
    def conversion_classes(self) -> tuple[type, ...]:
        """The external classes that need no converter; the first is the default."""
        type_ = self.logical_type
        simple = tuple(item.class_ for item in SIMPLE.get(type(type_), ()) if item.to_external is not None)
        nested = simple or CLASSES.get(type(type_), ())
        own = tuple(class_ for class_, _ in type_.conversions)
        classes = dict.fromkeys((*nested, *own))
        if isinstance(type_, t.StructuredType) and (known := self._class_of(type_)) is not None:
            classes = dict.fromkeys((known, *classes))
        return tuple(classes)

    @staticmethod
    def _class_of(type_: t.StructuredType) -> type | None:
        return resolve_class(type_.class_name)

    @property
    def conversion_class(self) -> type:
        """The external class of the values."""
        known = self.conversion_classes
        return self.bridge or (known[0] if known else object)

    @property
    def has_built_in(self) -> bool:
        """True if the type has a conversion without a user-defined converter."""
        return type(self.logical_type) in SIMPLE or type(self.logical_type) in CLASSES

    def without_bridge(self) -> DataType:
        """The same type with its default external class."""
        return replace(self, bridge=None, converter=None)

    def __str__(self) -> str:
        return str(self.logical_type)

    def __repr__(self) -> str:
        return text_of(self)


def _fits(class_: type, type_: t.FieldsType) -> bool:
    try:
        constructor(class_, type_.names)
    except DataError:
        return False
    return True


def with_mutable_rows(data_type: DataType) -> DataType:
    """The same type with PyFlink's classes for the rows and bytes in it."""
    type_ = data_type.logical_type
    bridge = MutableRow if isinstance(type_, t.FieldsType) else data_type.bridge
    if isinstance(type_, t.BinaryType | t.VarBinaryType):
        bridge = bytearray
    return replace(data_type, bridge=bridge, children=tuple(map(with_mutable_rows, data_type.children)))


def internal_type(type_: t.LogicalType) -> DataType:
    """The data type whose objects are the internal values of a type, without user-defined conversions."""
    bridge: type | None = None
    if isinstance(type_, t.TimeType | t.DayTimeIntervalType):
        bridge = int
    elif isinstance(type_, t.FieldsType):
        bridge = tuple
    plain = replace(type_, conversions=())
    return DataType(plain, bridge, children=tuple(map(internal_type, type_.children())))
