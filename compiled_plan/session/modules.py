"""Modules, which provide built-in functions: a mixin of `TableEnvironment`.

Source: Flink's `TableEnvironment`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from compiled_plan.plans.types import quote_identifier

if TYPE_CHECKING:
    from compiled_plan.results.table_result import TableResult


@dataclass(frozen=True, order=True)
class ModuleEntry:
    """A loaded module.

    Args:
        module_name: its name.
        is_used: its functions are found.
    """

    module_name: str
    is_used: bool

    def __repr__(self) -> str:
        return f"ModuleEntry{{name={self.module_name!r}, used={str(self.is_used).lower()}}}"

    def name(self) -> str:
        """The name of the module, such as `core`."""
        return self.module_name

    def used(self) -> bool:
        """Return True if the module's functions are found."""
        return self.is_used


class ModuleMethods:
    """Methods that list, load and select modules, as the statements of SQL do."""

    if TYPE_CHECKING:

        def execute_sql(self, stmt: str) -> TableResult:
            """Execute a statement."""

    def list_modules(self) -> list[str]:
        """The names of the modules whose functions are found: SHOW MODULES."""
        return [row[0] for row in self.execute_sql("SHOW MODULES").collect()]

    def list_full_modules(self) -> list[ModuleEntry]:
        """All loaded modules: SHOW FULL MODULES."""
        return [ModuleEntry(row[0], row[1]) for row in self.execute_sql("SHOW FULL MODULES").collect()]

    def load_module(self, module_name: str, module: object = None) -> None:
        """LOAD MODULE, of that name.

        Raises:
            ProgramError, UnsupportedError: it is loaded already, or not supported.
        """
        self.execute_sql(f"LOAD MODULE {quote_identifier(module_name)}")

    def unload_module(self, module_name: str) -> None:
        """UNLOAD MODULE.

        Raises:
            ProgramError, UnsupportedError: it is not loaded, or cannot be unloaded.
        """
        self.execute_sql(f"UNLOAD MODULE {quote_identifier(module_name)}")

    def use_modules(self, *module_names: str) -> None:
        """USE MODULES: find the functions of these modules, in this order.

        Raises:
            ProgramError, UnsupportedError: one is not loaded.
        """
        self.execute_sql(f"USE MODULES {', '.join(map(quote_identifier, module_names))}")
