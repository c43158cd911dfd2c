"""What rank operators share: the range of ranks, and how they are kept."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from plans.nodes.base import Always, Int, PlanModel

RankType = Literal["ROW_NUMBER", "RANK", "DENSE_RANK"]


class ConstantRange(PlanModel):
    """Ranks from `start` to `end`, both included, from 1."""

    type: Always[Literal["Constant"]] = "Constant"
    start: Int
    end: Int


class ConstantRangeWithoutEnd(PlanModel):
    """Ranks from `start` on."""

    type: Always[Literal["ConstantWithoutEnd"]] = "ConstantWithoutEnd"
    start: Int


class VariableRange(PlanModel):
    """Ranks up to the value of a column."""

    type: Always[Literal["Variable"]] = "Variable"
    end_index: Int


RankRange = Annotated[ConstantRange | ConstantRangeWithoutEnd | VariableRange, Field(discriminator="type")]


class AppendFast(PlanModel):
    """The input is insert-only."""

    type: Always[Literal["AppendFast"]] = "AppendFast"


class UpdateFast(PlanModel):
    """The input updates by `primary_keys`, and only ever upwards in rank."""

    type: Always[Literal["UpdateFast"]] = "UpdateFast"
    primary_keys: tuple[Int, ...]


class Retract(PlanModel):
    """The input is a full changelog."""

    type: Always[Literal["Retract"]] = "Retract"


class Undefined(PlanModel):
    """Not decided."""

    type: Always[Literal["Undefined"]] = "Undefined"


RankStrategy = Annotated[AppendFast | UpdateFast | Retract | Undefined, Field(discriminator="type")]
