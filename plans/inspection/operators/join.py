"""Joins that store the rows of their inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from compiled_plan.plans.inspection.judging.kinds import OperatorKind, Texts, VerdictRule, declare
from compiled_plan.plans.inspection.lineage.drafting import Context, OperatorDraft, RuleResult, origin_of, rule
from compiled_plan.plans.inspection.lineage.expressions import conjuncts
from compiled_plan.plans.inspection.lineage.meaning import Meaning, compose, value
from compiled_plan.plans.inspection.lineage.operators import Role
from compiled_plan.plans.inspection.lineage.rows import Port, in_order
from compiled_plan.plans.inspection.operators.calls import Columns
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.join import IntervalJoin, Join, MultiJoin, TemporalJoin
from compiled_plan.plans.nodes.specs import JoinSpec

if TYPE_CHECKING:
    from compiled_plan.plans.inspection.judging.edited import Edited, Judgement, Pair


def joined(ports: Sequence[Port], origin: Meaning) -> list[Meaning]:
    """The columns of joined rows, marked by side because a table may be joined with itself."""
    return [
        compose("side", (column, origin), at, text=column.text, full=f"{port.name} {column.full}", type_=column.type)
        for at, port in enumerate(ports)
        for column in port.all_columns()
    ]


def at_of(columns: Sequence[Meaning], origin: Meaning) -> Columns:
    """Access to columns by position."""

    def column(at: int) -> Meaning:
        return columns[at] if 0 <= at < len(columns) else compose("column", (origin,), at, text=f"column {at}")

    return column


def join_parts(
    node: PlanNode, spec: JoinSpec, draft: OperatorDraft, context: Context, windows: Sequence[Meaning] = ()
) -> list[Meaning]:
    """Add the properties of a two-input join, with the window of each side if any; return the joined columns."""
    left, right = draft.ports
    draft.add_value("join type", spec.join_type)
    draft.key(left, spec.left_keys, 0)
    draft.key(right, spec.right_keys, 1)
    nulls = tuple(spec.filter_nulls)
    draft.add_value("null keys", nulls, "match nothing" if all(nulls) else "may match")
    for port, window in zip(draft.ports, windows, strict=False):
        draft.add("window", [window], role=Role.KEY, port=port)
    origin = origin_of(f"{spec.join_type.lower()} {draft.kind}", draft.ports)
    columns = joined(draft.ports, origin)
    condition = conjuncts(spec.non_equi_condition, context.scope(node, at_of(columns, origin)))
    draft.add("condition", in_order(condition))
    draft.stored(left, 0)
    draft.stored(right, 1)
    if spec.join_type == "INNER":
        types = [[type_.not_null() for type_ in context.types(node, at)] for at in range(2)]
        draft.equal = tuple(
            frozenset((columns[at].digest, columns[len(types[0]) + partner].digest))
            for at, partner in zip(spec.left_keys, spec.right_keys, strict=False)
            if types[0][at] == types[1][partner]
        )
    return columns[: len(left.all_columns())] if spec.join_type in ("SEMI", "ANTI") else columns


def key_sets(keys: Sequence[Sequence[int]], port: Port) -> list[Meaning]:
    """Sets of columns in canonical order."""
    sets = [in_order(port.column(at) for at in key) for key in keys]
    return list(
        in_order(
            compose("set", columns, text="(" + ", ".join(column.text for column in columns) + ")") for columns in sets
        )
    )


@rule(Join)
def join(node: Join, context: Context) -> RuleResult:
    """State: the rows of both sides, by their unique keys if any."""
    draft = OperatorDraft(node, "join", context, context.ports(node))
    columns = join_parts(node, node.join_spec, draft, context)
    left, right = draft.ports
    for port, keys in ((left, node.left_upsert_keys), (right, node.right_upsert_keys)):
        draft.add("unique keys", key_sets(keys or (), port), role=Role.AROUND, port=port)
    return draft.finish(columns, f"{node.join_spec.join_type.lower()} join")


@rule(MultiJoin)
def multi_join(node: MultiJoin, context: Context) -> RuleResult:
    """State: the rows of all inputs under one common key."""
    ports = context.ports(node)
    draft = OperatorDraft(node, "multi-join", context, ports)
    draft.add_value("join types", tuple(node.join_types), ", ".join(node.join_types))
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
        compose("pair", in_order((of_input(e.left_input_id, e.left_field_index), right)), text=f"= {right.text}")
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
    return draft.finish(columns, "multi-join")


@rule(IntervalJoin)
def interval_join(node: IntervalJoin, context: Context) -> RuleResult:
    """State: the rows of both sides by their times."""
    draft = OperatorDraft(node, "interval-join", context, context.ports(node))
    spec, bounds = node.interval_join_spec.join_spec, node.interval_join_spec.window_bounds
    columns = join_parts(node, spec, draft, context)
    left, right = draft.ports
    times = [left.column(bounds.left_time_index), right.column(bounds.right_time_index)]
    clock = [value("event time" if bounds.is_event_time else "processing time")]
    draft.add("times", [*clock, *(times if bounds.is_event_time else ())])
    low, high = bounds.left_lower_bound, bounds.left_upper_bound
    draft.add_value("bounds", (low, high), f"{low} ms to {high} ms")
    draft.watermarks(bounds.is_event_time)
    return draft.finish(columns, f"{spec.join_type.lower()} interval join")


@rule(TemporalJoin)
def temporal_join(node: TemporalJoin, context: Context) -> RuleResult:
    """State: the versions of the right side; in event time also the waiting rows of the left side."""
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
    return draft.finish(columns, f"{node.join_spec.join_type.lower()} temporal join")


#: By join type, the sides whose rows are emitted without a match as well.
_PADDED = {"INNER": (), "LEFT": ("left",), "RIGHT": ("right",), "FULL": ("left", "right")}


def _join_type(edited: Edited, unmatched: str) -> Judgement:
    """Judge a join type: past padded rows are neither emitted again nor retracted.

    `unmatched` is the fate of rows without a match.
    """
    old, new = edited.values
    if old not in _PADDED or new not in _PADDED:
        return edited.incompatible(f"the state of {old} records which rows matched, and {new} emits other rows")
    came = [side for side in _PADDED[new] if side not in _PADDED[old]]
    went = [side for side in _PADDED[old] if side not in _PADDED[new]]
    parts = []
    if came:
        parts.append(f"rows of the {' and of the '.join(came)} side from before {unmatched}")
    if went:
        parts.append(f"padded rows of the {' and of the '.join(went)} side that were emitted before stay")
    return edited.partial("; ".join(parts))


def _join_types(edited: Edited) -> Judgement:
    """Judge join types as for two inputs, if the number of inputs is the same."""
    if len(edited.values[0]) == len(edited.values[1]):
        return edited.partial("padded rows of the past are not emitted again, and emitted ones stay")
    return edited.incompatible("other inputs are joined")


def _condition(edited: Edited) -> Judgement:
    """Judge a condition: an inner join searches for matches with every row; outer joins stored match counts."""
    if edited.list.stays:
        return edited.full(listed=True)
    if _is_inner(edited.pair):
        why = "pairs emitted by the old condition stay, and pairs that it rejected are not emitted"
        return edited.partial(why, listed=True)
    return edited.incompatible("the matches of each row were counted by the old condition", listed=True)


def _condition_by_time(edited: Edited) -> Judgement:
    """Judge the condition of a join that searches for matches when its time comes."""
    if edited.list.stays:
        return edited.full(listed=True)
    return edited.partial("rows emitted by the old condition stay", listed=True)


def _is_inner(pair: Pair) -> bool:
    of_two = all(type_ in (None, "INNER") for type_ in pair.values("join type"))
    return of_two and all(type_ == "INNER" for types in pair.values("join types") for type_ in types or ())


def _null_keys(edited: Edited) -> Judgement:
    """Judge handling of NULL keys: such rows were stored or not."""
    _, new = edited.values
    if not all(new):
        return edited.partial("rows from before whose key is NULL were not stored, and find no match")
    return edited.partial("past results of rows whose key is NULL stay")


def _unique_keys(edited: Edited) -> Judgement:
    """Judge unique keys: a row replaces the stored row with the same key."""
    if not edited.pair.appends(edited.present.input):
        # With retractions each key is stored once, declared or not.
        return edited.full()
    if edited.new and edited.new.items:
        return edited.partial("rows from before with the same key are all stored")
    return edited.partial("of rows from before with the same key only the last one is stored")


def _times(edited: Edited) -> Judgement:
    if not edited.list.added and not edited.list.dropped:
        return edited.full(listed=True)
    return edited.incompatible("rows are stored by the old time", listed=True)


def _bounds(edited: Edited) -> Judgement:
    """Judge bounds, which determine how long rows are stored."""
    (old_low, old_high), (new_low, new_high) = edited.values
    wider = new_low < old_low or new_high > old_high
    narrower = new_low > old_low or new_high < old_high
    stays = "pairs that the new bounds reject were emitted before, and stay"
    is_inner = _is_inner(edited.pair)
    if not is_inner:
        stays = f"{stays}: those rows are not emitted without a match as well"
    if wider:
        why = "rows that were too old for the old bounds are gone, and their pairs are not emitted"
        return edited.partial(f"{why}; {stays}" if narrower else why)
    # Rows of an outer join remember that they have met a match.
    return edited.full(past_fault=stays) if is_inner else edited.partial(stays)


def words(texts: Texts) -> str:
    """Label of a join of two inputs."""
    on = f" on {texts['left key']} = {texts['right key']}" if texts["left key"] else ""
    return f"{texts['join type'].lower()} {texts.kind}{on}".strip()


_COUNTED = (
    "count as unmatched, but their padded rows were never emitted: rows without a match stay missing, and the next "
    "match retracts a padded row that was never emitted"
)
_RULES: Mapping[str, VerdictRule] = {
    "join type": partial(_join_type, unmatched=_COUNTED),
    "condition": _condition,
    "null keys": _null_keys,
    "unique keys": _unique_keys,
}
#: Joins that search for matches when their time comes: joined rows are gone, or carry no match count.
BY_TIME: Mapping[str, VerdictRule] = {
    "join type": partial(_join_type, unmatched="that found no match were dropped, and are not emitted"),
    "condition": _condition_by_time,
    "null keys": _null_keys,
}

declare(
    OperatorKind("join", words, _RULES, retract_key="unique keys"),
    OperatorKind(
        "multi-join", lambda _: "join of many", {**_RULES, "join types": _join_types}, retract_key="unique keys"
    ),
    OperatorKind(
        "interval-join",
        words,
        {
            "join type": partial(_join_type, unmatched="that found no match and are gone are not emitted"),
            "condition": _condition,
            "null keys": _null_keys,
            "times": _times,
            "bounds": _bounds,
        },
        waiting=" that wait for others",
    ),
    OperatorKind("temporal-join", words, {**BY_TIME, "times": _times}, retract_key="key"),
)
