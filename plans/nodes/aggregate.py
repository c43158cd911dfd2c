"""Group aggregates, in one or two phases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compiled_plan.plans.findings import Fault
from compiled_plan.plans.nodes.base import INSERTS, Inputs, PlanNode, StatefulNode, StateSlot
from compiled_plan.plans.nodes.calls import calls
from compiled_plan.plans.nodes.fields import RowTypeJson
from compiled_plan.plans.nodes.flink_state import (
    FlinkMapping,
    Row,
    StateItem,
    accumulators,
    accumulators_mapping,
    key_types,
    unsure,
)
from compiled_plan.plans.nodes.model import Bool, Enforcing, Int, OfInput, OfNone
from compiled_plan.plans.nodes.rules import Columns, indices, lengths, output
from compiled_plan.plans.nodes.specs import AggregateCall
from compiled_plan.plans.types import RowType
from compiled_plan.plans.types.changelog import ChangelogMode
from compiled_plan.plans.types.likeness import alike


class GroupAggregate(StatefulNode):
    """Group aggregation by columns of the input; emits an update whenever a result changes."""

    NAME = "stream-exec-group-aggregate"
    TITLE = "Aggregate {of}{by}"
    TRANSFORMATION = "group-aggregate"
    STATE = (StateSlot("groupAggregateState", 0),)

    grouping: Enforcing[OfInput[tuple[Int, ...]]]
    agg_calls: Enforcing[tuple[AggregateCall, ...]]
    agg_call_need_retractions: Enforcing[tuple[Bool, ...]]
    generate_update_before: Bool
    need_retraction: Enforcing[Bool]

    def faults(self, inputs: Inputs) -> Iterator[Fault]:
        wrong = list(_grouped(self.grouping, self.agg_calls, self.agg_call_need_retractions, inputs.types))
        yield from wrong
        if not wrong:
            yield from output(self.output_type, grouped_types(self.grouping, self.agg_calls, inputs.types), "it")
            yield from retractions(self, inputs)

    def sends(self, received: ChangelogMode) -> ChangelogMode:
        return _updates(self.generate_update_before, self.need_retraction)

    def may_send(self, received: Sequence[ChangelogMode]) -> ChangelogMode:
        return _updates(self.generate_update_before, bool(received[0] & _RETRACTIONS))

    @property
    def flink_mapping(self) -> FlinkMapping:
        return accumulators_mapping(self.agg_calls, counted=self.need_retraction, states=("accState",))

    def flink_state(self, rows: Sequence[Row]) -> Iterator[StateItem]:
        yield key_types(rows[0], self.grouping)
        yield accumulators(self.agg_calls, rows[0], self.agg_call_need_retractions, counted=self.need_retraction)


class LocalGroupAggregate(PlanNode):
    """First phase: aggregation within a mini-batch, before the exchange."""

    NAME = "stream-exec-local-group-aggregate"
    TITLE = "Pre-aggregate {of}{by}"

    grouping: OfInput[tuple[Int, ...]]
    agg_calls: tuple[AggregateCall, ...]
    agg_call_need_retractions: tuple[Bool, ...]
    need_retraction: Bool

    def faults(self, inputs: Inputs) -> Iterator[Fault]:
        wrong = list(_grouped(self.grouping, self.agg_calls, self.agg_call_need_retractions, inputs.types))
        yield from wrong
        if not wrong:
            yield from accumulator_columns(self.output_type, self.grouping, inputs.types)
            yield from retractions(self, inputs)

    def sends(self, received: ChangelogMode) -> ChangelogMode:
        return INSERTS


class GlobalGroupAggregate(StatefulNode):
    """Second phase: merge of the local aggregates' accumulators."""

    NAME = "stream-exec-global-group-aggregate"
    TITLE = "Aggregate {of}{by}"
    TRANSFORMATION = "global-group-aggregate"
    STATE = (StateSlot("globalGroupAggregateState", 0),)

    grouping: Enforcing[OfInput[tuple[Int, ...]]]
    #: Over the input columns of the local aggregate.
    agg_calls: Enforcing[OfNone[tuple[AggregateCall, ...]]]
    agg_call_need_retractions: Enforcing[tuple[Bool, ...]]
    local_agg_input_row_type: Enforcing[RowTypeJson]
    generate_update_before: Bool
    need_retraction: Enforcing[Bool]
    index_of_count_star: Int | None = None

    def faults(self, inputs: Inputs) -> Iterator[Fault]:
        columns = self.local_agg_input_row_type.types
        yield from indices(self.grouping, inputs.types, ("grouping",), once=True)
        wrong = list(calls(self.agg_calls, columns, ("aggCalls",)))
        yield from wrong
        count = len(self.agg_call_need_retractions)
        yield from lengths("aggCallNeedRetractions", count, len(self.agg_calls), "calls")
        below = inputs.nodes[0]
        if isinstance(below, IncrementalGroupAggregate):
            final = (below.final_agg_grouping, below.partial_original_agg_calls)
        elif isinstance(below, LocalGroupAggregate):
            final = (below.grouping, below.agg_calls)
            yield from same_row(self.local_agg_input_row_type, inputs.before[0][0], "localAggInputRowType")
            if called(below.agg_calls) != called(self.agg_calls):
                remedy = f"make them those of node {below.id}"
                yield Fault(("aggCalls",), "the calls are not those of the local aggregate", remedy)
        else:
            message = f"its input is {below.type}, not a local aggregate"
            yield Fault(("type",), message, "compile the program again", self.type)
            return
        if len(final[0]) != len(self.grouping) or len(final[1]) != len(self.agg_calls):
            message = f"{len(self.grouping)} keys and {len(self.agg_calls)} calls, and node {below.id} has "
            message += f"{len(final[0])} and {len(final[1])}"
            yield Fault(("grouping",), message, "make them equal", list(self.grouping))
        elif not wrong and all(key < len(inputs.types) for key in self.grouping):
            wanted = (*(inputs.types[key] for key in self.grouping), *(call.type for call in self.agg_calls))
            yield from output(self.output_type, wanted, "it")

    def sends(self, received: ChangelogMode) -> ChangelogMode:
        return _updates(self.generate_update_before, self.need_retraction)

    def may_send(self, received: Sequence[ChangelogMode]) -> ChangelogMode:
        return _updates(self.generate_update_before, bool(received[0] & _RETRACTIONS))

    @property
    def flink_mapping(self) -> FlinkMapping:
        return accumulators_mapping(self.agg_calls, counted=self.need_retraction, states=("accState",))

    def flink_state(self, rows: Sequence[Row]) -> Iterator[StateItem]:
        types = self.local_agg_input_row_type.types
        yield key_types(rows[0], self.grouping)
        yield accumulators(self.agg_calls, types, self.agg_call_need_retractions, counted=self.need_retraction)


