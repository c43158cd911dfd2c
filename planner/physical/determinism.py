"""Determinism of updates: a retraction must equal the row that it retracts.

With `table.optimizer.non-deterministic-update.strategy` = `TRY_RESOLVE`, each operator states the columns of its inputs
whose values a retraction must repeat, from the sinks down. A lookup join that sends such a column stores the rows that
it joined; a function such as UUID() in such a column is refused.

Source of the rules: Flink's page "Determinism in Continuous Queries" and the plans of Flink 2.3.
"""

from __future__ import annotations

from compiled_plan.planner.physical.base import OperatorPlanner, PhysicalOperator
from compiled_plan.planner.physical.draft import Draft
from compiled_plan.planner.physical.traits import Key, Keys
from compiled_plan.planner.physical.update_kinds import SharedOperators

_NONE = Key()


def resolve_updates(draft: Draft) -> Draft:
    """The operators with lookup joins that store their rows where a retraction depends on them.

    Raises:
        ProgramError: a retraction depends on a value that changes from call to call.
    """
    visitor = _Visitor(draft.known)
    return draft.with_operators(visitor.visit(sink, _NONE) for sink in draft.operators)


class _Visitor:
    """Visits operators with the columns that must be deterministic; equal results are one operator."""

    def __init__(self, planner: OperatorPlanner) -> None:
        self._planner = planner
        self._shared = SharedOperators()
        self._done: dict[tuple[int, Key], PhysicalOperator] = {}

    def visit(self, operator: PhysicalOperator, columns: Key) -> PhysicalOperator:
        place = (id(operator), columns)
        if place not in self._done:
            inputs = tuple(map(self._planner.traits, operator.inputs))
            operator = operator.storing(columns, inputs)
            required = operator.deterministic_columns(columns, inputs)
            visited = tuple(
                self.visit(child, _NONE if item.modify_kinds.insert_only else _beside(item.upsert_keys, Key(wanted)))
                for child, item, wanted in zip(operator.inputs, inputs, required, strict=True)
            )
            self._done[place] = self._shared.one(operator.with_inputs(visited))
        return self._done[place]


def _beside(keys: Keys, columns: Key) -> Key:
    """The columns beside the upsert key that leaves the fewest: the columns of a key never change."""
    return min((columns - key for key in keys), key=lambda rest: (len(rest), sorted(rest)), default=columns)
