"""Stateless nodes: they are no operators, and pass meanings on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from compiled_plan.plans.inspection.judging.kinds import OperatorKind, declare
from compiled_plan.plans.inspection.lineage.drafting import Context, OperatorDraft, RuleResult, rule
from compiled_plan.plans.inspection.lineage.expressions import Scope, conjuncts, meaning_of
from compiled_plan.plans.inspection.lineage.meaning import Meaning, compose
from compiled_plan.plans.inspection.lineage.rows import Branch, in_order
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.stateless import (
    Calc,
    Correlate,
    DropUpdateBefore,
    Exchange,
    Expand,
    MiniBatchAssigner,
    Union,
    WatermarkAssigner,
)
from compiled_plan.plans.rex import RexNode

if TYPE_CHECKING:
    from compiled_plan.plans.inspection.judging.edited import Edited, Judgement


@rule(Exchange, MiniBatchAssigner)
def same(node: PlanNode, context: Context) -> RuleResult:
    return RuleResult(context.inputs(node)[0])


@rule(Union)
def union(node: Union, context: Context) -> RuleResult:
    """All rows of all inputs."""
    return RuleResult(tuple(branch for rows in context.inputs(node) for branch in rows))


def _projected(branch: Branch, exprs: tuple[RexNode, ...], scope: Scope) -> Branch:
    return replace(branch, columns=tuple(meaning_of(rex, scope) for rex in exprs))


@rule(Calc)
def calc(node: Calc, context: Context) -> RuleResult:
    """Filter, then project; with a seeded RAND, keep a count of rows."""
    if node.keeps_state:
        return _counted(node, context)
    branches = []
    for branch in context.inputs(node)[0]:
        scope = context.scope(node, branch.column)
        branches.append(_projected(branch.where(conjuncts(node.condition, scope)), node.projection, scope))
    return RuleResult(tuple(branches))


def _counted(node: Calc, context: Context) -> RuleResult:
    (port,) = context.ports(node)
    draft = OperatorDraft(node, "row-counter", context, (port,))
    scope = context.scope(node, port.column)
    draft.add("condition", in_order(conjuncts(node.condition, scope)))
    return draft.finish(tuple(meaning_of(rex, scope) for rex in node.projection), "counted")


@rule(Expand)
def expand(node: Expand, context: Context) -> RuleResult:
    """Emit every row once per projection."""
    branches = context.inputs(node)[0]
    return RuleResult(
        tuple(
            _projected(branch, project, context.scope(node, branch.column))
            for branch in branches
            for project in node.projects
        )
    )


@rule(DropUpdateBefore)
def drop_update_before(node: DropUpdateBefore, context: Context) -> RuleResult:
    dropped = compose("no -U", text="no -U rows")
    return RuleResult(tuple(branch.where([dropped]) for branch in context.inputs(node)[0]))


@rule(WatermarkAssigner)
def watermarks(node: WatermarkAssigner, context: Context) -> RuleResult:
    """Pass the rows unchanged, with watermarks."""
    branches = []
    for branch in context.inputs(node)[0]:
        watermark = meaning_of(node.watermark_expr, context.scope(node, branch.column))
        branches.append(replace(branch, watermarks=in_order((*branch.watermarks, watermark))))
    return RuleResult(tuple(branches))


@rule(Correlate)
def correlate(node: Correlate, context: Context) -> RuleResult:
    """Join every row with the rows that a table function returns for it."""
    return RuleResult(tuple(_correlated(branch, node, context) for branch in context.inputs(node)[0]))


def _correlated(branch: Branch, node: Correlate, context: Context) -> Branch:
    width = len(branch.columns)
    names = node.output_type.names[:width]

    def outer(name: str) -> Meaning:
        return branch.column(names.index(name) if name in names else -1)

    scope = replace(context.scope(node, branch.column), outer=outer)
    call = meaning_of(node.function_call, scope)
    columns = tuple(
        compose("element", (call,), at - width, text=f"{call.text}[{at - width}]", full=f"{call.full}[{at - width}]")
        for at in range(width, len(node.output_type.fields))
    )
    rows_scope = context.scope(node, lambda at: columns[at] if at < len(columns) else branch.column(-1))
    conditions = in_order(conjuncts(node.condition, rows_scope))
    shown = f"{branch.origin.text} {node.join_type.lower()} with {call.text}"
    parts: tuple[Meaning, ...] = (branch.origin, call)
    if node.join_type == "LEFT":
        # Unmatched rows are padded with NULL, so the condition changes the meaning of the columns.
        columns = tuple(
            compose("or null", (column, *conditions), text=column.text, full=column.full) for column in columns
        )
        parts, conditions = (branch.origin, call, *conditions), ()
    origin = compose("correlate", parts, node.join_type, text=shown, full=shown)
    return replace(branch.where(conditions), origin=origin, columns=(*branch.columns, *columns))


def _condition(edited: Edited) -> Judgement:
    return edited.partial("the count continues from the rows that passed the old condition", listed=True)


declare(OperatorKind("row-counter", rules={"condition": _condition}))
