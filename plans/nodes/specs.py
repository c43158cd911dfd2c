"""Objects that several operators share: aggregate calls, sort and join specifications."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from compiled_plan.plans.nodes.fields import JavaJson, PythonJson, RexJson, TypeJson
from compiled_plan.plans.nodes.model import Bool, Int, Nullable, OfAll, OfInput, OfRight, PlanModel
from compiled_plan.plans.rex.java import JavaFunction, function_named

JoinType = Literal["INNER", "LEFT", "RIGHT", "FULL", "SEMI", "ANTI"]
RowKind = Literal["INSERT", "UPDATE_BEFORE", "UPDATE_AFTER", "DELETE", "~DELETE"]


class AggregateCall(PlanModel):
    """One aggregate function over columns of the input.

    `internal_name` is Flink's name (`$SUM$1`); `filter_arg` is the index of a boolean column, -1 for none.
    A user-defined function has a `system_name`, a `catalog_name` or a `function_class` instead, and a Python or
    Java function may have its reference in `python` or `java`.
    """

    name: Nullable[str] = None
    syntax: str | None = None
    internal_name: str | None = None
    system_name: str | None = None
    catalog_name: str | None = None
    function_class: str | None = Field(default=None, alias="class")
    python: PythonJson | None = None
    java: JavaJson | None = None
    arg_list: OfInput[tuple[Int, ...]]
    filter_arg: OfInput[Int]
    distinct: Bool
    approximate: Bool
    ignore_nulls: Bool
    type: TypeJson

    @property
    def java_function(self) -> JavaFunction | None:
        """The Java function; None for built-in functions and those in Python."""
        names = {
            "internalName": self.internal_name,
            "systemName": self.system_name,
            "catalogName": self.catalog_name,
            "class": self.function_class,
        }
        return function_named(names | {"python": self.python, "java": self.java})

    @property
    def function(self) -> str:
        """Flink's internal name, or the name or class of a user-defined function; empty if there is none."""
        return self.internal_name or self.system_name or self.catalog_name or self.function_class or ""


class SortField(PlanModel):
    """A sort column, its direction, and the place of NULLs."""

    index: OfInput[Int]
    is_ascending: Bool
    null_is_last: Bool


class SortSpec(PlanModel):
    """An order: columns, the most significant first."""

    fields: tuple[SortField, ...]


class PartitionSpec(PlanModel):
    """The columns by which rows are partitioned."""

    fields: OfInput[tuple[Int, ...]]


class JoinSpec(PlanModel):
    """An equi-join: `left_keys[i]` equals `right_keys[i]`, and `non_equi_condition` holds over both sides' columns.

    With `filter_nulls[i]`, a null in key `i` matches nothing.
    """

    join_type: JoinType
    left_keys: OfInput[tuple[Int, ...]]
    right_keys: OfRight[tuple[Int, ...]]
    filter_nulls: tuple[Bool, ...]
    non_equi_condition: Nullable[OfAll[RexJson]] = None
