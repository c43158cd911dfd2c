"""The methods of a function class that are called for rows, and checks that they are callable."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.functions.definitions import AggregateFunction, FunctionKind, UserDefinedFunction
from compiled_plan.plans.types.python.annotations import annotations_of, bind_variables, type_arguments
from compiled_plan.plans.types.python.type_hints import FunctionHint, class_hint, function_hints

EMPTY = inspect.Parameter.empty
#: Defaults that a plan can hold as a literal.
_CONSTANTS = (type(None), bool, int, float, str)


@dataclass(frozen=True, slots=True)
class Method:
    """A method or one of its overloads: parameters without `self` (and the accumulator), and annotations."""

    name: str
    target: Callable[..., Any]
    parameters: tuple[inspect.Parameter, ...]
    annotations: dict[str, object]
    where: str


def check_class(class_: type[UserDefinedFunction]) -> None:
    """Raise ProgramError for methods that are missing or cannot be called row by row, or an empty hint."""
    method, where = class_.METHOD, class_.__qualname__
    hint = class_hint(class_)
    if hint is not None and (hint.names_type or hint.bridged_to is not None or hint.takes_any):
        raise ProgramError(
            f"the DataTypeHint above function class {where} says a type, and a function is none",
            remedy="write @function_hint(output=...) above the class, or DataTypeHint above the method",
        )
    if not _method_names(class_):
        raise ProgramError(
            f"function class {where} has no method `{method}`", remedy=f"define `def {method}(self, ...)`"
        )
    names = [*_method_names(class_), "retract", "merge", "create_accumulator", "get_value", "open", "close"]
    for name in names:
        target = inspect.unwrap(getattr(class_, name, class_.open))
        if inspect.iscoroutinefunction(target) or inspect.isasyncgenfunction(target):
            raise ProgramError(
                f"{where}.{name} is an `async` function, and rows are not awaited",
                remedy=f"write `def {name}`; run a loop of your own inside it where you need one",
            )
    if issubclass(class_, AggregateFunction):
        for name in ("create_accumulator", "get_value"):
            if getattr(class_, name) is getattr(AggregateFunction, name):
                raise ProgramError(f"aggregate function class {where} has no method `{name}`", remedy="define it")
        for name, count, shown in (
            ("create_accumulator", 0, "self"),
            ("get_value", 1, "self, accumulator"),
            ("merge", 2, "self, accumulator, others"),
        ):
            if hasattr(class_, name) and not takes(class_, name, count):
                raise ProgramError(
                    f"{where}.{name} does not take what it is called with", remedy=f"write `def {name}({shown})`"
                )


def takes(class_: type, name: str, count: int) -> bool:
    """Return True if a method can be called with `count` arguments after `self`."""
    member = getattr(class_, name)
    is_static = isinstance(inspect.getattr_static(class_, name), staticmethod | classmethod)
    try:
        inspect.signature(member).bind(*[None] * (count + (not is_static)))
    except TypeError:
        return False
    except ValueError:
        return True
    return True


def _method_names(class_: type[UserDefinedFunction]) -> list[str]:
    """`eval`, and methods named `eval_...`, in the order of their definition."""
    prefix = f"{class_.METHOD}_"
    names: dict[str, None] = {}
    for base in class_.__mro__:
        for name in vars(base):
            if callable(getattr(class_, name)) and (name == class_.METHOD or name.startswith(prefix)):
                names.setdefault(name)
    return sorted(names, key=lambda name: name != class_.METHOD)


def methods_of(class_: type[UserDefinedFunction]) -> Iterator[tuple[Method, tuple[FunctionHint, ...]]]:
    """The methods, one entry per overload, with their hints. Raises ProgramError for a method that takes no rows."""
    bound = type_arguments(class_)
    for name in _method_names(class_):
        where = f"{class_.__qualname__}.{name}"
        target = inspect.unwrap(getattr(class_, name))
        # A class method is bound to its class.
        target = getattr(target, "__func__", target)
        hints = function_hints(target)
        is_static = isinstance(inspect.getattr_static(class_, name), staticmethod)
        skipped = (class_.KIND is FunctionKind.AGGREGATE) + (not is_static)
        for overload in typing.get_overloads(target) or [target]:
            try:
                parameters = tuple(inspect.signature(overload).parameters.values())
            except (TypeError, ValueError):
                raise ProgramError(
                    f"the parameters of {where} cannot be seen", remedy=f"write `def {name}(self, ...)` around it"
                ) from None
            if sum(item.kind is not item.KEYWORD_ONLY for item in parameters[:skipped]) < skipped:
                wanted = "self, accumulator" if class_.KIND is FunctionKind.AGGREGATE else "self"
                raise ProgramError(f"{where} lacks its first parameters", remedy=f"write `def {name}({wanted}, ...)`")
            first = parameters[0] if not is_static and parameters else None
            if first is not None and first.name not in ("self", "cls") and first.annotation is not EMPTY:
                raise ProgramError(
                    f"the first parameter of {where}, `{first.name}`, would be the function itself",
                    remedy=f"write `def {name}(self, ...)`, or @staticmethod above it",
                )
            annotations = {key: bind_variables(value, bound) for key, value in annotations_of(overload).items()}
            method = Method(name, overload, parameters[skipped:], annotations, where)
            for parameter in method.parameters:
                _check_parameter(parameter, where)
            yield method, (*function_hints(overload),) or hints


def _check_parameter(parameter: inspect.Parameter, where: str) -> None:
    if parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_KEYWORD):
        raise ProgramError(
            f"{where}: parameter `{parameter.name}` can only be given by its Python name",
            remedy="write parameters by position; SQL calls may still name them: f(a => 1)",
        )
    if parameter.default is not EMPTY and not isinstance(parameter.default, _CONSTANTS):
        raise ProgramError(
            f"{where}: the default of parameter `{parameter.name}` is no plain constant",
            remedy="write None, a number, a text or a bool, and replace it inside the method",
        )
