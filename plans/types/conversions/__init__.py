"""Between Python objects and the values of columns: one way for sources, sinks, rows, DataFrames and functions.

`converter_of(data_type)` gives the converter of a data type; see `converter.py` for the internal values, `builtin.py`
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

    Other than a converter that a program writes, it may be given None, which stays None (and is refused on the way in
    where the type is NOT NULL). `plain` is True where `to_external` gives back what it is given, for all values: a
    column of such a type needs no conversion on its way out.
    """

    def __init__(self, functions: Compiled) -> None:
        self.functions = functions

    @property
    def plain(self) -> bool:
        """Whether values come out as they are."""
        return self.functions.plain

    def to_internal(self, external: Any) -> Any:
        """The internal value of an object. Raises DataError, naming column, type and value."""
        return self.functions.to_internal(external)

    def to_external(self, internal: Any) -> Any:
        """The object of an internal value. Raises DataError, naming column, type and value."""
        return self.functions.to_external(internal)


def converter_of(
    data_type: AnyType, column: str = "", loader: ClassLoader = resolve_class, *, place: str = ""
) -> ValueConverter:
    """The converter between the objects of a data type's conversion class and internal values.

    Args:
        data_type: a DataType, a logical type, a type's text, or a Python class; see `DataTypes.of`.
        column: the name of the column, for errors.
        loader: finds the classes of structured types.
        place: the operation that converts, for errors.

    Raises:
        UnsupportedError: values of the type cannot be converted.
        DataError: the class of a structured type does not fit its fields; a converter cannot be opened.
        ProgramError: as `DataTypes.of`.
    """
    from compiled_plan.plans.types.conversions.compiling import compile_conversion
    from compiled_plan.plans.types.conversions.data_types import DataTypes
    from compiled_plan.plans.types.conversions.nested import Spot

    return ValueConverter(compile_conversion(DataTypes.of(data_type), Spot(column, place), loader))
