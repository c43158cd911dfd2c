"""Former names: modules of `compiled_plan.api`, importable until release 0.5.0. Import the new names."""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

#: Former names whose last part changed or moved, in `compiled_plan`; others lost `api` alone.
_MOVED = {
    "catalog_objects": "catalogs",
    "catalogs": "session.catalogs",
    "command_apps": "commands.apps",
    "command_registry": "commands.registry",
    "commands": "commands.console",
    "completing": "compiling.completing",
    "config_file": "commands.config",
    "config_trust": "commands.trust",
    "embedding": "session.embedding",
    "functions": "session.functions",
    "initializing": "session.initializing",
    "inspecting": "checkpoints",
    "interrupts": "commands.interrupts",
    "models": "session.models",
    "modules": "session.modules",
    "named_tables": "session.named_tables",
    "plan_tables": "compiling.plan_tables",
    "previews": "compiling.previews",
    "program": "compiling.python_programs",
    "python_files": "session.python_files",
    "queries": "session.queries",
    "reporting": "running.errors",
    "scripts": "compiling.scripts",
    "showing": "session.showing",
    "tied_commands": "commands.tied",
}


class _FormerNames(MetaPathFinder, Loader):
    """Imports of former names, which return the modules of today."""

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:
        return ModuleSpec(fullname, self, is_package=True) if fullname.startswith(f"{__name__}.") else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        first, _, rest = spec.name.removeprefix(f"{__name__}.").partition(".")
        today = f"compiled_plan.{_MOVED.get(first, first)}{'.' if rest else ''}{rest}"
        warnings.warn(f"{spec.name} is a former name: import {today}", DeprecationWarning, stacklevel=2)
        module = import_module(today)
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Give the module its own specification back, which the import replaced."""
        former = module.__spec__
        assert former is not None
        module.__spec__ = former.loader_state


sys.meta_path.insert(0, _FormerNames())  # before the finder of folders, which would load submodules a second time
