"""Invariants of a draft after every pass: of its trees, its operators, its plan.

The check of operators ends every compilation. The other checks cost a tenth of the compile time: tests run them on
every plan, and a compilation runs them to name the faulty pass if the first check fails.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compiled_plan.planner.algebra.nodes import RelNode
from compiled_plan.planner.algebra.traverse import expressions, nodes
from compiled_plan.planner.physical.base import OperatorPlanner, PhysicalOperator
from compiled_plan.planner.physical.draft import Draft
from compiled_plan.plans.rex import InputRef, walk
from compiled_plan.plans.types import LogicalType


def faults(draft: Draft) -> Iterator[str]:
    """Violations in a draft: in its plan if there is one, else in its operators, else in its trees."""
    if draft.plan is not None:
        # Loading the reader of plans takes longer than compiling a small program.
        from compiled_plan.plans.inspection.rules import plan_findings

        # A plan that runs in Flink alone is no fault of a pass.
        findings = plan_findings(draft.plan)
        yield from (f"{item.pointer}: {item.message}" for item in findings if item.is_unreadable)
    elif draft.operators:
        yield from operator_faults(draft)
    else:
        yield from tree_faults(draft.trees)


def tree_faults(trees: Sequence[RelNode]) -> Iterator[str]:
    """References to columns that do not exist or have another type."""
    for rel in nodes(trees):
        types = tuple(type_ for child in rel.inputs for type_ in child.row_type.types)
        for rex in expressions(rel):
            for node in walk(rex):
                if isinstance(node, InputRef):
                    yield from _reference(node, types, type(rel).__name__)


def _reference(ref: InputRef, types: Sequence[LogicalType], where: str) -> Iterator[str]:
    if not 0 <= ref.index < len(types):
        yield f"{where} reads column {ref.index} of {len(types)}"
    elif _plain(ref.type) != _plain(types[ref.index]):
        yield f"{where} reads column {ref.index} as {ref.type}, and it is {types[ref.index]}"


def _plain(type_: LogicalType) -> LogicalType:
    """The type without nullability and time attribute, which passes settle step by step."""
    return type_.as_regular().with_nullability(True)


def operator_faults(draft: Draft) -> Iterator[str]:
    """Traits that do not fit the row: keys of missing columns, columns without traits."""
    seen: set[int] = set()
    for sink in draft.operators:
        yield from _below(sink, draft.known, seen)


def _below(operator: PhysicalOperator, planner: OperatorPlanner, seen: set[int]) -> Iterator[str]:
    if id(operator) in seen:
        return
    seen.add(id(operator))
    for child in operator.inputs:
        yield from _below(child, planner, seen)
    traits, width = planner.traits(operator), len(operator.row_type.fields)
    for key in traits.upsert_keys | traits.local_keys:
        if not all(0 <= index < width for index in key):
            yield f"{operator.title()} has the key {sorted(key)} in {width} columns"
    if len(traits.monotonicity) != width:
        yield f"{operator.title()} says how {len(traits.monotonicity)} of {width} columns move"
