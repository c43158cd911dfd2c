"""Sorts by time."""

from __future__ import annotations

from plans.lineage.rules.base import Context, Draft, Made, rule
from plans.lineage.rules.calls import is_rowtime, order_of, type_at
from plans.nodes.sort import Sort, TemporalSort


@rule(TemporalSort, Sort)
def sort(node: TemporalSort | Sort, context: Context) -> Made:
    """Kept: the rows that wait for their time."""
    (port,) = context.ports(node)
    draft = Draft(node, "temporal-sort", context, (port,))
    fields = node.order_by.fields
    types = context.types(node)
    draft.add("order", order_of(fields, port.column), [type_at(types, each.index) for each in fields])
    draft.stored(port)
    draft.watermarks(bool(fields) and is_rowtime(type_at(types, fields[0].index)))
    return draft.made(port.all_columns(), "sorted")
