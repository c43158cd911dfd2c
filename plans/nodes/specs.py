"""Small objects that several operators share: aggregate calls, sort and join specifications."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from plans.nodes.base import Bool, Int, Nullable, PlanModel
from plans.nodes.fields import PythonJson, RexJson, TypeJson

JoinType = Literal["INNER", "LEFT", "RIGHT", "FULL", "SEMI", "ANTI"]
RowKind = Literal["INSERT", "UPDATE_BEFORE", "UPDATE_AFTER", "DELETE"]


class AggregateCall(PlanModel):
    """One aggregate function over columns of the input.

    `internal_name` is Flink's name (`$SUM$1`); `filter_arg` is the index of a boolean column, -1 for none.
    A user's function has a `system_name`, a `catalog_name` or a `function_class` instead, and
    one in Python says where it is in `python`.
    """

    name: Nullable[str] = None
    syntax: str | None = None
    internal_name: str | None = None
    system_name: str | None = None
    catalog_name: str | None = None
    function_class: str | None = Field(default=None, alias="class")
    python: PythonJson | None = None
    arg_list: tuple[Int, ...]
    filter_arg: Int
    distinct: Bool
    approximate: Bool
    ignore_nulls: Bool
    type: TypeJson


class SortField(PlanModel):
    """One column of an order."""

    index: Int
    is_ascending: Bool
    null_is_last: Bool


class SortSpec(PlanModel):
    """An order: columns, the most significant first."""

    fields: tuple[SortField, ...]


class PartitionSpec(PlanModel):
    """The columns by which rows are partitioned."""

    fields: tuple[Int, ...]


class JoinSpec(PlanModel):
    """An equi-join: `left_keys[i]` equals `right_keys[i]`, and `non_equi_condition` holds over both sides' columns.

    `filter_nulls[i]` says that a null in key `i` matches nothing.
    """

    join_type: JoinType
    left_keys: tuple[Int, ...]
    right_keys: tuple[Int, ...]
    filter_nulls: tuple[Bool, ...]
    non_equi_condition: Nullable[RexJson] = None
