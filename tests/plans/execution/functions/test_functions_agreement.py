"""Functions convert whole batches by a path of their own, several times as fast: it agrees with the general one."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from dateutil.relativedelta import relativedelta

from compiled_plan.plans.execution.spark.arrow import array_of, arrow_type, values_of
from compiled_plan.plans.functions.conversions import from_python, to_python
from compiled_plan.plans.types import LogicalType, parse_type
from compiled_plan.plans.types import logical as t
from compiled_plan.plans.types.conversions import builtin, converter_of, nested
from compiled_plan.plans.types.conversions.data_types import DataType
from compiled_plan.plans.types.python import bridge
from compiled_plan.plans.types.python.bridge import Bridged, bridge_to
from compiled_plan.plans.types.row import Row

MOMENT = dt.datetime(2024, 2, 29, 12, 30, 15, 123456)


@dataclass(frozen=True)
class Point:
    x: int
    y: str | None


#: For every type: objects of its classes, the usual one first; the expected class of the round trip.
OBJECTS: dict[str, list[Any]] = {
    "CHAR(3)": ["abc", b"abc"],
    "STRING": ["äß", "äß".encode(), ""],
    "BOOLEAN": [True, np.bool_(True)],
    "BINARY(2)": [b"ab", bytearray(b"ab"), memoryview(b"ab")],
    "BYTES": [b"", bytearray(b"x"), memoryview(b"x")],
    "DECIMAL(10, 2)": [Decimal("1.25")],
    "TINYINT": [-128, np.int8(3)],
    "SMALLINT": [-32768, np.int16(3), np.uint8(3)],
    "INT": [2**31 - 1, np.int32(3), np.uint16(3)],
    "BIGINT": [-(2**63), np.int64(3), np.uint32(3)],
    "FLOAT": [0.5, np.float32(0.5), np.float64(0.5)],
    "DOUBLE": [0.1, np.float32(0.5), np.float64(0.5)],
    "DATE": [dt.date(1969, 12, 31), -1],
    "TIME(3)": [dt.time(23, 59, 59, 123000), 5],
    "TIMESTAMP(6)": [MOMENT, pd.Timestamp(MOMENT)],
    "TIMESTAMP_LTZ(6)": [MOMENT.replace(tzinfo=dt.UTC), 5, pd.Timestamp(MOMENT, tz="UTC")],
    "INTERVAL YEAR TO MONTH": [-5, relativedelta(months=14)],
    "INTERVAL DAY TO SECOND(3)": [dt.timedelta(days=-1, milliseconds=3), 5],
    "ARRAY<INT>": [[1, None], (1, None), np.array([1, 2])],
    "ARRAY<TIME(3)>": [[dt.time(1), None]],
    "MAP<STRING, ARRAY<DATE>>": [{"a": [dt.date(2024, 1, 1)], "b": None}],
    "MULTISET<STRING>": [{"a": 2}, Counter(a=2)],
    "ROW<x INT, y STRING>": [Row(x=1, y=None), (1, None), {"x": 1, "y": None}, Point(1, None)],
    "ROW<r ROW<t TIME(3)>, a ARRAY<ROW<i INTERVAL DAY TO SECOND(3)>>>": [
        Row(r=Row(t=dt.time(1)), a=[Row(i=dt.timedelta(1)), None])
    ],
    "STRUCTURED<'x.Y', x INT, y STRING>": [Row(x=1, y="a"), (1, "a"), {"x": 1, "y": "a"}, Point(1, "a")],
}


def test_every_type_and_class_is_covered() -> None:
    """All logical types with all classes that functions support; the general path supports them, too."""
    here = {type(parse_type(text)): objects for text, objects in OBJECTS.items()}
    assert {*builtin.SIMPLE, *nested.CLASSES} - {t.NullType, t.BitmapType, t.VariantType} == set(here)
    for type_, classes in bridge.CLASSES.items():
        for class_ in (one for one in classes if isinstance(one, type)):
            assert class_ in {type(item) for text in OBJECTS for item in OBJECTS[text] if of(text) is type_}, class_


def of(text: str) -> type[LogicalType]:
    return type(parse_type(text))


CASES = [(text, value) for text, objects in OBJECTS.items() for value in objects]


@pytest.mark.parametrize(("text", "value"), CASES, ids=[f"{text} {type(value).__name__}" for text, value in CASES])
def test_both_paths_convert_alike(text: str, value: Any) -> None:
    type_ = parse_type(text)
    class_ = type(value)
    bridged = bridge_to(type_, class_, "here") if class_ is not list else Bridged(type_)
    one = converter_of(DataType(type_, class_, children=converter_children(type_)))
    into, out = from_python(bridged), to_python(bridged)
    column = pa.array([None, value if into is None else into(value)], arrow_type(type_))
    assert column.equals(array_of([None, one.to_internal(value)], type_))
    (nothing, stored), (missing, internal) = column.to_pylist(), values_of(column, type_)
    assert nothing is missing is None
    converted = stored if out is None else out(stored)
    external = one.to_external(internal)
    assert type(converted) is type(external) is class_
    assert np.array_equal(converted, value) if isinstance(value, np.ndarray) else converted == external == value


def converter_children(type_: LogicalType) -> tuple[DataType, ...]:
    return tuple(DataType(child, children=converter_children(child)) for child in type_.children())


WRONG = [
    ("TINYINT", 128),
    ("INT", "1"),
    ("INT", 1.5),
    ("INT", True),
    ("BOOLEAN", 1),
    ("DATE", "2024-01-01"),
    ("BYTES", "text"),
    ("BYTES", 5),
    ("INTERVAL DAY TO SECOND(3)", "1"),
    ("MULTISET<STRING>", {"a": "b"}),
    ("STRING", 5),
    ("DECIMAL(4, 2)", 1.5),
    ("DECIMAL(4, 2)", "1.5"),
    ("DECIMAL(4, 2)", True),
    ("DECIMAL(4, 2)", Decimal("NaN")),
    ("DOUBLE", "1"),
    ("FLOAT", 1e300),
    ("DATE", MOMENT),
    ("DECIMAL(4, 2)", Decimal(100)),
    ("TIMESTAMP(3)", MOMENT.replace(tzinfo=dt.UTC)),
    ("TIMESTAMP_LTZ(3)", MOMENT),
    ("TIME(3)", "12:00"),
    ("ARRAY<INT>", ["a"]),
    ("ARRAY<INT>", 5),
    ("MAP<STRING, INT>", [1]),
    ("ROW<x INT, y STRING>", (1,)),
    ("ROW<x INT, y STRING>", {"x": 1, "z": 2}),
    ("ROW<x INT, y STRING>", ("a", "b")),
]


@pytest.mark.parametrize(("text", "value"), WRONG)
def test_both_paths_refuse_invalid_values(text: str, value: Any) -> None:
    type_ = parse_type(text)
    with pytest.raises(Exception, match=r"."):
        converter_of(type_).to_internal(value)
    into = from_python(Bridged(type_))
    with pytest.raises(Exception, match=r"."):
        pa.array([value if into is None else into(value)], arrow_type(type_))


def test_a_float_is_no_whole_number() -> None:
    into = from_python(Bridged(parse_type("INT")))
    assert into is not None and into(np.int64(3)) == 3 and type(into(np.int64(3))) is int
    with pytest.raises(TypeError, match=r"1\.5 of class float is no whole number"):
        into(1.5)
