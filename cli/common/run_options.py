"""Command-line options of `execute-plan` from the declarations in `RunOptions`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from inspect import Parameter
from pathlib import Path
from typing import Annotated, Any, get_origin, get_type_hints

import typer

from compiled_plan.cli.common.groups import grouped, options_of, parameters_of
from compiled_plan.cli.common.upgrading import declared_options
from compiled_plan.commands.apps import with_parameters
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.execution.session.options import RUN_OPTIONS, RunOptions, flag
from compiled_plan.plans.secrets.sources import set_default


def with_run_options(
    *, only: Sequence[str] = tuple(RUN_OPTIONS), **behind: str
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of `RunOptions`, which it takes as its first argument.

    Args:
        only: the names of the options; by default all.
        behind: positions of the command's own options in `--help`: by parameter, the run option that it follows
            together with the parameters declared after it. Parameters without a position come first.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        _, *own = parameters_of(command)

        @wraps(command)
        def execute(**values: object) -> None:
            try:
                options = RunOptions(**{name: _value(name, values.pop(name)) for name in only})
            except CompiledPlanError as fault:
                raise typer.BadParameter(str(fault)) from None
            command(options, **grouped(own, values))

        return with_parameters(execute, list(_merged(own, behind, only)))

    return decorate


def _merged(own: Sequence[Parameter], behind: Mapping[str, str], only: Sequence[str]) -> Iterator[Parameter]:
    groups: dict[str, list[Parameter]] = {}
    place = ""
    for parameter in own:
        place = behind.get(parameter.name, place)
        groups.setdefault(place, []).extend(options_of(parameter))
    for name in ("", *only):
        if name:
            yield _parameter(name)
        yield from groups.get(name, ())


_SECRETS = RUN_OPTIONS["secrets"]
_TYPES = get_type_hints(RunOptions)
#: Types with one value per option; all others are lists with repeatable options.
_PLAIN = (bool, str, str | None, int | None)


def _parameter(name: str) -> Parameter:
    option, plain = RUN_OPTIONS[name], _TYPES[name] in _PLAIN
    declared = typer.Option(flag(name), metavar=option.metavar or None, help=option.help)
    default = option.default if plain else None
    type_: object = _TYPES[name] if plain else list[str] | None
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[type_, declared])


#: The option `--secrets` of commands without the other options of a run.
SecretSources = Annotated[list[str] | None, typer.Option("--secrets", metavar=_SECRETS.metavar, help=_SECRETS.help)]


def set_default_secrets(sources: Sequence[str] | None) -> None:
    """Set the sources of secrets for the runs of a command.

    Raises:
        typer.BadParameter: one is unknown or malformed.
    """
    try:
        set_default(sources or ())
    except CompiledPlanError as fault:
        raise typer.BadParameter(str(fault)) from None


def _value(name: str, value: Any) -> Any:
    if _TYPES[name] in _PLAIN:
        return value
    return tuple(value or ()) if get_origin(_TYPES[name]) is Sequence else declared_options(value or ())


#: The name of the plan file without its extension, in the path of a checkpoint.
PLAN_NAME = "{plan}"


def checkpoint_of(path: str, checkpoint: str) -> str:
    """The checkpoint of a plan file."""
    return checkpoint.replace(PLAN_NAME, Path(path).stem)
