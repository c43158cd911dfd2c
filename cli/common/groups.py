"""Groups of options: a command takes a dataclass as one parameter, whose fields become options."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass
from functools import wraps
from inspect import Parameter
from typing import get_type_hints

from compiled_plan.commands.apps import with_parameters


def with_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of its groups."""
    own = parameters_of(command)

    @wraps(command)
    def execute(**values: object) -> None:
        command(**grouped(own, values))

    return with_parameters(execute, [option for parameter in own for option in options_of(parameter)])


def parameters_of(command: Callable[..., None]) -> list[Parameter]:
    """The parameters of a command, with resolved annotations."""
    return list(inspect.signature(command, eval_str=True).parameters.values())


def options_of(parameter: Parameter) -> list[Parameter]:
    """The options of a group; of another parameter itself."""
    group = parameter.annotation
    if not is_dataclass(group):
        return [parameter.replace(kind=Parameter.KEYWORD_ONLY)]
    types = get_type_hints(group, include_extras=True)
    return [
        Parameter(field.name, Parameter.KEYWORD_ONLY, default=field.default, annotation=types[field.name])
        for field in fields(group)
    ]


def grouped(parameters: Iterable[Parameter], values: dict[str, object]) -> dict[str, object]:
    """The arguments of a command from the values of its options."""
    return {
        parameter.name: group(**{option.name: values[option.name] for option in options_of(parameter)})
        if is_dataclass(group := parameter.annotation) and isinstance(group, type)
        else values[parameter.name]
        for parameter in parameters
    }
