"""Modules that hold names of another one, as PyFlink has them beside its packages."""

from __future__ import annotations

import sys
from types import ModuleType


def provide(module: str, **names: object) -> None:
    """Provide a module that holds these names; its full name is below `compiled_plan.pyflink`."""
    inner = module.removeprefix("compiled_plan.pyflink.")
    theirs = f"pyflink.{inner}" if inner.startswith("common.") else f"pyflink.table.{inner}"
    provided = ModuleType(module, f"The names of `{theirs}`.")
    provided.__dict__.update(names, __all__=list(names))
    sys.modules[module] = provided
