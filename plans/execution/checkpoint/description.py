"""What of a program and its run shapes the state in a checkpoint, as JSON that the checkpoint keeps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from compiled_plan.plans.execution.program import Program
from compiled_plan.plans.inspection.identity import derived_uids
from compiled_plan.plans.inspection.lineage import Item, Operator, Property, Source, at_rest, lineage_of, places
from compiled_plan.plans.inspection.lineage.compare import Part
from compiled_plan.plans.rex import PythonFunction

#: The format of the description; another one is of another release.
FORMAT = 3


@dataclass(frozen=True, slots=True)
class Setting:
    """What a run adds to a plan.

    Args:
        host: the Spark operator that hosts the stages.
        partitions: number of shuffle partitions that a new checkpoint gets.
        asked: the number that the user asked for, if he did.
        spark: version of Spark, "4.3.0".
        java: major version of Java.
        python: version of Python.
        product: version of the product.
        code: digest of a Python function's code.
        place: the full name of a path.
    """

    host: str
    partitions: int = 0
    asked: int | None = None
    spark: str = ""
    java: int = 0
    python: str = ""
    product: str = ""
    code: Callable[[PythonFunction], str] = lambda function: ""
    place: Callable[[str], str] = at_rest

    @property
    def versions(self) -> dict[str, Any]:
        """What runs the plan."""
        return {"product": self.product, "spark": self.spark, "java": self.java, "python": self.python}


def describe(program: Program, setting: Setting) -> dict[str, Any]:
    """The description."""
    plan = program.plan
    lineage = lineage_of(plan, setting.place)
    below, stages = places(plan), stages_of(program)
    operators = [
        {
            "uid": each.uid,
            "node": each.node,
            "kind": each.kind,
            "identity": each.identity,
            "place": below[each.node],
            "properties": [
                _property(item) for item in (*_standing(each, stages), *each.properties, *_around(each, setting))
            ],
        }
        for each in lineage.operators
    ]
    return {
        "format": FORMAT,
        "versions": setting.versions,
        "host": setting.host,
        "clock": "event time" if program.event_time else "processing time",
        "partitions": setting.partitions,
        "sources": [source_entry(each) for each in lineage.sources],
        "operators": operators,
    }


def stages_of(program: Program) -> Mapping[int, int]:
    """By node the number of its stage among those that keep state: Spark finds state by it."""
    found: dict[int, int] = {}
    number = 0
    for stage in program.layout.stages:
        keeping = [node for node in stage if program.plan.node(node).uid is not None]
        number += bool(keeping)
        found |= dict.fromkeys(keeping, number)
    return found


def _standing(operator: Operator, stages: Mapping[int, int]) -> list[Property]:
    if operator.node not in stages:
        return []
    stage = str(stages[operator.node])
    return [Property("stage", (Item(stage, stage),))]


def _around(operator: Operator, setting: Setting) -> list[Property]:
    """What is not in the plan itself: the zone, the code of functions."""
    found: list[Property] = []
    if operator.zones:
        zones = sorted(operator.zones)
        found.append(Property("time zone", tuple(Item(zone, zone) for zone in zones)))
    for function in operator.functions:
        digest = setting.code(function)
        found.append(Property(f"code of {function.path}", (Item(f"code {digest[:8]}", digest),)))
    return found


def source_entry(source: Source) -> dict[str, Any]:
    """A source as the description has it."""
    return {
        "name": source.name,
        "identity": source.identity,
        "properties": [_property(each) for each in source.properties],
    }


def _property(found: Property) -> dict[str, Any]:
    return {"name": found.name, "items": [item.to_dict() for item in found.items]}


def _properties(found: list[dict[str, Any]]) -> tuple[Property, ...]:
    return tuple(Property(each["name"], tuple(map(Item.from_dict, each["items"]))) for each in found)


def operator_parts(found: Mapping[str, Any], program: Program | None = None) -> list[Part]:
    """The operators of a description; of a program's own, which of them have a name that a person gave."""
    kept: frozenset[str] = frozenset() if program is None else given_uids(program)
    return [
        Part(
            each["uid"],
            each["kind"],
            each["identity"],
            _properties(each["properties"]),
            each["place"],
            each["uid"] in kept,
        )
        for each in found["operators"]
    ]


def source_parts(found: Mapping[str, Any]) -> list[Part]:
    """The sources of a description."""
    return [
        Part(each["name"], "source", each["identity"], _properties(each["properties"])) for each in found["sources"]
    ]


def given_uids(program: Program) -> frozenset[str]:
    """The uids that are not what the product would call the operators by itself."""
    plan = program.plan
    bare = plan.with_nodes([node.model_copy(update={"uid": None}) for node in plan.nodes])
    derived = derived_uids(bare)
    return frozenset(node.uid for node in plan.nodes if node.uid is not None and node.uid != derived.get(node.id))


__all__ = [
    "FORMAT",
    "Setting",
    "describe",
    "operator_parts",
    "source_entry",
    "source_parts",
    "stages_of",
]
