"""Deep recursion: repeats a call on a larger stack if it exceeds Python's recursion limit.

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

#: Stack size in bytes (memory is committed as it is used), and the frames that are safe on it: at least 10,000 levels
#: of nested text.
_STACK = 512 * 1024 * 1024
_FRAMES = 250_000
_LOCK = threading.Lock()
_HERE = threading.local()


def deeply(function: Callable[P, T]) -> Callable[P, T]:
    """Decorate a function to run again on a stack for some 10,000 levels if it raises RecursionError.

    The first call must have no side effects. The second call runs in its own thread, in the caller's context.

    Raises:
        NestingError: the larger stack is too small as well.
    """

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        if getattr(_HERE, "inside", False):  # only the outermost call is repeated
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
    outcome: list[Any] = []
    context = copy_context()

    def work() -> None:
        _HERE.inside = True
        try:
            outcome.extend((True, context.run(call)))
        except BaseException as fault:
            outcome.extend((False, fault))

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
    done, value = outcome
    if done:
        result: T = value
        return result
    raise value
