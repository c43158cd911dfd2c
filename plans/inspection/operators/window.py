"""Windows: their assignment, and the operators over them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from compiled_plan.plans.inspection.judging.kinds import OperatorKind, Texts, VerdictRule, declare
from compiled_plan.plans.inspection.lineage.drafting import (
    Context,
    OperatorDraft,
    RuleResult,
    rule,
    zone_or_default,
)
from compiled_plan.plans.inspection.lineage.meaning import Meaning, compose, function_of
from compiled_plan.plans.inspection.lineage.operators import Role, listed
from compiled_plan.plans.inspection.lineage.rows import Port, sides
from compiled_plan.plans.inspection.operators.aggregate import RULES, TWO_FORMS, add_calls, first_phase
from compiled_plan.plans.inspection.operators.calls import order_of, results_of
from compiled_plan.plans.inspection.operators.deduplicate import add_row_choice, keeps, one_row, order
from compiled_plan.plans.inspection.operators.join import BY_TIME, join_parts, words
from compiled_plan.plans.inspection.operators.rank import add_ranks, first_rows, ranked, ranks
from compiled_plan.plans.inspection.operators.stateless import same
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.specs import AggregateCall
from compiled_plan.plans.nodes.window import (
    GlobalWindowAggregate,
    GroupWindowAggregate,
    LocalWindowAggregate,
    WindowAggregate,
    WindowDeduplicate,
    WindowJoin,
    WindowRank,
    WindowTableFunction,
)
from compiled_plan.plans.nodes.windows import (
    CumulativeWindow,
    GroupWindow,
    HoppingWindow,
    NamedWindowProperty,
    SessionWindow,
    SliceAttachedWindowing,
    TimeAttributeWindowing,
    TumblingWindow,
    WindowAttachedWindowing,
    Windowing,
)
from compiled_plan.plans.types import LogicalType, TimestampLtzType
from compiled_plan.plans.types.temporal import is_rowtime

if TYPE_CHECKING:
    from compiled_plan.plans.inspection.judging.edited import Edited, Judgement

# The last phase refers to the rows in front of the first.
rule(LocalWindowAggregate)(same)


def lengths_of(windowing: Windowing) -> str:
    """The windows' kind and lengths, `HOP(PT1H, PT5M)`."""
    window = windowing.window
    offset = getattr(window, "offset", None)
    match window:
        case TumblingWindow():
            lengths = ["TUMBLE", window.size]
        case HoppingWindow():
            lengths = ["HOP", window.size, window.slide]
        case CumulativeWindow():
            lengths = ["CUMULATE", window.max_size, window.step]
        case SessionWindow():
            lengths = ["SESSION", window.gap]
    return f"{lengths[0]}({', '.join([*lengths[1:], *([f'offset {offset}'] if offset else [])])})"


def windows_of(node: PlanNode, windowing: Windowing, port: Port) -> Meaning:
    """The windows of a row."""
    text = lengths_of(windowing)
    clock = "event time" if windowing.is_rowtime else "processing time"
    parts: list[Meaning] = []
    match windowing:
        case TimeAttributeWindowing():
            parts = [port.column(windowing.time_attribute_index)] if windowing.is_rowtime else []
        case WindowAttachedWindowing():
            parts = [port.column(at) for at in (windowing.window_start, windowing.window_end) if at >= 0]
        case SliceAttachedWindowing():
            parts = [port.column(windowing.slice_end)]
    if isinstance(windowing.window, SessionWindow):
        parts += [port.column(at) for at in windowing.window.partition_key_indices]
    shown = ", ".join(part.text for part in parts) or clock
    return compose(
        "windows",
        parts,
        [text, windowing.strategy, windowing.is_rowtime],
        text=f"{text} of {shown}",
        full=f"{text} by {clock} of {', '.join(part.full for part in parts)}",
        zones=_zones(node, windowing.time_attribute_type),
    )


def _zones(node: PlanNode, time: LogicalType) -> tuple[str, ...]:
    return (zone_or_default(node),) if isinstance(time, TimestampLtzType) else ()


