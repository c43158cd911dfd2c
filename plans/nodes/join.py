"""Joins with state for each side: regular, multi-way, interval, temporal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Literal

from compiled_plan.plans.findings import Fault, refusal
from compiled_plan.plans.nodes.base import INSERTS, SOME_INPUTS, TWO_INPUTS, Inputs, PlanNode, StatefulNode, StateSlot
from compiled_plan.plans.nodes.fields import RexJson
from compiled_plan.plans.nodes.flink_state import FlinkMapping, Row, StateItem, key_types, row_types, types_at, unsure
from compiled_plan.plans.nodes.late_rows import LateRowsNode
from compiled_plan.plans.nodes.model import Bool, Enforcing, Int, OfEach, OfInput, OfRight, PlanModel, Refers
from compiled_plan.plans.nodes.rules import condition_faults, index, indices, join, joined_types, output, timestamp
from compiled_plan.plans.nodes.specs import JoinSpec
from compiled_plan.plans.types import RowType
from compiled_plan.plans.types.changelog import ChangelogMode

#: The time attribute of a temporal join by processing time.
NO_COLUMN = -1
#: Joins that send no row without its match, which the next match would retract.
_UNPADDED = ("INNER", "SEMI")


class Join(StatefulNode):
    """Regular join of two changelogs; keeps the rows of both sides."""

    NAME = "stream-exec-join"
    TRANSFORMATION = "join"
    INPUTS = TWO_INPUTS
    STATE = (StateSlot("leftState", 0), StateSlot("rightState", 1))

    join_spec: Enforcing[JoinSpec]
    left_upsert_keys: Enforcing[OfInput[tuple[tuple[Int, ...], ...]]] = ()
    right_upsert_keys: Enforcing[OfRight[tuple[tuple[Int, ...], ...]]] = ()

    def faults(self, inputs: Inputs) -> Iterator[Fault]:
        yield from join(self.join_spec, inputs, ("joinSpec",))
        sides = (("leftUpsertKeys", self.left_upsert_keys), ("rightUpsertKeys", self.right_upsert_keys))
        for port, (name, keys) in enumerate(sides):
            yield from _unique(keys or (), inputs, port, (name,))
        yield from output(self.output_type, joined_types(self.join_spec, inputs), "the join")

    def sends(self, received: ChangelogMode) -> ChangelogMode:
        # Outer joins also send padded rows and retract them.
        return received if self.join_spec.join_type == "INNER" else INSERTS

    def may_send(self, received: Sequence[ChangelogMode]) -> ChangelogMode:
        return super().may_send(received) if self.join_spec.join_type in _UNPADDED else ChangelogMode.ALL

    @property
    def title(self) -> str:
        match self.join_spec.join_type:
            case "SEMI":
                return "Keep {left} that are in {right}"
            case "ANTI":
                return "Keep {left} that are not in {right}"
            case "INNER":
                return "Join {left} with {right}"
            case type_:
                return f"{type_.capitalize()} join {{left}} with {{right}}"

    @property
    def flink_mapping(self) -> FlinkMapping:
        spec = self.join_spec
        if spec.join_type in ("RIGHT", "FULL") and len(set(spec.left_keys)) < len(spec.left_keys):
            return FlinkMapping(refusal="an outer join by one left column and two right ones is not converted")
        computation = "" if spec.join_type == "INNER" else "the matches of each row are counted anew"
        return FlinkMapping(computation, states=("left-records", "right-records"))

    def flink_state(self, rows: Sequence[Row]) -> Iterator[StateItem]:
        yield key_types(rows[0], self.join_spec.left_keys)
        yield from row_types(rows)
        yield from self._sides(rows)

    def _sides(self, rows: Sequence[Row]) -> Iterator[StateItem]:
        """The form of each side's state: with its unique key if any, with a count of matches if it may be padded."""
        counted = {"LEFT": ("left",), "RIGHT": ("right",), "FULL": ("left", "right"), "SEMI": ("left",)}
        counted["ANTI"] = counted["SEMI"]
        for side, row, keys, unique in (
            ("left", rows[0], self.join_spec.left_keys, self.left_upsert_keys),
            ("right", rows[1], self.join_spec.right_keys, self.right_upsert_keys),
        ):
            if not unique:
                form = "counted rows"
            elif any(set(key) <= set(keys) for key in unique):
                form = "one row"
            else:
                form = f"rows by {types_at(row, min(unique, key=len))}"
            if side in counted.get(self.join_spec.join_type, ()):
                form += ", with a count of matches"
            yield StateItem(f"form of the {side} side", form)


