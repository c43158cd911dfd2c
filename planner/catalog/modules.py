"""Modules of a session: LOAD, UNLOAD and USE MODULES.

Source: Flink's "Modules" page. SQL resolves the functions of the module `core` even while it is unloaded, as in Flink.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from compiled_plan.plans.errors import ProgramError, UnsupportedError

CORE = "core"


class Modules:
    """The loaded modules, of which those in use are ordered."""

    def __init__(self) -> None:
        self._loaded = [CORE]
        self._used = [CORE]

    def load(self, name: str, options: Mapping[str, str]) -> None:
        """Load a module and use it after all others.

        Raises:
            ProgramError: it is loaded already, or has unknown options.
            UnsupportedError: there is no such module here.
        """
        if name in self._loaded:
            raise ProgramError(f"a module with name {name!r} already exists", remedy=f"UNLOAD MODULE {name} before")
        if name != CORE:
            raise UnsupportedError(
                f"the module {name!r}",
                remedy="create its functions by name, with CREATE FUNCTION ... LANGUAGE JAVA and its jar",
            )
        if options:
            raise ProgramError(f"the module {name!r} has no option {next(iter(options))!r}", remedy="remove it")
        self._loaded.append(name)
        self._used.append(name)

    def unload(self, name: str) -> None:
        """Unload a module.

        Raises:
            ProgramError: it is not loaded.
        """
        self._check(name)
        self._loaded.remove(name)
        self._used = [item for item in self._used if item != name]

    def use(self, names: Sequence[str]) -> None:
        """Use these modules alone, in this order.

        Raises:
            ProgramError: one is not loaded, or named twice.
        """
        for at, name in enumerate(names):
            if name in names[:at]:
                raise ProgramError(f"module {name!r} appears more than once", remedy="name it once")
            self._check(name)
        self._used = list(names)

    def names(self) -> list[str]:
        """The modules in use, in order."""
        return list(self._used)

    def all(self) -> list[tuple[str, bool]]:
        """All loaded modules, those in use first; each with True if it is in use."""
        rest = sorted(name for name in self._loaded if name not in self._used)
        return [*((name, True) for name in self._used), *((name, False) for name in rest)]

    def _check(self, name: str) -> None:
        if name not in self._loaded:
            loaded = ", ".join(self._loaded) or "none"
            raise ProgramError(f"no module with name {name!r} exists", remedy=f"loaded: {loaded}")
