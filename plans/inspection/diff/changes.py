"""Which nodes of a plan never take a row back."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from compiled_plan.plans.inspection.declared import DECLARED
from compiled_plan.plans.inspection.lineage import OperatorLineage
from compiled_plan.plans.inspection.lineage.rules.deduplicate import ARRIVAL
from compiled_plan.plans.inspection.lineage.rules.over import COLUMN_OVER
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.process_table_function import ProcessTableFunction
from compiled_plan.plans.nodes.scan import TableSourceScan
from compiled_plan.plans.nodes.table_rules import options_of
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.types.changelog import ChangelogMode


def append_only(plan: CompiledPlan, operators: Mapping[int, OperatorLineage]) -> frozenset[int]:
    """The nodes that certainly give inserts alone.

    Args:
        plan: the plan.
        operators: the operators that keep something, by node.
    """
    found: set[int] = set()
    for node in plan.in_order:
        inputs = [below.id in found for below in plan.inputs(node)]
        operator = operators.get(node.id)
        if operator is not None:
            appends = _OPERATORS.get(operator.kind, _never)(operator, inputs)
        elif isinstance(node, ProcessTableFunction):
            appends = node.sends(ChangelogMode.INSERT).insert_only
        elif isinstance(node, TableSourceScan):
            appends = _table_appends(node)
        else:
            # A first phase gives sums in place of rows; what keeps nothing gives what it gets.
            appends = all(inputs) and node.runnable
        if appends:
            found.add(node.id)
    return frozenset(found)


def _table_appends(node: PlanNode) -> bool:
    return all(
        (mode := DECLARED.changes(options_of(table), reading=True)) is not None and mode.insert_only
        for _, table in node.tables()[:1]
    )


def _never(operator: OperatorLineage, inputs: list[bool]) -> bool:
    return False


def _always_then(operator: OperatorLineage, inputs: list[bool]) -> bool:
    return all(inputs)


def _join(operator: OperatorLineage, inputs: list[bool]) -> bool:
    type_ = operator.value("join type")
    types = operator.value("join types") if type_ is None else (type_,)
    return all(inputs) and all(each in ("INNER", "SEMI") for each in types)


def _deduplicate(operator: OperatorLineage, inputs: list[bool]) -> bool:
    at_once = operator.value("order") == ARRIVAL
    return not operator.value("keeps") and (at_once or operator.value("waits for the watermark"))


def _over(operator: OperatorLineage, inputs: list[bool]) -> bool:
    return all(inputs) and operator.value("operator") != COLUMN_OVER


def _left(operator: OperatorLineage, inputs: list[bool]) -> bool:
    return inputs[0]


_OPERATORS: Mapping[str, Callable[[OperatorLineage, list[bool]], bool]] = {
    "deduplicate": _deduplicate,
    "join": _join,
    "multi-join": _join,
    "over-aggregate": _over,
    "temporal-join": _left,
} | dict.fromkeys(
    (
        "window-aggregate",
        "window-join",
        "window-rank",
        "window-deduplicate",
        "session-rows",
        "interval-join",
        "temporal-sort",
        "match",
        "row-counter",
    ),
    _always_then,
)
