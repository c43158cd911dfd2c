"""Inference of update kinds: each operator sends old and new rows, or new rows alone.

From the sinks down, each consumer states its requirement. If an operator cannot send new rows alone, its consumer falls
back to both. One operator with consumers of different requirements becomes two.
"""

from __future__ import annotations

from compiled_plan.planner.physical.base import OperatorPlanner, PhysicalOperator
from compiled_plan.planner.physical.draft import Draft
from compiled_plan.planner.physical.sink import PhysicalSink, infer_sink
from compiled_plan.planner.physical.traits import UpdateKind

#: Placeholder for an input that does not matter.
_HOLE = PhysicalOperator()


def infer_update_kinds(draft: Draft) -> Draft:
    """The operators with update kinds as their consumers require.

    Raises:
        ProgramError: a sink accepts new rows alone, and its input cannot omit old ones.
    """
    inference = _Inference(draft.known)
    return draft.with_operators(map(inference.sink, draft.operators))


class SharedOperators:
    """One object for all equal operators over the same inputs, which are such objects, too."""

    def __init__(self) -> None:
        self._known: dict[tuple[PhysicalOperator, tuple[int, ...]], PhysicalOperator] = {}

    def one(self, operator: PhysicalOperator) -> PhysicalOperator:
        """The operator itself, or the equal one that was known before."""
        bare = operator.with_inputs((_HOLE,) * len(operator.inputs))
        return self._known.setdefault((bare, tuple(map(id, operator.inputs))), operator)


class _Inference:
    """Inference for the operators of one plan; equal operators become one."""

    def __init__(self, lowering: OperatorPlanner) -> None:
        self._lowering = lowering
        self._shared = SharedOperators()
        self._done: dict[tuple[int, UpdateKind], PhysicalOperator | None] = {}

    def sink(self, sink: PhysicalOperator) -> PhysicalOperator:
        """Infer the sink and all operators below it."""
        assert isinstance(sink, PhysicalSink)
        return infer_sink(sink, self.infer)

    def infer(self, operator: PhysicalOperator, wanted: UpdateKind) -> PhysicalOperator | None:
        """The operator sending updates as `wanted`; None if it cannot."""
        if not self._lowering.traits(operator).modify_kinds.updates:
            wanted = UpdateKind.NONE
        key = (id(operator), wanted)
        if key not in self._done:
            self._done[key] = self._inferred(operator, wanted)
        return self._done[key]

    def _inferred(self, operator: PhysicalOperator, wanted: UpdateKind) -> PhysicalOperator | None:
        needs = operator.required_updates(wanted, tuple(map(self._lowering.traits, operator.inputs)))
        if needs is None:
            return None
        inputs: list[PhysicalOperator] = []
        for side, (child, need) in enumerate(zip(operator.inputs, needs, strict=True)):
            inferred = self.infer(child, need)
            if inferred is None and need is UpdateKind.AFTER and operator.takes_old_rows(side):
                inferred = self.infer(child, UpdateKind.BOTH)
            if inferred is None:
                return None
            inputs.append(inferred)
        return self._shared.one(operator.with_inputs(tuple(inputs)).sending(wanted))
