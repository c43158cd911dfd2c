"""Mini-batches, and aggregation in two phases; the first one runs before the exchange by key.

Applied to the operators of a whole program if `table.exec.mini-batch.enabled` is set and a node of the program gains
from it. An aggregate with a function without merge phase stays in one phase. All sources mark the ends of mini-batches.

Source: Flink's "Performance Tuning" page; Flink 2.3's plans.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from compiled_plan.planner.algebra.kinds import SetKind
from compiled_plan.planner.algebra.nodes import Filter, Project, RelNode, Scan, SetOp, Sink, Sort, Values
from compiled_plan.planner.algebra.rex import Over
from compiled_plan.planner.physical.accumulators import accumulators, counted, counts_rows
from compiled_plan.planner.physical.aggregate import PhysicalGroupAggregate
from compiled_plan.planner.physical.base import NodeContext, OperatorPlanner, PhysicalOperator, Single, make
from compiled_plan.planner.physical.calc import PhysicalWatermarkAssigner
from compiled_plan.planner.physical.draft import Draft
from compiled_plan.planner.physical.phases import (
    PhysicalGlobalGroupAggregate,
    PhysicalIncrementalGroupAggregate,
    PhysicalLocalGroupAggregate,
)
from compiled_plan.planner.physical.plumbing import PhysicalExchange
from compiled_plan.planner.physical.scan import PhysicalTableSourceScan
from compiled_plan.planner.physical.traits import MiniBatchMode
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.stateless import MiniBatchAssigner as MiniBatchAssignerNode
from compiled_plan.plans.nodes.stateless import MiniBatchInterval
from compiled_plan.plans.rex import input_refs

Mode = Literal["RowTime", "ProcTime"]

_LATENCY = "table.exec.mini-batch.allow-latency"
_PHASES = "table.optimizer.agg-phase-strategy"
_INCREMENTAL = "table.optimizer.incremental-agg-enabled"
#: Nodes that gain nothing from mini-batches; of sets only UNION ALL.
_UNBATCHED = (Filter, Project, Scan, SetOp, Sink, Sort, Values)


@dataclass(frozen=True, slots=True)
class PhysicalMiniBatchAssigner(Single):
    """Marks the ends of mini-batches, every `interval` milliseconds by the clock or by watermarks."""

    interval: int
    mode: Mode

    def plan_node(self, at: NodeContext) -> PlanNode:
        return make(MiniBatchAssignerNode)(
            **self.header(at),
            mini_batch_interval=make(MiniBatchInterval)(interval=self.interval, mode=self.mode),
        )

    def title(self) -> str:
        return f"MiniBatchAssigner(interval=[{self.interval}ms], mode=[{self.mode}])"


def request_mini_batches(draft: Draft) -> Draft:
    """The draft, marked if a node of any statement gains from mini-batches.

    Like Flink, it looks at the statements before subqueries become joins.

    Raises:
        ProgramError: mini-batches have no duration.
    """
    if not any(map(_gains, draft.trees)):
        return draft
    if draft.settings.duration_ms(_LATENCY) <= 0:
        raise ProgramError(
            "mini-batches are enabled and have no duration",
            where=f"SET '{_LATENCY}'",
            remedy="set it to more than 0, such as '1 s', or SET 'table.exec.mini-batch.enabled' = 'false'",
        )
    return replace(draft, mini_batches=True)


def _gains(rel: RelNode, outermost: bool = True) -> bool:
    """Return True if the node or one below it gains; `outermost`: its order is that of the statement's result."""
    if isinstance(rel, Sort) and (outermost or rel.fetch is not None or rel.offset):
        return True
    if not isinstance(rel, _UNBATCHED) or (isinstance(rel, SetOp) and not (rel.kind is SetKind.UNION and rel.all)):
        return True
    if isinstance(rel, Filter) and isinstance(rel.input, Project) and _numbers(rel, rel.input):
        return True
    outermost = outermost and isinstance(rel, Sink | Project)
    return any(_gains(child, outermost) for child in rel.inputs)


def _numbers(condition: Filter, rows: Project) -> bool:
    """Return True if the condition reads a row number; Flink does not count RANK and DENSE_RANK."""
    numbers = {at for at, rex in enumerate(rows.exprs) if isinstance(rex, Over) and rex.name == "$ROW_NUMBER$1"}
    return bool(numbers & set(input_refs(condition.condition)))


def form_mini_batches(draft: Draft) -> Draft:
    """The operators of a program with mini-batches."""
    return draft.with_operators(_Rewriting(draft.operators, draft.known).all()) if draft.mini_batches else draft