class JoinAttribute(PlanModel):
    """A pair of equal columns of two inputs of a multi-way join; -1 for none."""

    left_input_id: Int
    left_field_index: Annotated[Int, Refers("left_input_id")]
    right_input_id: Int
    right_field_index: Annotated[Int, Refers("right_input_id")]


class MultiJoin(StatefulNode):
    """Several joins on one common key in one operator."""

    NAME = "stream-exec-multi-join"
    TITLE = "Join {inputs}"
    TRANSFORMATION = "multi-join"
    INPUTS = SOME_INPUTS

    join_types: Enforcing[tuple[Literal["INNER", "LEFT"], ...]]
    join_conditions: Enforcing[tuple[RexJson | None, ...]]
    multi_join_condition: RexJson | None = None
    join_attribute_map: Enforcing[dict[str, tuple[JoinAttribute, ...]]]
    input_unique_keys: Enforcing[OfEach[tuple[tuple[tuple[Int, ...], ...], ...]]]

    def faults(self, inputs: Inputs) -> Iterator[Fault]:
        count = len(inputs.rows)
        lists = (
            ("joinTypes", self.join_types),
            ("joinConditions", self.join_conditions),
            ("inputUniqueKeys", self.input_unique_keys),
        )
        for name, items in lists:
            if len(items) != count:
                yield Fault((name,), f"{len(items)} values for {count} inputs", "one for each input", len(items))
        for port, condition in enumerate(self.join_conditions[:count]):
            columns = tuple(type_ for row in inputs.rows[: port + 1] for type_ in row.types)
            yield from condition_faults(condition, columns, ("joinConditions", port))
        yield from condition_faults(self.multi_join_condition, inputs.all_types, ("multiJoinCondition",))
        for port, keys in enumerate(self.input_unique_keys[:count]):
            yield from _unique(keys, inputs, port, ("inputUniqueKeys", port))
        for name, entries in self.join_attribute_map.items():
            for at, entry in enumerate(entries):
                if name != str(entry.right_input_id):
                    message = f"the attribute is of input {entry.right_input_id}, and listed for input {name}"
                    place = ("joinAttributeMap", name, at, "rightInputId")
                    yield Fault(place, message, f"write {name}", entry.right_input_id)
                yield from _attribute(entry, inputs, ("joinAttributeMap", name, at))
        yield from output(self.output_type, inputs.all_types, "the join")

    def state_slots(self, input_count: int) -> tuple[StateSlot, ...]:
        return tuple(StateSlot(f"input-state-{index}", index) for index in range(input_count))

    def may_send(self, received: Sequence[ChangelogMode]) -> ChangelogMode:
        return super().may_send(received) if {*self.join_types} <= {*_UNPADDED} else ChangelogMode.ALL

    @property
    def flink_mapping(self) -> FlinkMapping:
        return FlinkMapping(states=("multi-join-input-*",))

    def flink_state(self, rows: Sequence[Row]) -> Iterator[StateItem]:
        yield from row_types(rows)
        yield unsure("keys", self.join_attribute_map, self.input_unique_keys)


class IntervalBounds(PlanModel):
    """The left row's time lies between right time + lower and right time + upper bound, in milliseconds."""

    is_event_time: Bool
    left_lower_bound: Int
    left_upper_bound: Int
    left_time_index: OfInput[Int]
    right_time_index: OfRight[Int]


class IntervalJoinSpec(PlanModel):
    """A join and its bounds in time."""

    join_spec: JoinSpec
    window_bounds: IntervalBounds


class IntervalJoin(LateRowsNode):
    """A join of rows whose times are close; watermarks clean its state."""

    NAME = "stream-exec-interval-join"
    TITLE = "Interval join {left} with {right}"
    TRANSFORMATION = "interval-join"
    INPUTS = TWO_INPUTS
    KEEPS_STATE = True

    interval_join_spec: Enforcing[IntervalJoinSpec]

    def faults(self, inputs: Inputs) -> Iterator[Fault]:
        spec, bounds = self.interval_join_spec.join_spec, self.interval_join_spec.window_bounds
        yield from join(spec, inputs, ("intervalJoinSpec", "joinSpec"))
        if spec.join_type in ("SEMI", "ANTI"):
            place = ("intervalJoinSpec", "joinSpec", "joinType")
            yield refusal(place, f"an interval join of type {spec.join_type}", "join INNER, LEFT, RIGHT or FULL")
        path = ("intervalJoinSpec", "windowBounds")
        yield from timestamp(bounds.left_time_index, inputs.rows[0].types, (*path, "leftTimeIndex"))
        yield from timestamp(bounds.right_time_index, inputs.rows[1].types, (*path, "rightTimeIndex"))
        yield from output(self.output_type, joined_types(spec, inputs), "the join")

    def late_times(self, rows: Sequence[RowType]) -> Mapping[int, int | None]:
        bounds = self.interval_join_spec.window_bounds
        return {0: bounds.left_time_index, 1: bounds.right_time_index} if bounds.is_event_time else {}

    @property
    def flink_mapping(self) -> FlinkMapping:
        # Flink joins no row if the interval is empty.
        bounds = self.interval_join_spec.window_bounds
        return FlinkMapping(
            states=("IntervalJoin*Cache", "IntervalJoin*TimerState"),
            stateless=bounds.left_lower_bound > bounds.left_upper_bound,
        )

    def flink_state(self, rows: Sequence[Row]) -> Iterator[StateItem]:
        yield key_types(rows[0], self.interval_join_spec.join_spec.left_keys)
        yield from row_types(rows)


