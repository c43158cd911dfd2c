"""Settling how every operator sends updates: the old row and the new one, or the new one alone.

From the sinks down, each consumer says what it needs. An operator that cannot send new rows alone says so, and its
consumer falls back to both. One operator with consumers of different needs becomes two.
"""

from __future__ import annotations

from planner.physical.base import Lowering, Operator, Updates
from planner.physical.sink import TableSinkOperator, settle_sink

#: Stands for an input that does not matter.
_HOLE = Operator()


class Settling:
    """Settles the operators of one plan; equal operators become one."""

    def __init__(self, lowering: Lowering) -> None:
        self._lowering = lowering
        self._done: dict[tuple[int, Updates], Operator | None] = {}
        self._known: dict[tuple[Operator, tuple[int, ...]], Operator] = {}

    def sink(self, sink: TableSinkOperator) -> Operator:
        """The sink and all below it, settled."""
        return settle_sink(sink, self.settle)

    def settle(self, operator: Operator, wanted: Updates) -> Operator | None:
        """The operator sending updates as wanted; None when it cannot."""
        if not self._lowering.facts(operator).kinds.updates:
            wanted = Updates.NONE
        key = (id(operator), wanted)
        if key not in self._done:
            self._done[key] = self._settled(operator, wanted)
        return self._done[key]

    def _settled(self, operator: Operator, wanted: Updates) -> Operator | None:
        needs = operator.update_needs(wanted, tuple(map(self._lowering.facts, operator.inputs)))
        if needs is None:
            return None
        inputs: list[Operator] = []
        for side, (child, need) in enumerate(zip(operator.inputs, needs, strict=True)):
            found = self.settle(child, need)
            if found is None and need is Updates.AFTER and operator.takes_old_rows(side):
                found = self.settle(child, Updates.BOTH)
            if found is None:
                return None
            inputs.append(found)
        made = operator.with_inputs(tuple(inputs)).sending(wanted)
        # The inputs are settled, so equal ones are the same objects.
        bare = made.with_inputs((_HOLE,) * len(made.inputs))
        return self._known.setdefault((bare, tuple(map(id, made.inputs))), made)
