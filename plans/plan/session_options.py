"""Session options that a plan needs at runtime, stored in the `configuration` of the nodes that use them.

Flink stores some options in some nodes and reads them there, whatever the session says; options that it does not store
come from the session that runs the plan. Plans compiled here store more, such as the time zone of every expression that
depends on it, so that a plan means the same wherever it runs, including in Flink.
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
from compiled_plan.plans.rex.zoned import depends_on_zone

ZONE = "table.local-time-zone"
#: The value of ZONE that defers to the session that runs the plan.
DEFAULT = "default"
#: The time zone if neither plan nor session sets one.
UTC = "UTC"


def reads_zone(node: PlanNode) -> bool:
    """Return True if a node's results depend on the session's time zone."""
    return any(isinstance(rex, Call) and depends_on_zone(rex) for top in objects_in(node, RexNode) for rex in walk(top))


def zone_of(node: PlanNode) -> str | None:
    """The time zone set on a node; None if it defers to the session that runs the plan."""
    zone = node.configuration.get(ZONE, DEFAULT)
    return None if zone == DEFAULT else zone


def zones_of(plan: CompiledPlan) -> tuple[str, ...]:
    """The distinct time zones set in a plan."""
    return tuple(dict.fromkeys(zone for node in plan.nodes if (zone := zone_of(node)) is not None))


def with_zone(plan: CompiledPlan, zone: str | None = None, otherwise: str = DEFAULT) -> CompiledPlan:
    """Set the time zone of all nodes that depend on it: `zone` if any, else the node's own, else `otherwise`."""
    return plan.with_nodes([_zoned(node, zone, otherwise) for node in plan.nodes])


def _zoned(node: PlanNode, zone: str | None, otherwise: str) -> PlanNode:
    effective = zone or zone_of(node) or otherwise
    if node.configuration.get(ZONE) == effective or not (ZONE in node.configuration or reads_zone(node)):
        return node
    return node.with_option(ZONE, effective)


#: Options that Flink takes from the session that runs a plan, and the nodes that depend on them. Flink's nodes read
#: their own `configuration` first, so a plan that stores these options means the same in Flink as here.
SESSION_OPTIONS: Mapping[str, Callable[[PlanNode], bool]] = {
    ZONE: reads_zone,
    IDLE_TIMEOUT: lambda node: isinstance(node, WatermarkAssigner),
    TTL: lambda node: node.reads_session_ttl,
    NESTED: lambda node: isinstance(node, Sink),
}


def with_session(plan: CompiledPlan, options: Mapping[str, str]) -> CompiledPlan:
    """Store session options (all from SESSION_OPTIONS) in the nodes that depend on them and do not set them."""
    return plan.with_nodes([with_missing_options(node, options) for node in plan.nodes])


def with_missing_options(node: PlanNode, options: Mapping[str, str]) -> PlanNode:
    """Store the options that a node depends on and does not set."""
    for key, value in options.items():
        if key not in node.configuration and SESSION_OPTIONS[key](node):
            node = node.with_option(key, value)
    return node