class IncrementalGroupAggregate(StatefulNode):
    """Middle phase of a split distinct aggregate."""

    NAME = "stream-exec-incremental-group-aggregate"
    TITLE = "Aggregate {of}{by}"
    TRANSFORMATION = "incremental-group-aggregate"
    STATE = (StateSlot("incrementalGroupAggregateState", 0),)

    partial_agg_grouping: Enforcing[OfInput[tuple[Int, ...]]]
    final_agg_grouping: Enforcing[tuple[Int, ...]]
    partial_original_agg_calls: Enforcing[OfNone[tuple[AggregateCall, ...]]]
    partial_agg_call_need_retractions: Enforcing[tuple[Bool, ...]]
    partial_local_agg_input_row_type: Enforcing[RowTypeJson]
    partial_agg_need_retraction: Enforcing[Bool]

    def faults(self, inputs: Inputs) -> Iterator[Fault]:
        columns = self.partial_local_agg_input_row_type.types
        original = self.partial_original_agg_calls
        yield from indices(self.partial_agg_grouping, inputs.types, ("partialAggGrouping",), once=True)
        yield from indices(self.final_agg_grouping, self.partial_agg_grouping_types(inputs), ("finalAggGrouping",))
        yield from calls(original, columns, ("partialOriginalAggCalls",))
        count = len(self.partial_agg_call_need_retractions)
        yield from lengths("partialAggCallNeedRetractions", count, len(original), "calls")
        local = inputs.nodes[0]
        if not isinstance(local, LocalGroupAggregate):
            message = f"its input is {local.type}, not a local aggregate"
            yield Fault(("type",), message, "compile the program again", self.type)
        elif called(local.agg_calls) != called(original):
            remedy = f"make them those of node {local.id}"
            yield Fault(("partialOriginalAggCalls",), "the calls are not those of the local aggregate", remedy)
        elif len(local.grouping) != len(self.partial_agg_grouping):
            message = f"{len(self.partial_agg_grouping)} keys, and the local aggregate has {len(local.grouping)}"
            yield Fault(("partialAggGrouping",), message, "make them equal", list(self.partial_agg_grouping))

    def partial_agg_grouping_types(self, inputs: Inputs) -> Columns:
        """The types of the partial key."""
        return inputs.types[: len(self.partial_agg_grouping)]

    @property
    def flink_mapping(self) -> FlinkMapping:
        if self.final_agg_grouping != tuple(range(len(self.final_agg_grouping))):
            return FlinkMapping(refusal="the columns of its final key are not the first ones of its partial key")
        return FlinkMapping(
            "the distinct values of all buckets of a key go to the last phase of the aggregate",
            states=("accState", "distinctAcc_*"),
        )

    def flink_state(self, rows: Sequence[Row]) -> Iterator[StateItem]:
        yield unsure("calls", self.partial_original_agg_calls, self.partial_agg_grouping)


