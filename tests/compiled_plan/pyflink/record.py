"""Record the public names of PyFlink with their parameters: `python record.py > names.json`, in PyFlink's Python."""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
from typing import Any

Names = dict[str, Any]


def parameters(function: Any) -> list[str]:
    """The names of the parameters; `*name` for further ones by position, `name=` for those with a default."""
    try:
        known = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return []
    shown = []
    for one in known:
        stars = "*" if one.kind is one.VAR_POSITIONAL else "**" if one.kind is one.VAR_KEYWORD else ""
        shown.append(f"{stars}{one.name}{'=' if one.default is not one.empty else ''}")
    return shown


def members(class_: type) -> Names:
    """The public attributes of a class; None for those that are no methods."""
    attributes: Names = {}
    for base in reversed(class_.__mro__):
        if base.__module__.startswith("pyflink"):
            for name in vars(base):
                if not name.startswith("_"):
                    value = inspect.getattr_static(class_, name)
                    function = value.__func__ if isinstance(value, staticmethod | classmethod) else value
                    is_method = callable(function) and not inspect.isclass(function)
                    names = parameters(function) if is_method else None
                    attributes[name] = names[1:] if names and names[0] in ("self", "cls") else names
    return attributes


def main() -> None:
    """Print the names by module."""
    modules: Names = {}
    for package in ("pyflink.table", "pyflink.common"):
        loaded = importlib.import_module(package)
        names = [package, *(f"{package}.{info.name}" for info in pkgutil.iter_modules(loaded.__path__))]
        for name in names:
            module = importlib.import_module(name)
            public: Names = {}
            for one in sorted(getattr(module, "__all__", ())):
                value = getattr(module, one)
                if inspect.isclass(value):
                    public[one] = members(value)
                elif not inspect.ismodule(value):
                    public[one] = parameters(value) if callable(value) else None
            if public:
                modules[name] = public
    print(json.dumps(modules, indent=None, separators=(",", ":"), sort_keys=True))


if __name__ == "__main__":
    main()
