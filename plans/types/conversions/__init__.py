"""Conversion between Python objects and column values, shared by sources, sinks, rows, DataFrames and functions.

`converter_of(data_type)` returns the converter of a data type; see `converter.py` for the internal values, `builtin.py`
for the built-in conversions, and `DataType.bridged_to` and `LogicalType.with_custom_conversion` for others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from compiled_plan.plans.types.classes import allow_classes_from, class_name, resolve_class
from compiled_plan.plans.types.converter import ClassLoader, DataTypeConverter

if TYPE_CHECKING:
    from compiled_plan.plans.types.conversions.data_types import AnyType
    from compiled_plan.plans.types.conversions.nested import Compiled

__all__ = ["ClassLoader", "DataTypeConverter", "allow_classes_from", "class_name", "converter_of", "resolve_class"]


class ValueConverter(DataTypeConverter[Any, Any]):
    """The converter of a data type, opened.

    Unlike user-defined converters it accepts None, which stays None (`to_internal` refuses it if the type is NOT NULL).
    `plain` is True if `to_external` returns all values unchanged: output columns need no conversion then.
    """

    def __init__(self, functions: Compiled) -> None:
        self.functions = functions

    @property
    def plain(self) -> bool:
        """True if `to_external` returns values unchanged."""
        return self.functions.plain

    def to_internal(self, external: object) -> object:
        """Convert an object to its internal value. Raises DataError with column, type and value."""
        return self.functions.to_internal(external)

    def to_external(self, internal: object) -> Any:
        """Convert an internal value to an object. Raises DataError with column, type and value."""
        return self.functions.to_external(internal)


def converter_of(
    data_type: AnyType, column: str = "", loader: ClassLoader = resolve_class, *, place: str = ""
) -> ValueConverter:
    """The converter between the objects of a data type's conversion class and internal values.

    Args:
        data_type: a DataType, a logical type, a type string, or a Python class; see `DataTypes.of`.
        column: the name of the column, for errors.
        loader: resolves the classes of structured types.
        place: the operation that converts, for errors.

    Raises:
        UnsupportedError: values of the type cannot be converted.
        DataError: the class of a structured type does not match its fields; a converter cannot be opened.
        ProgramError: as `DataTypes.of`.
    """
    from compiled_plan.plans.types.conversions import compiling, data_types, nested

    wanted = data_types.DataTypes.of(data_type)
    return ValueConverter(compiling.compile_conversion(wanted, nested.Spot(column, place), loader))
