"""Applications of commands: the options that all commands have, and defaults from a config file."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial, wraps
from inspect import Parameter
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, TypeVar, get_args, get_origin

import typer
from typer.models import Default, OptionInfo

from compiled_plan.commands.config import ConfigFile, Declared, searched_file
from compiled_plan.commands.registry import COMMANDS, UMBRELLA
from compiled_plan.plans.version import product_version

#: Keys of `Context.meta`: the values of `--config` and `--no-config`; the config file with the lines of defaults.
_CHOICE, _ORIGINS = "compiled_plan.config", "compiled_plan.origins"

_Function = TypeVar("_Function", bound=Callable[..., object])


def app_for(name: str, description: str | None = None) -> App:
    """An application for one command, or for a group of commands: plain help, no decorated tracebacks.

    Args:
        name: the name of the command.
        description: the description of a group without a callback.
    """
    return App(
        name=name,
        help=description or Default(None),
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


class App(typer.Typer):
    """An application whose commands have the shared options.

    Attributes:
        options: the own options of its command by parameter; of the last one in a group.
    """

    options: Mapping[str, Declared] = {}

    def command(self, name: str | None = None, **declared: Any) -> Callable[[_Function], _Function]:
        """Declare a command with the shared options."""
        return self._declare(super().command(name, **declared))

    def callback(self, **declared: Any) -> Callable[[_Function], _Function]:
        """Declare the function of a group."""
        return self._declare(super().callback(**declared))

    def _declare(self, add: Callable[[Callable[..., object]], object]) -> Callable[[_Function], _Function]:
        def decorate(function: _Function) -> _Function:
            parameters = dict(inspect.signature(function, eval_str=True).parameters)
            self.options = _declared(parameters)
            add(_with_shared(function, self.info.name or "", parameters, self.options))
            return function

        return decorate


def _with_shared(
    function: Callable[..., object], name: str, own: Mapping[str, Parameter], options: Mapping[str, Declared]
) -> Callable[..., object]:
    """A command with the shared options; with those of the config file if the command takes defaults from it."""
    added: dict[str, object] = {"version": _VERSION}
    if name in COMMANDS and COMMANDS[name].configurable:

        def set_defaults(context: typer.Context, value: str) -> None:
            _set_defaults(context, value, name, options)

        help_ = "Config file with defaults of options; by default compiled-plan.toml, searched upwards from here."
        config = _eager_option("--config", metavar="FILE", help=help_, callback=set_defaults)
        added |= {"no_config": _NO_CONFIG, "config": Annotated[str, config]}

    @wraps(function)
    def command(**values: Any) -> object:
        context: typer.Context = values.pop(_CONTEXT)
        try:
            return function(**{parameter: value for parameter, value in values.items() if parameter not in added})
        except typer.BadParameter as fault:
            fault.message += _origins(context, options)
            raise

    parameters = [Parameter(_CONTEXT, Parameter.KEYWORD_ONLY, annotation=typer.Context), *own.values()]
    for parameter, hint in added.items():
        default = "" if parameter == "config" else False
        parameters.append(Parameter(parameter, Parameter.KEYWORD_ONLY, default=default, annotation=hint))
    parameters = [parameter.replace(kind=Parameter.KEYWORD_ONLY) for parameter in parameters]
    return with_parameters(command, parameters)


def with_parameters(command: _Function, parameters: Sequence[Parameter]) -> _Function:
    """The command, with these parameters for Typer."""
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command


_CONTEXT = "context_"
_eager_option = partial(typer.Option, is_eager=True, expose_value=False)


def _show_version(context: typer.Context, value: bool) -> None:
    if value and not context.resilient_parsing:
        typer.echo(f"{UMBRELLA} {product_version() or 'not installed'}")
        raise typer.Exit


def _switch_off(context: typer.Context, value: bool) -> None:
    _exclude(context, off=value)


def _exclude(context: typer.Context, **chosen: str | bool) -> None:
    """Raise if both options are given; each is called with its value, in the order of the command line."""
    choice = context.meta.setdefault(_CHOICE, {})
    choice |= chosen
    if choice.get("off") and choice.get("file"):
        raise typer.BadParameter("--config and --no-config exclude each other")


_VERSION = Annotated[bool, _eager_option("--version", help="Print the version.", callback=_show_version)]
_NO_CONFIG = Annotated[bool, _eager_option("--no-config", help="Use no config file.", callback=_switch_off)]


def _set_defaults(context: typer.Context, file: str, command: str, options: Mapping[str, Declared]) -> None:
    """Take defaults from the config file.

    Raises:
        typer.BadParameter: the options contradict each other.
        ProgramError: the file or a value in it is invalid.
    """
    if context.resilient_parsing:
        return
    _exclude(context, file=file)
    config = ConfigFile(Path(file)) if file else None if context.meta[_CHOICE].get("off") else searched_file()
    if config is None:
        return
    defaults = config.defaults(command, options.values())
    by_parameter = {name: defaults[option.key] for name, option in options.items() if option.key in defaults}
    context.default_map = {name: default.value for name, default in by_parameter.items()}
    context.meta[_ORIGINS] = (config.path, {name: default.line for name, default in by_parameter.items()})


def _origins(context: typer.Context, options: Mapping[str, Declared]) -> str:
    """The defaults that a call takes from the config file, for its errors."""
    path, lines = context.meta.get(_ORIGINS, ("", {}))
    used = [
        f"--{options[name].key} (line {line})"
        for name, line in lines.items()
        if (source := context.get_parameter_source(name)) is not None and source.name == "DEFAULT_MAP"
    ]
    return f"\n  defaults of {str(path)!r}: {', '.join(used)}" if used else ""


def _declared(parameters: Mapping[str, Parameter]) -> dict[str, Declared]:
    """The options of a command by parameter."""
    declared = {}
    for name, parameter in parameters.items():
        if get_origin(parameter.annotation) is not Annotated:
            continue
        hint, info = get_args(parameter.annotation)[:2]
        if not isinstance(info, OptionInfo):
            continue
        # The first name of an option in Annotated is its `default`.
        names = [text for text in (info.default, *(info.param_decls or ())) if isinstance(text, str)]
        key = max(names, key=len, default=f"--{name.replace('_', '-')}").removeprefix("--")
        kinds = [kind for kind in get_args(hint) if kind is not type(None)] if isinstance(hint, UnionType) else [hint]
        repeats = get_origin(kinds[0]) is list
        type_ = get_args(kinds[0])[0] if repeats else kinds[0]
        declared[name] = Declared(key, type_ if type_ in (bool, int, float) else str, repeats, info.metavar or "")
    return declared
