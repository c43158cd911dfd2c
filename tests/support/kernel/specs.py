"""Complete specs of operators for the harness: a test names the fields it is about, defaults fill the rest."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from compiled_plan.plans.execution import operators  # noqa: F401 - loads the dataclasses
from compiled_plan.plans.execution.operators.parameters import Parameters, camel, to_dict

#: Fields that the stage or the harness reads, not the operator.
_OUTER = ("uid", "type", "ttl", "ports", "timeDomain", "inputTypes", "outputTypes")
_DEFAULTS: dict[str, Any] = {
    "coalesce": True,
    "condition": None,
    "dropNullTimes": False,
    "end": None,
    "endColumn": None,
    "filterColumn": None,
    "generateInsert": True,
    "generateUpdateBefore": True,
    "keepLast": True,
    "leftUpsertKeys": [],
    "needRetraction": False,
    "newestFirst": False,
    "orderBy": [],
    "outputRowNumber": False,
    "preceding": None,
    "primaryKeys": [],
    "properties": [],
    "rightUpsertKeys": [],
    "rows": False,
    "rowtime": None,
    "sharedWatermark": False,
    "skipVariable": None,
    "start": 1,
    "strategy": "retract",
    "time": None,
    "upsertKey": None,
    "windowEnd": None,
    "windowStart": None,
    "within": None,
    "zone": None,
}


def whole(spec: dict[str, Any]) -> dict[str, Any]:
    """A complete spec, from the fields that a test sets."""
    fields = fields_of(spec["type"])
    inner = {name: value for name, value in spec.items() if name not in _OUTER}
    parameters: dict[str, Any] = {name: inner.get(name, _DEFAULTS.get(name)) for name in fields} | inner
    bounded = parameters.get("needRetraction") or parameters.get("preceding") is not None
    if "aggs" in parameters:
        parameters["aggs"] = [_aggregate(agg, bounded) for agg in parameters["aggs"]]
    if "orderBy" in parameters:
        parameters["orderBy"] = [_sort_column(column) for column in parameters["orderBy"]]
    if parameters.get("window", {}).get("type") in ("tumbling", "hopping", "cumulative"):
        parameters["window"] = {"offset": 0, **parameters["window"]}
    return {name: value for name, value in spec.items() if name in _OUTER} | {"parameters": parameters}


def kernel_parameters(parameters: Parameters) -> dict[str, Any]:
    """Parameters as the kernel receives them; every condition becomes one that the harness knows."""
    description: dict[str, Any] = to_dict(parameters, lambda _: "0=0")
    return description


def types_of_operators() -> set[str]:
    """The names of all operators with parameters."""
    return {class_.TYPE for class_ in _subclasses(Parameters) if hasattr(class_, "TYPE")}


def fields_of(type_: str) -> list[str]:
    """The parameter names of an operator; empty if it is unknown."""
    classes = {class_.TYPE: class_ for class_ in _subclasses(Parameters) if hasattr(class_, "TYPE")}
    if type_ not in classes:
        return []
    parameters_class: Any = classes[type_]
    return [camel(field.name) for field in dataclasses.fields(parameters_class)]


def _subclasses(of: type[Parameters]) -> Iterator[type[Parameters]]:
    for subclass in of.__subclasses__():
        yield subclass
        yield from _subclasses(subclass)


def _aggregate(agg: dict[str, Any], retracts: bool) -> dict[str, Any]:
    defaults = {"filter": -1, "distinct": False, "needRetract": bool(retracts), "ignoreNulls": False, "python": None}
    return {**defaults, **agg}


def _sort_column(column: dict[str, Any]) -> dict[str, Any]:
    ascending = column.get("ascending", True)
    return {"ascending": ascending, "nullsLast": not ascending, **column}
