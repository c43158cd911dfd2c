"""Pattern recognition: MATCH_RECOGNIZE."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from compiled_plan.plans.findings import Fault, refusal
from compiled_plan.plans.nodes.base import Inputs
from compiled_plan.plans.nodes.fields import RexJson
from compiled_plan.plans.nodes.flink_state import (
    RECENT_ROWS,
    FlinkMapping,
    Row,
    StateItem,
    key_types,
    row_types,
    unsure,
)
from compiled_plan.plans.nodes.late_rows import LateRowsNode, late_by_order
from compiled_plan.plans.nodes.model import Bool, Enforcing, Nullable, PlanModel
from compiled_plan.plans.nodes.patterns import alphas, elements, pattern_faults, skip, value_faults
from compiled_plan.plans.nodes.rules import Path, condition_faults, expression_faults, order, output, partition
from compiled_plan.plans.nodes.sort import time_first
from compiled_plan.plans.nodes.specs import PartitionSpec, SortSpec
from compiled_plan.plans.rex import Literal, RexNode, type_of
from compiled_plan.plans.types import DayTimeIntervalType, RowType


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


class Match(LateRowsNode):
    """Search for a pattern in each partition."""

    NAME = "stream-exec-match"
    TITLE = "Match a pattern in {of}{by}"
    TRANSFORMATION = "match"
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
            # The measures are in no particular order; columns refer to them by name.
            names = self.output_type.names[len(spec.partition.fields) :]
            for name in spec.measures:
                if name not in names:
                    message = f"the measure {name!r} is no field of the output type"
                    yield Fault((*path, "measures", name), message, f"fields: {', '.join(names)}", name)
                    return
            measures = (type_of(spec.measures[name]) for name in names if name in spec.measures)
            wanted = (*(inputs.types[at] for at in spec.partition.fields), *measures)
            yield from output(self.output_type, wanted, "the pattern")
        yield from self._refusals(path)

    def late_times(self, rows: Sequence[RowType]) -> Mapping[int, int | None]:
        return late_by_order(self.match_spec.order_by, rows[0])

    @property
    def flink_mapping(self) -> FlinkMapping:
        return FlinkMapping(
            "the rows of each open match are read from Flink's graph of rows",
            states=("eventQueuesStateName", "nfaStateName", "sharedBuffer-*"),
            unless=f"the pattern computes values from rows of a match, or by processing time {RECENT_ROWS}",
        )

    def flink_state(self, rows: Sequence[Row]) -> Iterator[StateItem]:
        """See `PlanNode.flink_state`; conditions and measures do not affect it."""
        yield key_types(rows[0], self.match_spec.partition.fields)
        yield from row_types(rows)
        yield unsure("pattern", self.match_spec.pattern)

    def _refusals(self, path: Path) -> Iterator[Fault]:
        spec = self.match_spec
        values = (*spec.pattern_definitions.values(), *spec.measures.values())
        used = frozenset[str | None]().union(*map(alphas, values), (skip(spec.after) or ())[1:])
        for name in filter(used.__contains__, spec.subsets):
            yield refusal((*path, "subsets", name), f"the SUBSET variable {name}", "name each pattern variable")
        if spec.all_rows:
            yield refusal((*path, "allRows"), "ALL ROWS PER MATCH", "use ONE ROW PER MATCH")
        if skip(spec.after) is None:
            message = "its AFTER MATCH clause"
            yield refusal((*path, "after"), message, "skip to the next row, past the last row, or to a variable")
        wrong = list(pattern_faults(spec.pattern, (*path, "pattern")))
        yield from wrong
        if wrong:
            return
        variables = [*(element.variable for element in elements(spec.pattern)), *spec.subsets]
        for name in variables:
            if name in spec.pattern_definitions:
                place = (*path, "patternDefinitions", name)
                yield from value_faults(spec.pattern_definitions[name], variables, place)
        for name, rex in spec.measures.items():
            yield from value_faults(rex, variables, (*path, "measures", name))


def _within(interval: RexNode, inputs: Inputs, path: tuple[str, ...]) -> Iterator[Fault]:
    """Faults of the WITHIN interval, which must be a literal in milliseconds."""
    faults = list(expression_faults(interval, inputs.types, path))
    yield from faults
    known = isinstance(interval, Literal) and interval.value is not None
    if not faults and not (known and isinstance(type_of(interval), DayTimeIntervalType)):
        yield Fault(path, "WITHIN needs a literal of days to seconds", 'such as {"value": "1000", ...}', None)
