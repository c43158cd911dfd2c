"""Modules that hold names of another one, as PyFlink has them beside its packages."""

from __future__ import annotations

import sys
from types import ModuleType


def provide(module: str, **names: object) -> None:
    """Provide a module that holds these names, such as `compiled_plan.pyflink.schema`."""
    provided = ModuleType(module, f"The names of `{module.replace('compiled_plan.pyflink', 'pyflink.table', 1)}`.")
    provided.__dict__.update(names, __all__=list(names))
    sys.modules[module] = provided
