"""The state entries of a plan as a list."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from plans.identity import derived_uids
from plans.masking import masked_text
from plans.nodes.base import IDLE_ENTRY, PlanNode, StateEntry
from plans.plan import CompiledPlan

_LONGEST = 72


@dataclass(frozen=True, slots=True)
class StateLine:
    """One state entry, with the operator it belongs to.

    Args:
        node: id of the node.
        uid: name of the operator across plans.
        operator: kind of the operator, `join`.
        description: what the operator does, cut short.
        entry: name of the entry, `leftState`.
        index: number of the input that is kept.
        ttl: how long, as in the file.
        ttl_ms: the same in milliseconds; 0 never expires.
        input: id and kind of the node that feeds that input.
    """

    node: int
    uid: str
    operator: str
    description: str
    entry: str
    index: int
    ttl: str
    ttl_ms: int
    input: str

    def to_json(self) -> dict[str, Any]:
        """The entry for machines."""
        return asdict(self)


def state_lines(plan: CompiledPlan) -> tuple[StateLine, ...]:
    """All state entries, in the order of the file."""
    uids = derived_uids(plan)
    return tuple(
        StateLine(
            node=node.id,
            uid=uids[node.id],
            operator=node.kind,
            description=_short(masked_text(node.description)),
            entry=entry.name,
            index=entry.index,
            ttl=entry.ttl,
            ttl_ms=entry.ttl_ms,
            input=_kept(plan, node, entry),
        )
        for node in plan.nodes
        for entry in node.ttl_entries
    )


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def _kept(plan: CompiledPlan, node: PlanNode, entry: StateEntry) -> str:
    """What an entry is kept of: the node that feeds its input; of idle keys all inputs count."""
    if entry.name != IDLE_ENTRY:
        return _fed_by(plan, node.id, entry.index)
    return " and ".join(_fed_by(plan, node.id, at) for at in range(len(plan.inputs(node))))


def _fed_by(plan: CompiledPlan, node: int, index: int) -> str:
    """The node that feeds an input, exchanges and watermarks stepped over; a source by its table."""
    inputs = plan.inputs(node)
    if index >= len(inputs):
        return ""
    found = inputs[index]
    while found.kind in ("exchange", "watermark-assigner", "mini-batch-assigner", "drop-update-before"):
        found = plan.inputs(found)[0]
    table = getattr(found, "scan_table_source", None)
    return f"{found.id} {table.table.path[-1]}" if table is not None else f"{found.id} {found.kind}"
