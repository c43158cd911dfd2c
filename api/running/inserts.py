"""What writes: a table into a sink, and several of them in one plan.

Source: Flink's "Table API" page, `insertInto`, `StatementSet`; "Streaming Concepts", compiled plans.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from compiled_plan.api.results.table_result import TableResult
from compiled_plan.api.running.compiling import compile_sinks
from compiled_plan.api.running.plans import CompiledPlan
from compiled_plan.api.running.statements import run_sinks
from compiled_plan.planner.algebra.nodes import Sink
from compiled_plan.planner.sql.binding.inserts import bind_insert
from compiled_plan.planner.sql.context import PlanningContext
from compiled_plan.planner.sql.nodes import statements as st
from compiled_plan.planner.sql.scripts import bind_script
from compiled_plan.planner.table.building.planned import PlannedTable
from compiled_plan.planner.table.building.source import NOWHERE
from compiled_plan.planner.table.building.unfinished import check_table
from compiled_plan.planner.table.descriptors import TableDescriptor, declared
from compiled_plan.planner.table.operations import binder_for, listed, relation_node, table_hint
from compiled_plan.planner.table.paths import path_of
from compiled_plan.plans.errors import ProgramError


@dataclass(frozen=True)
class TablePipeline:
    """A table's rows on their way into a sink: `table.insert_into("sink")`."""

    _context: PlanningContext
    _sinks: tuple[Sink, ...]

    def compile_plan(self) -> CompiledPlan:
        """The plan that writes the rows.

        Raises:
            ProgramError: the sink cannot take them.
            UnsupportedError: an operation that no operator is known for.
        """
        return compile_sinks(self._context, self._sinks)

    def execute(self) -> TableResult:
        """Run the plan on an embedded local Spark, in the background; `wait()` of the result waits for its end.

        Raises:
            ProgramError, UnsupportedError: as `compile_plan`.
            ExecutionError: Spark does not start.
        """
        return run_sinks(self._context, self._sinks)

    def explain(self) -> str:
        """The operators of the plan with their state entries."""
        return self.compile_plan().explain()


@dataclass
class StatementSet:
    """Several inserts that become one plan, which reads shared inputs once: `env.create_statement_set()`."""

    _context: PlanningContext
    _sinks: list[Sink] = field(default_factory=list)

    def add_insert(
        self, target: str | TableDescriptor | TablePipeline, table: PlannedTable | None = None
    ) -> StatementSet:
        """Add a table's rows into a sink: `add_insert("sink", table)`, or `add_insert(table.insert_into("sink"))`.

        The sink is a table of the catalog, or a `TableDescriptor`.

        Raises:
            ProgramError: as `Table.insert_into`.
        """
        if isinstance(target, TablePipeline):
            self._sinks += target._sinks
        elif table is None:
            raise ProgramError(
                "add_insert() has no table", where="add_insert()", remedy='write add_insert("sink", table)'
            )
        else:
            check_table(table, "add_insert")
            self._sinks += insert_into(table, target)._sinks
        return self

    def add(self, pipeline: TablePipeline) -> StatementSet:
        """Add `table.insert_into("sink")`."""
        return self.add_insert(pipeline)

    def add_insert_sql(self, statement: str) -> StatementSet:
        """Add an INSERT of SQL.

        Raises:
            ProgramError: no INSERT, or a wrong one; with line, column and caret.
        """
        sinks, _ = bind_script(self._context, statement)
        self._sinks += sinks
        return self

    def compile_plan(self) -> CompiledPlan:
        """The plan of all inserts.

        Raises:
            ProgramError: there are none; or as `TablePipeline.compile_plan`.
        """
        return compile_sinks(self._context, self._sinks)

    def execute(self) -> TableResult:
        """Run the plan as one job, as `TablePipeline.execute`."""
        return run_sinks(self._context, self._sinks)

    def explain(self) -> str:
        """The operators of the plan with their state entries."""
        return self.compile_plan().explain()


def insert_into(
    table: PlannedTable,
    target: str | TableDescriptor,
    columns: Sequence[str] | None = None,
    options: Mapping[str, str] | None = None,
    on_conflict: str | None = None,
) -> TablePipeline:
    """The table's rows into a table of the catalog."""
    if on_conflict not in (None, "NOTHING", "ERROR", "DEDUPLICATE"):
        raise ProgramError(
            f"{on_conflict!r} is nothing to do on a conflict",
            where="insert_into()",
            remedy='write "NOTHING", "ERROR" or "DEDUPLICATE"',
        )
    if not isinstance(target, str):
        with declared(table._context, target, "insert_into") as path:
            return insert_into(table, path, columns, options, on_conflict)
    binder = binder_for(table._context, "insert_into")
    given = listed("insert_into", columns or ())
    names = tuple((name,) for name in given if isinstance(name, str))
    if len(names) < len(given):
        wrong = next(item for item in given if not isinstance(item, str))
        raise ProgramError(
            f"{wrong!r} is no name of a column", where="insert_into()", remedy='write columns=["a", "b"]'
        )
    statement = st.Insert(
        span=NOWHERE,
        text="",
        target=path_of(target, "insert_into"),
        target_span=NOWHERE,
        hints=(table_hint("OPTIONS", options),) if options else (),
        columns=names,
        column_spans=(NOWHERE,) * len(names),
        partition={},
        overwrite=False,
        query=relation_node(table._rows),
        query_text="",
        on_conflict=on_conflict,
    )
    return TablePipeline(table._context, (bind_insert(binder, statement),))
