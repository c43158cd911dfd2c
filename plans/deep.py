"""Room for recursion: what is nested more deeply than Python's stack allows is done again on a wider one.

A parser and a binder follow the nesting of the text, which costs a few frames a level; Python's own limit is 1,000.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from contextvars import copy_context
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from compiled_plan.plans.errors import NestingError

P = ParamSpec("P")
T = TypeVar("T")

#: Bytes of stack, taken as they are used, and how many frames are safe on it: 10,000 levels of a text at least.
_STACK = 512 * 1024 * 1024
_FRAMES = 250_000
_LOCK = threading.Lock()
_HERE = threading.local()


def deeply(function: Callable[P, T]) -> Callable[P, T]:
    """The function, called a second time with room for some 10,000 levels where the first call had too little.

    Its first call must leave nothing behind. The second one is in a thread of its own, with the caller's context; it
    raises NestingError where that is too little, too.
    """

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        if getattr(_HERE, "inside", False):  # the outermost call is done again, if any
            return function(*args, **kwargs)
        _HERE.inside = True
        try:
            return function(*args, **kwargs)
        except RecursionError:
            pass
        finally:
            _HERE.inside = False
        try:
            return _on_a_wide_stack(lambda: function(*args, **kwargs))
        except RecursionError:
            raise NestingError(
                "an expression or a query is nested more than some 10,000 levels deep",
                remedy="cut it into several columns or views",
            ) from None

    return run


def _on_a_wide_stack(call: Callable[[], T]) -> T:
    found: list[Any] = []
    context = copy_context()

    def work() -> None:
        _HERE.inside = True
        try:
            found.extend((True, context.run(call)))
        except BaseException as fault:
            found.extend((False, fault))

    with _LOCK:
        frames, stack = sys.getrecursionlimit(), threading.stack_size(_STACK)
        sys.setrecursionlimit(_FRAMES)
        try:
            thread = threading.Thread(target=work, name="deep", daemon=True)
            thread.start()
            thread.join()
        finally:
            threading.stack_size(stack)
            sys.setrecursionlimit(frames)
    done, value = found
    if done:
        result: T = value
        return result
    raise value
