"""Avro objects as rows of a table, and rows as Avro objects: `python samples/conversions/program.py`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from avro_types import Colors, EnumName, EnumSymbol, Fixed2, FixedDecimal, GenericRecord, Record, SymbolName

from compiled_plan import DataTypes, Table, TableEnvironment, col

PRICE = DataTypes.DECIMAL(4, 2).bridged_to(Fixed2, FixedDecimal(2))
COLOR = DataTypes.STRING().bridged_to(Colors, EnumName())
SYMBOL = DataTypes.STRING().bridged_to(EnumSymbol, SymbolName())

SPECIFIC = DataTypes.ROW(DataTypes.FIELD("price", PRICE), DataTypes.FIELD("color", COLOR))
GENERIC = DataTypes.ROW(DataTypes.FIELD("price", PRICE), DataTypes.FIELD("color", SYMBOL))
RECORD = GENERIC.bridged_to(GenericRecord, Record(GENERIC))

ROWS = [(Fixed2(b"\x04\xd2"), Colors.RED), (Fixed2(b"\xff\x9c"), Colors.BLUE), (None, Colors.RED)]
RECORDS = [
    GenericRecord({"price": Fixed2(b"\x04\xd2"), "color": EnumSymbol("RED")}),
    GenericRecord({"price": Fixed2(b"\x00\x01"), "color": EnumSymbol("GREEN")}),
]


def specific(env: TableEnvironment) -> Table:
    """A table of specific records."""
    return env.from_values(ROWS, SPECIFIC)


def generic(env: TableEnvironment) -> Table:
    """A table of generic records."""
    return env.from_values(RECORDS, RECORD)


def main() -> None:
    """Convert rows in both directions, as values and as objects."""
    env = TableEnvironment()
    specific(env).execute().print()
    doubled = specific(env).select((col("price") * 2).cast(PRICE).alias("price"), col("color"))
    for row in doubled.execute().collect(SPECIFIC):
        print(row)
    for record in generic(env).where(col("color") != "GREEN").execute().collect(RECORD):
        print(record)


if __name__ == "__main__":
    main()
