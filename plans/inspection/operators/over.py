"""OVER aggregates."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from compiled_plan.plans.inspection.judging.kinds import OperatorKind, Texts, declare
from compiled_plan.plans.inspection.lineage.drafting import Context, OperatorDraft, RuleResult, rule
from compiled_plan.plans.inspection.lineage.expressions import Scope, meaning_of
from compiled_plan.plans.inspection.lineage.meaning import Meaning, compose, value
from compiled_plan.plans.inspection.lineage.operators import Property, listed
from compiled_plan.plans.inspection.operators.calls import Columns, calls_of, order_of, results_of, type_at
from compiled_plan.plans.nodes.over import Bound, BoundedWindow, OverAggregate, OverGroup
from compiled_plan.plans.types import TimeKind

if TYPE_CHECKING:
    from compiled_plan.plans.inspection.judging.edited import Edited, Judgement

#: The kernel's operator for an order that is no time attribute: it may retract rows.
_COLUMN_OVER = "column-over"


@rule(OverAggregate)
def over_aggregate(node: OverAggregate, context: Context) -> RuleResult:
    """State: the rows of the frame, or the accumulators of unbounded calls."""
    (port,) = context.ports(node)
    spec = node.over_spec
    draft = OperatorDraft(node, "over-aggregate", context, (port,))
    draft.key(port, spec.partition.fields)
    width = spec.original_input_fields
    nothing = Scope(lambda at: compose("nothing", text="nothing"))
    constants = [meaning_of(rex, nothing) for rex in spec.constants]

    def column(at: int) -> Meaning:
        return constants[at - width] if width <= at < width + len(constants) else port.column(at)

    keys = [port.column(at) for at in spec.partition.fields]
    types = context.types(node)
    results: list[Meaning] = []
    for number, group in enumerate(spec.groups, start=1):
        place = number if len(spec.groups) > 1 else 0
        order = order_of(group.order_by.fields, port.column)
        frame = _frame(group, column)
        calls = calls_of(group.agg_calls, column)
        draft.add("order", order, [type_at(types, field.index) for field in group.order_by.fields], number=place)
        draft.add("frame", [frame], number=place)
        draft.add("aggregates", calls, [call.type for call in group.agg_calls], number=place)
        results += results_of(calls, [*keys, *order, frame], port.origin, "over")
    draft.stored(port)
    clock = node.clock(types)
    draft.kernel = _COLUMN_OVER if clock is None else f"{clock.value.lower()}-over"
    draft.watermarks(clock is TimeKind.ROWTIME)
    return draft.finish((*port.all_columns(), *results), "over")


def _frame(group: OverGroup, column: Columns) -> Meaning:
    bounds = [_bound(bound, column) for bound in (group.lower_bound, group.upper_bound)]
    unit = "ROWS" if group.is_rows else "RANGE"
    return compose("frame", bounds, unit, text=f"{unit} BETWEEN {bounds[0].text} AND {bounds[1].text}")


def _bound(bound: Bound, column: Columns) -> Meaning:
    if not isinstance(bound, BoundedWindow):
        return value(bound.kind.replace("_", " "))
    offset = meaning_of(bound.offset, Scope(column))
    direction = "PRECEDING" if bound.is_preceding else "FOLLOWING"
    return compose("bound", (offset,), direction, text=f"{offset.text} {direction}")


def _aggregates(edited: Edited) -> Judgement:
    """Judge calls: accumulators accompany the rows of a frame, and rows never accumulated must not be retracted."""
    items = edited.list
    if added := items.added:
        if edited.pair.values("operator") == (_COLUMN_OVER, _COLUMN_OVER):
            why = f"{listed(added)} is computed from the stored rows; results of rows from before follow with the next"
            return edited.partial(why, listed=True)
        name = replace(edited.present, subject="frame").name
        if all(_reach(frame) is not None for frame in edited.pair.property(name)):
            # Computed from the stored rows of the frame; missing columns are reported by `columns`.
            return edited.full(listed=True)
        why = f"{listed(added)} starts empty: for existing keys it lacks the rows from before"
        return edited.partial(why, listed=True)
    return edited.unless_rounded(f"values that {listed(items.rounded)} accumulated before were rounded to the old type")


def _frame_edited(edited: Edited) -> Judgement:
    """Judge a frame: rows that have left it are gone."""
    frames = [_frame_of(property_) for property_ in (edited.old, edited.new)]
    old_unit, unit = (meaning.plain if meaning is not None else None for meaning in frames)
    old_reach, reach = _reach(edited.old), _reach(edited.new)
    if old_reach is None or reach is None or old_unit != unit:
        return edited.incompatible("the rows of the new frame are unknown")
    if reach > old_reach:
        why = (
            "rows that have left the old frame when the next one of their key comes are gone: results lack them until "
            "the new frame holds only new rows"
        )
        return edited.partial(why)
    if unit == "ROWS":
        why = "one row leaves the frame for each new one: it would keep its old length"
        return edited.incompatible(why)
    return edited.full(past_fault="results over the longer frame were emitted, and stay")


def _frame_of(property_: Property | None) -> Meaning | None:
    return property_.items[0].meaning if property_ is not None and property_.items else None


def _reach(property_: Property | None) -> float | None:
    """Rows or milliseconds that a frame reaches back; None if unbounded."""
    frame = _frame_of(property_)
    bound = frame.parts[0] if frame is not None and frame.parts else None
    if bound is None or bound.head != "bound":
        return None
    number = bound.parts[0].plain[0] if bound.parts[0].head == "literal" else None
    try:
        return float(str(number))
    except ValueError:
        return 0.0


def _words(texts: Texts) -> str:
    order = texts["order"] or texts["order 1"]
    return f"{texts['aggregates'] or texts['aggregates 1']} over rows ordered by {order}{texts.by}"


declare(
    OperatorKind("over-aggregate", _words, {"aggregates": _aggregates, "frame": _frame_edited}, stay="stay counted")
)
