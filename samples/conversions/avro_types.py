"""Classes as Avro readers return them, and converters between them and table values.

A field {"type": "fixed", "size": 2, "logicalType": "decimal", "precision": 4, "scale": 2} is an object of a separate
class that holds two bytes; an enum is a member of a Python enum in specific records, and a symbol of its schema in
generic ones; a generic record has no attributes, its fields are looked up by name.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from typing import Any

from compiled_plan import DataType, DataTypeConverter
from compiled_plan.plans.types.conversions import converter_of


@dataclass(frozen=True)
class Fixed2:
    """Two bytes: an unscaled number, big-endian."""

    data: bytes


class Colors(Enum):
    RED = "RED"
    GREEN = "GREEN"
    BLUE = "BLUE"


@dataclass(frozen=True)
class EnumSymbol:
    """A symbol of an enum in a generic record."""

    symbol: str


class GenericRecord:
    """A record whose fields are looked up by name and are no attributes."""

    def __init__(self, values: dict[str, Any]) -> None:
        self._values = values

    def get(self, field: str) -> Any:
        return self._values[field]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GenericRecord) and self._values == other._values

    def __repr__(self) -> str:
        return f"GenericRecord({self._values!r})"


class FixedDecimal(DataTypeConverter[Decimal, Fixed2]):
    """Converter between DECIMAL of a scale and two bytes."""

    def __init__(self, scale: int) -> None:
        self.scale = scale

    def to_internal(self, external: Fixed2) -> Decimal:
        return Decimal(int.from_bytes(external.data, "big", signed=True)).scaleb(-self.scale)

    def to_external(self, internal: Decimal) -> Fixed2:
        return Fixed2(int(internal.scaleb(self.scale)).to_bytes(2, "big", signed=True))


class EnumName(DataTypeConverter[str, Colors]):
    """Converter between STRING and a member of an enum."""

    def to_internal(self, external: Colors) -> str:
        return external.name

    def to_external(self, internal: str) -> Colors:
        return Colors[internal]


class SymbolName(DataTypeConverter[str, EnumSymbol]):
    """Converter between STRING and a symbol."""

    def to_internal(self, external: EnumSymbol) -> str:
        return external.symbol

    def to_external(self, internal: str) -> EnumSymbol:
        return EnumSymbol(internal)


class Record(DataTypeConverter[tuple[Any, ...], GenericRecord]):
    """Converter between ROW and a generic record; the data types of the fields convert their values."""

    def __init__(self, row: DataType) -> None:
        names = row.logical_type.names  # type: ignore[attr-defined]
        self.fields = {name: converter_of(child, name) for name, child in zip(names, row.children, strict=True)}

    def to_internal(self, external: GenericRecord) -> tuple[Any, ...]:
        return tuple(field.to_internal(external.get(name)) for name, field in self.fields.items())

    def to_external(self, internal: tuple[Any, ...]) -> GenericRecord:
        pairs = zip(self.fields.items(), internal, strict=True)
        return GenericRecord({name: field.to_external(value) for (name, field), value in pairs})
