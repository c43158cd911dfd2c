"""Inserts: a table into a sink, and several of them in one plan.

Source: Flink's "Table API" page, `insertInto`, `StatementSet`; "Streaming Concepts", compiled plans.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from compiled_plan.planner.algebra.nodes import Sink
from compiled_plan.planner.diagnostics.refusing import refused_method
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
from compiled_plan.planner.table.schemas import schema_of
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.types import Field, RowType
from compiled_plan.results.identifiers import ObjectIdentifier
from compiled_plan.results.table_result import TableResult
from compiled_plan.running.compiling import compile_sinks
from compiled_plan.running.plans import CompiledPlan
from compiled_plan.running.statements import run_sinks


@dataclass(frozen=True)
class TablePipeline:
    """An insert of a table into a sink: `table.insert_into("sink")`.

    >>> import compiled_plan as cp
    >>> env = cp.TableEnvironment()
    >>> _ = env.execute_sql("CREATE TABLE sink (n INT) WITH ('connector' = 'print')")
    >>> pipeline = env.from_values([(1,)], ["n"]).select(cp.col("n").cast("INT")).insert_into("sink")
    >>> print(pipeline.explain())
    [2] Sink(table=[default_catalog.default_database.sink], fields=[EXPR$0])
    +- [1] Values(tuples=[[{ 1 }]])
    """

    _context: PlanningContext
    _sinks: tuple[Sink, ...]

    def compile_plan(self) -> CompiledPlan:
        """Compile the insert.

        Returns:
            The plan.

        Raises:
            ProgramError: the insert cannot be planned, for example since the sink accepts no updates.
            UnsupportedError: an operation is not supported.
        """
        return compile_sinks(self._context, self._sinks)

    def execute(self) -> TableResult:
        """Run the plan on an embedded local Spark, in the background.

        Returns:
            The result, whose `wait()` waits for the end of the run.

        Raises:
            ProgramError, UnsupportedError: as for `compile_plan`.
            ExecutionError: Spark does not start.
        """
        return run_sinks(self._context, self._sinks)

    def explain(self, *extra_details: str) -> str:
        """The operators of the plan with their state entries; details as for `Table.explain`."""
        return self.compile_plan().explain(*extra_details)

    def print_explain(self, *extra_details: str) -> None:
        """Print the result of `explain`."""
        print(self.explain(*extra_details))

    def get_sink_identifier(self) -> ObjectIdentifier:
        """The full name of the sink."""
        path = self._sinks[0].table.identifier
        return ObjectIdentifier(path.catalog, path.database, path.name)


@dataclass
class StatementSet:
    """Several inserts that become one plan, which reads shared inputs once: `env.create_statement_set()`.

    >>> from compiled_plan import TableEnvironment, col
    >>> env = TableEnvironment()
    >>> _ = env.execute_sql('''
    ...     CREATE TABLE orders (id INT, price INT) WITH ('connector' = 'datagen');
    ...     CREATE TABLE cheap (id INT, price INT) WITH ('connector' = 'print');
    ...     CREATE TABLE dear (id INT, price INT) WITH ('connector' = 'print');
    ... ''')
    >>> inserts = env.create_statement_set()
    >>> inserts = inserts.add_insert("cheap", env.from_path("orders").where(col("price") < 10))
    >>> inserts = inserts.add_insert_sql("INSERT INTO dear SELECT * FROM orders WHERE price >= 10")
    >>> print(inserts.explain())
    [3] Sink(table=[default_catalog.default_database.cheap], fields=[id, price])
    +- [2] Calc(select=[id, price], where=[(price < 10)])
       +- [1] TableSourceScan(table=[[default_catalog, default_database, orders]], fields=[id, price])
    [5] Sink(table=[default_catalog.default_database.dear], fields=[id, price])
    +- [4] Calc(select=[id, price], where=[(price >= 10)])
       +- [1] TableSourceScan(table=[[default_catalog, default_database, orders]], fields=[id, price])
    """

    _context: PlanningContext
    _sinks: list[Sink] = field(default_factory=list)

    def add_insert(
        self,
        target_path_or_descriptor: str | TableDescriptor | TablePipeline,
        table: PlannedTable | None = None,
        overwrite: bool = False,
    ) -> StatementSet:
        """Add an insert of a table: `add_insert("sink", table)`, or `add_insert(table.insert_into("sink"))`.

        Args:
            target_path_or_descriptor: the sink, a table of the catalog or a `TableDescriptor`; or the whole insert.
            table: the rows; only with a sink.
            overwrite: INSERT OVERWRITE.

        Returns:
            This statement set.

        Raises:
            ProgramError: as for `Table.insert_into`.
        """
        target = target_path_or_descriptor
        if isinstance(target, TablePipeline):
            self._sinks += target._sinks
        elif table is None:
            raise ProgramError(
                "add_insert() has no table", where="add_insert()", remedy='write add_insert("sink", table)'
            )
        else:
            check_table(table, "add_insert")
            self._sinks += insert_into(table, target, overwrite=overwrite)._sinks
        return self

    def add(self, table_pipeline: TablePipeline) -> StatementSet:
        """Add an insert, `table.insert_into("sink")`, and return this statement set."""
        return self.add_insert(table_pipeline)

    def add_insert_sql(self, stmt: str) -> StatementSet:
        """Add an INSERT in SQL, and return this statement set.

        Args:
            stmt: the INSERT.

        Raises:
            ProgramError: the statement is wrong or not an INSERT; with line, column and caret.
        """
        sinks, _ = bind_script(self._context, stmt)
        self._sinks += sinks
        return self

    def compile_plan(self) -> CompiledPlan:
        """Compile all inserts to one plan.

        Raises:
            ProgramError: the set is empty.
            ProgramError, UnsupportedError: as for `TablePipeline.compile_plan`.
        """
        return compile_sinks(self._context, self._sinks)

    def execute(self) -> TableResult:
        """Run all inserts as one job; see `TablePipeline.execute`."""
        return run_sinks(self._context, self._sinks)

    attach_as_datastream = refused_method(
        "attach_as_datastream()", "the DataStream API is not supported", "write execute(), which runs the inserts"
    )

    def explain(self, *extra_details: str) -> str:
        """The operators of the plan with their state entries; details as for `Table.explain`."""
        return self.compile_plan().explain(*extra_details)

    def print_explain(self, *extra_details: str) -> None:
        """Print the result of `explain`."""
        print(self.explain(*extra_details))


def insert_into(
    table: PlannedTable,
    target: str | TableDescriptor,
    columns: Sequence[str] | None = None,
    options: Mapping[str, str] | None = None,
    on_conflict: str | None = None,
    *,
    overwrite: bool = False,
) -> TablePipeline:
    """Add an INSERT of the table; see `Table.insert_into`."""
    if on_conflict not in (None, "NOTHING", "ERROR", "DEDUPLICATE"):
        raise ProgramError(
            f"{on_conflict!r} is nothing to do on a conflict",
            where="insert_into()",
            remedy='write "NOTHING", "ERROR" or "DEDUPLICATE"',
        )
    if not isinstance(target, str):
        rows = RowType(fields=tuple(_plain_fields(table)))
        with declared(table._context, target, "insert_into", rows) as path:
            return insert_into(table, path, columns, options, on_conflict, overwrite=overwrite)
    binder = binder_for(table._context, "insert_into")
    column_names = listed("insert_into", columns or ())
    names = tuple((name,) for name in column_names if isinstance(name, str))
    if len(names) < len(column_names):
        wrong = next(item for item in column_names if not isinstance(item, str))
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
        overwrite=overwrite,
        query=relation_node(table._rows),
        query_text="",
        on_conflict=on_conflict,
    )
    return TablePipeline(table._context, (bind_insert(binder, statement),))


def _plain_fields(table: PlannedTable) -> Iterator[Field]:
    """The columns of a sink for a table."""
    for column in schema_of(table).columns:
        yield Field(column.name, column.regular_type)
