"""Names of PyFlink that are refused: a program can import them, and each raises where the program uses it.

`refusal` of such an object is the reason and the remedy, for tests and the documentation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

from compiled_plan.plans.errors import UnsupportedError


@dataclass(frozen=True, slots=True)
class Refusal:
    """The reason of a refusal, and what to do instead."""

    reason: str
    remedy: str

    def error(self, name: str) -> RefusedError:
        """The error that a use of the name raises."""
        return RefusedError(f"{name} is not supported: {self.reason}", where=name, remedy=self.remedy)


class RefusedError(UnsupportedError, AttributeError):
    """The use of a refused name; `hasattr` does not find its attributes."""


def refused_method(name: str, reason: str, remedy: str) -> Callable[..., NoReturn]:
    """A method or function that raises UnsupportedError.

    Args:
        name: its name in errors, such as `TableEnvironment.create_model()`.
        reason: a reason, in half a sentence.
        remedy: what to do instead.
    """
    refusal = Refusal(reason, remedy)

    def method(*arguments: object, **named: object) -> NoReturn:
        raise refusal.error(name)

    method.__name__ = name.rpartition(".")[2].removesuffix("()")
    method.__doc__ = f"Not supported: {reason}; {remedy}."
    method.refusal = refusal  # type: ignore[attr-defined]
    return method


def refusal_of(value: object) -> Refusal | None:
    """The refusal of a class, method or function; None if it is supported."""
    refusal = getattr(value, "refusal", None)
    return refusal if isinstance(refusal, Refusal) else None


class _RefusedClass(type):
    """Metaclass of refused classes: calls and attributes raise."""

    refusal: Refusal

    def __call__(cls, *arguments: object, **named: object) -> NoReturn:
        raise cls.refusal.error(cls.__name__)

    def __getattr__(cls, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise cls.refusal.error(f"{cls.__name__}.{name}")


def refused_class(name: str, reason: str, remedy: str) -> type:
    """A class that can be imported and named in annotations; every other use raises UnsupportedError."""
    doc = f"Not supported: {reason}; {remedy}."
    return _RefusedClass(name, (), {"__doc__": doc, "refusal": Refusal(reason, remedy)})
