"""What a worker of Spark starts with: it makes the product importable, and then calls what was sent.

This module alone travels by value, and so uses nothing but the standard library; all else of the product is imported
in the worker, from the folder that the driver has it from, or from the sources that came along.
"""

from __future__ import annotations

import importlib
import pickle
import sys
import zlib
from collections.abc import Callable, Iterator
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

#: Stands before the message of an error of a user's function, so that it is found in what Spark makes of it.
MARK = "user function failed: "
_CACHE = "_compiled_plan_functions"


class Sources:
    """Imports modules from their source texts.

    Args:
        files: the texts by path, `compiled_plan/plans/errors.py`.
    """

    def __init__(self, files: dict[str, str]) -> None:
        self.files = files

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """As importlib asks."""
        base = name.replace(".", "/")
        for file, is_package in ((f"{base}/__init__.py", True), (f"{base}.py", False)):
            if file in self.files:
                return ModuleSpec(name, self, origin=file, is_package=is_package)  # type: ignore[arg-type]
        return None

    def create_module(self, spec: ModuleSpec) -> None:
        """As importlib asks: a usual module."""

    def exec_module(self, module: ModuleType) -> None:
        """As importlib asks."""
        file = str(module.__spec__.origin) if module.__spec__ else ""
        exec(compile(self.files[file], file, "exec"), module.__dict__)


class Home:
    """Where a worker has the product from.

    Args:
        path: where the driver imports from, the product's folder first, where driver and workers are one machine.
        archive: else its sources, packed.
    """

    def __init__(self, path: tuple[str, ...] = (), archive: bytes = b"") -> None:
        self.path, self.archive = path, archive

    def use(self) -> None:
        """Make the product importable here, in the version of the driver."""
        if "compiled_plan.plans.functions" not in sys.modules:
            if self.archive:
                sys.meta_path.insert(0, Sources(pickle.loads(zlib.decompress(self.archive))))
            else:
                sys.path[:0] = [place for place in self.path[:1] if place not in sys.path]
        sys.path += [place for place in self.path if place not in sys.path]
        importlib.invalidate_caches()


class FunctionFailure(Exception):
    """An error of a user's function, in one line."""


def unpack(home: Home, name: str, blob: bytes) -> Any:
    """The object in `blob`, which belongs to the user's function `name`."""
    home.use()
    try:
        return pickle.loads(blob)
    except ImportError as fault:
        raise FunctionFailure(f"{MARK}`{name}`: {fault}; install it for the Python of the workers, too") from fault


def opened(blob: bytes, token: str) -> Any:
    """The call in this process, its function opened; one that need not be closed is opened once in a process."""
    cache: dict[str, Any] = sys.__dict__.setdefault(_CACHE, {})
    payload = cache.get(token)
    if payload is None:
        payload = pickle.loads(blob)
        payload.open()
        if not payload.reopens:
            cache[token] = payload
    return payload


def scalar(blob: bytes, token: str, guarded: bool) -> Callable[..., Any]:
    """The function for Spark: columns in, one column out. `guarded`: the first column says which rows count."""

    def run(*arrays: Any) -> Any:
        return opened(blob, token).batch(arrays, guarded)

    return run


def iterated(blob: bytes, token: str, guarded: bool) -> Callable[[Any], Iterator[Any]]:
    """The same for all batches of a task, at whose end the function is closed."""

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        call = opened(blob, token)
        try:
            for arrays in batches:
                yield call.batch(arrays if isinstance(arrays, tuple) else (arrays,), guarded)
        finally:
            call.close()

    return run
