"""Node types of plans, from their classes."""

from __future__ import annotations

from collections.abc import Iterator

from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.model import FieldMark
from compiled_plan.plans.nodes.registry import all_node_types
from tools.reference.markdown import code, codes, first_line, table

#: Fields of all nodes.
_SHARED = frozenset(PlanNode.model_fields) | {"state"}


def _types(*, runnable: bool) -> Iterator[type[PlanNode]]:
    types = sorted(all_node_types().items())
    return (item for _, item in types if item.RUNNABLE is runnable)


def nodes() -> str:
    """The supported node types with their state entries."""
    rows = (
        (code(item.type_name()), str(item.INPUTS), _entries(item), first_line(item.__doc__))
        for item in _types(runnable=True)
    )
    return table(("type", "inputs", "state entries", ""), rows)


def _entries(item: type[PlanNode]) -> str:
    if item.STATE or item.TTL_FIELDS:
        listed = [code(slot.name) for slot in item.STATE]
        return ", ".join([*listed, *(f"{code(field.name)} in {code(field.alias)}" for field in item.TTL_FIELDS)])
    if "state" in item.model_fields and item.KEEPS_STATE:
        return "depends on the node"
    return "none: " + item.why_no_entries() if item.KEEPS_STATE else ""


def refused() -> str:
    """The unsupported node types of Flink."""
    return codes(item.type_name() for item in _types(runnable=False))


def fields() -> str:
    """The own fields of each node type; those that shape its state (`Enforcing`) are in bold."""
    return table(("type", "fields"), ((code(item.type_name()), _fields(item)) for item in _types(runnable=True)))


def _fields(item: type[PlanNode]) -> str:
    own = {name: info for name, info in item.model_fields.items() if name not in _SHARED}
    return ", ".join(
        f"**`{info.alias}`**" if FieldMark.ENFORCING in info.metadata else f"`{info.alias}`" for info in own.values()
    )
