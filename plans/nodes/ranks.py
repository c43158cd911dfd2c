"""Declarations that rank operators share: range of ranks, strategies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from compiled_plan.plans.findings import Fault
from compiled_plan.plans.nodes.model import Always, Int, OfInput, PlanModel
from compiled_plan.plans.nodes.rules import Columns, Path, index
from compiled_plan.plans.types import IntegerType

RankType = Literal["ROW_NUMBER", "RANK", "DENSE_RANK"]


class ConstantRange(PlanModel):
    """Ranks from `start` to `end`, both included, from 1."""

    type: Always[Literal["Constant"]] = "Constant"
    start: Int
    end: Int


class ConstantRangeWithoutEnd(PlanModel):
    """All ranks from `start` on, without an end."""

    type: Always[Literal["ConstantWithoutEnd"]] = "ConstantWithoutEnd"
    start: Int


class VariableRange(PlanModel):
    """Ranks up to the value of a column."""

    type: Always[Literal["Variable"]] = "Variable"
    end_index: OfInput[Int]


def range_faults(
    range_: ConstantRange | ConstantRangeWithoutEnd | VariableRange, columns: Columns, path: Path
) -> Iterator[Fault]:
    """Faults of a range: a start below 1, an empty range, an end column that is not numeric."""
    if isinstance(range_, VariableRange):
        yield from index(range_.end_index, columns, (*path, "endIndex"))
        if 0 <= range_.end_index < len(columns) and not isinstance(columns[range_.end_index], IntegerType):
            message = f"the end of the ranks is column {range_.end_index} of type {columns[range_.end_index]}"
            yield Fault((*path, "endIndex"), message, "name a column of whole numbers", range_.end_index)
        return
    if range_.start < 1:
        yield Fault((*path, "start"), f"ranks begin at 1, not at {range_.start}", "write 1 or more", range_.start)
    if isinstance(range_, ConstantRange) and range_.end < range_.start:
        message = f"the ranks end at {range_.end}, before they begin at {range_.start}"
        yield Fault((*path, "end"), message, f"write {range_.start} or more", range_.end)


RankRange = Annotated[ConstantRange | ConstantRangeWithoutEnd | VariableRange, Field(discriminator="type")]


class AppendFast(PlanModel):
    """The input is insert-only: it neither updates nor deletes rows."""

    type: Always[Literal["AppendFast"]] = "AppendFast"


class UpdateFast(PlanModel):
    """The input updates by `primary_keys`, and updates only improve the rank."""

    type: Always[Literal["UpdateFast"]] = "UpdateFast"
    primary_keys: OfInput[tuple[Int, ...]]


class Retract(PlanModel):
    """The input is a full changelog."""

    type: Always[Literal["Retract"]] = "Retract"


class Undefined(PlanModel):
    """The planner has not decided on a strategy."""

    type: Always[Literal["Undefined"]] = "Undefined"


RankStrategy = Annotated[AppendFast | UpdateFast | Retract | Undefined, Field(discriminator="type")]