class TemporalJoin(PlanNode):
    """Each left row with the version of the right table that held at its time."""

    NAME = "stream-exec-temporal-join"
    TITLE = "Temporal join {left} with {right}"
    TRANSFORMATION = "temporal-join"
    INPUTS = TWO_INPUTS
    KEEPS_STATE = True

    join_spec: Enforcing[JoinSpec]
    is_temporal_function_join: Bool
    left_time_attribute_index: Enforcing[OfInput[Int]]
    right_time_attribute_index: Enforcing[OfRight[Int]]

    @property
    def forgets_idle_keys(self) -> bool:
        """True, as in Flink's TemporalRowTimeJoinOperator and TemporalProcessTimeJoinOperator."""
        return True

    def faults(self, inputs: Inputs) -> Iterator[Fault]:
        yield from join(self.join_spec, inputs, ("joinSpec",))
        join_type = self.join_spec.join_type
        types = ("INNER",) if self.is_temporal_function_join else ("INNER", "LEFT")
        if join_type not in types:
            yield refusal(
                ("joinSpec", "joinType"), f"a temporal join of type {join_type}", f"join {' or '.join(types)}"
            )
        if self.right_time_attribute_index == NO_COLUMN and not self.is_temporal_function_join:
            # Flink refuses it, too: no row of the left input could wait for the versions of the right one.
            message = "a processing-time temporal join with a table that is not looked up"
            remedy = "join as of a rowtime, or with a table that can be looked up, such as one of 'jdbc'"
            yield refusal(("rightTimeAttributeIndex",), message, remedy)
        yield from timestamp(self.left_time_attribute_index, inputs.rows[0].types, ("leftTimeAttributeIndex",))
        if self.right_time_attribute_index != NO_COLUMN:
            yield from timestamp(self.right_time_attribute_index, inputs.rows[1].types, ("rightTimeAttributeIndex",))
        yield from output(self.output_type, joined_types(self.join_spec, inputs), "the join")

    def may_send(self, received: Sequence[ChangelogMode]) -> ChangelogMode:
        return received[0]

    @property
    def flink_mapping(self) -> FlinkMapping:
        waiting = ("left", "next-index", "timer") if self.right_time_attribute_index >= 0 else ()
        return FlinkMapping(states=("right", "cleanup-timestamp", *waiting))

    def flink_state(self, rows: Sequence[Row]) -> Iterator[StateItem]:
        by_rowtime = self.right_time_attribute_index >= 0
        yield key_types(rows[0], self.join_spec.left_keys)
        # By processing time, only the right side is stored.
        yield from list(row_types(rows))[0 if by_rowtime else 1 :]
        yield StateItem("clock", "rowtime" if by_rowtime else "processing time")


def _unique(
    keys: tuple[tuple[int, ...], ...], inputs: Inputs, port: int, path: tuple[str | int, ...]
) -> Iterator[Fault]:
    for at, key in enumerate(keys):
        yield from indices(key, inputs.rows[port].types, (*path, at))


def _attribute(entry: JoinAttribute, inputs: Inputs, path: tuple[str | int, ...]) -> Iterator[Fault]:
    sides = (
        ("leftInputId", entry.left_input_id, "leftFieldIndex", entry.left_field_index, NO_COLUMN),
        ("rightInputId", entry.right_input_id, "rightFieldIndex", entry.right_field_index, None),
    )
    for name, port, field, column, none in sides:
        if port == none:
            continue
        if not 0 <= port < len(inputs.rows):
            message = f"no input {port}: there are {len(inputs.rows)} inputs"
            yield Fault((*path, name), message, f"inputs are numbered 0 to {len(inputs.rows) - 1}", port)
        else:
            yield from index(column, inputs.rows[port].types, (*path, field))
