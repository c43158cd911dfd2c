"""TableEnvironment: a session in which programs are compiled and run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compiled_plan.api.catalogs import CatalogMethods
from compiled_plan.api.functions import FunctionMethods
from compiled_plan.api.named_tables import TableMethods
from compiled_plan.planner.catalog.memory import Catalog
from compiled_plan.planner.options.session import TableConfig
from compiled_plan.planner.options.settings import FORCE_RECOMPILE
from compiled_plan.planner.pipeline import plan
from compiled_plan.planner.sql.binding.queries import new_binder
from compiled_plan.planner.sql.binding.source import SourceText
from compiled_plan.planner.sql.context import PlanningContext
from compiled_plan.planner.sql.declaring import declare
from compiled_plan.planner.sql.nodes import statements as st
from compiled_plan.planner.sql.parse import parse_script
from compiled_plan.planner.sql.scripts import bind_script
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.plan import CompiledPlan as Plan

# A script of SQL is compiled without the Table API and what runs plans, which would double the time that
# `compile-plan` takes to start: the methods that need them import them.
if TYPE_CHECKING:
    from compiled_plan.api.results.table_result import TableResult
    from compiled_plan.api.running.inserts import StatementSet
    from compiled_plan.api.running.plans import CompiledPlan, PlanReference


@dataclass(frozen=True)
class CompiledScript:
    """The plan of a script, and where its COMPILE PLAN statement wants it (None without one).

    `overwrite`: whether it may replace a file that is there.
    """

    plan: Plan
    path: str | None = None
    if_not_exists: bool = False
    overwrite: bool = False


class TableEnvironment(CatalogMethods, FunctionMethods, TableMethods):
    """A catalog and a configuration, and the programs compiled over them.

    Args:
        options: configuration, as by SET.
        init: files of SQL that prepare the session, as `compile-plan --init` takes them.

    Raises:
        ProgramError: an init file is wrong; see `run_init_file`.
    """

    def __init__(self, options: Mapping[str, str] | None = None, *, init: Sequence[str | Path] = ()) -> None:
        self.context = PlanningContext.new(options)
        for path in init:
            self.run_init_file(path)

    @property
    def config(self) -> TableConfig:
        """The options."""
        return self.context.config

    @property
    def catalog(self) -> Catalog:
        """The tables, views and functions."""
        return self.context.catalog

    def set(self, key: str, value: str) -> None:
        """Set an option of the configuration.

        Raises:
            ProgramError: a value that the option cannot have.
        """
        self.config.set(key, value)

    def get_config(self) -> TableConfig:
        """The configuration: `env.get_config().set(key, value)`."""
        return self.config

    def run_init_file(self, path: str | Path) -> None:
        """Carry out a file of SQL that prepares the session: SET, RESET, USE, CREATE, DROP, ALTER DATABASE and ALTER
        CATALOG.

        Args:
            path: the file, local or remote (`s3://...`).

        Raises:
            ProgramError: it cannot be read, a statement is wrong, or one does more than that (a query, INSERT, SHOW);
                with file, line, column and caret. What stands before a wrong statement has been carried out.
            UnsupportedError: a statement that is not supported.
        """
        from compiled_plan.api.initializing import run_init_file

        run_init_file(self.context, str(path))

    def execute_sql(self, text: str) -> TableResult:
        """Carry out statements, one after another; the result is that of the last.

        Statements that declare, set and show things take effect at once. A SELECT, an INSERT, a statement set and
        EXECUTE PLAN start a run on an embedded local Spark: the rows of a SELECT come out of the result, and `wait()`
        waits for an INSERT.

        Raises:
            ProgramError: a statement is wrong; with line, column and caret.
            UnsupportedError: a statement that is not supported.
            ExecutionError: Spark does not start.
        """
        source = SourceText(text)
        binder = new_binder(source, self.catalog)
        result: TableResult | None = None
        for statement in parse_script(text):
            if isinstance(statement, _SHOWS):
                from compiled_plan.api.showing import show

                with source.at_span(statement.span):
                    result = show(self.context, binder, statement)
            elif isinstance(statement, _RUNS):
                from compiled_plan.api.running.statements import run_statement

                with source.at_span(statement.span):
                    result = run_statement(self.context, binder, statement)
            else:
                declare(self.context, binder, statement)
                result = None
        if result is None:
            from compiled_plan.api.results.table_result import DONE

            return DONE
        return result

    def compile_script(self, text: str) -> CompiledPlan:
        """The plan of a script: declarations, and one INSERT or one statement set.

        Raises:
            ProgramError: the script does not compile; with line, column and caret.
            UnsupportedError: it uses what is not supported.
        """
        from compiled_plan.api.running.plans import CompiledPlan

        return CompiledPlan.of(self.compile_statements(text).plan)

    def compile_plan_sql(self, statement: str) -> CompiledPlan:
        """The plan of one INSERT or statement set over what was declared before.

        Raises:
            ProgramError: as `compile_script`, and for any other statement.
        """
        return self.compile_script(statement)

    def compile_statements(self, text: str) -> CompiledScript:
        """As `compile_script`, with what the script's COMPILE PLAN says about the file.

        Raises:
            ProgramError: as `compile_script`.
        """
        sinks, body = bind_script(self.context, text)
        path, if_not_exists = None, False
        if isinstance(body, st.CompilePlan):
            path, if_not_exists = body.path, body.if_not_exists
        with SourceText(text).at_span(body.span):
            overwrite = self.config.boolean(FORCE_RECOMPILE)
            return CompiledScript(plan(sinks, self.config), path, if_not_exists, overwrite)

    def load_plan(self, reference: PlanReference) -> CompiledPlan:
        """The plan of `PlanReference.from_file(...)` or `from_json_string(...)`.

        Raises:
            PlanError: no such file, or not a plan.
        """
        return _checked(reference, "load_plan").load()

    def execute_plan(self, reference: PlanReference) -> TableResult:
        """Run a plan on an embedded local Spark, in the background: `load_plan(reference).execute()`.

        Where the plan says nothing of a time zone, that of this session holds.

        Raises:
            PlanError: no such file, or not a plan.
            UnsupportedError, ExecutionError: as `CompiledPlan.execute`.
        """
        from compiled_plan.api.running.statements import start_plan

        return start_plan(self.context, _checked(reference, "execute_plan").load())

    def explain_sql(self, statement: str) -> str:
        """The operators of a query, an INSERT or a statement set, as a tree, each with its state entries.

        Raises:
            ProgramError: no such statement, or a wrong one; with line, column and caret.
        """
        from compiled_plan.api.queries import explain_sql

        return explain_sql(self.context, statement)

    def create_statement_set(self) -> StatementSet:
        """Inserts that become one plan."""
        from compiled_plan.api.running.inserts import StatementSet

        return StatementSet(self.context)

    if not TYPE_CHECKING:  # a type checker knows the methods that there are

        def __getattr__(self, name: str) -> Any:
            from compiled_plan.planner.table.building.unfinished import no_method

            raise no_method("TableEnvironment", type(self), name)


def _checked(reference: Any, operation: str) -> PlanReference:
    from compiled_plan.api.running.plans import PlanReference

    if not isinstance(reference, PlanReference):
        raise ProgramError(
            f"{operation}() takes a PlanReference, not {reference!r}",
            where=f"{operation}()",
            remedy='write PlanReference.from_file("plan.json") or PlanReference.from_json_string(text)',
        )
    return reference


#: Statements that show something.
_SHOWS = st.Describe | st.DescribeCatalog | st.Show | st.Explain
#: Statements that read or write data, or plan files.
_RUNS = st.Query | st.Insert | st.StatementSet | st.CompilePlan | st.ExecutePlan | st.CompileAndExecutePlan