@rule(WindowTableFunction)
def window_table_function(node: WindowTableFunction, context: Context) -> RuleResult:
    """Append the start, end and time of a row's window. Session windows store their rows."""
    if isinstance(node.windowing.window, SessionWindow):
        (port,) = context.ports(node)
        draft = OperatorDraft(node, "session-rows", context, (port,))
        draft.key(port, node.windowing.window.partition_key_indices)
        windows = windows_of(node, node.windowing, port)
        draft.add("window", [windows], role=Role.KEY)
        draft.stored(port)
        draft.watermarks(node.windowing.is_rowtime)
        return draft.finish((*port.all_columns(), *_window_columns(windows)), "session rows")
    branches = []
    for branch in context.inputs(node)[0]:
        windows = windows_of(node, node.windowing, Port((branch,)))
        shown = f"{lengths_of(node.windowing)} of {branch.origin.text}"
        origin = compose(
            "windowed", (branch.origin, windows), text=shown, full=f"{windows.full} of {branch.origin.full}"
        )
        columns = (*branch.columns, *_window_columns(windows))
        branches.append(replace(branch, origin=origin, columns=columns))
    return RuleResult(tuple(branches))


def _window_columns(windows: Meaning, names: Sequence[str] = ("start", "end", "time")) -> list[Meaning]:
    return [compose("window", (windows,), name, text=f"{name} of {windows.text}") for name in names]


@rule(WindowAggregate)
def window_aggregate(node: WindowAggregate, context: Context) -> RuleResult:
    """State: an accumulator for each call, by group and window."""
    (port,) = context.ports(node)
    windows = windows_of(node, node.windowing, port)
    return _aggregate(node, node, windows, node.grouping, node.agg_calls, node.need_retraction, context)


@rule(GlobalWindowAggregate)
def global_window_aggregate(node: GlobalWindowAggregate, context: Context) -> RuleResult:
    """The calls of the first phase, over the rows in front of it."""
    local = first_phase(node, context)
    reader = local if isinstance(local, LocalWindowAggregate) else node
    (port,) = sides(context.inputs(reader))
    windows = windows_of(node, reader.windowing, port)
    return _aggregate(node, reader, windows, reader.grouping, reader.agg_calls, reader.need_retraction, context)


@rule(GroupWindowAggregate)
def group_window_aggregate(node: GroupWindowAggregate, context: Context) -> RuleResult:
    """State: as a window aggregate, over windows in GROUP BY."""
    (port,) = context.ports(node)
    windows = _group_windows(node, node.window, port)
    return _aggregate(node, node, windows, node.grouping, node.agg_calls, node.need_retraction, context)


def _group_windows(node: PlanNode, window: GroupWindow, port: Port) -> Meaning:
    lengths = {name: getattr(window, name, None) for name in ("size", "slide", "gap")}
    texts = [f"{length}" for length in lengths.values() if length is not None]
    text = f"{window.kind}({', '.join(texts)})"
    by_time = getattr(window, "is_time_window", True)
    time = port.column(window.time_field.field_index)
    return compose(
        "group windows",
        (time,),
        [text, by_time],
        text=f"{text} of {time.text}" if by_time else f"{text} rows",
        full=f"{text} of {time.full}",
        zones=_zones(node, window.time_field.field_type),
    )


def in_event_time(node: WindowAggregate | GlobalWindowAggregate | GroupWindowAggregate) -> bool:
    """Return True if windows close by watermark."""
    if isinstance(node, GroupWindowAggregate):
        return is_rowtime(node.window.time_field.field_type)
    return node.windowing.is_rowtime


def _kernel(node: PlanNode) -> str:
    if isinstance(node, GroupWindowAggregate):
        window = node.window
        if window.kind == "SESSION":
            return "session-aggregate"
        return "window-aggregate" if window.is_time_window else "count-window-aggregate"
    assert isinstance(node, WindowAggregate | GlobalWindowAggregate | LocalWindowAggregate)
    session = isinstance(node.windowing.window, SessionWindow) and isinstance(node.windowing, TimeAttributeWindowing)
    return "session-aggregate" if session else "window-aggregate"


