"""List PyFlink's public names as JSON on stdout; run by the Python of an installed apache-flink, which it inspects."""

from __future__ import annotations

import enum
import importlib
import inspect
import json
import pkgutil
from typing import Any


def members(cls: type) -> list[str]:
    """The public attributes of a class that PyFlink's own classes define."""
    names = set()
    for base in cls.__mro__:
        if base.__module__.startswith("pyflink"):
            names |= {name for name in vars(base) if not name.startswith("_")}
    if issubclass(cls, enum.Enum):
        return sorted(cls.__members__)
    return sorted(names)


def public(module: Any) -> dict[str, list[str]]:
    """The public names of a module, with the attributes of classes."""
    names = {}
    for name in sorted(module.__all__):
        value = getattr(module, name)
        if not inspect.ismodule(value):
            names[name] = members(value) if inspect.isclass(value) else []
    return names


def main() -> None:
    """Print the public names of the Table API and of what it shares with the DataStream API."""
    modules = {}
    for package in map(importlib.import_module, ("pyflink.table", "pyflink.common")):
        inner = (f"{package.__name__}.{info.name}" for info in pkgutil.iter_modules(package.__path__))
        for name in (package.__name__, *inner):
            module = importlib.import_module(name)
            if hasattr(module, "__all__"):
                modules[name] = public(module)
    version = importlib.import_module("pyflink.version").__version__
    print(json.dumps({"version": version, "modules": modules}))


if __name__ == "__main__":
    main()
