"""Requirements of operators on users' aggregate functions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from compiled_plan.planner.algebra.nodes import AggregateCall, FunctionName
from compiled_plan.plans.errors import ProgramError

if TYPE_CHECKING:
    from compiled_plan.plans.functions.definitions import UserDefinedFunction

_METHODS = {"retract": "retract(self, accumulator, ...)", "merge": "merge(self, accumulator, others)"}


def check_methods(calls: Iterable[tuple[AggregateCall, bool]], method: str, why: str) -> None:
    """Raise if an aggregate function lacks a required method.

    Args:
        calls: the calls, each with True if it requires the method.
        method: "retract" or "merge".
        why: the reason, after "because".

    Raises:
        ProgramError: names the function and the method.
    """
    for call, needed in calls:
        if not needed or not isinstance(call.name, FunctionName) or "python" not in dict(call.name.extra):
            continue
        from compiled_plan.plans.functions.loading import registered

        function = registered(dict(call.name.extra)["python"])
        if function is not None and not callable(getattr(function, method, None)):
            raise ProgramError(
                f"aggregate function {call.name} has no method `{method}`, which it needs here because {why}",
                remedy=f"define `def {_METHODS[method]}` in class {_class_of(function).__qualname__}",
            )


def _class_of(function: type[UserDefinedFunction] | UserDefinedFunction) -> type:
    return function if isinstance(function, type) else type(function.implementation)
