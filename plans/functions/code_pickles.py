"""Functions as pickles of their code: those that no other process can import, such as lambdas and local functions.

Reading such a pickle runs code, so a run reads one only with permission.
"""

from __future__ import annotations

import base64
import importlib
import importlib.util
import pickle
import platform
import sys
import threading
import types
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from compiled_plan.plans.errors import ExecutionError

#: Separates the version of Python, on which the code of a pickle depends, from the pickle.
_AFTER_VERSION = ":"
#: cloudpickle's registry is global, and programs and runs may use it in several threads.
_REGISTRY = threading.RLock()


def _cloudpickle() -> Any:
    """`pyspark.cloudpickle`, without loading the rest of pyspark, which takes a second."""
    if "pyspark" in sys.modules or "pyspark.cloudpickle" in sys.modules:
        return importlib.import_module("pyspark.cloudpickle")
    spec = importlib.util.find_spec("pyspark")
    if spec is None or spec.submodule_search_locations is None:
        raise ImportError("pyspark is not installed")
    stub = types.ModuleType("pyspark")
    stub.__path__ = list(spec.submodule_search_locations)
    sys.modules["pyspark"] = stub
    try:
        return importlib.import_module("pyspark.cloudpickle")
    finally:
        del sys.modules["pyspark"]


@contextmanager
def by_value(*modules: types.ModuleType) -> Iterator[None]:
    """Pickle the code of these modules by value inside this context."""
    cloudpickle = _cloudpickle()
    with _REGISTRY:
        added = [module for module in modules if module.__name__ not in cloudpickle.list_registry_pickle_by_value()]
        for module in added:
            cloudpickle.register_pickle_by_value(module)
        try:
            yield
        finally:
            for module in added:
                cloudpickle.unregister_pickle_by_value(module)


def to_text(function: Any, modules: tuple[types.ModuleType, ...]) -> str:
    """The pickle of a function as the text of a plan, with the code of these modules; empty if it has none."""
    with by_value(*modules), suppress(Exception):
        data = _cloudpickle().dumps(function)
        return f"{_version()}{_AFTER_VERSION}{base64.b64encode(data).decode()}"
    return ""


def from_text(text: str, name: str, where: str) -> Any:
    """Read the function `name` from its text, which runs code; `where` is the node, for errors.

    Raises:
        ExecutionError: it was pickled by another version of Python, or cannot be read.
    """
    version, _, data = text.partition(_AFTER_VERSION)
    if version != _version():
        raise ExecutionError(
            f"the function {name} was pickled by Python {version}, and this is Python {_version()}",
            where=where,
            remedy="compile the plan with this version, or define the function in a module",
        )
    try:
        return pickle.loads(base64.b64decode(data, validate=True))
    except Exception as fault:
        raise ExecutionError(
            f"the pickled function {name} cannot be read: {type(fault).__name__}: {fault}",
            where=where,
            remedy="compile the plan again, or define the function in a module",
        ) from fault


def _version() -> str:
    return ".".join(platform.python_version_tuple()[:2])
