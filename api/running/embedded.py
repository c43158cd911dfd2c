"""Running plans inside the program that has them: the one door from plans and programs to the executor.

Nothing of the executor is imported before something runs, so that a program that only compiles needs no Java.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from compiled_plan.api.results.table_result import TableResult
from compiled_plan.api.results.tableau import Display
from compiled_plan.plans.connectors.registry import connector_spec
from compiled_plan.plans.errors import PlanError
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.nodes.scan import TableSourceScan
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.plan.session_options import UTC
from compiled_plan.plans.types import RowType

if TYPE_CHECKING:
    from compiled_plan.plans.connectors.held import Held
    from compiled_plan.plans.types.conversions.data_types import AnyType


_Keywords = ParamSpec("_Keywords")
_Self = TypeVar("_Self")
_Result = TypeVar("_Result")


def with_run_options(
    declared: Callable[_Keywords, RunOptions],
) -> Callable[[Callable[[_Self, RunOptions], _Result]], Callable[Concatenate[_Self, _Keywords], _Result]]:
    """Have a method take the options of a run as keyword arguments, with the names and types that are declared."""

    def decorate(method: Callable[[_Self, RunOptions], _Result]) -> Callable[Concatenate[_Self, _Keywords], _Result]:
        @wraps(method)
        def run(self: _Self, /, *args: _Keywords.args, **options: _Keywords.kwargs) -> _Result:
            return method(self, declared(*args, **options))

        parameters = inspect.signature(declared).parameters.values()
        own = inspect.signature(method).parameters["self"]
        run.__signature__ = inspect.Signature([own, *parameters])  # type: ignore[attr-defined]
        return run

    return decorate


def execute(plan: CompiledPlan, options: RunOptions | None = None, *, display: Display | None = None) -> TableResult:
    """Run a plan on an embedded local Spark, in the background.

    Args:
        plan: the plan; one whose sink collects gives its rows to the result.
        display: how `print` shows the rows; in the run's zone if left out.

    Raises:
        UnsupportedError: the plan has something that does not run; names it.
        ExecutionError: no Java, or a Spark session is active that does not fit.
    """
    from compiled_plan.plans.execution.embedded import start

    options = options or RunOptions()
    job, collected = start(plan, options)
    return TableResult(collected or RowType(), job, display or Display(options.time_zone or UTC))


@dataclass(frozen=True, slots=True)
class Inline:
    """A DataFrame as a table: its columns, the options of the connector that reads it, and what keeps it there."""

    row_type: RowType
    options: Mapping[str, str]
    data: Held


def inline(frame: Any, schema: AnyType = None) -> Inline:
    """Hold a DataFrame, so that plans of this process can read it, as long as something refers to its `data`.

    Args:
        frame: of pandas, PyArrow (a Table or RecordBatch) or Spark. A streaming one of Spark is a source that never
            ends.
        schema: the columns: a row type, or a list of names; those of the frame if left out.

    Raises:
        ProgramError: no DataFrame; a column whose type is not known; a schema that does not fit.
        DataError: a value that is none of its column's type; names column, type and value.
    """
    from compiled_plan.plans.execution.dataframes import hold

    row_type, data = hold(frame, schema)
    return Inline(row_type, data.options, data)


def check_can_leave(plan: CompiledPlan) -> None:
    """Refuse to write a plan to a file whose tables only this process has.

    Raises:
        PlanError: names the table and what it is.
    """
    for node in plan.nodes:
        if isinstance(node, TableSourceScan):
            table = node.scan_table_source.table
        elif isinstance(node, Sink):
            table = node.dynamic_table_sink.table
        else:
            continue
        options = table.resolved_table.options if table.resolved_table else None
        connector = connector_spec((options or {}).get("connector"))
        if connector is not None and connector.in_process:
            raise PlanError(
                f"the plan cannot be written to a file: the table {'.'.join(table.path)} {connector.in_process}",
                where=f"node {node.id}",
                remedy="execute it in this program, or read from and write to tables of CREATE TABLE",
            )
