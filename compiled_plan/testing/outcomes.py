"""The rows of a program that continues and of one from scratch, over the same input, and the parts that differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from compiled_plan.plans.inspection.diff.model import OperatorEdit, Part
from compiled_plan.plans.types import RowType
from compiled_plan.testing.cases import Step
from compiled_plan.testing.comparing import ADDS, Change, Difference, differences, row_text
from compiled_plan.testing.inputs import Input
from compiled_plan.testing.values import comparable

#: Names of what an operator emits.
AFTER, BEFORE = "from the change on", "before the change"


@dataclass(frozen=True, slots=True)
class Watch:
    """A part of a change whose rows are compared.

    Args:
        part: the part, of the new program.
        nodes: the nodes of an operator, in the old program, if it was there, and in the new one.
        sinks: the sinks that it reaches, by node.
        above: the operators upstream of it, by node.
    """

    part: Part
    nodes: tuple[int | None, int]
    sinks: frozenset[int]
    above: frozenset[int]


@dataclass(frozen=True)
class Differing:
    """Rows that differ; in words only when they are shown, which takes long for many rows.

    Args:
        name: the table, or the time at which an operator emits them.
        scratch: the rows from scratch.
        continued: the rows of the program that continues.
        columns: their columns.
        key: the columns of the primary key.
        in_order: True for changes, False for rows of a table.
    """

    name: str
    scratch: Sequence[Change]
    continued: Sequence[Change]
    columns: RowType
    key: Sequence[int] = ()
    in_order: bool = True

    @cached_property
    def difference(self) -> Difference:
        """The rows from scratch (`-`) and of the program that continues (`+`)."""
        difference = differences(
            self.name, self.scratch, self.continued, self.columns, self.key, in_order=self.in_order
        )
        return difference or Difference(self.name, (), ("the rows are equal, their order is not",))


@dataclass(frozen=True)
class Outcome:
    """The rows of both runs over an input.

    Args:
        input: the events before and after the change.
        steps: the steps of a test with this input, up to its expectation.
        results: the rows of the program that continues, and their columns, by sink.
        sinks: the sinks that differ, by node.
        operators: what operators emit that differ, by node: from the change on, or before it.
        emitting: the operators that emit rows from scratch, and the sinks that get some, by node.
    """

    input: Input
    steps: Sequence[Step] = field(repr=False)
    results: Mapping[str, tuple[Sequence[Change], RowType]] = field(repr=False)
    sinks: Mapping[int, Differing]
    operators: Mapping[int, Differing]
    emitting: frozenset[int]

    @cached_property
    def tables(self) -> Mapping[str, Sequence[str]]:
        """The rows of the program that continues as text, by sink."""
        return {name: [row_text(row, columns) for row in rows] for name, (rows, columns) in self.results.items()}

    def differing(self, watch: Watch) -> Differing | None:
        """The rows of a part that differ: those of an operator or sink, or of the first sink behind a source."""
        if isinstance(watch.part, OperatorEdit):
            return self.operators.get(watch.nodes[1])
        return next((rows for node, rows in self.sinks.items() if node in watch.sinks), None)


def differs(
    scratch: Sequence[Change], continued: Sequence[Change], columns: RowType, *, in_order: bool = False
) -> bool:
    """Return True if rows differ, with `in_order` also if their order does."""
    wanted, came = ([comparable(change.row, columns) for change in side] for side in (scratch, continued))
    return wanted != came if in_order else Counter(wanted) != Counter(came)


def differing_changes(
    name: str, scratch: Sequence[Change], continued: Sequence[Change], columns: RowType
) -> Differing | None:
    """Compare what an operator emits; None if the changes are equal but for those that cancel out."""
    if _net(scratch, columns) == _net(continued, columns):
        return None
    return Differing(name, scratch, continued, columns)


def _net(changes: Iterable[Change], columns: RowType) -> Mapping[Hashable, int]:
    """By row, how often it was emitted less how often it was retracted."""
    counts: Counter[Hashable] = Counter()
    for change in changes:
        counts[comparable(change.row, columns)] += 1 if change.kind in ADDS else -1
    return {row: count for row, count in counts.items() if count}
