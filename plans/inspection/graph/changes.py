"""The kinds of rows that the operators of a plan may give."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import reduce
from operator import or_

from compiled_plan.plans.inspection.declared import DECLARED
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.process_table_function import ProcessTableFunction
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.nodes.table_rules import options_of
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.types.changelog import ChangelogMode

_RETRACTS = ChangelogMode.UPDATE_BEFORE | ChangelogMode.DELETE
#: Operators whose updates leave the row before out where the plan says so.
_TELLS = "generate_update_before"
_WINDOWS = ("window-aggregate", "global-window-aggregate", "group-window-aggregate")


def changelog_modes(plan: CompiledPlan, appends: Collection[int]) -> Mapping[int, ChangelogMode]:
    """By node the kinds of rows that it may give.

    Args:
        plan: the plan.
        appends: the nodes that give inserts alone.
    """
    found: dict[int, ChangelogMode] = {}
    for node in plan.in_order:
        received = reduce(or_, (found[each.id] for each in plan.inputs(node)), ChangelogMode.NONE)
        found[node.id] = ChangelogMode.INSERT if node.id in appends else _given(node, received)
    return found


def _given(node: PlanNode, received: ChangelogMode) -> ChangelogMode:
    if not received:
        modes = [DECLARED.changes(options_of(table), reading=True) for _, table in node.tables()]
        return (modes[0] if modes else None) or ChangelogMode.INSERT
    if isinstance(node, Sink):
        return ChangelogMode.of(node.input_changelog_mode)
    if node.kind == "drop-update-before":
        return received & ~ChangelogMode.UPDATE_BEFORE
    if isinstance(node, ProcessTableFunction):
        return node.sends(received)
    if node.kind in _WINDOWS:
        return ChangelogMode.INSERT
    if hasattr(node, _TELLS):
        return _of_keys(node, received)
    if node.kind == "over-aggregate" or _is_outer(node):
        return ChangelogMode.ALL
    return received


def _is_outer(node: PlanNode) -> bool:
    """Whether a row without a partner is given, and taken back when one comes."""
    spec = getattr(node, "join_spec", None)
    types = getattr(node, "join_types", None) or [getattr(spec, "join_type", "INNER")]
    return any(each not in ("INNER", "SEMI") for each in types)


def _of_keys(node: PlanNode, received: ChangelogMode) -> ChangelogMode:
    """An operator that keeps results by key and gives them again when they change."""
    mode = ChangelogMode.INSERT | ChangelogMode.UPDATE_AFTER
    if getattr(node, _TELLS):
        mode |= ChangelogMode.UPDATE_BEFORE
    if "aggregate" not in node.kind or received & _RETRACTS:
        mode |= ChangelogMode.DELETE
    return mode
