"""TableEnvironment: a session in which programs are compiled. The one public entry to the planner."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

from planner.algebra.nodes import Sink
from planner.catalog.memory import Catalog
from planner.config import TableConfig
from planner.session import CatalogMethods
from planner.sql import statements as st
from planner.sql.binding.core import Session
from planner.sql.binding.ddl import bind_create_table, bind_create_view
from planner.sql.binding.inserts import bind_insert
from planner.sql.binding.queries import new_session
from planner.sql.binding.scopes import Names
from planner.sql.binding.source import Source
from planner.sql.parse import parse_script
from plans.errors import ProgramError
from plans.plan import CompiledPlan

if TYPE_CHECKING:
    from planner.table.descriptors import TableDescriptor
    from planner.table.inserts import StatementSet
    from planner.table.table import Table
    from plans.references import PlanReference
    from plans.results import TableResult
    from plans.types.data_types import AnyType

_ONE = "compile one INSERT, or put several into one EXECUTE STATEMENT SET BEGIN ... END"


@dataclass(frozen=True)
class CompiledScript:
    """The plan of a script, and where its COMPILE PLAN statement wants it (None without one)."""

    plan: CompiledPlan
    path: str | None = None
    if_not_exists: bool = False


class TableEnvironment(CatalogMethods):
    """A catalog and a configuration, and the programs compiled over them.

    Args:
        options: configuration, as by SET.
    """

    def __init__(self, options: Mapping[str, str] | None = None) -> None:
        self.config = TableConfig(options)
        #: The names of correlation variables, unique among all tables of the environment.
        self.names = Names()
        #: Numbers of tables without a name, so that the same program gives them the same names.
        self.anonymous = count(1)
        self.catalog: Catalog = Catalog(
            self.config.value("table.builtin-catalog-name"), self.config.value("table.builtin-database-name")
        )

    def set(self, key: str, value: str) -> None:
        """Set an option of the configuration.

        Raises:
            ProgramError: a value that the option cannot have.
        """
        self.config.set(key, value)

    def get_config(self) -> TableConfig:
        """The configuration: `env.get_config().set(key, value)`."""
        return self.config

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
        from plans.results import DONE

        source = Source(text)
        session = new_session(source, self.catalog)
        result = DONE
        for statement in parse_script(text):
            if isinstance(statement, _SHOWS):
                from planner.table.showing import show

                with source.at_span(statement.span):
                    result = show(self, session, statement)
            elif isinstance(statement, _RUNS):
                from planner.running import run_statement

                with source.at_span(statement.span):
                    result = run_statement(self, session, statement)
            else:
                self._declare(session, statement)
        return result

    def create_temporary_function(self, name: str, function: Any) -> None:
        """Register a function for this session, in the current database unless the name says another.

        Args:
            name: `f`, `db.f` or `catalog.db.f`.
            function: a subclass of ScalarFunction, TableFunction or AggregateFunction of `plans.functions`, or its
                object (whose attributes become part of plans).

        Raises:
            ProgramError: its types cannot be had, or the name is taken; names parameter, annotation and remedy.
        """
        self._register(name, function)

    def create_temporary_system_function(self, name: str, function: Any) -> None:
        """Register a function for this session under a name without a database, which wins over built-in functions.

        Raises:
            ProgramError: as `create_temporary_function`.
        """
        self._register(name, function, system=True)

    def create_function(self, name: str, function: Any) -> None:
        """Register a function in a catalog's database.

        Raises:
            ProgramError: as `create_temporary_function`.
        """
        self._register(name, function, temporary=False)

    def drop_temporary_function(self, name: str) -> bool:
        """Remove a temporary function; whether there was one."""
        return self._unregister(name, temporary=True)

    def drop_temporary_system_function(self, name: str) -> bool:
        """Remove a temporary system function; whether there was one."""
        return self._unregister(name, temporary=True, system=True)

    def drop_function(self, name: str) -> bool:
        """Remove a catalog's function; whether there was one.

        Raises:
            ProgramError: a temporary function hides it.
        """
        return self._unregister(name, temporary=False)

    def _register(self, name: str, function: Any, *, temporary: bool = True, system: bool = False) -> None:
        from planner.functions.user.registering import catalog_function, path_of

        full = self.catalog.qualify(path_of(name, system))
        self.catalog.functions.create(catalog_function(full, function, temporary=temporary, system=system))

    def _unregister(self, name: str, *, temporary: bool, system: bool = False) -> bool:
        from planner.functions.user.registering import path_of

        full = self.catalog.qualify(path_of(name, system))
        return self.catalog.functions.drop(full, temporary=temporary, system=system, if_exists=True)

    def compile_script(self, text: str) -> CompiledPlan:
        """The plan of a script: declarations, and one INSERT or one statement set.

        Raises:
            ProgramError: the script does not compile; with line, column and caret.
            UnsupportedError: it uses what is not supported.
        """
        return self.compile_statements(text).plan

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
        from planner.physical import plan

        sinks, body = self.bind_script(text)
        path, if_not_exists = None, False
        if isinstance(body, st.CompilePlan):
            path, if_not_exists = body.path, body.if_not_exists
        with Source(text).at_span(body.span):
            return CompiledScript(plan(sinks, self.config), path, if_not_exists)

    def bind_script(self, text: str) -> tuple[list[Sink], st.Statement]:
        """The sinks of a script's one INSERT or statement set, and that statement.

        Raises:
            ProgramError: as `compile_script`.
        """
        source = Source(text)
        session = new_session(source, self.catalog)
        found: tuple[list[Sink], st.Statement] | None = None
        for statement in parse_script(text):
            inserts = _inserts(source, statement)
            if inserts is None:
                self._declare(session, statement)
                continue
            if found is not None:
                raise source.error_at(statement.span, "the script writes data in more than one statement", _ONE)
            found = [bind_insert(session, insert) for insert in inserts], statement
        if found is None:
            raise ProgramError("the script has no INSERT, so there is nothing to compile", remedy=_ONE)
        return found

    # --- the Table API: see planner.table

    def from_path(self, path: str) -> Table:
        """A table or view of the catalog.

        Raises:
            ProgramError: there is none of that name.
        """
        from planner.table.environment import from_path

        return from_path(self, path)

    def from_descriptor(self, descriptor: TableDescriptor) -> Table:
        """A table that is declared where it is read, and has no name in the catalog.

        Raises:
            ProgramError: the declaration is wrong.
        """
        from planner.table.embedding import from_descriptor

        return from_descriptor(self, descriptor)

    def sql_query(self, query: str) -> Table:
        """The table that a query gives; other tables are in its text by name, or as f"... {table} ...".

        Raises:
            ProgramError: no query, or a wrong one; with line, column and caret.
        """
        from planner.table.environment import sql_query

        return sql_query(self, query)

    def from_values(self, values: Iterable[object], schema: AnyType = None) -> Table:
        """A table of constant rows.

        Args:
            values: the rows: tuples, lists, Rows, dicts, NamedTuples, objects of dataclasses, or single values, which
                are rows of one column; values may be expressions.
            schema: the columns: a row type (`DataTypes.ROW(...)`, `"ROW<a INT, b STRING>"`), a class with
                annotations, or a list of names. Left out, the names are those that the rows have, else f0, f1, ...,
                and each column has the common type of its values.

        Raises:
            ProgramError: no rows and no types; rows of different widths; a column without a common type.
            DataError: a value that is none of its column's type; names column, type and value.
        """
        from planner.table.embedding import from_values

        return from_values(self, values, schema)

    def from_dataframe(self, frame: object, schema: AnyType = None) -> Table:
        """A table of the rows of a DataFrame.

        Args:
            frame: of pandas, PyArrow (Table or RecordBatch) or Spark; a streaming one of Spark never ends.
            schema: the columns: a row type, or a list of names; those of the frame if left out.

        Raises:
            ProgramError: no DataFrame; a column whose type is not known; a schema that does not fit.
            DataError: a value that is none of its column's type; names column, type and value.
        """
        from planner.table.embedding import from_dataframe

        return from_dataframe(self, frame, schema)

    from_pandas = from_dataframe

    def create_temporary_view(self, path: str, table: Table) -> None:
        """Give a table a name, by which SQL and `from_path` find it.

        Raises:
            ProgramError: the name is taken.
        """
        from planner.table.environment import create_view

        create_view(self, path, table, "create_temporary_view")

    def drop_temporary_view(self, path: str) -> bool:
        """Drop a temporary view; False where there is none."""
        from planner.table.environment import drop_temporary

        return drop_temporary(self, "VIEW", path)

    def drop_temporary_table(self, path: str) -> bool:
        """Drop a temporary table; False where there is none."""
        from planner.table.environment import drop_temporary

        return drop_temporary(self, "TABLE", path)

    def create_view(self, path: str, table: Table) -> None:
        """As `create_temporary_view`, in the catalog.

        Raises:
            ProgramError: the name is taken.
        """
        from planner.table.environment import create_view

        create_view(self, path, table, "create_view", temporary=False)

    def create_temporary_table(self, path: str, descriptor: TableDescriptor) -> None:
        """Declare a temporary table: `TableDescriptor.for_connector("filesystem").schema(...).option(...).build()`.

        Raises:
            ProgramError: the declaration is wrong, or the name is taken.
        """
        from planner.table.descriptors import create_table

        create_table(self, path, descriptor, temporary=True)

    def create_table(self, path: str, descriptor: TableDescriptor) -> None:
        """Declare a table of the catalog.

        Raises:
            ProgramError: the declaration is wrong, or the name is taken.
        """
        from planner.table.descriptors import create_table

        create_table(self, path, descriptor, temporary=False)

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
        from planner.running import start_plan

        return start_plan(self, _checked(reference, "execute_plan").load())

    def explain_sql(self, statement: str) -> str:
        """The operators of a query, an INSERT or a statement set, as a tree, each with its state entries.

        Raises:
            ProgramError: no such statement, or a wrong one; with line, column and caret.
        """
        from planner.table.environment import explain_sql

        return explain_sql(self, statement)

    def create_statement_set(self) -> StatementSet:
        """Inserts that become one plan."""
        from planner.table.inserts import StatementSet

        return StatementSet(self)

    if not TYPE_CHECKING:  # a type checker knows the methods that there are

        def __getattr__(self, name: str) -> Any:
            from planner.table.unfinished import no_method

            raise no_method("TableEnvironment", type(self), name)

    def _declare(self, session: Session, statement: st.Statement) -> None:
        for class_, action in _ACTIONS.items():
            if isinstance(statement, class_):
                with session.source.at_span(statement.span):
                    action(self, session, statement)
                return
        kind = statement.kind if isinstance(statement, st.Other) else type(statement).__name__
        raise session.source.unsupported_at(statement.span, f"the statement {kind}", "remove it")

    # --- statements

    def _set(self, session: Session, statement: st.SetOption) -> None:
        if statement.key is not None:
            self.config.set(statement.key, statement.value or "")

    def _reset(self, session: Session, statement: st.ResetOption) -> None:
        self.config.reset(statement.key)

    def _create_table(self, session: Session, statement: st.CreateTable) -> None:
        self.catalog.create(bind_create_table(session, statement), if_not_exists=statement.if_not_exists)

    def _create_view(self, session: Session, statement: st.CreateView) -> None:
        view = bind_create_view(session, statement)
        self.catalog.create(view, if_not_exists=statement.if_not_exists, replace=statement.or_replace)

    def _create_database(self, session: Session, statement: st.CreateDatabase) -> None:
        self.catalog.create_database(statement.name, if_not_exists=statement.if_not_exists)

    def _create_catalog(self, session: Session, statement: st.CreateCatalog) -> None:
        kind = statement.options.get("type")
        if kind != "generic_in_memory":
            raise session.source.unsupported_at(
                statement.span, f"a catalog of type {kind!r}", "write 'type' = 'generic_in_memory'"
            )
        self.catalog.create_catalog(statement.name, if_not_exists=statement.if_not_exists)

    def _drop(self, session: Session, statement: st.Drop) -> None:
        match statement.kind:
            case "TABLE" | "VIEW":
                self.catalog.drop(
                    statement.kind, statement.name, temporary=statement.temporary, if_exists=statement.if_exists
                )
            case "DATABASE":
                self.catalog.drop_database(statement.name, if_exists=statement.if_exists, cascade=statement.cascade)
            case "CATALOG":
                self.catalog.drop_catalog(statement.name[0], if_exists=statement.if_exists)
            case "FUNCTION":
                self._drop_function(session, statement)
            case _ if not statement.if_exists:
                raise session.source.error_at(
                    statement.span, f"there is no {statement.kind.lower()} {'.'.join(statement.name)!r}"
                )

    def _use_catalog(self, session: Session, statement: st.UseCatalog) -> None:
        self.catalog.use_catalog(statement.name)

    def _use_database(self, session: Session, statement: st.UseDatabase) -> None:
        self.catalog.use_database(statement.name)

    def _ignore(self, session: Session, statement: st.Statement) -> None:
        """Statements that only show things have no effect on a plan."""

    def _query(self, session: Session, statement: st.Query) -> None:
        raise session.source.error_at(
            statement.span,
            "a SELECT by itself cannot become a plan: a plan needs tables to write to",
            "write INSERT INTO table SELECT ...",
        )

    def _insert(self, session: Session, statement: st.Statement) -> None:
        raise session.source.error_at(
            statement.span, "this statement writes data, which only runs as a plan", "compile it with compile_script"
        )

    def _execute(self, session: Session, statement: st.Statement) -> None:
        raise session.source.error_at(
            statement.span, "this statement runs a plan, which compiling does not do", "run the plan with execute-plan"
        )

    def _create_function(self, session: Session, statement: st.CreateFunction) -> None:
        from planner.functions.user import statements

        statements.create_function(self.catalog, session.source, statement)

    def _drop_function(self, session: Session, statement: st.Drop) -> None:
        self.catalog.functions.drop(
            self.catalog.qualify(statement.name),
            temporary=statement.temporary,
            system=statement.system,
            if_exists=statement.if_exists,
        )


def _checked(reference: Any, operation: str) -> PlanReference:
    from plans.references import PlanReference

    if not isinstance(reference, PlanReference):
        raise ProgramError(
            f"{operation}() takes a PlanReference, not {reference!r}",
            where=f"{operation}()",
            remedy='write PlanReference.from_file("plan.json") or PlanReference.from_json_string(text)',
        )
    return reference


def _inserts(source: Source, statement: st.Statement) -> tuple[st.Insert, ...] | None:
    """The INSERTs of a statement that writes data; None for any other."""
    body = statement.body if isinstance(statement, st.CompilePlan) else statement
    if isinstance(body, st.Insert):
        return (body,)
    if isinstance(body, st.StatementSet):
        if not body.inserts:
            raise source.error_at(body.span, "the statement set is empty", "put at least one INSERT into it")
        return body.inserts
    return None


#: Statements that show something.
_SHOWS = st.Describe | st.Show | st.Explain
#: Statements that read or write data, or plan files.
_RUNS = st.Query | st.Insert | st.StatementSet | st.CompilePlan | st.ExecutePlan | st.CompileAndExecutePlan

_ACTIONS: dict[type[st.Statement], Callable[..., None]] = {
    st.SetOption: TableEnvironment._set,
    st.ResetOption: TableEnvironment._reset,
    st.CreateTable: TableEnvironment._create_table,
    st.CreateView: TableEnvironment._create_view,
    st.CreateFunction: TableEnvironment._create_function,
    st.CreateDatabase: TableEnvironment._create_database,
    st.CreateCatalog: TableEnvironment._create_catalog,
    st.Drop: TableEnvironment._drop,
    st.UseCatalog: TableEnvironment._use_catalog,
    st.UseDatabase: TableEnvironment._use_database,
    st.Describe: TableEnvironment._ignore,
    st.Show: TableEnvironment._ignore,
    st.Explain: TableEnvironment._ignore,
    st.Query: TableEnvironment._query,
    st.Insert: TableEnvironment._insert,
    st.StatementSet: TableEnvironment._insert,
    st.CompilePlan: TableEnvironment._insert,
    st.ExecutePlan: TableEnvironment._execute,
    st.CompileAndExecutePlan: TableEnvironment._execute,
}
