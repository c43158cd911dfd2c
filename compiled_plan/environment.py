"""TableEnvironment: a session in which programs are compiled and run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from compiled_plan.planner.catalog.memory import Catalog
from compiled_plan.planner.options.session import TableConfig
from compiled_plan.planner.options.settings import FORCE_RECOMPILE
from compiled_plan.planner.sql.binding.queries import new_binder
from compiled_plan.planner.sql.binding.source import SourceText
from compiled_plan.planner.sql.binding.writes import writes_of
from compiled_plan.planner.sql.context import PlanningContext
from compiled_plan.planner.sql.declaring import declare
from compiled_plan.planner.sql.nodes import statements as st
from compiled_plan.planner.sql.parse import parse_script
from compiled_plan.planner.sql.scripts import bind_script
from compiled_plan.plans.deferred import deferred
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.plan import CompiledPlan as Plan
from compiled_plan.running.planning import planned
from compiled_plan.session.catalogs import CatalogMethods
from compiled_plan.session.functions import FunctionMethods
from compiled_plan.session.models import ModelMethods
from compiled_plan.session.modules import ModuleMethods
from compiled_plan.session.named_tables import TableMethods
from compiled_plan.session.python_files import PythonFileMethods

# Methods import the Table API and the executor when they need them: a SQL script compiles without either, and
# importing them here would double the start-up time of `compile-plan`.
if TYPE_CHECKING:
    from compiled_plan.planner.table.building import unfinished
    from compiled_plan.planner.user_functions import plans as user_plans
    from compiled_plan.results import table_result
    from compiled_plan.results.table_result import TableResult
    from compiled_plan.running import inserts, plans, statements
    from compiled_plan.running.inserts import StatementSet
    from compiled_plan.running.plans import CompiledPlan, PlanReference
    from compiled_plan.session import embedding, initializing, queries, showing
else:
    unfinished = deferred("compiled_plan.planner.table.building.unfinished")
    user_plans = deferred("compiled_plan.planner.user_functions.plans")
    table_result = deferred("compiled_plan.results.table_result")
    inserts = deferred("compiled_plan.running.inserts")
    plans = deferred("compiled_plan.running.plans")
    statements = deferred("compiled_plan.running.statements")
    embedding = deferred("compiled_plan.session.embedding")
    initializing = deferred("compiled_plan.session.initializing")
    queries = deferred("compiled_plan.session.queries")
    showing = deferred("compiled_plan.session.showing")


@dataclass(frozen=True)
class CompiledScript:
    """The plan of a script and the target of its COMPILE PLAN statement.

    Args:
        plan: the plan.
        path: the plan file of COMPILE PLAN; None without that statement.
        if_not_exists: leave an existing file unchanged.
        overwrite: replace an existing file.
    """

    plan: Plan
    path: str | None = None
    if_not_exists: bool = False
    overwrite: bool = False


class TableEnvironment(CatalogMethods, FunctionMethods, TableMethods, ModuleMethods, ModelMethods, PythonFileMethods):
    """A session: a catalog and a configuration, in which programs are compiled and run.

    >>> from compiled_plan import TableEnvironment
    >>> env = TableEnvironment({"table.exec.state.ttl": "1 d"})
    >>> _ = env.execute_sql('''
    ...     CREATE TABLE orders (item STRING, price INT) WITH ('connector' = 'datagen');
    ...     CREATE TABLE totals (item STRING, total INT, PRIMARY KEY (item) NOT ENFORCED) WITH ('connector' = 'print');
    ... ''')
    >>> plan = env.compile_plan_sql("INSERT INTO totals SELECT item, SUM(price) FROM orders GROUP BY item")
    >>> plan.write_file("totals.json")

    Args:
        options: configuration options by key, as set with SET.
        init: SQL files that prepare the session, as for `compile-plan --init`.
        debug: switch on, for this process, tracebacks that show the causes of failed runs; by default the environment
            variable `COMPILED_PLAN_DEBUG` (`1`) does.

    Raises:
        ProgramError: an option has an invalid value, or an init file is wrong (see `run_init_file`).
    """

    def __init__(
        self,
        options: Mapping[str, str] | None = None,
        *,
        init: Sequence[str | Path] = (),
        debug: bool | None = None,
    ) -> None:
        if debug is not None:
            from compiled_plan.running.errors import set_debug

            set_debug(debug)
        self.context = PlanningContext.new(options)
        for path in init:
            self.run_init_file(path)

    @property
    def config(self) -> TableConfig:
        """The configuration of the session."""
        return self.context.config

    @property
    def catalog(self) -> Catalog:
        """The catalogs of the session, with their databases, tables, views and functions."""
        return self.context.catalog

    def set(self, key: str, value: str) -> None:
        """Set a configuration option.

        Args:
            key: the option, such as `table.exec.state.ttl`.
            value: its value as text; durations have a unit, such as `1 d`.

        Raises:
            ProgramError: the option does not take that value.
        """
        self.config.set(key, value)

    def get_config(self) -> TableConfig:
        """The configuration of the session, as in PyFlink: `env.get_config().set(key, value)`."""
        return self.config

    def run_init_file(self, path: str | Path) -> None:
        """Execute a SQL file that prepares the session: SET, RESET, USE, CREATE, DROP, ALTER.

        Args:
            path: the file, local or remote (`s3://...`).

        Raises:
            ProgramError: the file cannot be read, or a statement is wrong or of another kind (a query, INSERT, SHOW);
                with file, line, column and caret. The statements before it remain in effect.
            UnsupportedError: a statement is not supported.
        """
        initializing.run_init_file(self.context, str(path))

    def execute_sql(self, stmt: str) -> TableResult:
        """Execute SQL statements one after another.

        Declarations, SET and SHOW take effect at once. A SELECT, an INSERT, a statement set and EXECUTE PLAN start a
        run on an embedded local Spark.

        >>> from compiled_plan import TableEnvironment
        >>> env = TableEnvironment()
        >>> env.execute_sql("SHOW CATALOGS").print()
        +-----------------+
        |    catalog name |
        +-----------------+
        | default_catalog |
        +-----------------+
        1 row in set

        Args:
            stmt: the statements, separated by semicolons.

        Returns:
            The result of the last statement. Its `collect()` gives the rows of a SELECT, its `wait()` waits for an
            INSERT.

        Raises:
            ProgramError: a statement is wrong; with line, column and caret.
            UnsupportedError: a statement is not supported.
            ExecutionError: Spark does not start.
        """
        source = SourceText(stmt)
        binder = new_binder(source, self.catalog)
        result: TableResult | None = None
        for statement in parse_script(stmt):
            if isinstance(statement, _SHOWS) or (isinstance(statement, st.SetOption) and statement.key is None):
                with source.at_span(statement.span):
                    result = showing.show(self.context, binder, statement)
            elif isinstance(statement, _RUNS) or writes_of(statement):
                with source.at_span(statement.span):
                    result = statements.run_statement(self.context, binder, statement)
            else:
                declare(self.context, binder, statement)
                result = None
        if result is None:
            result = table_result.DONE
        return result.with_mutable_rows() if self.context.mutable_rows else result

    def compile_script(self, text: str) -> CompiledPlan:
        """Compile a script: declarations, and one INSERT or one statement set.

        Args:
            text: the SQL.

        Returns:
            The plan. A COMPILE PLAN statement in the script writes no file; see `compile_statements`.

        Raises:
            ProgramError: the script does not compile; with line, column and caret.
            UnsupportedError: the script uses a feature that is not supported.
        """
        return plans.CompiledPlan.of(self.compile_statements(text).plan)

    def compile_plan_sql(self, stmt: str) -> CompiledPlan:
        """Compile one INSERT or statement set over the tables of this session.

        Args:
            stmt: the SQL.

        Returns:
            The plan.

        Raises:
            ProgramError, UnsupportedError: as for `compile_script`.
        """
        return self.compile_script(stmt)

    def compile_statements(self, text: str) -> CompiledScript:
        """Compile a script like `compile_script`, and return the target of its COMPILE PLAN statement, too.

        Args:
            text: the SQL.

        Returns:
            The plan and its target.

        Raises:
            ProgramError, UnsupportedError: as for `compile_script`.
        """
        sinks, body = bind_script(self.context, text)
        path, if_not_exists = None, False
        if isinstance(body, st.CompilePlan):
            path, if_not_exists = body.path, body.if_not_exists
        with SourceText(text).at_span(body.span):
            overwrite = self.config.boolean(FORCE_RECOMPILE)
            return CompiledScript(planned(sinks, self.config), path, if_not_exists, overwrite)

    def load_plan(self, plan_reference: PlanReference) -> CompiledPlan:
        """Load a plan.

        Args:
            plan_reference: `PlanReference.from_file(...)` or `PlanReference.from_json_string(...)`.

        Returns:
            The plan.

        Raises:
            PlanError: the file does not exist, or is not a plan.
        """
        plan = _checked(plan_reference, "load_plan").load()
        return plan.of(user_plans.with_catalog_functions(plan, self.context.catalog))

    def execute_plan(self, plan_reference: PlanReference) -> TableResult:
        """Run a plan on an embedded local Spark, in the background: `load_plan(plan_reference).execute()`.

        If the plan has no time zone, the session's time zone applies.

        Args:
            plan_reference: `PlanReference.from_file(...)` or `PlanReference.from_json_string(...)`.

        Returns:
            The result of the run.

        Raises:
            PlanError: the file does not exist, or is not a plan.
            UnsupportedError, ExecutionError: as for `CompiledPlan.execute`.
        """
        return statements.start_plan(self.context, _checked(plan_reference, "execute_plan").load())

    def explain_sql(self, stmt: str, *extra_details: str) -> str:
        """Explain a query, an INSERT or a statement set.

        >>> from compiled_plan import TableEnvironment
        >>> print(TableEnvironment().explain_sql("SELECT 1 + 1 AS two"))
        [2] Calc(select=[2 AS two])
        +- [1] Values(tuples=[[{ 0 }]])

        Args:
            stmt: the SQL.
            extra_details: members of `ExplainDetail`, or their names.

        Returns:
            The operators as a tree, with the state entries of each operator.

        Raises:
            ProgramError: the statement is wrong or of another kind; with line, column and caret.
        """
        return queries.explain_sql(self.context, stmt, extra_details)

    def create_state_database(self, database: str, checkpoint: str) -> None:
        """Create a database with a table for the state of each operator in a checkpoint, under the operator's uid.

        >>> env.create_state_database("state", "checkpoints/orders")  # doctest: +SKIP
        >>> env.execute_sql("SELECT customer, last_write FROM state.`group-aggregate-1`").print()  # doctest: +SKIP

        The columns: those of the key; `last_write` and `expires` of an entry if it has such times; `timer`, the next
        timer of its key; the fields of the entry. A query reads the state after the last completed micro-batch; a run
        may use the checkpoint at the same time. Nothing is changed.

        Args:
            database: the name of the new database.
            checkpoint: the folder of the checkpoint.

        Raises:
            CheckpointError: there is no checkpoint, or it has no state yet.
            ProgramError: the database exists.
            ExecutionError: Spark does not start.
        """
        embedding.create_state_database(self.context, database, checkpoint)

    def create_statement_set(self) -> StatementSet:
        """Create an empty statement set: INSERTs that become one plan."""
        return inserts.StatementSet(self.context)

    if not TYPE_CHECKING:  # Hidden from type checkers, which would accept any method name otherwise.

        def __getattr__(self, name: str) -> object:
            raise unfinished.no_method("TableEnvironment", type(self), name)


def _checked(reference: object, operation: str) -> PlanReference:
    if not isinstance(reference, plans.PlanReference):
        raise ProgramError(
            f"{operation}() takes a PlanReference, not {reference!r}",
            where=f"{operation}()",
            remedy='write PlanReference.from_file("plan.json") or PlanReference.from_json_string(text)',
        )
    return reference


#: Statements that only return information.
_SHOWS = st.Describe | st.Show | st.Explain
#: Statements that read data, or read or write plan files.
_RUNS = st.Query | st.CompilePlan | st.ExecutePlan | st.CompileAndExecutePlan | st.StopJob