class _Rewriting:
    """Rewriting that rebuilds shared operators once; `_below` has the mode of the mini-batches that they receive."""

    def __init__(self, sinks: Sequence[PhysicalOperator], lowering: OperatorPlanner) -> None:
        self._sinks = sinks
        self._lowering = lowering
        self._interval = lowering.settings.duration_ms(_LATENCY)
        self._two_phases = lowering.settings.value(_PHASES).upper() != "ONE_PHASE"
        self._increments = lowering.settings.boolean(_INCREMENTAL)
        self._below: dict[int, Mode] = {}
        self._seen: set[tuple[int, Mode | None]] = set()
        self._done: dict[int, PhysicalOperator] = {}

    def all(self) -> list[PhysicalOperator]:
        for sink in self._sinks:
            self._mark(sink, "ProcTime")
        return [self._rebuilt(sink) for sink in self._sinks]

    def _mark(self, operator: PhysicalOperator, above: Mode | None) -> None:
        if (id(operator), above) in self._seen:
            return
        self._seen.add((id(operator), above))
        known = self._below.get(id(operator))
        if above is not None and known != "RowTime":
            self._below[id(operator)] = above
        mode = self._below.get(id(operator))
        match operator.batches:
            case MiniBatchMode.PROCTIME:
                mode = mode or "ProcTime"
            case MiniBatchMode.ROWTIME:
                mode = "RowTime"
            case MiniBatchMode.NONE:
                mode = None
        if operator.needs_watermark and mode is not None:
            mode = "RowTime"
        if isinstance(operator, PhysicalWatermarkAssigner):
            mode = None
        for child in operator.inputs:
            self._mark(child, mode)

    def _rebuilt(self, operator: PhysicalOperator) -> PhysicalOperator:
        rebuilt = self._done.get(id(operator))
        if rebuilt is None:
            inputs = tuple(map(self._rebuilt, operator.inputs))
            same = all(new is old for new, old in zip(inputs, operator.inputs, strict=True))
            rebuilt = operator if same else operator.with_inputs(inputs)
            if isinstance(operator, PhysicalGroupAggregate) and self._two_phases:
                assert isinstance(rebuilt, PhysicalGroupAggregate)
                rebuilt = self._split(rebuilt, operator)
            mode = self._below.get(id(operator))
            if mode is not None and isinstance(operator, PhysicalTableSourceScan | PhysicalWatermarkAssigner):
                rebuilt = PhysicalMiniBatchAssigner(rebuilt, self._interval, mode)
            self._done[id(operator)] = rebuilt
        return rebuilt

    def _split(self, aggregate: PhysicalGroupAggregate, old: PhysicalGroupAggregate) -> PhysicalOperator:
        """The aggregate in two phases; unchanged if a function has no merge phase."""
        spread = aggregate.input
        assert isinstance(spread, PhysicalExchange)
        source, traits = spread.input, self._lowering.traits(old.input)
        if aggregate.split and isinstance(source, PhysicalGlobalGroupAggregate) and source.split and self._increments:
            return self._incremental(aggregate, source, old)
        retracts = not traits.modify_kinds.insert_only
        retractions = aggregate.retractions(traits)
        if retracts is not all(retractions) and any(retractions):
            return aggregate
        calls = aggregate.calls
        if retracts and not any(map(counts_rows, calls)):
            calls = counted(calls)
        parts = accumulators(calls, source.row_type, any(retractions))
        if parts is None:
            return aggregate
        local = PhysicalLocalGroupAggregate(source, aggregate.grouping, aggregate.calls, retractions, retracts, parts)
        keys = tuple(range(len(aggregate.grouping)))
        return PhysicalGlobalGroupAggregate(
            PhysicalExchange(local, keys),
            len(keys),
            aggregate.calls,
            retractions,
            source.row_type,
            self._lowering.traits(old),
            parts,
            aggregate.ttl,
            retracts,
            aggregate.split,
            columns=aggregate.columns,
        )

    def _incremental(
        self, aggregate: PhysicalGroupAggregate, first: PhysicalGlobalGroupAggregate, old: PhysicalGroupAggregate
    ) -> PhysicalOperator:
        """Both halves of a split aggregate: the first one sends increments, which the second one sums up."""
        spread = first.input
        assert isinstance(spread, PhysicalExchange)
        local = spread.input
        assert isinstance(local, PhysicalLocalGroupAggregate)
        middle = PhysicalIncrementalGroupAggregate(spread, aggregate.grouping, local, first.input_type, first.ttl)
        keys = tuple(range(len(aggregate.grouping)))
        return PhysicalGlobalGroupAggregate(
            PhysicalExchange(middle, keys),
            len(keys),
            aggregate.calls,
            (False,) * len(aggregate.calls),
            first.columns,
            self._lowering.traits(old),
            replace(local.parts, fields=middle.parts),
            aggregate.ttl,
            False,
            True,
            columns=aggregate.columns,
        )
