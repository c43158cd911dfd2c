"""Accumulators between the two phases of an aggregate, one or several columns per call.

Accumulators that Flink stores as Java objects have types that only Flink reads; they are here for its sake.

Source: Flink 2.3's plans, function by function and type by type.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from compiled_plan.planner.algebra.nodes import AggregateCall
from compiled_plan.plans.types import (
    BIGINT,
    DOUBLE,
    INT,
    STRING,
    ArrayType,
    CharacterType,
    DateType,
    DecimalType,
    Field,
    IntegerType,
    LogicalType,
    RawType,
    RowType,
    StructuredType,
    TimestampBase,
    TimeType,
)
from compiled_plan.plans.types.codec import type_to_json

_FUNCTIONS = "org.apache.flink.table.runtime.functions.aggregate"
_VIEWS = "org.apache.flink.table.api.dataview"
_DATA = "org.apache.flink.table.data"

Columns = tuple[tuple[str, LogicalType], ...]


@dataclass(frozen=True, slots=True)
class Accumulators:
    """Accumulators by call: `calls[i]` are the columns of call `i`, `distinct[i]` that of its distinct values."""

    fields: tuple[Field, ...]
    calls: tuple[tuple[str, ...], ...]
    distinct: tuple[str | None, ...]


def accumulators(calls: Sequence[AggregateCall], input_type: RowType, retract: bool) -> Accumulators | None:
    """The accumulators of calls over rows of a type; None if one of the calls has no merge phase.

    Args:
        calls: the calls.
        input_type: the rows to aggregate.
        retract: the input has retractions.
    """
    fields: list[Field] = []
    names: list[tuple[str, ...]] = []
    for call in calls:
        columns = _columns(call, input_type, retract)
        if columns is None:
            return None
        first = len(fields)
        fields += [Field(f"{name}${first + at}", type_) for at, (name, type_) in enumerate(columns)]
        names.append(tuple(item.name for item in fields[first:]))
    sets: dict[tuple[int, ...], str] = {}
    distinct: list[str | None] = []
    for call in calls:
        # MIN and MAX ignore DISTINCT.
        plain = not call.distinct or call.name in _EXTREMES
        distinct.append(None if plain else sets.setdefault(call.args, f"distinct${len(sets)}"))
    for args, name in sets.items():
        filters = {call.filter for call in calls if call.distinct and call.args == args and call.name not in _EXTREMES}
        fields.append(Field(name, _values(input_type.types[args[0]], len(filters) if retract else 1)))
    return Accumulators(tuple(fields), tuple(names), tuple(distinct))


def counted(calls: tuple[AggregateCall, ...]) -> tuple[AggregateCall, ...]:
    """The calls followed by the row count, which detects empty groups."""
    return (*calls, AggregateCall("$COUNT$1", (), BIGINT.not_null(), "", syntax="FUNCTION_STAR"))


def counts_rows(call: AggregateCall) -> bool:
    return call.name == "$COUNT$1" and not call.args and call.filter is None


def tuple_text(names: Sequence[str]) -> str:
    """The accumulators of a call as text."""
    return names[0] if len(names) == 1 else f"({', '.join(names)})"


_EXTREMES = ("$MIN$1", "$MAX$1")


def _columns(call: AggregateCall, input_type: RowType, retract: bool) -> Columns | None:
    reader = (_RETRACTING if retract else _APPENDING).get(call.name)
    return None if reader is None else reader(call, [input_type.types[index] for index in call.args])


Types = Sequence[LogicalType]


def _count(call: AggregateCall, args: Types) -> Columns:
    return ((("count" if call.args else "count1"), BIGINT),)


def _sum(call: AggregateCall, args: Types) -> Columns:
    return (("sum", call.type.with_nullability(True)),)


def _counted_sum(call: AggregateCall, args: Types) -> Columns:
    return (*_sum(call, args), ("count", BIGINT))


def _average(call: AggregateCall, args: Types) -> Columns:
    type_ = args[0]
    if isinstance(type_, IntegerType):
        total: LogicalType = BIGINT
    elif isinstance(type_, DecimalType):
        total = DecimalType(precision=38, scale=type_.scale)
    else:
        total = DOUBLE
    return (("sum", total), ("count", BIGINT))


def _extreme(call: AggregateCall, args: Types) -> Columns:
    type_ = STRING if isinstance(args[0], CharacterType) else args[0].with_nullability(True)
    return ((_short(call), type_),)


def _retractable_extreme(call: AggregateCall, args: Types) -> Columns:
    name = _short(call)
    type_ = args[0].with_nullability(True)
    values = _map_view(type_.not_null(), BIGINT)
    class_ = f"{name.capitalize()}WithRetractAggFunction${name.capitalize()}WithRetractAccumulator"
    return ((name, _structured(class_, {name: type_, "mapSize": BIGINT, "map": values})),)


def _texts(call: AggregateCall, args: Types) -> Columns:
    return (("accDelimiter", STRING), ("concatAcc", STRING))


def _retractable_texts(call: AggregateCall, args: Types) -> Columns:
    name = "ListAggWithRetract" if len(args) == 1 else "ListAggWsWithRetract"
    view = _list_view()
    fields: dict[str, LogicalType] = {"list": view, "retractList": view}
    if len(args) > 1:
        fields["delimiter"] = STRING
    return (("listagg", _structured(f"{name}AggFunction${name}Accumulator", fields)),)


def _collected(call: AggregateCall, args: Types) -> Columns:
    view = _map_view(args[0].not_null(), INT)
    return (("collect", _structured("CollectAggFunction$CollectAccumulator", {"map": view})),)


def _deviations(call: AggregateCall, args: Types) -> Columns:
    fields = tuple(Field(name, type_.not_null()) for name, type_ in (("n", BIGINT), ("mean", DOUBLE), ("m2", DOUBLE)))
    class_ = f"{_FUNCTIONS}.WelfordM2AggFunction$WelfordM2Accumulator"
    return ((_short(call), StructuredType(class_name=class_, fields=fields)),)


def _percentile(call: AggregateCall, args: Types) -> Columns:
    fields = {"percentages": ArrayType(element=DOUBLE), "valueCount": _map_view(DOUBLE, BIGINT)}
    return (("percentile", _structured("PercentileAggFunction$PercentileAccumulator", fields)),)


def _object(call: AggregateCall, args: Types) -> Columns:
    texts = {"conversionClass": f"{_DATA}.StringData"}
    classes = {"name": "map"} | _key(STRING, texts)
    view = _view("MapView", f"`map` MAP<{STRING.not_null()}, {STRING}>", classes)
    return ((_short(call), _structured("JsonObjectAggFunction$Accumulator", {"map": view})),)


def _short(call: AggregateCall) -> str:
    """The short name: `max` of `$MAX$1`, `$welford_m2$1` of `$$WELFORD_M2$1$1`."""
    return call.name.removeprefix("$").removesuffix("$1").lower()


_Reader = Callable[[AggregateCall, Types], Columns]
_COMMON: dict[str, _Reader] = {
    "$COUNT$1": _count,
    "$AVG$1": _average,
    "$COLLECT$1": _collected,
    "$JSON_OBJECTAGG_ABSENT_ON_NULL$1": _object,
    "$JSON_OBJECTAGG_NULL_ON_NULL$1": _object,
    "$PERCENTILE$1": _percentile,
    "$$WELFORD_M2$1$1": _deviations,
}
_APPENDING: dict[str, _Reader] = _COMMON | {
    "$SUM$1": _sum,
    "$$SUM0$1": _sum,
    "$MIN$1": _extreme,
    "$MAX$1": _extreme,
    "$LISTAGG$1": _texts,
}
_RETRACTING: dict[str, _Reader] = _COMMON | {
    "$SUM$1": _counted_sum,
    "$$SUM0$1": _sum,
    "$MIN$1": _retractable_extreme,
    "$MAX$1": _retractable_extreme,
    "$LISTAGG$1": _retractable_texts,
}


# --- types that only Flink reads ------------------------------------------------------------------------------------


def _values(type_: LogicalType, filters: int) -> LogicalType:
    """The type of an argument's distinct values with their counts; with several filters, one count per filter."""
    key = type_.with_nullability(True)
    if filters <= 1:
        return _map_view(key, BIGINT.not_null())
    counts = {"conversionClass": "[J", "elementClass": {"conversionClass": "long"}}
    return _view("MapView", f"`map` MAP<{key}, ARRAY<BIGINT NOT NULL>>", {"name": "map"} | _key(key, counts))


