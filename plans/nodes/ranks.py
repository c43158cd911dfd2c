"""What rank operators share: the range of ranks, and how they are kept."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from plans.nodes.base import Int
from plans.nodes.windows import Tagged

RankType = Literal["ROW_NUMBER", "RANK", "DENSE_RANK"]


class ConstantRange(Tagged):
    """Ranks from `start` to `end`, both included, from 1."""

    type: Literal["Constant"] = "Constant"
    start: Int
    end: Int


class ConstantRangeWithoutEnd(Tagged):
    """Ranks from `start` on."""

    type: Literal["ConstantWithoutEnd"] = "ConstantWithoutEnd"
    start: Int


class VariableRange(Tagged):
    """Ranks up to the value of a column."""

    type: Literal["Variable"] = "Variable"
    end_index: Int


RankRange = Annotated[ConstantRange | ConstantRangeWithoutEnd | VariableRange, Field(discriminator="type")]


class AppendFast(Tagged):
    """The input is insert-only."""

    type: Literal["AppendFast"] = "AppendFast"


class UpdateFast(Tagged):
    """The input updates by `primary_keys`, and only ever upwards in rank."""

    type: Literal["UpdateFast"] = "UpdateFast"
    primary_keys: tuple[Int, ...]


class Retract(Tagged):
    """The input is a full changelog."""

    type: Literal["Retract"] = "Retract"


class Undefined(Tagged):
    """Not decided."""

    type: Literal["Undefined"] = "Undefined"


RankStrategy = Annotated[AppendFast | UpdateFast | Retract | Undefined, Field(discriminator="type")]
