"""The functions of a session's catalogs, beside its tables.

Source: Flink's "Functions" page: a name without a catalog is a temporary system function, else built in, else a
temporary function of the current database, else one of its catalog. Function names know no case.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from compiled_plan.planner.catalog.tables import ObjectIdentifier
from compiled_plan.plans.errors import ProgramError

if TYPE_CHECKING:
    from compiled_plan.plans.functions.calls import Callables


@dataclass(frozen=True, slots=True)
class CatalogFunction:
    """A user's function.

    Args:
        name: its full name; of a system function, the last part alone counts.
        callables: what can be called of it.
        temporary: whether it ends with the session.
        system: whether it belongs to no catalog.
        is_instance: whether it was registered as an object.
    """

    name: ObjectIdentifier
    callables: Callables
    temporary: bool = True
    system: bool = False
    is_instance: bool = False


class FunctionCatalog:
    """Functions by name: temporary system functions, temporary ones, those of catalogs."""

    def __init__(self) -> None:
        self._system: dict[str, CatalogFunction] = {}
        self._temporary: dict[tuple[str, str, str], CatalogFunction] = {}
        self._permanent: dict[tuple[str, str, str], CatalogFunction] = {}

    def __bool__(self) -> bool:
        return bool(self._system or self._temporary or self._permanent)

    def create(self, function: CatalogFunction, *, if_not_exists: bool = False) -> None:
        """Add a function.

        Raises:
            ProgramError: the name is taken.
        """
        table, key = self._table(function.temporary, function.system), _key(function.name)
        found: dict[object, CatalogFunction] = table  # type: ignore[assignment]
        place: object = key[2] if function.system else key
        if place in found:
            if if_not_exists:
                return
            what = "temporary system function" if function.system else _what(function.temporary)
            shown = function.name.name if function.system else function.name
            raise ProgramError(f"a {what} {shown} already exists", remedy="choose another name, or write IF NOT EXISTS")
        found[place] = function

    def holds(self, name: ObjectIdentifier, *, temporary: bool, system: bool = False) -> bool:
        """Whether there is a function of that name and kind."""
        key = _key(name)
        table: dict[object, CatalogFunction] = self._table(temporary, system)  # type: ignore[assignment]
        return (key[2] if system else key) in table

    def drop(self, name: ObjectIdentifier, *, temporary: bool, system: bool = False, if_exists: bool = False) -> bool:
        """Remove a function; whether there was one.

        Raises:
            ProgramError: there is none, or a temporary one hides it.
        """
        key = _key(name)
        if not temporary and key in self._temporary:
            raise ProgramError(
                f"a temporary function {name} exists", remedy="write DROP TEMPORARY FUNCTION first: it hides the other"
            )
        table: dict[object, CatalogFunction] = self._table(temporary, system)  # type: ignore[assignment]
        place: object = key[2] if system else key
        if table.pop(place, None) is not None:
            return True
        if not if_exists:
            what = "temporary system function" if system else _what(temporary)
            raise ProgramError(
                f"there is no {what} {name.name if system else name}", remedy="write IF EXISTS, or check the name"
            )
        return False

    def find(self, name: ObjectIdentifier, *, qualified: bool, built_in: bool) -> CatalogFunction | None:
        """The function that a call means.

        Args:
            name: the full name.
            qualified: whether the call named the database.
            built_in: whether a built-in function has the name.
        """
        key = _key(name)
        if not qualified:
            if key[2] in self._system:
                return self._system[key[2]]
            if built_in:
                return None
        return self._temporary.get(key) or self._permanent.get(key)

    def names(self) -> list[str]:
        """The names of all functions."""
        found = [*self._system.values(), *self._temporary.values(), *self._permanent.values()]
        return sorted({function.name.name for function in found})

    def names_in(self, catalog: str, database: str, *, temporary: bool = True) -> list[str]:
        """The names of a database's functions.

        Args:
            catalog: its catalog.
            database: its name.
            temporary: whether those count that end with the session.
        """
        found = [*self._permanent.values(), *(self._temporary.values() if temporary else ())]
        return sorted(
            {each.name.name for each in found if (each.name.catalog, each.name.database) == (catalog, database)}
        )

    def forget(self, catalog: str, database: str) -> None:
        """Remove the functions of a database that is gone; temporary ones stay, as temporary tables do."""
        self._permanent = {key: each for key, each in self._permanent.items() if key[:2] != (catalog, database)}

    def _table(
        self, temporary: bool, system: bool
    ) -> dict[str, CatalogFunction] | dict[tuple[str, str, str], CatalogFunction]:
        if system:
            return self._system
        return self._temporary if temporary else self._permanent


def _what(temporary: bool) -> str:
    return "temporary function" if temporary else "function"


def _key(name: ObjectIdentifier) -> tuple[str, str, str]:
    return name.catalog, name.database, name.name.lower()
