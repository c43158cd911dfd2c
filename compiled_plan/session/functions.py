"""User functions of a session: a mixin of `TableEnvironment`.

Source: Flink's `TableEnvironment`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from compiled_plan.planner.catalog.memory import Catalog
from compiled_plan.planner.functions.aggregates import aggregate_names
from compiled_plan.planner.functions.registry import function_names
from compiled_plan.planner.sql.context import PlanningContext
from compiled_plan.plans.deferred import deferred
from compiled_plan.plans.types import quote_string

if TYPE_CHECKING:
    from compiled_plan.planner.sql import declaring
    from compiled_plan.planner.user_functions import registering
else:
    declaring = deferred("compiled_plan.planner.sql.declaring")
    registering = deferred("compiled_plan.planner.user_functions.registering")

# Methods import the planner's user functions when they need them, as in `environment`.


class FunctionMethods:
    """Methods that register and drop user functions.

    >>> from compiled_plan import ScalarFunction, TableEnvironment
    >>> class Double(ScalarFunction):
    ...     def eval(self, number: int) -> int:
    ...         return 2 * number
    >>> env = TableEnvironment()
    >>> env.create_temporary_function("double_of", Double)
    >>> env.drop_temporary_function("double_of"), env.drop_temporary_function("double_of")
    (True, False)
    """

    context: PlanningContext

    def create_temporary_function(self, path: str, function: object) -> None:
        """Register a function for this session, in the current database unless the name has another.

        Args:
            path: `f`, `db.f` or `catalog.db.f`.
            function: a subclass of ScalarFunction, TableFunction or AggregateFunction, or an instance of one, whose
                attributes become part of plans.

            Raises:
                ProgramError: the name is taken, or the types of the function cannot be derived (with the parameter).
        """
        self._register(path, function)

    def create_temporary_system_function(self, name: str, function: object) -> None:
        """Register a function for this session under a name without database; it overrides built-in functions.

        Args:
            name: `f`.
            function: as for `create_temporary_function`.

        Raises:
            ProgramError: as for `create_temporary_function`.
        """
        self._register(name, function, system=True)

    def create_function(self, path: str, function: object) -> None:
        """Register a function in a database of a catalog.

        Args:
            path: `f`, `db.f` or `catalog.db.f`.
            function: as for `create_temporary_function`.

        Raises:
            ProgramError: as for `create_temporary_function`, or the database does not exist.
        """
        self._register(path, function, temporary=False)

    def drop_temporary_function(self, path: str) -> bool:
        """Drop a temporary function; return False if it does not exist."""
        return self._unregister(path, temporary=True)

    def drop_temporary_system_function(self, name: str) -> bool:
        """Drop a temporary system function; return False if it does not exist."""
        return self._unregister(name, temporary=True, system=True)

    def drop_function(self, path: str) -> bool:
        """Drop a function of a catalog; return False if it does not exist.

        Args:
            path: `f`, `db.f` or `catalog.db.f`.

        Raises:
            ProgramError: a temporary function hides it.
        """
        return self._unregister(path, temporary=False)

    def list_functions(self) -> list[str]:
        """The names of the built-in functions, and of the functions of the current database and session."""
        return function_names_of(self.context.catalog)

    def list_user_defined_functions(self) -> list[str]:
        """The names of the functions of the current database and session."""
        return self.context.catalog.functions.names()

    def create_java_function(self, path: str, function_class_name: str, ignore_if_exists: bool | None = None) -> None:
        """CREATE FUNCTION ... LANGUAGE JAVA.

        Args:
            path: `f`, `db.f` or `catalog.db.f`.
            function_class_name: the class, which is on the class path.
            ignore_if_exists: keep a function of that name, without an error.

        Raises:
            ProgramError, UnsupportedError: as for the statement.
        """
        self._create_java("FUNCTION IF NOT EXISTS" if ignore_if_exists else "FUNCTION", path, function_class_name)

    def create_java_temporary_function(self, path: str, function_class_name: str) -> None:
        """CREATE TEMPORARY FUNCTION ... LANGUAGE JAVA; see `create_java_function`."""
        self._create_java("TEMPORARY FUNCTION", path, function_class_name)

    def create_java_temporary_system_function(self, name: str, function_class_name: str) -> None:
        """CREATE TEMPORARY SYSTEM FUNCTION ... LANGUAGE JAVA; see `create_java_function`."""
        self._create_java("TEMPORARY SYSTEM FUNCTION", name, function_class_name)

    def _create_java(self, kind: str, path: str, class_name: str) -> None:
        declaring.declare_script(self.context, f"CREATE {kind} {path} AS {quote_string(class_name)} LANGUAGE JAVA")

    def _register(self, name: str, function: object, *, temporary: bool = True, system: bool = False) -> None:
        full = self.context.catalog.qualify(registering.path_of(name, system))
        if not temporary:
            self.context.catalog.require_place(full, "FUNCTION")
        self.context.catalog.functions.create(
            registering.catalog_function(full, function, temporary=temporary, system=system)
        )

    def _unregister(self, name: str, *, temporary: bool, system: bool = False) -> bool:
        full = self.context.catalog.qualify(registering.path_of(name, system))
        return self.context.catalog.functions.drop(full, temporary=temporary, system=system, if_exists=True)


def function_names_of(catalog: Catalog) -> list[str]:
    """The built-in functions with a name, and the functions of the current database and session."""
    built_in = [name for name in (*function_names(), *aggregate_names()) if name.replace("_", "").isalnum()]
    return sorted({*built_in, *catalog.functions.names()})
