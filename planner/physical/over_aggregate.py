"""OVER aggregates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from compiled_plan.planner.algebra.rex import RANKING, FrameEnd, FrameUnit
from compiled_plan.planner.algebra.timed import OverAggregate
from compiled_plan.planner.algebra.traverse import bare
from compiled_plan.planner.physical.aggregate import call_text, plan_call
from compiled_plan.planner.physical.base import NewRows, NodeContext, OperatorPlanner, PhysicalOperator, lowers, make
from compiled_plan.planner.physical.describe import names_text, order_text, rex_text
from compiled_plan.planner.physical.plumbing import PhysicalExchange
from compiled_plan.planner.physical.rank import sort_spec
from compiled_plan.planner.physical.requirements import require_insert_only
from compiled_plan.planner.physical.traits import Key, Keys, ModifyKinds, Traits, UpdateKind, keys_within
from compiled_plan.planner.physical.user_functions import check_methods
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.over import (
    BoundedWindow,
    CurrentRow,
    OverGroup,
    OverSpec,
    UnboundedFollowing,
    UnboundedPreceding,
)
from compiled_plan.plans.nodes.over import OverAggregate as OverAggregateNode
from compiled_plan.plans.nodes.specs import PartitionSpec
from compiled_plan.plans.rex import InputRef, Literal, type_of
from compiled_plan.plans.types import IntegerType, RowType, YearMonthIntervalType
from compiled_plan.plans.types.temporal import is_attribute, is_rowtime

_NODES = {
    "CURRENT_ROW": CurrentRow,
    "UNBOUNDED_PRECEDING": UnboundedPreceding,
    "UNBOUNDED_FOLLOWING": UnboundedFollowing,
}
#: Functions that depend on future rows.
_NOT_STREAMING = {
    "$LEAD$1": "LEAD",
    "$NTILE$1": "NTILE",
    "$PERCENT_RANK$1": "PERCENT_RANK",
    "$CUME_DIST$1": "CUME_DIST",
}


@dataclass(frozen=True, slots=True)
class PhysicalOverAggregate(NewRows):
    """Each row with aggregates over preceding rows.

    Ordered by time, each row is sent once; by another order, a new row changes the results of the rows behind it.
    """

    NEEDS = UpdateKind.BOTH

    spec: OverAggregate

    @property
    def row_type(self) -> RowType:
        return self.spec.columns

    @property
    def by_time(self) -> bool:
        """Return True if rows are ordered by a time attribute."""
        return is_attribute(self.input.row_type.types[self.spec.order[0].index])

    @property
    def needs_watermark(self) -> bool:
        return is_rowtime(self.input.row_type.types[self.spec.order[0].index])

    def modify_kinds(self, inputs: tuple[Traits, ...]) -> ModifyKinds:
        return ModifyKinds.INSERT if self.by_time else ModifyKinds.ALL

    def upsert_keys(self, inputs: tuple[Traits, ...]) -> Keys:
        return keys_within(inputs[0].upsert_keys, Key(self.spec.partition))

    def deterministic_columns(self, columns: Key, inputs: tuple[Traits, ...]) -> Sequence[Iterable[int]]:
        width = len(self.input.row_type.fields)
        required = {column for column in columns if column < width} | set(self.spec.partition)
        required |= {key.index for key in self.spec.order}
        for at, call in enumerate(self.spec.calls):
            if width + at in columns:
                required |= {arg for arg in call.args if arg < width}
                required |= set() if call.filter is None else {call.filter}
        return [required]

    def plan_node(self, at: NodeContext) -> PlanNode:
        bounded = self.spec.lower.kind != "UNBOUNDED_PRECEDING"
        check_methods(((call, bounded) for call in self.spec.calls), "retract", "rows leave its OVER window")
        width = len(self.input.row_type.fields)
        constants = [*self.spec.constants]
        lower, upper = (self._bound(bound, constants, width) for bound in (self.spec.lower, self.spec.upper))
        group = make(OverGroup)(
            order_by=sort_spec(self.spec.order),
            is_rows=self.spec.unit is FrameUnit.ROWS,
            lower_bound=lower,
            upper_bound=upper,
            agg_calls=tuple(map(plan_call, self.spec.calls)),
        )
        return make(OverAggregateNode)(
            **self.header(at),
            over_spec=make(OverSpec)(
                partition=make(PartitionSpec)(fields=self.spec.partition),
                groups=(group,),
                constants=tuple(constants),
                original_input_fields=width,
            ),
            unbounded_over_version=int(at.settings.value("table.exec.unbounded-over.version")),
        )

    def _bound(
        self, bound: FrameEnd, constants: list[Literal], width: int
    ) -> BoundedWindow | CurrentRow | UnboundedPreceding | UnboundedFollowing:
        """A bound in the form of plans; its offset becomes one of `constants`, which is extended if necessary."""
        if bound.offset is None:
            node: CurrentRow | UnboundedPreceding | UnboundedFollowing = make(_NODES[bound.kind])()
            return node
        assert isinstance(bound.offset, Literal)
        if bound.offset not in constants:
            constants.append(bound.offset)
        place = InputRef(width + constants.index(bound.offset), bound.offset.type)
        preceding = bound.kind == "PRECEDING"
        return make(BoundedWindow)(
            is_preceding=True if preceding else None, is_following=None if preceding else True, offset=place
        )

    def title(self) -> str:
        names = self.input.row_type.names
        values = (*names, *(rex_text(item, ()) for item in self.spec.constants))
        partition = f"partitionBy=[{names_text(self.spec.partition, names)}], " if self.spec.partition else ""
        frame = f" {self.spec.unit.value} BETWEEN {_text(self.spec.lower)} AND {_text(self.spec.upper)}"
        select = [*names, *(f"{call_text(call, values)} AS {call.column}" for call in self.spec.calls)]
        return (
            f"OverAggregate({partition}orderBy=[{order_text(self.spec.order, names)}], window=[{frame}], "
            f"select=[{', '.join(select)}])"
        )


def _text(bound: FrameEnd) -> str:
    number = "" if bound.offset is None else f"{rex_text(bound.offset, ()).split(':')[0]} "
    return number + bound.kind.replace("_", " ")


@lowers(OverAggregate)
def _lower_over(rel: OverAggregate, at: OperatorPlanner) -> PhysicalOperator:
    source = PhysicalExchange(at.lower(rel.input), rel.partition)
    over = PhysicalOverAggregate(source, bare(rel))
    _check(over)
    if over.by_time:
        require_insert_only("OverAggregate", source, at)
    return over


def _check(over: PhysicalOverAggregate) -> None:
    """Raise for OVER windows that Flink plans but cannot run.

    Raises:
        ProgramError: a function, order or frame that does not exist on streams.
    """
    for call in over.spec.calls:
        if call.name in _NOT_STREAMING:
            name = _NOT_STREAMING[call.name]
            raise ProgramError(
                f"{name} is not supported over a stream: it needs rows that are yet to come",
                remedy="use LAG, ROW_NUMBER, RANK or an aggregate",
            )
    by_one_ascending = len(over.spec.order) == 1 and over.spec.order[0].ascending
    ranking = [call.name[1:-2] for call in over.spec.calls if call.name in RANKING]
    if ranking and not by_one_ascending:
        raise ProgramError(
            f"{ranking[0]}() in this order is a top-n, and needs a condition that limits its number",
            remedy="add one to the query around it: WHERE rn <= 10",
        )
    if len(over.spec.order) != 1:
        raise ProgramError(
            "the window can only be ordered by a single time column", remedy="write ORDER BY with one time attribute"
        )
    if not over.spec.order[0].ascending:
        raise ProgramError("the window can only be ordered in ASCENDING mode", remedy="leave DESC out")
    _check_frame(over)


def _check_frame(over: PhysicalOverAggregate) -> None:
    if over.spec.upper.kind != "CURRENT_ROW" or over.spec.lower.kind not in ("UNBOUNDED_PRECEDING", "PRECEDING"):
        raise ProgramError(
            "OVER windows with FOLLOWING, or that end before the current row, are not supported over a stream",
            remedy="write ROWS or RANGE BETWEEN ... PRECEDING AND CURRENT ROW",
        )
    if over.spec.lower.offset is None:
        return
    offset = type_of(over.spec.lower.offset)
    if over.spec.unit is FrameUnit.ROWS:
        if not isinstance(offset, IntegerType):
            raise ProgramError(f"ROWS needs a number of rows, not {offset}", remedy="write ROWS 10 PRECEDING")
    elif isinstance(offset, YearMonthIntervalType):
        raise ProgramError("an interval of months is not allowed for the frame of a window", remedy="write it in days")
    if not over.by_time:
        raise ProgramError(
            "an order by anything but a time attribute is not supported for a bounded OVER window",
            remedy="order by a time attribute, or write UNBOUNDED PRECEDING",
        )
