"""Pickling functions for Spark's workers: the user's modules by value, the product by name.

A worker needs neither installed: the code of the user's modules is in the pickle, and the product's sources are sent
along to workers on other machines (see `bootstrap`).
"""

from __future__ import annotations

import io
import pickle
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property, lru_cache
from pathlib import Path
from types import FunctionType
from typing import Any

from pyspark import SparkContext
from pyspark import cloudpickle as untyped

from compiled_plan import plans
from compiled_plan.plans.errors import ExecutionError
from compiled_plan.plans.execution.functions import bootstrap
from compiled_plan.plans.execution.functions.bootstrap import Home, unpack
from compiled_plan.plans.functions.code import own_modules
from compiled_plan.plans.functions.code_pickles import by_value
from compiled_plan.plans.functions.definitions import UserDefinedFunction

cloudpickle: Any = untyped

_FOLDER = Path(plans.__file__).parents[1]
#: Parts of the executor that workers import; the rest needs Spark.
_AT_WORKERS = tuple(
    f"functions/{name}.py" for name in ("__init__", "bootstrap", "runtime", "accumulating", "codec", "exact")
)


@contextmanager
def for_spark() -> Iterator[None]:
    """Let functions of `bootstrap` that Spark pickles inside this context be read before the product is importable."""
    with by_value(bootstrap):
        yield


def pickled(value: object, function: UserDefinedFunction, name: str, where: str = "") -> bytes:
    """Pickle a value that holds a function, for workers: unpickling first makes the product importable.

    Args:
        value: what to pickle.
        function: the function in it.
        name: the function's name in the program.
        where: the node, for errors.

    Raises:
        ExecutionError: the function holds an object that cannot be pickled; names it.
    """
    try:
        with by_value(*own_modules(*function.sources)):
            blob = _dumps(value, function)
    except Exception as fault:
        raise ExecutionError(
            f"the function {name} ({function.title}) cannot be sent to the workers: "
            f"{str(fault).splitlines()[0] if str(fault) else type(fault).__name__}{_culprit(function)}",
            where=where,
            remedy="make such objects in `open`, which runs in the worker",
        ) from fault
    with by_value(bootstrap):
        return bytes(cloudpickle.dumps(_Parcel(_home(), name, blob)))


class _Parcel:
    """A value that `unpack` unpickles."""

    def __init__(self, *arguments: object) -> None:
        self.arguments = arguments

    def __reduce__(self) -> tuple[object, ...]:
        return unpack, self.arguments


def _home() -> Home:
    context = SparkContext._active_spark_context
    master = "" if context is None else str(context.master)
    if master == "local" or master.startswith("local["):
        return Home((str(_FOLDER.parent), *(str(Path(place).resolve()) for place in sys.path)))
    return Home(archive=_sources())


@lru_cache(maxsize=1)
def _sources() -> bytes:
    folder = _FOLDER / "plans"
    files = [path for path in folder.rglob("*.py") if path.relative_to(folder).parts[0] != "execution"]
    files += [folder / "execution" / name for name in ("__init__.py", *_AT_WORKERS)]
    files += [_FOLDER / "__init__.py", _FOLDER / "planner" / "__init__.py"]
    texts = {path.relative_to(_FOLDER.parent).as_posix(): path.read_text(encoding="utf-8") for path in files}
    return zlib.compress(pickle.dumps(texts), 9)


# --- pickles ---------------------------------------------------------------------------------------------------------


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc]
    """Omits the parts of a function class that only the planner needs: inference and annotations of methods."""

    def __init__(self, file: object, function: UserDefinedFunction) -> None:
        super().__init__(file)
        classes = [source for source in function.sources if isinstance(source, type)]
        members = (member for class_ in classes for base in class_.__mro__ for member in vars(base).values())
        self._methods = {id(getattr(member, "__func__", member)) for member in members}

    def reducer_override(self, value: object) -> object:
        if isinstance(value, cached_property):
            return _cached, (value.func, value.attrname)
        if isinstance(value, FunctionType) and id(value) in self._methods:
            if value.__name__ == "get_type_inference":
                return getattr, (UserDefinedFunction, "get_type_inference")
            if value.__annotations__ or hasattr(value, "__function_hints__"):
                value = _bare(value)
        return super().reducer_override(value)


def _cached(function: Any, name: str) -> cached_property[object]:
    """A cached property, without its lock, which cannot be pickled."""
    property_: cached_property[Any] = cached_property(function)
    property_.__set_name__(object, name)
    return property_


def _bare(method: FunctionType) -> FunctionType:
    """A method without annotations and hints."""
    bare = FunctionType(method.__code__, method.__globals__, method.__name__, method.__defaults__, method.__closure__)
    bare.__kwdefaults__, bare.__qualname__, bare.__module__ = (
        method.__kwdefaults__,
        method.__qualname__,
        method.__module__,
    )
    bare.__dict__.update({key: value for key, value in vars(method).items() if key != "__function_hints__"})
    return bare


def _dumps(value: object, function: UserDefinedFunction) -> bytes:
    with io.BytesIO() as file:
        _Pickler(file, function).dump(value)
        return file.getvalue()


def _culprit(function: UserDefinedFunction) -> str:
    """The attribute or global of a function that cannot be pickled, as the end of a sentence."""
    with by_value(*own_modules(*function.sources)):
        return _held(function)


def _held(function: UserDefinedFunction) -> str:
    for name, value in vars(function.implementation or function).items():
        if not _pickles(value, function):
            if isinstance(value, FunctionType):
                continue
            return f"; it is held by the attribute `{name}`"
    for source in function.sources:
        bases = getattr(source, "__mro__", ())
        for member in (source, *(member for base in bases for member in vars(base).values())):
            method = getattr(member, "__func__", member)
            if not isinstance(method, FunctionType) or method.__name__ == "get_type_inference":
                continue
            for name, value in _names_of(method):
                if not _pickles(value, function):
                    return f"; it is held by `{name}`, which {method.__qualname__} uses"
    return ""


def _names_of(method: FunctionType) -> Iterator[tuple[str, object]]:
    code = method.__code__
    for name in code.co_names:
        if name in method.__globals__:
            yield name, method.__globals__[name]
    for name, cell in zip(code.co_freevars, method.__closure__ or (), strict=True):
        if name != "__class__":
            yield name, cell.cell_contents


def classes_beside(function: UserDefinedFunction) -> tuple[type, ...]:
    """The classes, except functions, in a function's module and its neighbours: its values may be objects of them."""
    classes: list[type] = []
    own = own_modules(*function.sources)
    mains = [sys.modules.get(source.__module__) for source in function.sources]
    modules = {id(module): module for module in (*mains, *own) if module is not None}.values()
    with by_value(*own):
        for module in modules:
            for value in vars(module).values():
                defined = isinstance(value, type) and value.__module__ == module.__name__
                if defined and not issubclass(value, UserDefinedFunction) and _pickles(value, function):
                    classes.append(value)
    return tuple(classes)


def _pickles(value: object, function: UserDefinedFunction) -> bool:
    try:
        _dumps(value, function)
    except Exception:
        return False
    return True
