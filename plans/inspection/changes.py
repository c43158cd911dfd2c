"""Changelog modes of the rows along a plan, derived from its nodes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import or_

from compiled_plan.plans.inspection.declared import DECLARED
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.rank import Limit
from compiled_plan.plans.nodes.ranks import ConstantRange
from compiled_plan.plans.nodes.stateless import Calc, Exchange
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.types.changelog import ChangelogMode

_INSERT = ChangelogMode.INSERT


def certainly_received(plan: CompiledPlan) -> Mapping[int, ChangelogMode]:
    """By node, the kinds of rows that it certainly receives, or that its table produces."""
    received: dict[int, ChangelogMode] = {}
    sent: dict[int, ChangelogMode] = {}
    for node in plan.in_order:
        received[node.id] = reduce(or_, _inputs(plan, node, sent, _INSERT))
        sent[node.id] = node.sends(received[node.id])
    return received


def possibly_sent(plan: CompiledPlan, unknown: ChangelogMode = _INSERT) -> Mapping[int, ChangelogMode]:
    """By node, the kinds of rows that it may send; `unknown` applies to unknown tables and unsupported nodes."""
    sent: dict[int, ChangelogMode] = {}
    for node in plan.in_order:
        mode = node.may_send(_inputs(plan, node, sent, unknown))
        sent[node.id] = mode if node.RUNNABLE else mode | unknown
    return sent


def append_only(plan: CompiledPlan) -> frozenset[int]:
    """The nodes that certainly never retract a row."""
    return frozenset(id_ for id_, mode in possibly_sent(plan, ChangelogMode.ALL).items() if mode.insert_only)


def most_rows(plan: CompiledPlan) -> int | None:
    """The number of rows after which the only sink of a plan receives no more, by LIMIT; None if there may be more."""
    if len(plan.sinks) != 1 or plan.sinks[0].id not in append_only(plan):
        return None
    (node,) = plan.sinks
    while len(inputs := plan.inputs(node)) == 1:
        (node,) = inputs
        if isinstance(node, Limit) and isinstance(node.rank_range, ConstantRange):
            return node.rank_range.end - node.rank_range.start + 1
        if not isinstance(node, Calc | Exchange):
            return None
    return None


def _inputs(
    plan: CompiledPlan, node: PlanNode, sent: Mapping[int, ChangelogMode], unknown: ChangelogMode
) -> list[ChangelogMode]:
    """The kinds of rows that each input of a node receives, or that its table produces."""
    if inputs := plan.inputs(node):
        return [sent[source.id] for source in inputs]
    tables = [DECLARED.changes(table.options, reading=True) or unknown for _, table in node.tables()[:1]]
    return tables or [_INSERT]
