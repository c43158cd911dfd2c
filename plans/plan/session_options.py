"""Options of a session that its plan needs at the run, in the `configuration` of the nodes that use them.

Flink writes some options there, of some nodes, and reads there whatever its session says; where it writes none it takes
them from the session that runs the plan. Plans compiled here say more: the zone of every expression that depends on it,
so that a plan means the same wherever it runs, in Flink, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from compiled_plan.plans.nodes.base import TTL, PlanNode
from compiled_plan.plans.nodes.configuration import NESTED
from compiled_plan.plans.nodes.model import objects_in
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.nodes.stateless import IDLE_TIMEOUT, WatermarkAssigner
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.rex import Call, RexNode, walk
from compiled_plan.plans.rex.zoned import in_zone

ZONE = "table.local-time-zone"
#: The value of ZONE that leaves it to whoever runs the plan.
DEFAULT = "default"
#: The zone of a plan for which nobody says another.
UTC = "UTC"


def reads_zone(node: PlanNode) -> bool:
    """Whether what a node computes depends on the session's time zone."""
    return any(isinstance(rex, Call) and in_zone(rex) for top in objects_in(node, RexNode) for rex in walk(top))


def zone_of(node: PlanNode) -> str | None:
    """The zone that a node says; None where it leaves it to whoever runs the plan."""
    zone = node.configuration.get(ZONE, DEFAULT)
    return None if zone == DEFAULT else zone


def zones_of(plan: CompiledPlan) -> tuple[str, ...]:
    """The zones that a plan says, each once."""
    return tuple(dict.fromkeys(zone for node in plan.nodes if (zone := zone_of(node)) is not None))


def with_zone(plan: CompiledPlan, zone: str | None = None, otherwise: str = DEFAULT) -> CompiledPlan:
    """The plan with the zone in all nodes that depend on it: `zone` if any, else the node's own, else `otherwise`."""
    return plan.with_nodes([_zoned(node, zone, otherwise) for node in plan.nodes])


def _zoned(node: PlanNode, zone: str | None, otherwise: str) -> PlanNode:
    found = zone or zone_of(node) or otherwise
    if node.configuration.get(ZONE) == found or not (ZONE in node.configuration or reads_zone(node)):
        return node
    return with_option(node, ZONE, found)


#: Options that Flink takes from the session that runs a plan, and the nodes that depend on them. Flink's nodes read
#: their own `configuration` first, so that a plan that says them means in Flink what it means here.
KEPT: Mapping[str, Callable[[PlanNode], bool]] = {
    ZONE: reads_zone,
    IDLE_TIMEOUT: lambda node: isinstance(node, WatermarkAssigner),
    TTL: lambda node: node.forgets_idle_keys,
    NESTED: lambda node: isinstance(node, Sink),
}


def with_session(plan: CompiledPlan, options: Mapping[str, str]) -> CompiledPlan:
    """The plan with options of a session, all of KEPT, in the nodes that depend on them and do not say them."""
    return plan.with_nodes([keeping(node, options) for node in plan.nodes])


def keeping(node: PlanNode, options: Mapping[str, str]) -> PlanNode:
    """The node with those of the options on which it depends and which it does not say."""
    for key, value in options.items():
        if key not in node.configuration and KEPT[key](node):
            node = with_option(node, key, value)
    return node


def with_option(node: PlanNode, key: str, value: str) -> PlanNode:
    """The node with an option in its `configuration`, which is in order."""
    return node.model_copy(update={"configuration": dict(sorted((node.configuration | {key: value}).items()))})
