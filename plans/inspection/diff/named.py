"""Named differences: the columns of a sink whose rows a changed program may make different, by its verdicts."""

from __future__ import annotations

from collections.abc import Iterator

from compiled_plan.plans.inspection.diff.model import OperatorEdit, PlanDiff, SinkEdit, SourceEdit
from compiled_plan.plans.inspection.diff.sides import PlanPair
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from compiled_plan.plans.inspection.lineage.meaning import Meaning, uses
from compiled_plan.plans.inspection.lineage.operators import Role
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.trees import reached

#: The beginning of the name of a property that is a column.
COLUMN = "column "
_CALLS = "aggregates"


def named_columns(both: PlanPair, diff: PlanDiff, sink: SinkEdit) -> frozenset[str] | None:
    """The columns of a sink that may have other values than in the old program.

    A call of a group aggregate that starts empty makes the columns different that are computed from it, and all rows if
    a filter, a key or an order is.

    Args:
        both: the plans.
        diff: their difference.
        sink: one of its sinks, which both programs write.

    Returns:
        the columns; None if its rows may be others altogether.
    """
    plan = both.new.plan
    upstream = frozenset(reached(sink.new_nodes, lambda node: [below.id for below in plan.inputs(node)]))
    values = set[str]()
    parts: list[OperatorEdit | SourceEdit] = [*diff.operators, *diff.sources]
    for part in parts:
        if part.verdict is not Verdict.FULL and not upstream.isdisjoint(_nodes(part)):
            calls = _empty_calls(both, part)
            if calls is None:
                return None
            values |= calls
    if diff.whole or any(uses(meaning, values) for meaning in _choosing(both, upstream)):
        return None
    edited = {edit.property for edit in sink.edits}
    columns = {name.removeprefix(COLUMN) for name in edited if name.startswith(COLUMN)}
    columns |= {name for node in sink.new_nodes for name, meaning in _written(both, node) if uses(meaning, values)}
    is_named = all(name.startswith(COLUMN) for name in edited) and (sink.verdict is Verdict.FULL or bool(columns))
    return frozenset(columns) if is_named and columns.isdisjoint(_keys(both, sink)) else None


def _nodes(part: OperatorEdit | SourceEdit) -> tuple[int, ...]:
    """The nodes of a part in the new plan."""
    if isinstance(part, SourceEdit):
        return part.new_nodes
    return () if part.new_node is None else (part.new_node,)


def _empty_calls(both: PlanPair, part: OperatorEdit | SourceEdit) -> set[str] | None:
    """The digests of an operator's calls that start empty, if it differs by them alone; otherwise None."""
    if isinstance(part, SourceEdit) or part.kind != "group-aggregate" or part.new_node is None or part.old_node is None:
        return None
    if any(edit.verdict is not Verdict.FULL and edit.property != _CALLS for edit in part.edits):
        return None
    old, new = (
        side.operators[node].property(_CALLS) for side, node in ((both.old, part.old_node), (both.new, part.new_node))
    )
    if old is None or new is None:
        return None
    known = {item.digest for item in old.items}
    # An operator without edits of its own is partial for what it receives.
    return {item.digest for item in new.items} - known if part.edits else set()


def _choosing(both: PlanPair, nodes: frozenset[int]) -> Iterator[Meaning]:
    """All that decides which rows there are upstream: filters, and properties of operators but their calls."""
    lineage = both.new.lineage
    for node in nodes:
        yield from (meaning for branch in lineage.flows[node] for meaning in branch.filter)
    for operator in lineage.operators:
        for item in operator.properties if operator.node in nodes else ():
            if item.role is not Role.AROUND and item.subject != _CALLS:
                yield from (entry.meaning for entry in item.items if entry.meaning is not None)


def _written(both: PlanPair, node: int) -> Iterator[tuple[str, Meaning]]:
    """The meanings of a sink's columns."""
    (port,) = both.new.ports(node)
    sink = both.new.plan.node(node)
    assert isinstance(sink, Sink)
    columns = sink.dynamic_table_sink.table.stored_columns
    names = [column.name for column in columns] or list(sink.output_type.names)
    return zip(names, port.all_columns(), strict=False)


def _keys(both: PlanPair, sink: SinkEdit) -> frozenset[str]:
    """The columns by which rows are compared: without a primary key, all of them."""
    keys = set[str]()
    for node in sink.new_nodes:
        written = both.new.plan.node(node)
        assert isinstance(written, Sink)
        keys |= set(written.dynamic_table_sink.table.primary_key or [name for name, _ in _written(both, node)])
    return frozenset(keys)
