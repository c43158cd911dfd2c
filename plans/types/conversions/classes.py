"""Classes of structured types: from a name to a class and back, objects from fields and back.

The name of a structured type is `module.Class`. A plan may name anything, so a name becomes a class only where the
program means it to:

- a class that the program itself used as a type (`DataTypes.STRUCTURED(cls)`, `object_of(cls)`, a function's hints);
- a class of a module that the program has loaded and that is neither Python's own nor an installed package's;
- a class below a prefix that was allowed with `allow_classes_from`.

Source: FLIP-520, "SQL Data Type" and "Combining SQL and Table API".
"""

from __future__ import annotations

import dataclasses
import inspect
import sys
import sysconfig
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from plans.errors import DataError

_USED: WeakValueDictionary[str, type] = WeakValueDictionary()
_PREFIXES: dict[str, None] = {}
_OWN = frozenset({"planner", "plans", "schemas", "cli"})


def class_name(class_: type) -> str:
    """The name of a class in a structured type; that of a class inside a function leaves `<locals>` out."""
    return f"{class_.__module__}.{class_.__qualname__}".replace(".<locals>", "")


def use_class(class_: type) -> str:
    """Note that the program uses a class as a type; the class's name."""
    name = class_name(class_)
    _USED[name] = class_
    return name


def allow_classes_from(prefix: str) -> None:
    """Let names of structured types become classes of the modules below a prefix, which are imported for it.

    Args:
        prefix: a module or package, such as `shop.models`.
    """
    _PREFIXES[prefix.rstrip(".")] = None


def resolve_class(name: str) -> type | None:
    """The class of a structured type's name; None where there is none, or none that may be used."""
    used = _USED.get(name)
    if used is not None:
        return used
    allowed = any(name.startswith(f"{prefix}.") for prefix in _PREFIXES)
    parts = name.split(".")
    for at in range(len(parts) - 1, 0, -1):
        module_name = ".".join(parts[:at])
        module = sys.modules.get(module_name)
        if module is None and allowed:
            module = _imported(module_name)
        if module is None:
            continue
        found: Any = module
        for part in parts[at:]:
            found = getattr(found, part, None)
        home = isinstance(found, type) and found.__module__ == module_name
        return found if home and (allowed or _is_the_programs(module)) else None
    return None


def _imported(name: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError:
        return None


def _is_the_programs(module: Any) -> bool:
    if module.__name__.partition(".")[0] in _OWN:
        return False
    if module.__name__ == "__main__":
        return True
    file = getattr(module, "__file__", None)
    return file is not None and not _is_installed(file)


@lru_cache(maxsize=1024)
def _is_installed(file: str) -> bool:
    path = Path(file).resolve()
    if {"site-packages", "dist-packages"} & set(path.parts):
        return True
    known = sysconfig.get_paths()
    return any(path.is_relative_to(Path(known[key]).resolve()) for key in ("stdlib", "platstdlib", "purelib"))


# --- objects


def is_named_tuple(class_: type) -> bool:
    """Whether a class is a NamedTuple."""
    return issubclass(class_, tuple) and hasattr(class_, "_fields")


def field_names(class_: type) -> tuple[str, ...] | None:
    """The fields of a class in the order of its constructor; None where it has no constructor that says so."""
    if is_named_tuple(class_):
        return tuple(class_._fields)  # type: ignore[attr-defined]
    if dataclasses.is_dataclass(class_):
        return tuple(field.name for field in dataclasses.fields(class_) if field.init)
    parameters = _parameters(class_)
    if parameters:
        return tuple(parameters)
    return tuple(inspect.get_annotations(class_)) or (() if parameters is not None else None)


def _parameters(class_: type) -> dict[str, inspect.Parameter] | None:
    """The parameters of a constructor by name; None where it takes any, or cannot be looked at."""
    try:
        found = inspect.signature(class_).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(item.kind in (item.VAR_POSITIONAL, item.VAR_KEYWORD, item.POSITIONAL_ONLY) for item in found):
        return None
    return {item.name: item for item in found}


def constructor(class_: type, names: Sequence[str]) -> Callable[[Sequence[Any]], Any]:
    """A function from the values of the fields `names` to an object of a class.

    Raises:
        DataError: the class has no constructor that takes these fields; names class and fields.
    """
    parameters = _parameters(class_)
    if parameters is not None:
        needed = {item.name for item in parameters.values() if item.default is item.empty}
        if needed <= set(names) <= set(parameters):
            positional = all(item.kind is item.POSITIONAL_OR_KEYWORD for item in parameters.values())
            if positional and tuple(parameters)[: len(names)] == tuple(names):
                return lambda values: class_(*values)
            return lambda values: class_(**dict(zip(names, values, strict=True)))
        if not parameters and set(names) <= set(inspect.get_annotations(class_)):
            return lambda values: _filled(class_(), names, values)
    takes = "nothing by name" if parameters is None else ", ".join(parameters) or "nothing"
    raise DataError(
        f"class {class_name(class_)} cannot be made from the fields {', '.join(names) or '(none)'}",
        where=f"its constructor takes {takes}",
        remedy="name the fields as the constructor's parameters, or read the values as rows",
    )


def _filled(target: Any, names: Sequence[str], values: Sequence[Any]) -> Any:
    for name, value in zip(names, values, strict=True):
        setattr(target, name, value)
    return target


def fields_reader(names: Sequence[str]) -> Callable[[Any], list[Any]]:
    """A function from an object to the values of its fields `names`.

    The function raises ValueError for an object that lacks one.
    """

    def read(value: Any) -> list[Any]:
        try:
            return [getattr(value, name) for name in names]
        except AttributeError:
            missing = next(name for name in names if not hasattr(value, name))
            raise ValueError(f"it has no field {missing}") from None

    return read
