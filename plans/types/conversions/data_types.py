"""Factory of data types: a logical type and the external Python class of its values.

    DataTypes.ROW(DataTypes.FIELD("id", DataTypes.BIGINT().not_null()), DataTypes.FIELD("tags", "ARRAY<STRING>"))

Source: Flink's "Data Types" page (`DataTypes`, `bridgedTo`); the DataTypeConverter FLIP, "Public Interfaces", 3.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Annotated, Any, get_args, get_origin

from compiled_plan.plans.errors import PlanError, ProgramError
from compiled_plan.plans.types import logical as t
from compiled_plan.plans.types.classes import use_class
from compiled_plan.plans.types.conversions.data_type import DataType
from compiled_plan.plans.types.parse import parse_type
from compiled_plan.plans.types.python.bridge import Bridged
from compiled_plan.plans.types.python.extraction import Place, extract
from compiled_plan.plans.types.views import ListView, MapView

__all__ = ["AnyType", "DataType", "DataTypeField", "DataTypes"]

#: Accepted forms of a type: a data type, a logical type, a type string, a Python class or annotation.
AnyType = Any


@dataclass(frozen=True, slots=True)
class DataTypeField:
    """One field of `DataTypes.ROW` or `DataTypes.STRUCTURED`."""

    name: str
    data_type: DataType
    description: str | None = None

    @property
    def field(self) -> t.Field:
        """The field of the logical type."""
        return t.Field(self.name, self.data_type.logical_type, self.description)


@dataclass(frozen=True, slots=True)
class Resolution:
    """A unit of an INTERVAL type, with its number of digits."""

    unit: str
    precision: int | None = None

    def __str__(self) -> str:
        return self.unit if self.precision is None else f"{self.unit}({self.precision})"


def _data_type(type_: t.LogicalType, nullable: bool, children: tuple[DataType, ...] = ()) -> DataType:
    return DataType(type_ if nullable else type_.not_null(), children=children)


def _of_logical(type_: t.LogicalType) -> DataType:
    return DataType(type_, children=tuple(map(_of_logical, type_.children())))


class DataTypes:
    """All data types, by Flink's names. The methods raise ProgramError for lengths and precisions out of range.

    >>> import compiled_plan as cp
    >>> cp.DataTypes.ROW([cp.DataTypes.FIELD("id", cp.DataTypes.INT()), cp.DataTypes.FIELD("tags", "ARRAY<STRING>")])
    RowType(RowField(id, IntType(true), ...),RowField(tags, ArrayType(VarCharType(2147483647, true), true), ...))
    >>> cp.DataTypes.of("DECIMAL(10, 2) NOT NULL")
    DecimalType(10, 2, false)
    """

    @staticmethod
    def of(type_: AnyType) -> DataType:
        """The data type of a type string, a logical type, or a Python class or annotation (`int`, `list[str]`).

        Annotations follow the rules of user functions: a plain one is NOT NULL, `X | None` is nullable.

        Raises:
            ProgramError: the argument is no type; the remedy lists the accepted forms.
        """
        if isinstance(type_, DataType):
            return type_
        if isinstance(type_, t.LogicalType):
            return _of_logical(type_)
        if isinstance(type_, str):
            try:
                return _of_logical(parse_type(type_))
            except PlanError as fault:
                raise ProgramError(fault.message, remedy=fault.remedy) from None
        return data_type_of(type_)

    # --- numbers, texts, bytes

    @staticmethod
    def BOOLEAN(nullable: bool = True) -> DataType:
        """Type of `True` and `False`."""
        return _data_type(t.BOOLEAN, nullable)

    @staticmethod
    def TINYINT(nullable: bool = True) -> DataType:
        """Integers of 8 bits: -128 to 127."""
        return _data_type(t.TINYINT, nullable)

    @staticmethod
    def SMALLINT(nullable: bool = True) -> DataType:
        """Integers of 16 bits: -32768 to 32767."""
        return _data_type(t.SMALLINT, nullable)

    @staticmethod
    def INT(nullable: bool = True) -> DataType:
        """Integers of 32 bits: -2147483648 to 2147483647."""
        return _data_type(t.INT, nullable)

    @staticmethod
    def BIGINT(nullable: bool = True) -> DataType:
        """Integers of 64 bits: -9223372036854775808 to 9223372036854775807."""
        return _data_type(t.BIGINT, nullable)

    @staticmethod
    def FLOAT(nullable: bool = True) -> DataType:
        """Floating-point numbers of 32 bits, about seven digits."""
        return _data_type(t.FLOAT, nullable)

    @staticmethod
    def DOUBLE(nullable: bool = True) -> DataType:
        """Floating-point numbers of 64 bits, about 15 digits."""
        return _data_type(t.DOUBLE, nullable)

    @staticmethod
    def DECIMAL(precision: int = 10, scale: int = 0, nullable: bool = True) -> DataType:
        """DECIMAL(precision, scale): 1 to 38 digits, `scale` of them after the point."""
        _check("precision of DECIMAL", precision, 1, 38)
        _check("scale of DECIMAL", scale, 0, precision)
        return _data_type(t.DecimalType(precision=precision, scale=scale), nullable)

    @staticmethod
    def CHAR(length: int = 1, nullable: bool = True) -> DataType:
        """Texts of exactly `length` characters."""
        return _data_type(t.CharType(length=_check("length of CHAR", length, 1, t.MAX_LENGTH)), nullable)

    @staticmethod
    def VARCHAR(length: int = 1, nullable: bool = True) -> DataType:
        """Texts of at most `length` characters."""
        return _data_type(t.VarCharType(length=_check("length of VARCHAR", length, 1, t.MAX_LENGTH)), nullable)

    @staticmethod
    def STRING(nullable: bool = True) -> DataType:
        """STRING, a VARCHAR of any length."""
        return _data_type(t.STRING, nullable)

    @staticmethod
    def BINARY(length: int = 1, nullable: bool = True) -> DataType:
        """Values of exactly `length` bytes."""
        return _data_type(t.BinaryType(length=_check("length of BINARY", length, 1, t.MAX_LENGTH)), nullable)

    @staticmethod
    def VARBINARY(length: int = 1, nullable: bool = True) -> DataType:
        """Values of at most `length` bytes."""
        return _data_type(t.VarBinaryType(length=_check("length of VARBINARY", length, 1, t.MAX_LENGTH)), nullable)

    @staticmethod
    def BYTES(nullable: bool = True) -> DataType:
        """BYTES, a VARBINARY of any length."""
        return _data_type(t.BYTES, nullable)

    # --- times

    @staticmethod
    def DATE(nullable: bool = True) -> DataType:
        """Dates without time of day, from 0001-01-01 to 9999-12-31."""
        return _data_type(t.DATE, nullable)

    @staticmethod
    def TIME(precision: int = 0, nullable: bool = True) -> DataType:
        """TIME(precision), digits of a second."""
        return _data_type(t.TimeType(precision=_check("precision of TIME", precision, 0, 9)), nullable)

    @staticmethod
    def TIMESTAMP(precision: int = 6, nullable: bool = True) -> DataType:
        """TIMESTAMP(precision) without time zone, digits of a second."""
        return _data_type(t.TimestampType(precision=_check("precision of TIMESTAMP", precision, 0, 9)), nullable)

    @staticmethod
    def TIMESTAMP_LTZ(precision: int = 6, nullable: bool = True) -> DataType:
        """TIMESTAMP_LTZ(precision), an instant, digits of a second."""
        return _data_type(t.TimestampLtzType(precision=_check("precision of TIMESTAMP_LTZ", precision, 0, 9)), nullable)

    TIMESTAMP_WITH_LOCAL_TIME_ZONE = TIMESTAMP_LTZ

    @staticmethod
    def INTERVAL(upper_resolution: str | Resolution, lower_resolution: Resolution | None = None) -> DataType:
        """INTERVAL of a resolution: `INTERVAL("DAY TO SECOND(3)")`, `INTERVAL(DataTypes.DAY(), DataTypes.SECOND(3))`.

        Args:
            upper_resolution: the whole resolution as in SQL, or its upper unit.
            lower_resolution: its lower unit.
        """
        units = [str(upper_resolution)] if lower_resolution is None else [str(upper_resolution), str(lower_resolution)]
        return DataTypes.of(f"INTERVAL {' TO '.join(units)}")

    @staticmethod
    def SECOND(precision: int = 6) -> Resolution:
        """The unit SECOND of `INTERVAL`, with a precision of its fraction."""
        return Resolution("SECOND", precision)

    @staticmethod
    def MINUTE() -> Resolution:
        """The unit MINUTE of `INTERVAL`."""
        return Resolution("MINUTE")

    @staticmethod
    def HOUR() -> Resolution:
        """The unit HOUR of `INTERVAL`."""
        return Resolution("HOUR")

    @staticmethod
    def DAY(precision: int = 2) -> Resolution:
        """The unit DAY of `INTERVAL`, with a number of digits."""
        return Resolution("DAY", precision)

    @staticmethod
    def MONTH() -> Resolution:
        """The unit MONTH of `INTERVAL`."""
        return Resolution("MONTH")

    @staticmethod
    def YEAR(precision: int = 2) -> Resolution:
        """The unit YEAR of `INTERVAL`, with a number of digits."""
        return Resolution("YEAR", precision)

    @staticmethod
    def INTERVAL_DAY_TIME(day_precision: int = 2, second_precision: int = 6) -> DataType:
        """INTERVAL DAY(day_precision) TO SECOND(second_precision): a `timedelta`."""
        return DataTypes.INTERVAL(f"DAY({day_precision}) TO SECOND({second_precision})")

    @staticmethod
    def INTERVAL_YEAR_MONTH(year_precision: int = 2) -> DataType:
        """INTERVAL YEAR(year_precision) TO MONTH: a number of months."""
        return DataTypes.INTERVAL(f"YEAR({year_precision}) TO MONTH")

    @staticmethod
    def NULL() -> DataType:
        """The type of an untyped NULL."""
        return DataType(t.NULL)

    # --- nested types

    @staticmethod
    def ARRAY(element_type: AnyType, nullable: bool = True) -> DataType:
        """Lists whose elements have one type."""
        inner = DataTypes.of(element_type)
        return _data_type(t.ArrayType(element=inner.logical_type), nullable, (inner,))

    @staticmethod
    def MULTISET(element_type: AnyType, nullable: bool = True) -> DataType:
        """Elements of one type, each with its number."""
        inner = DataTypes.of(element_type)
        return _data_type(t.MultisetType(element=inner.logical_type), nullable, (inner,))

    @staticmethod
    def MAP(key_type: AnyType, value_type: AnyType, nullable: bool = True) -> DataType:
        """Mappings from keys of one type to values of another."""
        pair = DataTypes.of(key_type), DataTypes.of(value_type)
        return _data_type(t.MapType(key=pair[0].logical_type, value=pair[1].logical_type), nullable, pair)

    @staticmethod
    def LIST_VIEW(element_type: AnyType) -> DataType:
        """The type of a `ListView` in an accumulator: ARRAY<element_type>."""
        return replace(DataTypes.ARRAY(element_type, nullable=False), bridge=ListView)

    @staticmethod
    def MAP_VIEW(key_type: AnyType, value_type: AnyType) -> DataType:
        """The type of a `MapView` in an accumulator: MAP<key_type, value_type>."""
        return replace(DataTypes.MAP(key_type, value_type, nullable=False), bridge=MapView)

    @staticmethod
    def FIELD(name: str, data_type: AnyType, description: str | None = None) -> DataTypeField:
        """A field of ROW and STRUCTURED."""
        return DataTypeField(name, DataTypes.of(data_type), description)

    @staticmethod
    def ROW(*row_fields: DataTypeField | Iterable[DataTypeField] | AnyType, nullable: bool = True) -> DataType:
        """ROW<...> of fields from FIELD, of types (fields named f0, f1, ...), or of one list of either.

        Args:
            row_fields: the fields; as in PyFlink, a list of fields may be followed by the nullability.
            nullable: the row may be NULL.

        Raises:
            ProgramError: a duplicate field name.
        """
        if len(row_fields) == 2 and isinstance(row_fields[1], bool):
            *row_fields, nullable = row_fields  # type: ignore[assignment]
        listed = _listed(tuple(row_fields))
        children = tuple(item.data_type for item in listed)
        return _data_type(t.RowType(fields=_unique(listed)), nullable, children)

    @staticmethod
    def STRUCTURED(class_: str | type, *fields: DataTypeField | Iterable[DataTypeField]) -> DataType:
        """STRUCTURED<'name', ...> of a class or its name; without fields, those of the class's annotations.

        Raises:
            ProgramError: a duplicate field name, an invalid class name, or a class whose fields cannot be inferred.
        """
        if isinstance(class_, type) and not fields:
            return DataTypes.of(class_).not_null().nullable()
        listed = _listed(fields)
        name = t.check_structured(class_) if isinstance(class_, str) else use_class(class_)
        type_ = t.StructuredType(class_name=name, fields=_unique(listed))
        return DataType(type_, children=tuple(item.data_type for item in listed))


def _listed(fields: tuple[Any, ...]) -> list[DataTypeField]:
    if len(fields) == 1 and not isinstance(fields[0], DataTypeField | DataType | str | type | t.LogicalType):
        fields = tuple(fields[0])
    return [
        item if isinstance(item, DataTypeField) else DataTypeField(f"f{at}", DataTypes.of(item))
        for at, item in enumerate(fields)
    ]


def _unique(fields: list[DataTypeField]) -> tuple[t.Field, ...]:
    names = [item.name for item in fields]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ProgramError(f"the field name {twice!r} comes twice", remedy="give every field a name of its own")
    return tuple(item.field for item in fields)


def _check(noun: str, value: object, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ProgramError(f"the {noun} must be a whole number from {least} to {most}, not {value!r}")
    return value


def data_type_of(annotation: object) -> DataType:
    """The data type of a Python class or annotation, NOT NULL unless it has `| None`. Raises ProgramError."""
    if get_origin(annotation) is Annotated:
        annotated = next((note for note in get_args(annotation)[1:] if isinstance(note, DataType)), None)
        if annotated is not None:
            return annotated
    return _of_bridged(extract(annotation, Place("the data type")))


def _of_bridged(bridged: Bridged) -> DataType:
    children = tuple(map(_of_bridged, bridged.parts))
    return DataType(bridged.type, bridged.class_, bridged.converter, children)
