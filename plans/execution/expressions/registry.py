"""Registry of the translators of calls to Spark columns, by Flink's internal name.

A family of functions is one file, or several if it is large; it registers its translators with
`translates = Family(__name__)`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from compiled_plan.plans.execution.expressions.functions import java

if TYPE_CHECKING:
    from pyspark.sql import Column

    from compiled_plan.plans.execution.expressions.context import ExpressionContext
    from compiled_plan.plans.rex import Call

Translator = Callable[["Call", tuple["Column", ...], "ExpressionContext"], "Column"]
"""Takes the call (for the types and literals of its operands), the operands as columns, and the context."""

_TRANSLATORS: dict[str, Translator] = {}


class Family:
    """Registers the functions of a module by Flink's internal names.

    Args:
        module: the name of the module.
    """

    def __init__(self, module: str) -> None:
        self._module = module

    def __call__(self, *names: str) -> Callable[[Translator], Translator]:
        """Register the decorated translator for functions, by their names in plans."""

        def register(translator: Translator) -> Translator:
            for name in names:
                if name in _TRANSLATORS:
                    raise AssertionError(f"{name} has two translators")
                _TRANSLATORS[name] = translator
            # A lambda in a table has this module otherwise; tests compare families with the planner's by module.
            translator.__module__ = self._module
            return translator

        return register

    def columns(self, *names: str, apply: Callable[..., Column]) -> None:
        """Register a function that depends only on its operands' columns."""
        self(*names)(lambda call, args, context: apply(*args))

    def kernel(
        self,
        name: str,
        returns: str = "string",
        *,
        names: tuple[str, ...] = (),
        ints: tuple[int, ...] = (),
    ) -> None:
        """Register a call of the kernel's Java function of the same name.

        Args:
            name: the name in Java.
            returns: the type of the result.
            names: Flink's names (default: the name in Java).
            ints: the positions of arguments that are passed as INT.
        """

        def apply(*args: Column) -> Column:
            return java(name, returns, *(arg.cast("int") if at in ints else arg for at, arg in enumerate(args)))

        self.columns(*(names or (f"${name}$1",)), apply=apply)


def translator_of(name: str) -> Translator | None:
    """The translator of a function; None if it is unknown."""
    return _TRANSLATORS.get(name)


def known_functions() -> tuple[str, ...]:
    """The internal names of all functions that run, sorted."""
    return tuple(sorted(_TRANSLATORS))
