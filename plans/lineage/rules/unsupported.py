"""Nodes that do not run."""

from __future__ import annotations

from plans.lineage.meaning import digest_of, made_of
from plans.lineage.rows import Branch, sides
from plans.lineage.rules.base import Context, Made, rule
from plans.nodes.base import PlanNode


@rule(PlanNode)
def unknown(node: PlanNode, context: Context) -> Made:
    """A node that does not run: its JSON is what it is."""
    inputs = context.inputs(node)
    detail = {key: item for key, item in node.to_json().items() if key not in ("id", "uid", "description", "state")}
    histories = [branch.history for rows in inputs for branch in rows]
    ports = sides(inputs)
    origin = made_of("unknown", [port.origin for port in ports], detail, text=node.kind)
    columns = tuple(
        made_of("column", (origin,), at, text=f"column {at} of {node.kind}")
        for at in range(len(node.output_type.fields))
    )
    return Made((Branch(origin, columns, history=digest_of([origin.digest, histories])),))