#: Functions that need `aggCallNeedRetractions` to retract. Not MIN and MAX: Flink plans them without it over monotonic
#: values.
_KEEPERS = frozenset(f"${name}$1" for name in "FIRST_VALUE LAST_VALUE LISTAGG".split())


_RETRACTIONS = ChangelogMode.UPDATE_BEFORE | ChangelogMode.DELETE


def _updates(before: bool, deletes: bool) -> ChangelogMode:
    mode = ChangelogMode.INSERT | ChangelogMode.UPDATE_AFTER
    return (
        mode
        | (ChangelogMode.UPDATE_BEFORE if before else ChangelogMode.NONE)
        | (ChangelogMode.DELETE if deletes else ChangelogMode.NONE)
    )


def retractions(node: GroupAggregate | LocalGroupAggregate, inputs: Inputs) -> Iterator[Fault]:
    """Faults of an aggregate that cannot retract, although its input sends retractions."""
    retracted = inputs.received & _RETRACTIONS
    if retracted is ChangelogMode.NONE:
        return
    kinds = " and ".join(retracted.names())
    if not node.need_retraction:
        message = f"the input sends {kinds}, and `needRetraction` is false"
        yield Fault(("needRetraction",), message, "set it to true", False)
    for at, (call, ready) in enumerate(zip(node.agg_calls, node.agg_call_need_retractions, strict=True)):
        if not ready and call.internal_name in _KEEPERS:
            name = str(call.internal_name).removeprefix("$").removesuffix("$1")
            message = f"the input sends {kinds}, and {name} keeps nothing to go back to"
            yield Fault(("aggCallNeedRetractions", at), message, "set it to true", False)


def grouped_types(grouping: Sequence[int], items: Sequence[AggregateCall], columns: Columns) -> Columns:
    """The output columns of an aggregate: its key, then its calls."""
    return (*(columns[key] for key in grouping), *(call.type for call in items))


def accumulator_columns(row: RowType, grouping: Sequence[int], columns: Columns) -> Iterator[Fault]:
    """Fault of an output type that does not begin with the key; accumulators, internal to Flink, follow it."""
    if len(row.fields) < len(grouping):
        message = f"the output type has {len(row.fields)} fields, and the key {len(grouping)}"
        yield Fault(("outputType",), message, "compile the program again", len(row.fields))
        return
    for field, key in zip(row.fields, grouping, strict=False):
        if not alike(field.type, columns[key]):
            message = f"field {field.name!r} of the output type is {field.type}, and the key {columns[key]}"
            yield Fault(("outputType",), message, f"make it {columns[key]}", str(field.type))


def _grouped(
    grouping: Sequence[int], items: Sequence[AggregateCall], retractions: Sequence[bool], columns: Columns
) -> Iterator[Fault]:
    yield from indices(grouping, columns, ("grouping",), once=True)
    yield from calls(items, columns, ("aggCalls",))
    yield from lengths("aggCallNeedRetractions", len(retractions), len(items), "calls")


def same_row(row: RowType, wanted: RowType, name: str) -> Iterator[Fault]:
    """Fault of a row type that is a copy of another node's and differs from it."""
    if len(row.fields) != len(wanted.fields) or not all(map(alike, row.types, wanted.types)):
        yield Fault((name,), f"{row} is not the row that the local aggregate gets", f"make it {wanted}")


def called(items: Sequence[AggregateCall]) -> list[tuple[object, ...]]:
    """The functions of calls, without the columns of their arguments."""
    return [(call.internal_name, call.distinct, len(call.arg_list), call.filter_arg >= 0) for call in items]
