"""MATCH_RECOGNIZE."""

from __future__ import annotations

from collections.abc import Iterator

from compiled_plan.plans.findings import Fault
from compiled_plan.plans.nodes.base import Inputs, PlanNode
from compiled_plan.plans.nodes.fields import RexJson
from compiled_plan.plans.nodes.model import Bool, Enforcing, Nullable, PlanModel
from compiled_plan.plans.nodes.rules import condition_faults, expression_faults, order, output, partition
from compiled_plan.plans.nodes.sort import time_first
from compiled_plan.plans.nodes.specs import PartitionSpec, SortSpec
from compiled_plan.plans.rex import Literal, RexNode, type_of
from compiled_plan.plans.types import DayTimeIntervalType


class MatchSpec(PlanModel):
    """A pattern over ordered rows."""

    pattern: RexJson
    pattern_definitions: dict[str, RexJson]
    measures: dict[str, RexJson]
    after: RexJson
    subsets: dict[str, tuple[str, ...]]
    all_rows: Bool
    partition: PartitionSpec
    order_by: SortSpec
    interval: Nullable[RexJson] = None


class Match(PlanNode):
    """Finds a pattern in each partition."""

    NAME = "stream-exec-match"
    KEEPS_STATE = True

    match_spec: Enforcing[MatchSpec]

    def faults(self, inputs: Inputs) -> Iterator[Fault]:
        spec, path = self.match_spec, ("matchSpec",)
        wrong = [
            *partition(spec.partition, inputs.types, (*path, "partition")),
            *order(spec.order_by, inputs.types, (*path, "orderBy")),
            *time_first(spec.order_by, inputs.types, (*path, "orderBy")),
        ]
        yield from wrong
        if spec.interval is not None:
            yield from _within(spec.interval, inputs, (*path, "interval"))
        for name, rex in spec.pattern_definitions.items():
            yield from condition_faults(rex, inputs.types, (*path, "patternDefinitions", name))
        for name, rex in spec.measures.items():
            yield from expression_faults(rex, inputs.types, (*path, "measures", name))
        if not wrong and not spec.all_rows:
            # The measures stand in any order; they are columns by their names.
            names = self.output_type.names[len(spec.partition.fields) :]
            for name in spec.measures:
                if name not in names:
                    message = f"the measure {name!r} is no field of the output type"
                    yield Fault((*path, "measures", name), message, f"fields: {', '.join(names)}", name)
                    return
            made = (type_of(spec.measures[name]) for name in names if name in spec.measures)
            wanted = (*(inputs.types[at] for at in spec.partition.fields), *made)
            yield from output(self.output_type, wanted, "the pattern")


def _within(interval: RexNode, inputs: Inputs, path: tuple[str, ...]) -> Iterator[Fault]:
    """What is wrong with the time that a match may take: milliseconds, which are known beforehand."""
    faults = list(expression_faults(interval, inputs.types, path))
    yield from faults
    known = isinstance(interval, Literal) and interval.value is not None
    if not faults and not (known and isinstance(type_of(interval), DayTimeIntervalType)):
        yield Fault(path, "WITHIN needs a literal of days to seconds", 'such as {"value": "1000", ...}', None)
