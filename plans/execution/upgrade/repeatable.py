"""What of a plan gives other rows when the same rows come once more, at another time."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from compiled_plan.plans.execution.operators.base import goes_by_the_clock
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.deduplicate import Deduplicate
from compiled_plan.plans.nodes.lookup import LookupJoin
from compiled_plan.plans.nodes.over import OverAggregate
from compiled_plan.plans.plan import CompiledPlan

#: Functions that tell the time, or differ at every call; PROCTIME() itself is no value before it is made one.
_OF_THE_MOMENT = {
    f"${name}$1": name
    for name in (
        "CURRENT_DATE",
        "CURRENT_ROW_TIMESTAMP",
        "CURRENT_TIME",
        "CURRENT_TIMESTAMP",
        "CURRENT_WATERMARK",
        "LOCALTIME",
        "LOCALTIMESTAMP",
        "NOW",
        "RAND",
        "RAND_INTEGER",
        "SOURCE_WATERMARK",
        "UUID",
    )
} | {"$PROCTIME_MATERIALIZE$1": "PROCTIME"}
_UNIX = "$UNIX_TIMESTAMP$1"


def unrepeatable(plan: CompiledPlan, ids: Collection[int]) -> Iterator[str]:
    """Why rows that come once more would not give what they gave.

    Args:
        plan: the plan.
        ids: the nodes that they pass.
    """
    for node in plan.in_order:
        if node.id in ids:
            yield from _of_node(plan, node)


def _of_node(plan: CompiledPlan, node: PlanNode) -> Iterator[str]:
    where = f"node {node.id} ({node.kind})"
    for name in dict.fromkeys(_calls(node.to_dict())):
        yield f"{where} calls {name}, which gives another value now than when the rows came"
    if isinstance(node, LookupJoin):
        yield f"{where} asks a table, and what that said when the rows came is not known"
    elif goes_by_the_clock(node, plan) and not _goes_by_arrival(node):
        yield f"{where} goes by processing time, and when the rows came is not known"


def _goes_by_arrival(node: PlanNode) -> bool:
    """Whether it is the order of rows that counts, and not when they came."""
    return isinstance(node, Deduplicate) or (isinstance(node, OverAggregate) and node.forgets_idle_keys)


def _calls(value: object) -> Iterator[str]:
    """The functions of the moment in a node's JSON."""
    open_ = [value]
    while open_:
        found = open_.pop()
        if isinstance(found, list):
            open_ += found
        elif isinstance(found, dict):
            name = found.get("internalName")
            if name in _OF_THE_MOMENT:
                yield _OF_THE_MOMENT[str(name)]
            elif name == _UNIX and not found.get("operands"):
                yield "UNIX_TIMESTAMP"
            elif found.get("deterministic") is False:
                yield "a Python function that is not deterministic"
            open_ += found.values()
