"""Factory of data types: a logical type and the external Python class of its values.

    DataTypes.ROW(DataTypes.FIELD("id", DataTypes.BIGINT().not_null()), DataTypes.FIELD("tags", "ARRAY<STRING>"))

Source: Flink's "Data Types" page (`DataTypes`, `bridgedTo`); the DataTypeConverter FLIP, "Public Interfaces", 3.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, get_args, get_origin

from compiled_plan.plans.errors import PlanError, ProgramError
from compiled_plan.plans.types import logical as t
from compiled_plan.plans.types.classes import use_class
from compiled_plan.plans.types.conversions.data_type import DataType
from compiled_plan.plans.types.parse import parse_type
from compiled_plan.plans.types.python.bridge import Bridged
from compiled_plan.plans.types.python.extraction import Place, extract

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


def _of_logical(type_: t.LogicalType) -> DataType:
    return DataType(type_, children=tuple(map(_of_logical, type_.children())))


class DataTypes:
    """All data types, by Flink's names. The methods raise ProgramError for lengths and precisions out of range."""

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
    def BOOLEAN() -> DataType:
        """BOOLEAN."""
        return DataType(t.BOOLEAN)

    @staticmethod
    def TINYINT() -> DataType:
        """TINYINT, 8 bits."""
        return DataType(t.TINYINT)

    @staticmethod
    def SMALLINT() -> DataType:
        """SMALLINT, 16 bits."""
        return DataType(t.SMALLINT)

    @staticmethod
    def INT() -> DataType:
        """INT, 32 bits."""
        return DataType(t.INT)

    @staticmethod
    def BIGINT() -> DataType:
        """BIGINT, 64 bits."""
        return DataType(t.BIGINT)

    @staticmethod
    def FLOAT() -> DataType:
        """FLOAT, 32 bits."""
        return DataType(t.FLOAT)

    @staticmethod
    def DOUBLE() -> DataType:
        """DOUBLE, 64 bits."""
        return DataType(t.DOUBLE)

    @staticmethod
    def DECIMAL(precision: int = 10, scale: int = 0) -> DataType:
        """DECIMAL(precision, scale): 1 to 38 digits, `scale` of them after the point."""
        _check("precision of DECIMAL", precision, 1, 38)
        _check("scale of DECIMAL", scale, 0, precision)
        return DataType(t.DecimalType(precision=precision, scale=scale))

    @staticmethod
    def CHAR(length: int = 1) -> DataType:
        """CHAR(length), in characters."""
        return DataType(t.CharType(length=_check("length of CHAR", length, 1, t.MAX_LENGTH)))

    @staticmethod
    def VARCHAR(length: int = 1) -> DataType:
        """VARCHAR(length), in characters."""
        return DataType(t.VarCharType(length=_check("length of VARCHAR", length, 1, t.MAX_LENGTH)))

    @staticmethod
    def STRING() -> DataType:
        """STRING, a VARCHAR of any length."""
        return DataType(t.STRING)

    @staticmethod
    def BINARY(length: int = 1) -> DataType:
        """BINARY(length), in bytes."""
        return DataType(t.BinaryType(length=_check("length of BINARY", length, 1, t.MAX_LENGTH)))

    @staticmethod
    def VARBINARY(length: int = 1) -> DataType:
        """VARBINARY(length), in bytes."""
        return DataType(t.VarBinaryType(length=_check("length of VARBINARY", length, 1, t.MAX_LENGTH)))

    @staticmethod
    def BYTES() -> DataType:
        """BYTES, a VARBINARY of any length."""
        return DataType(t.BYTES)

    # --- times

    @staticmethod
    def DATE() -> DataType:
        """DATE."""
        return DataType(t.DATE)

    @staticmethod
    def TIME(precision: int = 0) -> DataType:
        """TIME(precision), digits of a second."""
        return DataType(t.TimeType(precision=_check("precision of TIME", precision, 0, 9)))

    @staticmethod
    def TIMESTAMP(precision: int = 6) -> DataType:
        """TIMESTAMP(precision) without time zone, digits of a second."""
        return DataType(t.TimestampType(precision=_check("precision of TIMESTAMP", precision, 0, 9)))

    @staticmethod
    def TIMESTAMP_LTZ(precision: int = 6) -> DataType:
        """TIMESTAMP_LTZ(precision), an instant, digits of a second."""
        return DataType(t.TimestampLtzType(precision=_check("precision of TIMESTAMP_LTZ", precision, 0, 9)))

    TIMESTAMP_WITH_LOCAL_TIME_ZONE = TIMESTAMP_LTZ

    @staticmethod
    def INTERVAL(resolution: str) -> DataType:
        """INTERVAL of a resolution as in SQL: `DAY TO SECOND(3)`, `YEAR(4)`, `MONTH`."""
        return _of_logical(parse_type(f"INTERVAL {resolution}"))

    @staticmethod
    def INTERVAL_DAY_TIME(day_precision: int = 2, second_precision: int = 6) -> DataType:
        """INTERVAL DAY(p) TO SECOND(s)."""
        return DataTypes.INTERVAL(f"DAY({day_precision}) TO SECOND({second_precision})")

    @staticmethod
    def INTERVAL_YEAR_MONTH(year_precision: int = 2) -> DataType:
        """INTERVAL YEAR(p) TO MONTH."""
        return DataTypes.INTERVAL(f"YEAR({year_precision}) TO MONTH")

    @staticmethod
    def NULL() -> DataType:
        """The type of an untyped NULL."""
        return DataType(t.NULL)

    # --- nested types

    @staticmethod
    def ARRAY(element: AnyType) -> DataType:
        """ARRAY<element>."""
        inner = DataTypes.of(element)
        return DataType(t.ArrayType(element=inner.logical_type), children=(inner,))

    @staticmethod
    def MULTISET(element: AnyType) -> DataType:
        """MULTISET<element>."""
        inner = DataTypes.of(element)
        return DataType(t.MultisetType(element=inner.logical_type), children=(inner,))

    @staticmethod
    def MAP(key: AnyType, value: AnyType) -> DataType:
        """MAP<key, value>."""
        pair = DataTypes.of(key), DataTypes.of(value)
        return DataType(t.MapType(key=pair[0].logical_type, value=pair[1].logical_type), children=pair)

    @staticmethod
    def FIELD(name: str, data_type: AnyType, description: str | None = None) -> DataTypeField:
        """A field of ROW and STRUCTURED."""
        return DataTypeField(name, DataTypes.of(data_type), description)

    @staticmethod
    def ROW(*fields: DataTypeField | Iterable[DataTypeField] | AnyType) -> DataType:
        """ROW<...> of fields from FIELD, of types (fields named f0, f1, ...), or of one list of either.

        Raises:
            ProgramError: a duplicate field name.
        """
        listed = _listed(fields)
        return DataType(t.RowType(fields=_unique(listed)), children=tuple(item.data_type for item in listed))

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


def _check(noun: str, value: Any, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ProgramError(f"the {noun} must be a whole number from {least} to {most}, not {value!r}")
    return value


def data_type_of(annotation: Any) -> DataType:
    """The data type of a Python class or annotation, NOT NULL unless it has `| None`. Raises ProgramError."""
    if get_origin(annotation) is Annotated:
        annotated = next((note for note in get_args(annotation)[1:] if isinstance(note, DataType)), None)
        if annotated is not None:
            return annotated
    return _of_bridged(extract(annotation, Place("the data type")))


def _of_bridged(bridged: Bridged) -> DataType:
    children = tuple(map(_of_bridged, bridged.parts))
    return DataType(bridged.type, bridged.class_, bridged.converter, children)
