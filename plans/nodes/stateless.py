"""Stateless operators: projection, filter, union, expand, correlate, exchange, watermarks.

The exception is a projection with a seeded RAND, which stores the position in the sequence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from compiled_plan.plans.findings import Fault
from compiled_plan.plans.nodes.base import SOME_INPUTS, Inputs, PlanNode
from compiled_plan.plans.nodes.fields import RexJson
from compiled_plan.plans.nodes.model import Int, Nullable, OfInput, OfNone, PlanModel
from compiled_plan.plans.nodes.rules import (
    condition_faults,
    expression_faults,
    expressions,
    output,
    same_as_input,
    timestamp,
)
from compiled_plan.plans.nodes.table_functions import function_call, function_columns
from compiled_plan.plans.rex.sequences import has_sequence
from compiled_plan.plans.text.durations import parse_duration
from compiled_plan.plans.types import RowType, TimeKind, TimestampBase, row_of
from compiled_plan.plans.types.changelog import ChangelogMode

#: The session option for idle sources.
IDLE_TIMEOUT = "table.exec.source.idle-timeout"
#: Precision of a rowtime attribute.
_PRECISION = 3


class Calc(PlanNode):
    """Projection of every row for which the condition is true."""

    NAME = "stream-exec-calc"

    projection: tuple[RexJson, ...]
    condition: Nullable[RexJson] = None

    @property
    def keeps_state(self) -> bool:
        """True for a seeded RAND: the position in its sequence."""
        return has_sequence(self.condition, *self.projection)

    def faults(self, inputs: Inputs) -> Iterator[Fault]:
        yield from _projected(self.projection, self.output_type, inputs, ("projection",))
        yield from condition_faults(self.condition, inputs.types, ("condition",))

    @property
    def title(self) -> str:
        plain = all(getattr(rex, "kind", None) == "INPUT_REF" for rex in self.projection)
        if self.condition is not None:
            return "Filter" if plain else "Filter and compute columns"
        return "Choose columns" if plain else "Compute columns"


class AsyncCalc(Calc):
    """Projection with an asynchronous scalar function, which is called row by row here."""

    NAME = "stream-exec-async-calc"

    condition: RexJson | None = None


class Exchange(PlanNode):
    """Distribution of rows as the input property requires (by hash of columns, or to a single task)."""

    NAME = "stream-exec-exchange"

    def faults(self, inputs: Inputs) -> Iterator[Fault]:
        return same_as_input(self.output_type, inputs)


class Union(PlanNode):
    """All rows of all inputs."""

    NAME = "stream-exec-union"
    TITLE = "Union of {distinct}"
    INPUTS = SOME_INPUTS

    def faults(self, inputs: Inputs) -> Iterator[Fault]:
        for number, row in enumerate(inputs.rows):
            yield from output(self.output_type, row.types, f"input {number}", kinds=True)


class Expand(PlanNode):
    """One copy of each row per grouping set."""

    NAME = "stream-exec-expand"
    TITLE = "Expand grouping sets"

    projects: tuple[tuple[RexJson, ...], ...]

    def faults(self, inputs: Inputs) -> Iterator[Fault]:
        for number, project in enumerate(self.projects):
            yield from _projected(project, self.output_type, inputs, ("projects", number))
        if not self.projects:
            yield Fault(("projects",), "there are no projects", "add one for each grouping set", [])


class Correlate(PlanNode):
    """Join of each row with the rows that a table function returns for it."""

    NAME = "stream-exec-correlate"
    TITLE = "Unnest or call a table function"

    join_type: Literal["INNER", "LEFT"]
    function_call: RexJson
    #: Over the columns of the function.
    condition: Nullable[OfNone[RexJson]] = None

    def faults(self, inputs: Inputs) -> Iterator[Fault]:
        # A call may refer to the whole row, whose fields have the names of the output's.
        names = self.output_type.names[: len(inputs.types)]
        outer = row_of(names, tuple(inputs.types)) if len(names) == len(inputs.types) else inputs.rows[0]
        wrong = list(function_call(self.function_call, outer, ("functionCall",)))
        yield from wrong
        if not wrong:
            columns = function_columns(self.function_call)
            yield from output(self.output_type, (*inputs.types, *columns), "the correlate")
            yield from condition_faults(self.condition, columns, ("condition",))


class AsyncCorrelate(Correlate):
    """Join of each row with the rows of an asynchronous table function, which is called row by row here."""

    NAME = "stream-exec-async-correlate"

    condition: OfNone[RexJson] | None = None


class DropUpdateBefore(PlanNode):
    """Removal of UPDATE_BEFORE rows, which the consumer does not need."""

    NAME = "stream-exec-drop-update-before"
    TITLE = "Drop rows before updates"

    def sends(self, received: ChangelogMode) -> ChangelogMode:
        return received & ~ChangelogMode.UPDATE_BEFORE

    def faults(self, inputs: Inputs) -> Iterator[Fault]:
        return same_as_input(self.output_type, inputs)

    def may_send(self, received: Sequence[ChangelogMode]) -> ChangelogMode:
        return self.sends(received[0])


class WatermarkAssigner(PlanNode):
    """Generation of watermarks from an expression over the row."""

    NAME = "stream-exec-watermark-assigner"
    TITLE = "Watermark of {of}"

    watermark_expr: RexJson
    rowtime_field_index: OfInput[Int]

    @property
    def idle_ms(self) -> int:
        """Idle timeout of the source in milliseconds; 0 for none."""
        return parse_duration(self.configuration.get(IDLE_TIMEOUT, "0 ms"))

    def faults(self, inputs: Inputs) -> Iterator[Fault]:
        wrong = list(timestamp(self.rowtime_field_index, inputs.types, ("rowtimeFieldIndex",)))
        yield from wrong
        at = self.rowtime_field_index
        yield from expression_faults(
            self.watermark_expr, inputs.types, ("watermarkExpr",), None if wrong else inputs.types[at]
        )
        if wrong:
            return
        wanted = list(inputs.types)
        time = wanted[at]
        assert isinstance(time, TimestampBase)
        # Watermarks have millisecond precision, whatever the column's.
        wanted[at] = replace(time, kind=TimeKind.ROWTIME, precision=_PRECISION)
        yield from output(self.output_type, wanted, "the watermark", kinds=True)


class MiniBatchInterval(PlanModel):
    """Interval of mini-batches in milliseconds, and its clock."""

    interval: Int
    mode: Literal["RowTime", "ProcTime", "None"]


class MiniBatchAssigner(PlanNode):
    """Markers of the ends of mini-batches."""

    NAME = "stream-exec-mini-batch-assigner"
    TITLE = "Mark mini-batches"

    mini_batch_interval: MiniBatchInterval

    def faults(self, inputs: Inputs) -> Iterator[Fault]:
        return same_as_input(self.output_type, inputs)


def _projected(
    exprs: tuple[RexJson, ...], row: RowType, inputs: Inputs, path: tuple[str | int, ...]
) -> Iterator[Fault]:
    """Faults of the expressions that compute the output, one per field."""
    if len(exprs) != len(row.fields):
        message = f"{len(exprs)} expressions for {len(row.fields)} fields of the output type"
        yield Fault(path, message, "one for each field", len(exprs))
        yield from expressions(exprs, inputs.types, None, path)
        return
    yield from expressions(exprs, inputs.types, row.types, path)
    yield from output(row, row.types, "the projection")
