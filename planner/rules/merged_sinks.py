"""Sink merging: statements that write one table in the same way become one sink over the union of their queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from compiled_plan.planner.algebra.kinds import SetKind
from compiled_plan.planner.algebra.nodes import RelNode, SetOp, Sink
from compiled_plan.planner.algebra.traverse import bare
from compiled_plan.planner.options.settings import Settings


def merge_sinks(trees: Sequence[RelNode], settings: Settings) -> tuple[RelNode, ...]:
    """One statement per table and way to write it, in the order of the first ones."""
    groups: dict[Sink, list[Sink]] = {}
    for item in trees:
        assert isinstance(item, Sink)
        groups.setdefault(bare(item), []).append(item)
    return tuple(map(_merged, groups.values()))


def _merged(group: list[Sink]) -> Sink:
    if len(group) == 1:
        return group[0]
    inputs: tuple[RelNode, ...] = tuple(item.input for item in group)
    return replace(group[0], input=SetOp(inputs, SetKind.UNION, True, group[0].input.row_type))
