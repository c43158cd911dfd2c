"""Stateless nodes: calc, union, exchange, expand, correlate, and nodes that only control Flink's run time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from pyspark.sql import Column
from pyspark.sql import functions as F

from compiled_plan.plans.execution.expressions import ExpressionContext, to_column
from compiled_plan.plans.execution.expressions.functions import fail
from compiled_plan.plans.execution.expressions.precision import as_passed, as_sent
from compiled_plan.plans.execution.interfaces.connectors import INSERT, UPDATE_BEFORE
from compiled_plan.plans.execution.operators.base import (
    Exploded,
    Flow,
    KeyedOperator,
    KeyedPort,
    Lowering,
    emitting,
    is_keyed,
    keyed,
    stateless,
)
from compiled_plan.plans.execution.operators.parameters import JoinedCondition, Parameters
from compiled_plan.plans.execution.operators.table_functions import elements, or_null
from compiled_plan.plans.execution.spark import lambdas
from compiled_plan.plans.nodes.aggregate import LocalGroupAggregate
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.process_table_function import KINDS, ProcessTableFunction
from compiled_plan.plans.nodes.stateless import (
    AsyncCalc,
    AsyncCorrelate,
    Calc,
    Correlate,
    DropUpdateBefore,
    Exchange,
    Expand,
    MiniBatchAssigner,
    Union,
    WatermarkAssigner,
)
from compiled_plan.plans.rex import CorrelVariable, calls_python, type_of, walk
from compiled_plan.plans.types import BIGINT


@stateless(Calc, AsyncCalc)
def calc(node: Calc, port: int, flow: Flow, lowering: Lowering) -> Sequence[Flow]:
    context = replace(lowering.context(node), current_watermark=flow.current)
    columns = tuple(as_passed(to_column(rex, flow.columns, context), type_of(rex)) for rex in node.projection)
    filtered = flow
    if node.condition is not None:
        filtered = flow.where(to_column(node.condition, flow.columns, context))
    return [replace(filtered, columns=columns)]


@dataclass(frozen=True, slots=True)
class RowCounterParameters(Parameters):
    """Rows followed by two numbers: the row's own, and its number among the rows that pass `condition`."""

    TYPE: ClassVar[str] = "row-counter"
    condition: JoinedCondition | None


@keyed(Calc, when=lambda node: node.keeps_state and not any(map(calls_python, (node.condition, *node.projection))))
def counting_calc(node: Calc, lowering: Lowering) -> KeyedOperator:
    """Like `calc`, over numbered rows: RAND with a seed gives Flink's sequence, whatever the micro-batches.

    One task runs it, because there is one sequence. A call in a branch of CASE advances with every row, not only with
    those of its branch.
    """
    types, context = lowering.input_types(node), lowering.context(node)
    condition = node.condition

    def passes(columns: Sequence[Column]) -> Column:
        assert condition is not None
        return to_column(condition, tuple(columns[:-2]), replace(context, counted=columns[-2]))

    def projected(columns: Sequence[Column]) -> Sequence[Column]:
        inside = replace(context, counted=columns[-1])
        return tuple(to_column(rex, tuple(columns[:-2]), inside) for rex in node.projection)

    return KeyedOperator(
        ports=(KeyedPort.by((), types),),
        output=(*types, BIGINT, BIGINT),
        parameters=RowCounterParameters(
            None if condition is None else JoinedCondition((*types, BIGINT, BIGINT), passes)
        ),
        finish=projected,
    )


@stateless(MiniBatchAssigner, WatermarkAssigner, LocalGroupAggregate)
def same(node: object, port: int, flow: Flow, lowering: Lowering) -> Sequence[Flow]:
    """Pass the rows through.

    This includes a local aggregate: the global aggregate above it aggregates the rows themselves.
    """
    return [flow]


@stateless(Exchange)
def exchange(node: Exchange, port: int, flow: Flow, lowering: Lowering) -> Sequence[Flow]:
    return [_sent(flow, emitting(lowering.plan, node.id))]


