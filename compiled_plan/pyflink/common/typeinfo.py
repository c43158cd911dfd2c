"""The names of `pyflink.common.typeinfo`: types of collections, as data types of tables.

Source: PyFlink's `Types`.
"""

from __future__ import annotations

from collections.abc import Sequence

from compiled_plan.planner.diagnostics.refusing import refused_method
from compiled_plan.plans.types.conversions.data_types import DataType, DataTypes

_JAVA = "types are those of columns", "leave the call out"


class _DataTypeClass(type):
    """Metaclass of `TypeInformation`, whose instances are all data types."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, DataType)


class TypeInformation(metaclass=_DataTypeClass):
    """Base of the types of `Types`, which are data types of columns."""

    get_java_type_info = refused_method("TypeInformation.get_java_type_info()", *_JAVA)
    need_conversion = refused_method("TypeInformation.need_conversion()", *_JAVA)
    to_internal_type = refused_method("TypeInformation.to_internal_type()", *_JAVA)
    from_internal_type = refused_method("TypeInformation.from_internal_type()", *_JAVA)


class Types:
    """Types of the elements of `StreamExecutionEnvironment.from_collection`."""

    STRING = DataTypes.STRING
    BYTE = DataTypes.TINYINT
    BOOLEAN = DataTypes.BOOLEAN
    SHORT = DataTypes.SMALLINT
    INT = DataTypes.INT
    LONG = DataTypes.BIGINT
    FLOAT = DataTypes.FLOAT
    DOUBLE = DataTypes.DOUBLE
    CHAR = DataTypes.CHAR
    SQL_DATE = DataTypes.DATE
    SQL_TIME = DataTypes.TIME
    BASIC_ARRAY = PRIMITIVE_ARRAY = OBJECT_ARRAY = DataTypes.ARRAY
    PICKLED_BYTE_ARRAY = refused_method(
        "Types.PICKLED_BYTE_ARRAY()", "columns have types of SQL", "declare the fields with Types.ROW([...])"
    )
    BIG_INT = refused_method("Types.BIG_INT()", "SQL has no integers without a limit", "write Types.BIG_DEC()")

    @staticmethod
    def LIST(element_type_info: DataType) -> DataType:
        """ARRAY with elements of a type."""
        return DataTypes.ARRAY(element_type_info)

    @staticmethod
    def MAP(key_type_info: DataType, value_type_info: DataType) -> DataType:
        """MAP of a type of keys and a type of values."""
        return DataTypes.MAP(key_type_info, value_type_info)

    @staticmethod
    def BIG_DEC() -> DataType:
        """DECIMAL(38, 18), the type of Java's BigDecimal."""
        return DataTypes.DECIMAL(38, 18)

    @staticmethod
    def INSTANT() -> DataType:
        """TIMESTAMP_LTZ(9), the type of Java's Instant."""
        return DataTypes.TIMESTAMP_LTZ(9)

    @staticmethod
    def SQL_TIMESTAMP() -> DataType:
        """TIMESTAMP(9), the type of java.sql.Timestamp."""
        return DataTypes.TIMESTAMP(9)

    @staticmethod
    def ROW(field_types: Sequence[DataType]) -> DataType:
        """A row with the fields f0, f1, ...."""
        return DataTypes.ROW(*field_types)

    TUPLE = ROW

    @staticmethod
    def ROW_NAMED(field_names: Sequence[str], field_types: Sequence[DataType]) -> DataType:
        """A row with fields of these names."""
        fields = zip(field_names, field_types, strict=True)
        return DataTypes.ROW(*(DataTypes.FIELD(name, type_) for name, type_ in fields))