def _map_view(key: LogicalType, value: LogicalType) -> LogicalType:
    classes = _key(key, None)
    return _view("MapView", f"`map` MAP<{key}, {value}>", {"name": "map"} | classes if classes else None)


def _list_view() -> LogicalType:
    element = {"conversionClass": f"{_DATA}.StringData"}
    field = {"name": "list", "conversionClass": "java.util.List", "elementClass": element}
    return _view("ListView", f"`list` ARRAY<{STRING.not_null()}>", field)


def _view(name: str, fields: str, classes: Mapping[str, object] | None) -> LogicalType:
    text = f"STRUCTURED<'{_VIEWS}.{name}', {fields}>"
    external: object = text if classes is None else {"logicalType": text, "fields": [classes]}
    form = {"type": "RAW", "class": f"{_VIEWS}.{name}", "externalDataType": external}
    return RawType(class_name=f"{_VIEWS}.{name}", json=json.dumps(form))


def _key(type_: LogicalType, value: Mapping[str, object] | None) -> dict[str, object]:
    """The Java classes of a map's keys and values, if not the default classes of the types."""
    classes: dict[str, object] = {}
    for kinds, class_ in _KEY_CLASSES:
        if isinstance(type_, kinds):
            classes["keyClass"] = {"conversionClass": class_}
            break
    return classes if value is None else classes | {"valueClass": value}


_KEY_CLASSES: tuple[tuple[tuple[type[LogicalType], ...], str], ...] = (
    ((CharacterType,), f"{_DATA}.StringData"),
    ((DecimalType,), f"{_DATA}.DecimalData"),
    ((TimestampBase,), f"{_DATA}.TimestampData"),
    ((DateType, TimeType), "java.lang.Integer"),
)


def _structured(class_: str, fields: dict[str, LogicalType]) -> LogicalType:
    form = {
        "type": "STRUCTURED_TYPE",
        "implementationClass": f"{_FUNCTIONS}.{class_}",
        "attributes": [{"name": name, "attributeType": type_to_json(type_)} for name, type_ in fields.items()],
        "comparison": "EQUALS",
    }
    attributes = tuple(Field(name, type_) for name, type_ in fields.items())
    whole = any(isinstance(type_, RawType) for type_ in fields.values())
    return StructuredType(
        class_name=f"{_FUNCTIONS}.{class_}", fields=attributes, json=json.dumps(form) if whole else None
    )
