"""Pickling functions for Spark's workers, with the code of the user's modules and of the product inside."""

from __future__ import annotations

import copyreg
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property, lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

from pyspark import cloudpickle as untyped

from plans.functions.definitions import UserDefinedFunction

cloudpickle: Any = untyped


def _reduced(prop: cached_property[Any]) -> tuple[Any, ...]:
    """A cached property without its lock."""
    return _restored, (prop.func, prop.attrname)


def _restored(function: Any, name: str) -> cached_property[Any]:
    found: cached_property[Any] = cached_property(function)
    found.__set_name__(object, name)
    return found


copyreg.pickle(cached_property, _reduced)

#: Modules of the product that functions need in a worker.
_OWN = ("plans",)


@contextmanager
def by_value(class_: type) -> Iterator[None]:
    """What is pickled meanwhile holds the code of a function's module, of those beside it, and of the product."""
    added: list[ModuleType] = []
    for module in (*(sys.modules[name] for name in _OWN), *_travelling(class_)):
        if module.__name__ not in cloudpickle.list_registry_pickle_by_value():
            cloudpickle.register_pickle_by_value(module)
            added.append(module)
    try:
        yield
    finally:
        for module in added:
            cloudpickle.unregister_pickle_by_value(module)


def pickled(value: Any, class_: type) -> bytes:
    """A value that holds functions of a class, for the workers."""
    with by_value(class_):
        return bytes(cloudpickle.dumps(value))


def classes_beside(class_: type) -> tuple[type, ...]:
    """The classes of a function's module and of those beside it, functions aside: its values may be objects of them."""
    found: list[type] = []
    for module in _modules(class_):
        for value in vars(module).values():
            own = isinstance(value, type) and value.__module__ == module.__name__
            if own and not issubclass(value, UserDefinedFunction) and _travels(value, class_):
                found.append(value)
    return tuple(found)


def _travels(value: type, class_: type) -> bool:
    try:
        pickled(value, class_)
    except Exception:
        return False
    return True


def _modules(class_: type) -> Iterator[ModuleType]:
    """The modules of the user's own from which a function may have classes."""
    main = sys.modules.get(class_.__module__)
    yield from {id(module): module for module in (main, *_travelling(class_)) if module is not None}.values()


def _travelling(class_: type) -> Iterator[ModuleType]:
    module = sys.modules.get(class_.__module__)
    if module is None or module.__name__ == "__main__":
        return
    top = sys.modules.get(module.__name__.partition(".")[0], module)
    file = getattr(module, "__file__", None)
    if file is None or _is_installed(file):
        return
    yield top
    folder = Path(file).resolve().parents[module.__name__.count(".")]
    for other in list(sys.modules.values()):
        found = getattr(other, "__file__", None)
        if (
            "." not in other.__name__
            and found is not None
            and not other.__name__.startswith("_")
            and other is not top
            and other.__name__ not in ("__main__", *_OWN)
            and _is_beside(found, folder)
        ):
            yield other


def _is_beside(file: str, folder: Path) -> bool:
    path = Path(file).resolve()
    home = path.parent.parent if path.name == "__init__.py" else path.parent
    return home == folder and not _is_installed(file)


@lru_cache(maxsize=4096)
def _is_installed(file: str) -> bool:
    path = Path(file).resolve()
    known = sysconfig.get_paths()
    places = [Path(known[key]).resolve() for key in ("stdlib", "platstdlib", "purelib", "platlib")]
    return any(path.is_relative_to(place) for place in places)
