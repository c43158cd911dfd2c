"""Models of machine learning in the catalogs of a session.

Source: Flink's pages "CREATE Statements", "ALTER Statements" and "DROP Statements", their parts on models. Models are
declared, changed and listed; functions that call them are refused by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from compiled_plan.planner.catalog.tables import Column, ObjectIdentifier
from compiled_plan.planner.diagnostics.suggestions import did_you_mean
from compiled_plan.plans.errors import ProgramError


@dataclass(frozen=True, slots=True)
class CatalogModel:
    """A model: the columns that it takes and returns, and its options."""

    identifier: ObjectIdentifier
    inputs: tuple[Column, ...]
    outputs: tuple[Column, ...]
    options: Mapping[str, str]
    comment: str | None = None
    temporary: bool = False


class Models:
    """Models by name; a temporary one hides the permanent one of its name."""

    def __init__(self) -> None:
        self._temporary: dict[ObjectIdentifier, CatalogModel] = {}
        self._permanent: dict[ObjectIdentifier, CatalogModel] = {}

    def find(self, name: ObjectIdentifier) -> CatalogModel:
        """The model of that name.

        Raises:
            ProgramError: there is none.
        """
        return self._temporary.get(name) or self.permanent(name)

    def permanent(self, name: ObjectIdentifier) -> CatalogModel:
        """The model of that name that is not temporary.

        Raises:
            ProgramError: there is none.
        """
        if name not in self._permanent:
            raise self._missing(name)
        return self._permanent[name]

    def create(self, model: CatalogModel, *, if_not_exists: bool = False) -> None:
        """Add a model.

        Raises:
            ProgramError: the name is taken.
        """
        models = self._temporary if model.temporary else self._permanent
        if model.identifier not in models:
            models[model.identifier] = model
        elif not if_not_exists:
            kind = "temporary model" if model.temporary else "model"
            raise ProgramError(
                f"a {kind} {model.identifier} already exists", remedy="choose another name, or write IF NOT EXISTS"
            )

    def alterable(self, name: ObjectIdentifier, *, if_exists: bool) -> CatalogModel | None:
        """The permanent model that ALTER MODEL changes; None if there is none, and IF EXISTS is written.

        Raises:
            ProgramError: there is none, or a temporary one hides it.
        """
        if name in self._temporary:
            raise ProgramError(
                f"model {name} is temporary, and ALTER changes permanent models only", remedy="DROP and CREATE it again"
            )
        if name not in self._permanent and not if_exists:
            raise self._missing(name)
        return self._permanent.get(name)

    def alter(self, model: CatalogModel) -> None:
        """Replace a permanent model by its next version."""
        self._permanent[model.identifier] = model

    def rename(self, model: CatalogModel, name: ObjectIdentifier) -> None:
        """Rename a permanent model inside its database.

        Raises:
            ProgramError: the name is taken, or in another database.
        """
        old = model.identifier
        if (name.catalog, name.database) != (old.catalog, old.database):
            raise ProgramError(
                f"model {old} cannot become {name}: RENAME keeps a model in its database", remedy="CREATE it there"
            )
        if name in self._permanent:
            raise ProgramError(f"a model {name} already exists", remedy="choose another name")
        self._permanent[name] = replace(self._permanent.pop(old), identifier=name)

    def drop(self, name: ObjectIdentifier, *, temporary: bool, if_exists: bool = False) -> bool:
        """Remove a model; return True if it existed.

        Raises:
            ProgramError: there is none, or a temporary one hides it.
        """
        if not temporary and name in self._temporary:
            raise ProgramError(
                f"a temporary model {name} exists", remedy="write DROP TEMPORARY MODEL first: it hides the other"
            )
        models = self._temporary if temporary else self._permanent
        if models.pop(name, None) is not None:
            return True
        if not if_exists:
            raise self._missing(name)
        return False

    def names(self, catalog: str, database: str, *, temporary: bool = True) -> list[str]:
        """The names of a database's models.

        Args:
            catalog: its catalog.
            database: its name.
            temporary: include temporary models.
        """
        models = self._permanent | (self._temporary if temporary else {})
        return sorted(name.name for name in models if (name.catalog, name.database) == (catalog, database))

    def temporary_names(self, catalog: str, database: str) -> list[str]:
        """The names of a database's temporary models."""
        return sorted(name.name for name in self._temporary if (name.catalog, name.database) == (catalog, database))

    def forget(self, catalog: str, database: str) -> None:
        """Remove the models of a dropped database; temporary ones stay, as temporary tables do."""
        self._permanent = {
            name: model
            for name, model in self._permanent.items()
            if (name.catalog, name.database) != (catalog, database)
        }

    def _missing(self, name: ObjectIdentifier) -> ProgramError:
        names = self.names(name.catalog, name.database)
        return ProgramError(f"there is no model {name}", remedy=did_you_mean(name.name, names, "check the name"))
