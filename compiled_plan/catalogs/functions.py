"""Functions of a catalog as objects.

Source: PyFlink's `CatalogFunction`; Flink's `GenericInMemoryCatalog`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

from compiled_plan.catalogs.base import CatalogBase
from compiled_plan.planner.catalog.functions import UndeclaredFunction
from compiled_plan.planner.sql.declaring import declare_script
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.types import quote_string
from compiled_plan.results.identifiers import ObjectPath


class FunctionLanguage(Enum):
    """The language of a function."""

    JAVA = "JAVA"
    SCALA = "SCALA"
    PYTHON = "PYTHON"

    def __str__(self) -> str:
        return self.value


_A_FUNCTION = "This is a user-defined function"


@dataclass(frozen=True)
class CatalogFunction:
    """A function of a catalog: its class, or its name in a module of Python."""

    class_name: str
    function_language: FunctionLanguage = FunctionLanguage.PYTHON
    options: Mapping[str, str] = field(default_factory=dict)

    @staticmethod
    def create_instance(class_name: str, function_language: str = "Python") -> CatalogFunction:
        """A function for `Catalog.create_function`.

        Args:
            class_name: `module.name` in Python, or the full name of a class.
            function_language: Python, Java or Scala.

        Raises:
            ValueError: another language.
        """
        language = FunctionLanguage.__members__.get(function_language.upper())
        if language is None:
            raise ValueError("function_language must be one of 'Python', 'Java' or 'Scala'")
        return CatalogFunction(class_name, language)

    def get_class_name(self) -> str:
        """The class, or the name in a module of Python."""
        return self.class_name

    def get_function_language(self) -> FunctionLanguage:
        """The language in which the function is written."""
        return self.function_language

    def get_options(self) -> dict[str, str]:
        """The options of the declaration by key."""
        return dict(self.options)

    def get_description(self) -> str:
        """A text that is the same for all functions."""
        return _A_FUNCTION

    def get_detailed_description(self) -> str:
        """A text that is the same for all functions."""
        return _A_FUNCTION

    def copy(self) -> CatalogFunction:
        """A new object with the same function."""
        return replace(self)


class CatalogFunctionMethods(CatalogBase):
    """Methods of a catalog for its functions."""

    def list_functions(self, database_name: str) -> list[str]:
        """The names of the functions of a database that are not temporary."""
        self._catalogs.database_of((self._name, database_name))
        return self._catalogs.functions.names_in(self._name, database_name, temporary=False)

    def function_exists(self, function_path: ObjectPath) -> bool:
        """Return True if the database has a function of that name."""
        names = self._catalogs.functions.names_in(self._name, function_path.database_name, temporary=False)
        return function_path.object_name.lower() in names

    def drop_function(self, function_path: ObjectPath, ignore_if_not_exists: bool) -> None:
        """DROP FUNCTION in this catalog; see the statement for its errors."""
        name = self._catalogs.qualify(self._path(function_path))
        self._catalogs.functions.drop(name, temporary=False, if_exists=ignore_if_not_exists)

    def get_function(self, function_path: ObjectPath) -> CatalogFunction:
        """The function of that name.

        Raises:
            ProgramError: there is none.
        """
        name = self._catalogs.qualify(self._path(function_path))
        if not self._catalogs.functions.holds(name, temporary=False):
            raise ProgramError(
                f"catalog {self._name!r} has no function {function_path}",
                where="get_function()",
                remedy="see list_functions(...)",
            )
        function = self._catalogs.functions.permanent(name)
        in_java = isinstance(function, UndeclaredFunction) or function.java is not None
        language = FunctionLanguage.JAVA if in_java else FunctionLanguage.PYTHON
        return CatalogFunction(function.class_name, language)

    def create_function(self, function_path: ObjectPath, function: CatalogFunction, ignore_if_exists: bool) -> None:
        """CREATE FUNCTION.

        Raises:
            ProgramError: the name is taken, there is no such database, or the function is not there.
        """
        kind = "CREATE FUNCTION IF NOT EXISTS" if ignore_if_exists else "CREATE FUNCTION"
        self._declare_function(kind, function_path, function)

    def alter_function(
        self, function_path: ObjectPath, new_function: CatalogFunction, ignore_if_not_exists: bool
    ) -> None:
        """ALTER FUNCTION.

        Raises:
            ProgramError: there is no such function, or the new one is not there.
        """
        kind = "ALTER FUNCTION IF EXISTS" if ignore_if_not_exists else "ALTER FUNCTION"
        self._declare_function(kind, function_path, new_function)

    def _declare_function(self, kind: str, path: ObjectPath, function: CatalogFunction) -> None:
        name, class_ = self._text(path), quote_string(function.class_name)
        declare_script(self._context, f"{kind} {name} AS {class_} LANGUAGE {function.function_language}")
