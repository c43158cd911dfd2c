"""The start of a Spark worker: makes the product importable, and then runs the call that was sent.

Only this module is pickled by value, and so uses nothing but the standard library. The worker imports the rest of the
product from the driver's folder, or from the sources that were sent along.
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

#: Prefix of error messages of user functions, to find them in Spark's messages.
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
        base = name.replace(".", "/")
        for file, is_package in ((f"{base}/__init__.py", True), (f"{base}.py", False)):
            if file in self.files:
                return ModuleSpec(name, self, origin=file, is_package=is_package)  # type: ignore[arg-type]
        return None

    def create_module(self, spec: ModuleSpec) -> None:
        """Return None, for a usual module."""

    def exec_module(self, module: ModuleType) -> None:
        file = str(module.__spec__.origin) if module.__spec__ else ""
        exec(compile(self.files[file], file, "exec"), module.__dict__)


class Home:
    """The location of the product for a worker.

    Args:
        path: the driver's import path, the product's folder first, if driver and workers share a machine.
        archive: otherwise the product's sources, packed.
    """

    def __init__(self, path: tuple[str, ...] = (), archive: bytes = b"") -> None:
        self.path, self.archive = path, archive

    def use(self) -> None:
        """Make the driver's version of the product importable here."""
        if "compiled_plan.plans.functions" not in sys.modules:
            if self.archive:
                sys.meta_path.insert(0, Sources(pickle.loads(zlib.decompress(self.archive))))
            else:
                sys.path[:0] = [place for place in self.path[:1] if place not in sys.path]
        sys.path += [place for place in self.path if place not in sys.path]
        importlib.invalidate_caches()


class FunctionFailure(Exception):
    """An error of a user's function, in one line."""


def unpack(home: Home, name: str, blob: bytes) -> object:
    """Unpickle the object in `blob`, which belongs to the user function `name`."""
    home.use()
    try:
        return pickle.loads(blob)
    except ImportError as fault:
        raise FunctionFailure(f"{MARK}`{name}`: {fault}; install it for the Python of the workers, too") from fault


def opened(blob: bytes, token: str) -> Any:
    """The call in this process, with its function open; one that need not be closed is opened once per process."""
    cache: dict[str, object] = sys.__dict__.setdefault(_CACHE, {})
    payload = cache.get(token)
    if payload is None:
        payload = pickle.loads(blob)
        payload.open()
        if not payload.reopens:
            cache[token] = payload
    return payload


def scalar(blob: bytes, token: str, guarded: bool) -> Callable[..., Any]:
    """The function for Spark: columns in, one column out. `guarded`: the first column selects the rows."""

    def run(*arrays: object) -> Any:
        return opened(blob, token).batch(arrays, guarded)

    return run


def iterated(blob: bytes, token: str, guarded: bool) -> Callable[[Any], Iterator[Any]]:
    """Like `scalar`, for all batches of a task, at whose end the function is closed."""

    def run(batches: Iterator[object]) -> Iterator[Any]:
        call = opened(blob, token)
        try:
            for arrays in batches:
                yield call.batch(arrays if isinstance(arrays, tuple) else (arrays,), guarded)
        finally:
            call.close()

    return run
