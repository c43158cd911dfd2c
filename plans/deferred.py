"""Modules that are imported at the first use of one of their names, to keep the start of commands short.

A module that defers another imports it under TYPE_CHECKING, too, where type checkers and import contracts see it:

    if TYPE_CHECKING:
        from package import queries
    else:
        queries = deferred("package.queries")
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module


class _Deferred:
    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> object:
        return getattr(import_module(self._module), name)


def deferred(module: str) -> object:
    """A stand-in for a module, which the first access to an attribute imports."""
    return _Deferred(module)


def deferred_names(package: str, homes: Mapping[str, str]) -> Callable[[str], object]:
    """A package's `__getattr__` for names that are imported from other modules at their first use.

    Args:
        package: the package.
        homes: the module of each name.
    """

    def resolve(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(homes[name]), name)

    return resolve
