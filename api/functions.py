"""The user functions of a session: a part of `TableEnvironment`.

Source: Flink's `TableEnvironment`.
"""

from __future__ import annotations

from typing import Any

from compiled_plan.planner.sql.context import PlanningContext

# See `environment`: a script of SQL is compiled without what only some of these methods need.


class FunctionMethods:
    """The methods that register and remove functions."""

    context: PlanningContext

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
        from compiled_plan.planner.user_functions.registering import catalog_function, path_of

        full = self.context.catalog.qualify(path_of(name, system))
        if not temporary:
            self.context.catalog.require_database(full)
        self.context.catalog.functions.create(catalog_function(full, function, temporary=temporary, system=system))

    def _unregister(self, name: str, *, temporary: bool, system: bool = False) -> bool:
        from compiled_plan.planner.user_functions.registering import path_of

        full = self.context.catalog.qualify(path_of(name, system))
        return self.context.catalog.functions.drop(full, temporary=temporary, system=system, if_exists=True)