def _aggregate(
    node: WindowAggregate | GlobalWindowAggregate | GroupWindowAggregate,
    reader: PlanNode,
    windows: Meaning,
    grouping: Sequence[int],
    calls: Sequence[AggregateCall],
    needs_retraction: bool,
    context: Context,
) -> RuleResult:
    """Build the operator; `reader` is the node whose input the indices refer to."""
    (port,) = sides(context.inputs(reader))
    types = context.types(reader)
    draft = OperatorDraft(node, "window-aggregate", context, (port,), _kernel(reader))
    draft.key_of(port, grouping, types)
    draft.add("window", [windows], role=Role.KEY)
    meanings = add_calls(draft, calls, types)
    draft.add_value("takes rows back", needs_retraction, role=Role.AROUND)
    draft.watermarks(in_event_time(node))
    keys = [port.column(at) for at in grouping]
    results = results_of(meanings, [*keys, windows], port.origin, "window")
    properties: Sequence[NamedWindowProperty] = node.named_window_properties
    return draft.finish(
        [*keys, *results, *_window_columns(windows, [property_.property.kind for property_ in properties])],
        "window aggregate",
    )


@rule(WindowJoin)
def window_join(node: WindowJoin, context: Context) -> RuleResult:
    """State: the rows of both sides by window."""
    draft = OperatorDraft(node, "window-join", context, context.ports(node))
    left, right = draft.ports
    windows = (windows_of(node, node.left_windowing, left), windows_of(node, node.right_windowing, right))
    columns = join_parts(node, node.join_spec, draft, context, windows)
    draft.watermarks(node.left_windowing.is_rowtime)
    return draft.finish(columns, f"{node.join_spec.join_type.lower()} window join")


@rule(WindowRank)
def window_rank(node: WindowRank, context: Context) -> RuleResult:
    """State: the rows that may be among the first of a window."""
    (port,) = context.ports(node)
    draft = OperatorDraft(node, "window-rank", context, (port,))
    draft.key(port, node.partition_spec.fields)
    draft.add("window", [windows_of(node, node.windowing, port)], role=Role.KEY)
    sorting = order_of(node.sort_spec.fields, port.column)
    draft.add("order", sorting)
    add_ranks(draft, port, node.rank_range)
    draft.stored(port)
    draft.watermarks(node.windowing.is_rowtime)
    partition = [port.column(at) for at in node.partition_spec.fields]
    number = [ranked(node.rank_type, partition, sorting, port.origin)] if node.output_row_number else []
    return draft.finish((*port.all_columns(), *number), "window top-n")


@rule(WindowDeduplicate)
def window_deduplicate(node: WindowDeduplicate, context: Context) -> RuleResult:
    """State: the first or last row of each key and window."""
    (port,) = context.ports(node)
    draft = OperatorDraft(node, "window-deduplicate", context, (port,))
    draft.key(port, node.partition_keys)
    draft.add("window", [windows_of(node, node.windowing, port)], role=Role.KEY)
    draft.add("order", [port.column(node.order_key)])
    add_row_choice(draft, node.keep_last_row)
    draft.stored(port)
    draft.watermarks(node.windowing.is_rowtime)
    return draft.finish(port.all_columns(), "window last" if node.keep_last_row else "window first")


def _window(edited: Edited) -> Judgement:
    """Judge a window edit: state is stored by window."""
    if edited.list.added or edited.list.dropped:
        why = "the state of open windows is stored under the old windows, and not found under the new ones"
        return edited.incompatible(why)
    return edited.full(listed=True)


def _retraction(edited: Edited) -> Judgement:
    """Judge retraction as for groups; windows do not record the affected calls."""
    calls = edited.pair.list("aggregates")
    affected = [
        calls.new[match_.new] for match_ in calls.matches if function_of(calls.new[match_.new].meaning) in TWO_FORMS
    ]
    if affected:
        why = f"{listed(affected)} has another form with retractions than without"
        return edited.incompatible(why)
    return edited.full()


def _words(texts: Texts) -> str:
    return f"{texts['aggregates'] or 'windows'}{texts.by} in {texts['window']}"


_OPEN = " of open windows"
_WINDOW: Mapping[str, VerdictRule] = {"window": _window}
declare(
    OperatorKind(
        "window-aggregate",
        _words,
        {**RULES, **_WINDOW, "takes rows back": _retraction},
        waiting=_OPEN,
        stay="stay counted",
    ),
    OperatorKind("window-join", words, {**BY_TIME, **_WINDOW}, waiting=_OPEN),
    OperatorKind("window-rank", first_rows, {"ranks": ranks, **_WINDOW}, waiting=_OPEN),
    OperatorKind(
        "window-deduplicate", one_row, {"keeps": keeps, "order": order, **_WINDOW}, waiting=_OPEN, retract_key="key"
    ),
    OperatorKind("session-rows", rules=_WINDOW, waiting=" of open sessions"),
)
