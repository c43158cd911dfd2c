"""State entries of a plan as a list."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from compiled_plan.plans.errors import PlanError
from compiled_plan.plans.inspection.identity import derived_uids
from compiled_plan.plans.nodes.base import IDLE_ENTRY, PlanNode, StateEntry
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.text.durations import parse_duration
from compiled_plan.plans.text.masking import masked_text

_LONGEST = 72


@dataclass(frozen=True, slots=True)
class StateLine:
    """One state entry with its operator."""

    node: int
    uid: str  # stable id of the operator across plans
    operator: str  # kind of the operator, `join`
    description: str  # description of the operator, truncated
    entry: str  # name of the entry, `leftState`
    index: int  # number of the input that is stored
    ttl: str  # as in the file
    ttl_ms: int  # in milliseconds; 0 never expires
    input: str  # id and kind of the node that feeds that input
    compiled: str = ""  # the compiled TTL if it was edited since; else empty

    def to_dict(self) -> dict[str, object]:
        """The entry as JSON values."""
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
            input=_stored_inputs(plan, node, entry),
            compiled=compiled_ttl(node, entry) or "",
        )
        for node in plan.nodes
        for entry in node.ttl_entries
    )


def compiled_ttl(node: PlanNode, entry: StateEntry) -> str | None:
    """The compiled TTL of an entry if it was edited since; None if not, or if unknown."""
    recorded = (node.ttl_as_compiled or {}).get(entry.name)
    try:
        return recorded if recorded is not None and parse_duration(recorded) != entry.ttl_ms else None
    except PlanError:
        return None


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def _stored_inputs(plan: CompiledPlan, node: PlanNode, entry: StateEntry) -> str:
    """The node that feeds the entry's input; all inputs for the entry of idle keys."""
    if entry.name != IDLE_ENTRY:
        return _fed_by(plan, node.id, entry.index)
    return " and ".join(_fed_by(plan, node.id, at) for at in range(len(plan.inputs(node))))


def _fed_by(plan: CompiledPlan, node: int, index: int) -> str:
    """The node that feeds an input, skipping exchanges and watermarks; a source by its table."""
    inputs = plan.inputs(node)
    if index >= len(inputs):
        return ""
    upstream = inputs[index]
    while upstream.kind in ("exchange", "watermark-assigner", "mini-batch-assigner", "drop-update-before"):
        upstream = plan.inputs(upstream)[0]
    table = getattr(upstream, "scan_table_source", None)
    return f"{upstream.id} {table.table.path[-1]}" if table is not None else f"{upstream.id} {upstream.kind}"