@stateless(Union)
def union(node: Union, port: int, flow: Flow, lowering: Lowering) -> Sequence[Flow]:
    """Pass the rows through. Flink chains no operator of several inputs to its inputs: it sends the rows."""
    return [_sent(flow, lowering.plan.inputs(node.id)[port])]


def _sent(flow: Flow, emitter: PlanNode) -> Flow:
    """Rows of a node after Flink has sent them to another task; its keyed operators only have rows that were sent."""
    if is_keyed(emitter) and not isinstance(emitter, Calc):
        return flow
    typed = zip(flow.columns, emitter.output_type.types, strict=True)
    return replace(flow, columns=tuple(as_sent(column, type_) for column, type_ in typed))


@stateless(DropUpdateBefore)
def drop_update_before(node: DropUpdateBefore, port: int, flow: Flow, lowering: Lowering) -> Sequence[Flow]:
    return [flow.where(flow.kind != F.lit(UPDATE_BEFORE))]


@stateless(ProcessTableFunction)
def changelog_function(node: ProcessTableFunction, port: int, flow: Flow, lowering: Lowering) -> Sequence[Flow]:
    """Changes as rows with a leading code, or rows with such a code as changes."""
    call, names = node.call(), lowering.plan.inputs(node.id)[0].output_type.names
    numbers = [(F.lit(code), F.lit(KINDS.index(kind)).cast("tinyint")) for code, kind in call.codes]
    if call.direction == "TO":
        text = F.lit(None).cast("string")
        for code, number in numbers:
            text = F.when(flow.kind == number, code).otherwise(text)
        mapped = flow.where(flow.kind.isin([number for _, number in numbers]))
        times = [] if call.on_time is None else [flow.columns[names.index(call.on_time)]]
        return [replace(mapped, kind=F.lit(INSERT).cast("tinyint"), columns=(text, *flow.columns, *times))]
    at = names.index(call.column)
    known = ", ".join(code for code, _ in call.codes)
    change = fail(f"FROM_CHANGELOG knows the codes {known}, and column {call.column!r} holds ", flow.columns[at])
    change = change.cast("tinyint")
    for code, number in numbers:
        change = F.when(flow.columns[at] == code, number).otherwise(change)
    return [replace(flow, kind=change, columns=(*flow.columns[:at], *flow.columns[at + 1 :]))]


@stateless(Expand)
def expand(node: Expand, port: int, flow: Flow, lowering: Lowering) -> Sequence[Flow]:
    """Emit every row once per project."""
    context = lowering.context(node)
    return [
        replace(flow, columns=tuple(to_column(rex, flow.columns, context) for rex in project))
        for project in node.projects
    ]


@stateless(Correlate, AsyncCorrelate)
def correlate(node: Correlate, port: int, flow: Flow, lowering: Lowering) -> Sequence[Exploded]:
    """Join every row with the rows that the table function returns for it; LEFT keeps rows without any."""
    row = node.output_type
    context = outer_row(node, flow.columns, lowering.context(node))
    width = len(row.fields) - len(flow.columns)
    rows = elements(node, flow.columns, context)
    if node.condition is not None:
        condition = node.condition
        rows = lambdas.filtered(
            rows, lambda item: to_column(condition, tuple(item.getField(f"v{at}") for at in range(width)), context)
        )
    if node.join_type == "LEFT":
        rows = or_null(rows, node.output_type.types[len(flow.columns) :])

    def make(element: Column, position: Column) -> Flow:
        columns = (*flow.columns, *(element.getField(f"v{at}") for at in range(width)))
        return replace(flow, columns=columns, path=flow.path_to(position), condition=None)

    return [Exploded(rows, make, flow.condition)]


def outer_row(node: Correlate, inputs: Sequence[Column], context: ExpressionContext) -> ExpressionContext:
    """The context of a correlate's call, which may reference the whole input row, `$cor0`."""
    names = {rex.name for rex in walk(node.function_call) if isinstance(rex, CorrelVariable)}
    outer = F.struct(*(column.alias(name) for name, column in zip(node.output_type.names, inputs, strict=False)))
    return replace(context, correlated=dict.fromkeys(names, outer))
