"""The first places at which two programs part, upstream of tables that differ.

The micro-batches of a shadow run are run once more, up to the one after which the last of these tables has differed for
the first time: from copies of the state with which the shadow began, since an operator may part from another one long
before a table shows it. Each point between operators is a sink of this second run, and compared like a table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans.execution.interfaces.connectors import KIND, UPDATE_BEFORE
from compiled_plan.plans.execution.operators.base import emitting
from compiled_plan.plans.execution.shadow.comparing import Comparison
from compiled_plan.plans.execution.shadow.points import Point, points_of, table_of, with_points
from compiled_plan.plans.execution.shadow.programs import ShadowProgram, tables_of
from compiled_plan.plans.execution.shadow.report import Parting, Rows
from compiled_plan.plans.execution.spark.storage import Folder
from compiled_plan.plans.execution.state.checkpoint.offsets import Entry
from compiled_plan.plans.execution.state.checkpoint.store import Generation
from compiled_plan.plans.execution.state.upgrade.excerpt import above
from compiled_plan.plans.execution.tables.records import Records
from compiled_plan.plans.execution.tables.sides import Pair
from compiled_plan.plans.inspection.diff.model import PlanDiff, nodes_in_both
from compiled_plan.plans.inspection.diff.sides import PlanPair
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.trees import reached

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True, slots=True)
class Locating:
    """The search for the first places.

    Args:
        starts: the old and the new program, on copies of the state with which the shadow began.
        both: their plans.
        diff: the difference of the plans.
        folder: a folder of its own.
    """

    starts: tuple[ShadowProgram, ShadowProgram]
    both: PlanPair
    diff: PlanDiff
    folder: Folder

    def partings(
        self, sinks: Mapping[int, str], lead: Generation, rounds: Sequence[Sequence[Entry]]
    ) -> dict[int, tuple[Parting, ...]]:
        """The first places, by sink of the new plan.

        Args:
            sinks: the sinks that differ, with their tables.
            lead: the generation that ran the micro-batches of the shadow, see `ShadowProgram.repeat`.
            rounds: these micro-batches, up to the last one that is needed.

        Raises:
            StoppedError: the shadow was stopped.
        """
        points = points_of(self.both, self.diff, sinks)
        compared = dict(zip(points, self._compared(points, lead, rounds), strict=True)) if points else {}
        return {sink: tuple(self._first(sink, table, compared)) for sink, table in sinks.items()}

    # ---- the second run

    def _compared(self, points: Sequence[Point], lead: Generation, rounds: Sequence[Sequence[Entry]]) -> list[Rows]:
        tables = [table_of(number) for number in range(len(points))]
        programs = [self._recording(side, points, tables) for side in range(2)]
        specs = [
            {table.identifier: table for table in tables_of(program.recorded_plan or program.plan).values()}
            for program in programs
        ]
        comparisons = [
            Comparison(programs[0].spark, Pair(specs[0][table], specs[1][table]), self.folder.inside(str(number)))
            for number, table in enumerate(tables)
        ]
        for planned in rounds:
            for program in programs:
                program.repeat(lead, planned)
            for point, table, comparison in zip(points, tables, comparisons, strict=True):
                comparison.add(*(_rows(program, point, table) for program in programs))
            for program in programs:
                program.records.remove()
        return [comparison.rows(None) for comparison in comparisons]

    def _recording(self, side: int, points: Sequence[Point], tables: Sequence[str]) -> ShadowProgram:
        program = self.starts[side]
        return replace(
            program,
            records=Records(self.folder.inside(f"records-{side}"), frozenset(tables), program.records.after),
            # Without intermediate results, the sums of equal changes would depend on what stands beside them.
            parts={**program.parts, "folds": False},
            recorded_plan=with_points(program.plan, points, side),
        )

    # ---- the result

    def _first(self, sink: int, table: str, compared: Mapping[Point, Rows]) -> Iterator[Parting]:
        plan = self.both.new.plan
        differing = [point for point in compared if compared[point].differing and point.new in above(plan, [sink])]
        first = [
            point
            for point in differing
            if not any(upstream.new != point.new and upstream.new in above(plan, [point.new]) for upstream in differing)
        ]
        equal = [point for point in compared if not compared[point].differing]
        for point in first:
            rows = compared[point]
            yield replace(
                self._between(point, point.words, equal),
                uid=point.uid,
                differing=rows.differing,
                examples=rows.examples,
            )
        if not first:
            yield self._to_sink(sink, table, equal)

    def _to_sink(self, sink: int, table: str, equal: Sequence[Point]) -> Parting:
        edit = next((edit for edit in self.diff.operators if edit.new_node == sink and edit.old_node is not None), None)
        old = next(old for one in self.diff.sinks for old, new in nodes_in_both(one) if new == sink)
        if edit is not None:
            return Parting(edit.words, edit.uid, (old,), (sink,))
        return self._between(Point(old, sink, ((), ())), f"the input of {table}", equal)

    def _between(self, point: Point, words: str, equal: Sequence[Point]) -> Parting:
        """The nodes that lead to a point from equal rows."""
        old, new = (
            _upstream(side.plan, point.node(at), {one.node(at) for one in equal})
            for at, side in enumerate((self.both.old, self.both.new))
        )
        plan, shown = (self.both.new.plan, new) if new else (self.both.old.plan, old)
        return Parting(words, "", old, new, tuple(plan.node(node).description for node in shown))


def _upstream(plan: CompiledPlan, node: int, equal: set[int]) -> tuple[int, ...]:
    """A node and all upstream of it that emit rows, up to the nodes with equal ones; in the order of the plan."""
    ids = set(reached([node], lambda at: [below.id for below in plan.inputs(at) if below.id not in equal])) - equal
    return tuple(
        one.id for one in plan.in_order if one.id in ids and plan.consumers(one) and emitting(plan, one.id) is one
    )


def _rows(program: ShadowProgram, point: Point, table: str) -> DataFrame:
    rows = program.records.rows(table, program.spark)
    return rows if point.before else rows.where(F.col(KIND) != UPDATE_BEFORE)
