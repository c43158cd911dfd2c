"""One-line summaries of stateless operators, derived from their typed fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from compiled_plan.plans.inspection.lineage.expressions import Scope, meaning_of
from compiled_plan.plans.inspection.lineage.meaning import Meaning, listed, value
from compiled_plan.plans.inspection.operators.calls import calls_of
from compiled_plan.plans.nodes.aggregate import LocalGroupAggregate
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.scan import Values
from compiled_plan.plans.nodes.stateless import Calc, Correlate, MiniBatchAssigner, WatermarkAssigner
from compiled_plan.plans.nodes.window import LocalWindowAggregate
from compiled_plan.plans.rex import RexNode
from compiled_plan.plans.text.durations import format_duration
from compiled_plan.plans.text.visible import counted


def summary_of(node: PlanNode, inputs: Sequence[PlanNode]) -> str:
    """Summary of a node: a filter's condition, else the computed columns or expression, with names from its inputs."""
    names = inputs[0].output_type.names if inputs else ()
    summary = next((_SUMMARIES[class_] for class_ in type(node).__mro__ if class_ in _SUMMARIES), None)
    return (summary(node, names) if summary else "") or ", ".join(node.output_type.names)


def _column(names: Sequence[str]) -> Callable[[int], Meaning]:
    return lambda at: value(names[at] if 0 <= at < len(names) else f"column {at}")


def _text(rex: RexNode, names: Sequence[str]) -> str:
    return meaning_of(rex, Scope(_column(names), outer=value)).text


def _calc(node: Calc, names: Sequence[str]) -> str:
    if node.condition is not None:
        return _text(node.condition, names)
    texts = [_text(rex, names) for rex in node.projection]
    named = zip(texts, node.output_type.names, strict=False)
    return ", ".join(text if text == name else f"{text} AS {name}" for text, name in named)


def _aggregate(node: LocalGroupAggregate | LocalWindowAggregate, names: Sequence[str]) -> str:
    column = _column(names)
    return listed((*map(column, node.grouping), *calls_of(node.agg_calls, column)))


def _watermark(node: WatermarkAssigner, names: Sequence[str]) -> str:
    return f"{_column(names)(node.rowtime_field_index).text}: {_text(node.watermark_expr, names)}"


_SUMMARIES: Mapping[type[PlanNode], Callable[[Any, Sequence[str]], str]] = {
    Calc: _calc,
    Correlate: lambda node, names: _text(node.function_call, names),
    LocalGroupAggregate: _aggregate,
    LocalWindowAggregate: _aggregate,
    MiniBatchAssigner: lambda node, names: f"every {format_duration(node.mini_batch_interval.interval)}",
    Values: lambda node, names: counted(len(node.tuples), "row"),
    WatermarkAssigner: _watermark,
}
