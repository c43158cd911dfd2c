"""Joins that keep the rows of their inputs."""

from __future__ import annotations

from collections.abc import Sequence

from compiled_plan.plans.inspection.lineage.drafting import Context, OperatorDraft, RuleResult, origin_of, rule
from compiled_plan.plans.inspection.lineage.expressions import conjuncts
from compiled_plan.plans.inspection.lineage.meaning import Meaning, made_of, value
from compiled_plan.plans.inspection.lineage.operators import Role
from compiled_plan.plans.inspection.lineage.rows import Port, in_order
from compiled_plan.plans.inspection.lineage.rules.calls import Columns
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.join import IntervalJoin, Join, MultiJoin, TemporalJoin
from compiled_plan.plans.nodes.specs import JoinSpec


def joined(ports: Sequence[Port], origin: Meaning) -> list[Meaning]:
    """The columns of joined rows: each is that of its side, for a table may be joined with itself."""
    return [
        made_of("side", (column, origin), at, text=column.text, full=f"{port.name} {column.full}", type_=column.type)
        for at, port in enumerate(ports)
        for column in port.all_columns()
    ]


def at_of(columns: Sequence[Meaning], origin: Meaning) -> Columns:
    """Columns by position."""

    def column(at: int) -> Meaning:
        return columns[at] if 0 <= at < len(columns) else made_of("column", (origin,), at, text=f"column {at}")

    return column


def join_parts(node: PlanNode, spec: JoinSpec, draft: OperatorDraft, context: Context) -> list[Meaning]:
    """The properties that all joins of two inputs have; the columns of the joined rows."""
    left, right = draft.ports
    draft.say("join type", spec.join_type)
    draft.key(left, spec.left_keys, 0)
    draft.key(right, spec.right_keys, 1)
    say_null_keys(draft, spec)
    origin = origin_of(f"{spec.join_type.lower()} {draft.kind}", draft.ports)
    columns = joined(draft.ports, origin)
    condition = conjuncts(spec.non_equi_condition, context.scope(node, at_of(columns, origin)))
    draft.add("condition", in_order(condition))
    draft.stored(left, 0)
    draft.stored(right, 1)
    return columns[: len(left.all_columns())] if spec.join_type in ("SEMI", "ANTI") else columns


def say_null_keys(draft: OperatorDraft, spec: JoinSpec) -> None:
    """Add the property that says whether keys with NULL match nothing, by column."""
    nulls = tuple(spec.filter_nulls)
    draft.say("null keys", nulls, "match nothing" if all(nulls) else "may match")


def key_sets(keys: Sequence[Sequence[int]], port: Port) -> list[Meaning]:
    """Sets of columns, in an order of their own."""
    sets = [in_order(port.column(at) for at in key) for key in keys]
    return list(in_order(made_of("set", each, text="(" + ", ".join(one.text for one in each) + ")") for each in sets))


@rule(Join)
def join(node: Join, context: Context) -> RuleResult:
    """Kept: the rows of both sides, by their unique keys where they have any."""
    draft = OperatorDraft(node, "join", context, context.ports(node))
    columns = join_parts(node, node.join_spec, draft, context)
    left, right = draft.ports
    for port, keys in ((left, node.left_upsert_keys), (right, node.right_upsert_keys)):
        draft.add("unique keys", key_sets(keys or (), port), role=Role.AROUND, port=port)
    return draft.made(columns, f"{node.join_spec.join_type.lower()} join")


@rule(MultiJoin)
def multi_join(node: MultiJoin, context: Context) -> RuleResult:
    """Kept: the rows of all inputs under one common key."""
    ports = context.ports(node)
    draft = OperatorDraft(node, "multi-join", context, ports)
    draft.say("join types", tuple(node.join_types), ", ".join(node.join_types))
    origin = origin_of("multi-join", ports)
    columns = joined(ports, origin)
    scope = context.scope(node, at_of(columns, origin))
    for at, rex in enumerate(node.join_conditions):
        draft.add("condition", in_order(conjuncts(rex, scope)), number=at + 1)
    starts = [0]
    for port in ports:
        starts.append(starts[-1] + len(port.all_columns()))

    def of_input(number: int, at: int) -> Meaning:
        return at_of(columns, origin)(starts[number] + at)

    pairs = [
        made_of("pair", in_order((of_input(e.left_input_id, e.left_field_index), right)), text=f"= {right.text}")
        for entries in node.join_attribute_map.values()
        for e in entries
        if 0 <= e.left_input_id < len(ports) and 0 <= e.right_input_id < len(ports)
        for right in [of_input(e.right_input_id, e.right_field_index)]
    ]
    draft.add("key", in_order(pairs), role=Role.KEY)
    draft.key_types += [type_ for at in range(len(ports)) for type_ in context.types(node, at)]
    for at, port in enumerate(ports):
        keys = node.input_unique_keys[at] if at < len(node.input_unique_keys) else ()
        draft.add("unique keys", key_sets(keys, port), role=Role.AROUND, port=port)
        draft.stored(port, at)
    return draft.made(columns, "multi-join")


@rule(IntervalJoin)
def interval_join(node: IntervalJoin, context: Context) -> RuleResult:
    """Kept: the rows of both sides by their times."""
    draft = OperatorDraft(node, "interval-join", context, context.ports(node))
    spec, bounds = node.interval_join_spec.join_spec, node.interval_join_spec.window_bounds
    columns = join_parts(node, spec, draft, context)
    left, right = draft.ports
    times = [left.column(bounds.left_time_index), right.column(bounds.right_time_index)]
    clock = [value("event time" if bounds.is_event_time else "processing time")]
    draft.add("times", [*clock, *(times if bounds.is_event_time else ())])
    low, high = bounds.left_lower_bound, bounds.left_upper_bound
    draft.say("bounds", (low, high), f"{low} ms to {high} ms")
    draft.watermarks(bounds.is_event_time)
    return draft.made(columns, f"{spec.join_type.lower()} interval join")


@rule(TemporalJoin)
def temporal_join(node: TemporalJoin, context: Context) -> RuleResult:
    """Kept: the versions of the right side; by event time the rows of the left side that wait."""
    draft = OperatorDraft(node, "temporal-join", context, context.ports(node))
    columns = join_parts(node, node.join_spec, draft, context)
    left, right = draft.ports
    if node.right_time_attribute_index >= 0:
        times = [left.column(node.left_time_attribute_index), right.column(node.right_time_attribute_index)]
        draft.add("times", [value("event time"), *times])
    else:
        draft.add("times", [value("processing time")])
        draft.kernel = "proctime-temporal-join"
    draft.watermarks(node.right_time_attribute_index >= 0)
    return draft.made(columns, f"{node.join_spec.join_type.lower()} temporal join")
