"""Which translator makes the Spark column of a call, by Flink's internal name.

A family of functions is one file; it registers its translators with `@translates("$UPPER$1")`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import Column

    from compiled_plan.plans.execution.expressions.context import ExpressionContext
    from compiled_plan.plans.rex import Call

Translator = Callable[["Call", tuple["Column", ...], "ExpressionContext"], "Column"]
"""Gets the call (for the types and literals of its operands), the operands as columns, and the context."""

_TRANSLATORS: dict[str, Translator] = {}


def translates(*names: str) -> Callable[[Translator], Translator]:
    """Register a translator for functions by Flink's internal names."""

    def register(translator: Translator) -> Translator:
        for name in names:
            if name in _TRANSLATORS:
                raise AssertionError(f"{name} has two translators")
            _TRANSLATORS[name] = translator
        return translator

    return register


def translator_of(name: str) -> Translator | None:
    """The translator of a function; None when it is unknown."""
    return _TRANSLATORS.get(name)


def known_functions() -> tuple[str, ...]:
    """The internal names of all functions that run, in order."""
    return tuple(sorted(_TRANSLATORS))
