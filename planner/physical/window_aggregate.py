"""Window aggregation: in two phases if event time divides windows into slices, else in one.

Source: Flink's pages "Window Aggregation" and "Windowing TVF"; Flink 2.3's plans.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from compiled_plan.planner.algebra.nodes import AggregateCall
from compiled_plan.planner.algebra.windows import ByTime, Property, WindowAggregate, Windowing, WindowKind
from compiled_plan.planner.physical.accumulators import Accumulators, accumulators, counted, counts_rows, tuple_text
from compiled_plan.planner.physical.aggregate import call_text, check_distinct, group_text, plan_call
from compiled_plan.planner.physical.base import NewRows, NodeContext, OperatorPlanner, PhysicalOperator, lowers, make
from compiled_plan.planner.physical.describe import names_text, plain_name
from compiled_plan.planner.physical.plumbing import PhysicalExchange
from compiled_plan.planner.physical.traits import NO_KEYS, Keys, MiniBatchMode, ModifyKinds, Traits, UpdateKind
from compiled_plan.planner.physical.user_functions import check_methods
from compiled_plan.planner.physical.windowing import (
    ALIAS,
    batches_of,
    check_emission,
    plan_properties,
    plan_window,
    plan_windowing,
    time_zone,
    window_text,
    windowing_text,
)
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.nodes import windows as w
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.window import GlobalWindowAggregate as GlobalWindowAggregateNode
from compiled_plan.plans.nodes.window import LocalWindowAggregate as LocalWindowAggregateNode
from compiled_plan.plans.nodes.window import WindowAggregate as WindowAggregateNode
from compiled_plan.plans.types import BIGINT, Field, RowType
from compiled_plan.plans.types.temporal import is_rowtime

_WORDS = {Property.START: "start", Property.END: "end", Property.ROWTIME: "rowtime", Property.PROCTIME: "proctime"}


@dataclass(frozen=True, slots=True)
class Calls:
    """Common fields of window aggregates: grouping, calls, window properties."""

    grouping: tuple[int, ...]
    calls: tuple[AggregateCall, ...]
    properties: tuple[tuple[str, Property], ...]
    columns: RowType

    def select_text(self, names: Sequence[str], retract: bool) -> str:
        """The output columns as text, with these input column names."""
        own = self.columns.names[len(self.grouping) :]
        parts = [names[index] for index in self.grouping]
        parts += [
            f"{call_text(call, tuple(names), retract)} AS {name}" for call, name in zip(self.calls, own, strict=False)
        ]
        parts += [f"{_WORDS[kind]}('{ALIAS}) AS {name}" for name, kind in self.properties]
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class PerWindow(NewRows):
    """An aggregate that emits each window once, at its end."""

    GIVES = ModifyKinds.INSERT
    NEEDS = UpdateKind.BOTH
    BY_WHOLE_ROW = True

    spec: Calls

    @property
    def row_type(self) -> RowType:
        return self.spec.columns

    def check_methods(self, windowing: Windowing, retract: bool) -> None:
        """Raise if a user's aggregate function lacks a method that the window requires.

        Raises:
            ProgramError: names the function and the method.
        """
        kind = windowing.window.kind
        merges = isinstance(windowing, ByTime) and kind in (WindowKind.SESSION, WindowKind.CUMULATE)
        reason = (
            "sessions grow together" if kind is WindowKind.SESSION else "cumulating windows are put together of parts"
        )
        check_methods(((call, retract) for call in self.spec.calls), "retract", "its input has updates or deletes")
        check_methods(((call, merges) for call in self.spec.calls), "merge", reason)

    def upsert_keys(self, inputs: tuple[Traits, ...]) -> Keys:
        # One row per group and window is unique, but Flink's planner does not derive that, and its plans show no key.
        return NO_KEYS


@dataclass(frozen=True, slots=True)
class PhysicalWindowAggregate(PerWindow):
    """A window aggregate in one phase."""

    windowing: Windowing

    @property
    def batches(self) -> MiniBatchMode | None:
        return batches_of(self.windowing)

    def plan_node(self, at: NodeContext) -> PlanNode:
        retract = not at.inputs[0].modify_kinds.insert_only
        self.check_methods(self.windowing, retract)
        return make(WindowAggregateNode)(
            **self.header(at, self._text(retract)),
            configuration=time_zone(at.settings),
            grouping=self.spec.grouping,
            agg_calls=tuple(map(plan_call, self.spec.calls)),
            windowing=plan_windowing(self.windowing),
            named_window_properties=plan_properties(self.spec.properties, self.windowing.time),
            need_retraction=retract,
        )

    def title(self) -> str:
        return self._text(False)

    def _text(self, retract: bool) -> str:
        names = self.input.row_type.names
        group = group_text(self.spec.grouping, names)
        window = windowing_text(self.windowing, names)
        return f"WindowAggregate({group}window=[{window}], select=[{self.spec.select_text(names, retract)}])"


@dataclass(frozen=True, slots=True)
class PhysicalLocalWindowAggregate(NewRows):
    """The first phase: accumulators by group and time slice, or by attached window.

    `counted` adds the number of rows, which the second phase needs.
    """

    GIVES = ModifyKinds.INSERT
    NEEDS = UpdateKind.BOTH
    BY_WHOLE_ROW = True

    grouping: tuple[int, ...]
    calls: tuple[AggregateCall, ...]
    counted: bool
    windowing: Windowing
    parts: Accumulators

    @property
    def row_type(self) -> RowType:
        input_fields = self.input.row_type.fields
        mark = "$slice_end" if isinstance(self.windowing, ByTime) else "$window_end"
        return RowType(
            fields=(*(input_fields[index] for index in self.grouping), *self.parts.fields, Field(mark, BIGINT))
        )

    @property
    def batches(self) -> MiniBatchMode | None:
        return batches_of(self.windowing)

    def plan_node(self, at: NodeContext) -> PlanNode:
        retract = not at.inputs[0].modify_kinds.insert_only
        return make(LocalWindowAggregateNode)(
            **self.header(at, self._text(retract)),
            configuration=time_zone(at.settings),
            grouping=self.grouping,
            agg_calls=tuple(map(plan_call, self.calls)),
            windowing=plan_windowing(self.windowing),
            need_retraction=retract,
        )

    def title(self) -> str:
        return self._text(False)

    def _text(self, retract: bool) -> str:
        names = self.input.row_type.names
        group = group_text(self.grouping, names)
        calls = counted(self.calls) if self.counted else self.calls
        parts = [names[index] for index in self.grouping]
        values: dict[str, str] = {}
        for call, columns, mark in zip(calls, self.parts.calls, self.parts.distinct, strict=True):
            if mark is not None:
                values.setdefault(mark, names_text(call.args, names))
            text = call_text(replace(call, distinct=False), names, retract)
            if mark is not None:
                text = text.replace("(", f"({mark} ", 1)
            parts.append(f"{text} AS {tuple_text(columns)}")
        parts += [f"DISTINCT({value}) AS {mark}" for mark, value in values.items()]
        parts.append(f"slice_end('{ALIAS}) AS {self.row_type.names[-1]}")
        window = windowing_text(self.windowing, names)
        return f"LocalWindowAggregate({group}window=[{window}], select=[{', '.join(parts)}])"


@dataclass(frozen=True, slots=True)
class PhysicalGlobalWindowAggregate(PerWindow):
    """The second phase: merges the accumulators of a window's slices. `input_type` is the first phase's input."""

    windowing: Windowing
    input_type: RowType
    retract: bool
    counted: bool
    parts: Accumulators

    def plan_node(self, at: NodeContext) -> PlanNode:
        return make(GlobalWindowAggregateNode)(
            **self.header(at),
            configuration=time_zone(at.settings),
            grouping=self.spec.grouping,
            agg_calls=tuple(map(plan_call, self.spec.calls)),
            windowing=self._plan_windowing(),
            named_window_properties=plan_properties(self.spec.properties, self.windowing.time),
            need_retraction=self.retract,
            local_agg_input_row_type=self.input_type,
        )

    def _plan_windowing(self) -> w.SliceAttachedWindowing | w.WindowAttachedWindowing:
        window, last = plan_window(self.windowing.window), len(self.input.row_type.fields) - 1
        time, rowtime = self.windowing.time, is_rowtime(self.windowing.time)
        if isinstance(self.windowing, ByTime):
            return make(w.SliceAttachedWindowing)(
                window=window, time_attribute_type=time, slice_end=last, is_rowtime=rowtime
            )
        return make(w.WindowAttachedWindowing)(
            window=window, time_attribute_type=time, window_start=-1, window_end=last, is_rowtime=rowtime
        )

    def title(self) -> str:
        names = self.input.row_type.names
        group = group_text(self.spec.grouping, names)
        of = "slice_end" if isinstance(self.windowing, ByTime) else "win_end"
        window = window_text(self.windowing.window, f"{of}=[{names[-1]}]", names)
        own = self.spec.columns.names[len(self.spec.grouping) :]
        calls = counted(self.spec.calls) if self.counted else self.spec.calls
        parts = [names[index] for index in self.spec.grouping]
        texts = []
        for call, columns, mark in zip(calls, self.parts.calls, self.parts.distinct, strict=True):
            merged = "" if mark is None else f"{mark} "
            suffix = "_RETRACT" if self.retract else ""
            texts.append(f"{plain_name(call.name)}{suffix}({merged}{tuple_text(columns)})")
        texts += [f"{_WORDS[kind]}('{ALIAS})" for _, kind in self.spec.properties]
        parts += [f"{text} AS {name}" for text, name in zip(texts, own, strict=False)]
        return f"GlobalWindowAggregate({group}window=[{window}], select=[{', '.join(parts)}])"


@lowers(WindowAggregate)
def _lower_window_aggregate(rel: WindowAggregate, at: OperatorPlanner) -> PhysicalOperator:
    check_emission(at.settings)
    source = at.lower(rel.input)
    check_distinct(rel.calls, source.row_type)
    _check_slices(rel.windowing)
    spec = Calls(rel.grouping, rel.calls, rel.properties, rel.columns)
    retract = not at.traits(source).modify_kinds.insert_only
    # The row count identifies empty windows, including empty ones among others that are not.
    may_be_empty = retract or rel.windowing.window.kind is WindowKind.HOP
    counting = may_be_empty and not any(map(counts_rows, rel.calls))
    calls = counted(rel.calls) if counting else rel.calls
    parts = accumulators(calls, source.row_type, retract)
    if parts is None or not _in_two_phases(rel.windowing, at):
        return PhysicalWindowAggregate(PhysicalExchange(source, rel.grouping), spec, rel.windowing)
    local = PhysicalLocalWindowAggregate(source, rel.grouping, rel.calls, counting, rel.windowing, parts)
    keys = tuple(range(len(rel.grouping)))
    spread = PhysicalExchange(local, keys)
    moved = replace(spec, grouping=keys)
    return PhysicalGlobalWindowAggregate(spread, moved, rel.windowing, source.row_type, retract, counting, parts)


def _check_slices(windowing: Windowing) -> None:
    """Raise for hopping windows that do not consist of whole slices.

    Raises:
        ProgramError: the size is no multiple of the slide.
    """
    window = windowing.window
    if window.kind is WindowKind.HOP and window.size % (window.step or 1):
        raise ProgramError(
            "an aggregate over HOP requires its size to be an integral multiple of its slide, but got size "
            f"{window.size} ms and slide {window.step} ms",
            remedy="make the size a multiple of the slide",
        )


def _in_two_phases(windowing: Windowing, at: OperatorPlanner) -> bool:
    if at.settings.value("table.optimizer.agg-phase-strategy").upper() == "ONE_PHASE":
        return False
    return is_rowtime(windowing.time) and not windowing.window.is_session
