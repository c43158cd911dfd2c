"""Types of atomic classes: texts, numbers, times."""

from __future__ import annotations

import datetime as dt

from compiled_plan.plans import types as t
from compiled_plan.plans.types.python.bridge import Bridged, name_of
from compiled_plan.plans.types.python.type_hints import DataTypeHint

NUMPY: dict[str, t.LogicalType] = {
    "bool": t.BOOLEAN,
    "bool_": t.BOOLEAN,
    "int8": t.TINYINT,
    "int16": t.SMALLINT,
    "int32": t.INT,
    "int64": t.BIGINT,
    "float32": t.FLOAT,
    "float64": t.DOUBLE,
}
_SIMPLE: dict[object, t.LogicalType] = {
    str: t.STRING,
    bool: t.BOOLEAN,
    int: t.BIGINT,
    float: t.DOUBLE,
    bytes: t.BYTES,
    bytearray: t.BYTES,
    dt.date: t.DATE,
}


def plain(annotation: object, hint: DataTypeHint) -> Bridged | None:
    """The type of an atomic class, NOT NULL; None for other classes."""
    if not isinstance(annotation, type):
        return None
    second = hint.default_second_precision
    if annotation in _SIMPLE:
        return Bridged(_SIMPLE[annotation].not_null(), annotation if annotation is bytearray else None)
    if annotation is dt.time:
        return Bridged(t.TimeType(precision=0 if second is None else second, nullable=False))
    if annotation is dt.timedelta:
        digits = 6 if second is None else second
        return Bridged(t.DayTimeIntervalType(resolution=f"SECOND({digits})", nullable=False))
    name = name_of(annotation)
    if annotation is dt.datetime or name.endswith("NaiveDatetime"):
        return Bridged(t.TimestampType(precision=6 if second is None else second, nullable=False))
    if name == "pydantic.types.AwareDatetime":
        return Bridged(t.TimestampLtzType(precision=6 if second is None else second, nullable=False))
    if name.startswith("pandas.") and name.endswith(".Timestamp"):
        return Bridged(t.TimestampType(precision=9 if second is None else second, nullable=False), annotation)
    if name == "dateutil.relativedelta.relativedelta":
        year = 4 if hint.default_year_precision is None else hint.default_year_precision
        resolution = f"YEAR({year}) TO MONTH" if year else "MONTH"
        return Bridged(t.YearMonthIntervalType(resolution=resolution, nullable=False), annotation)
    if name.startswith("numpy.") and name.removeprefix("numpy.") in NUMPY:
        return Bridged(NUMPY[name.removeprefix("numpy.")].not_null(), annotation)
    return None
