"""Catalog of user functions.

Source: Flink's "Functions" page: a name without a catalog resolves to a temporary system function, else a built-in one,
else a temporary function of the current database, else one of its catalog. Function names are case-insensitive.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from compiled_plan.planner.catalog.tables import ObjectIdentifier
from compiled_plan.plans.errors import ProgramError

if TYPE_CHECKING:
    from compiled_plan.plans.functions.calls import Callables
    from compiled_plan.plans.rex import JavaFunction


@dataclass(frozen=True, slots=True)
class CatalogFunction:
    """A user's function.

    Args:
        name: its full name; for a system function only the last part counts.
        callables: its callable methods with their signatures.
        temporary: dropped when the session ends.
        system: belongs to no catalog.
        is_instance: registered as an object instead of a class.
        java: the function in plans, if it is one in Java.
        python_name: `module.name` of the function, if it is one in Python.
    """

    name: ObjectIdentifier
    callables: Callables
    temporary: bool = True
    system: bool = False
    is_instance: bool = False
    java: JavaFunction | None = None
    python_name: str = ""

    @property
    def class_name(self) -> str:
        """The class, or the Python function, behind the function."""
        return self.python_name if self.java is None else self.java.path


@dataclass(frozen=True, slots=True)
class UndeclaredFunction:
    """A Java function whose types are unknown; a call looks for them again, as Flink looks for the class.

    Args:
        name: its full name.
        temporary: as of `CatalogFunction`.
        system: as of `CatalogFunction`.
        class_name: its class.
        declare: the function with its types. Raises ProgramError: they are still unknown.
    """

    name: ObjectIdentifier
    temporary: bool
    system: bool
    class_name: str
    declare: Callable[[], CatalogFunction]


Key = tuple[str, str, str]
_Functions = dict[Key, CatalogFunction | UndeclaredFunction]


class FunctionCatalog:
    """Functions by name: temporary system functions, temporary functions, catalog functions."""

    def __init__(self) -> None:
        self._system: _Functions = {}
        self._temporary: _Functions = {}
        self._permanent: _Functions = {}
        #: Functions that a program calls without registering them, by generated name. They are not listed.
        self._inline: dict[str, CatalogFunction] = {}
        #: Incremented when a name changes its function, as `Catalogs.version`.
        self.version = 0

    def __bool__(self) -> bool:
        return bool(self._system or self._temporary or self._permanent or self._inline)

    def create(self, function: CatalogFunction | UndeclaredFunction, *, if_not_exists: bool = False) -> None:
        """Add a function.

        Raises:
            ProgramError: the name is taken.
        """
        table, key = self._table(function.temporary, function.system), _key(function.name, function.system)
        if key in table:
            if if_not_exists:
                return
            shown = _shown(function.name, function.temporary, function.system)
            raise ProgramError(f"a {shown} already exists", remedy="choose another name, or write IF NOT EXISTS")
        if not function.system and function.name.name in self.names():
            self.version += 1
        table[key] = function

    def add_inline(self, function: CatalogFunction) -> None:
        """Add a function that is called without a registration, under its generated name."""
        self._inline[function.name.name] = function

    def holds(self, name: ObjectIdentifier, *, temporary: bool, system: bool = False) -> bool:
        """Return True if there is a function of that name and kind."""
        return _key(name, system) in self._table(temporary, system)

    def permanent(self, name: ObjectIdentifier) -> CatalogFunction | UndeclaredFunction:
        """The function of a catalog of that name, which exists."""
        return self._permanent[_key(name)]

    def replace(self, function: CatalogFunction | UndeclaredFunction) -> None:
        """Replace a function of a catalog."""
        self._permanent[_key(function.name)] = function
        self.version += 1

    def drop(self, name: ObjectIdentifier, *, temporary: bool, system: bool = False, if_exists: bool = False) -> bool:
        """Remove a function; return True if it existed.

        Raises:
            ProgramError: there is none, or a temporary one hides it.
        """
        if not temporary and _key(name) in self._temporary:
            raise ProgramError(
                f"a temporary function {name} exists", remedy="write DROP TEMPORARY FUNCTION first: it hides the other"
            )
        if self._table(temporary, system).pop(_key(name, system), None) is not None:
            self.version += 1
            return True
        if not if_exists:
            shown = _shown(name, temporary, system)
            raise ProgramError(f"there is no {shown}", remedy="write IF EXISTS, or check the name")
        return False

    def find(self, name: ObjectIdentifier, *, qualified: bool, built_in: bool) -> CatalogFunction | None:
        """Resolve the function of a call.

        Args:
            name: the full name.
            qualified: the call names the database.
            built_in: a built-in function has the name.

        Raises:
            ProgramError: the types of the function are unknown.
        """
        function = self._resolve(name, qualified=qualified, built_in=built_in)
        return function.declare() if isinstance(function, UndeclaredFunction) else function

    def _resolve(
        self, name: ObjectIdentifier, *, qualified: bool, built_in: bool
    ) -> CatalogFunction | UndeclaredFunction | None:
        key = _key(name)
        if not qualified:
            if inline := self._inline.get(name.name):
                return inline
            system = self._system.get(_key(name, system=True))
            if system is not None or built_in:
                return system
        return self._temporary.get(key) or self._permanent.get(key)

    def names(self) -> list[str]:
        functions = [*self._system.values(), *self._temporary.values(), *self._permanent.values()]
        return sorted({function.name.name for function in functions})

    def names_in(self, catalog: str, database: str, *, temporary: bool = True) -> list[str]:
        """The names of a database's functions.

        Args:
            catalog: its catalog.
            database: its name.
            temporary: include temporary functions.
        """
        functions = self._permanent | (self._temporary if temporary else {})
        return sorted({function.name.name for key, function in functions.items() if key[:2] == (catalog, database)})

    def forget(self, catalog: str, database: str) -> None:
        """Remove the functions of a dropped database; temporary ones stay, as temporary tables do."""
        self._permanent = {key: function for key, function in self._permanent.items() if key[:2] != (catalog, database)}

    def _table(self, temporary: bool, system: bool) -> _Functions:
        if system:
            return self._system
        return self._temporary if temporary else self._permanent


def _shown(name: ObjectIdentifier, temporary: bool, system: bool) -> str:
    if system:
        return f"temporary system function {name.name}"
    return f"temporary function {name}" if temporary else f"function {name}"


def _key(name: ObjectIdentifier, system: bool = False) -> Key:
    """The case-insensitive key; a system function has no database."""
    return ("", "", name.name.lower()) if system else (name.catalog, name.database, name.name.lower())
