"""Errors of runs in a Python program: one line with the remedy, in Python's terms.

Messages of the executor name options as on a command line (`--reset orders`). A program sees the keyword argument
instead (`reset=["orders"]`). The chain of causes, with Spark's stack traces, is shown only in debug mode.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import ContextDecorator, contextmanager
from dataclasses import fields

from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.execution.session.options import RunOptions

#: Environment variable that switches debug mode on for a process: `1`, `true`, `yes` or `on`.
DEBUG_VARIABLE = "COMPILED_PLAN_DEBUG"

_chosen: bool | None = None


def set_debug(debug: bool | None) -> None:
    """Switch debug mode of this process on or off; None for the choice of the environment variable."""
    global _chosen
    _chosen = debug


def is_debug() -> bool:
    """Return True if errors show their causes."""
    return os.environ.get(DEBUG_VARIABLE, "").lower() in ("1", "true", "yes", "on") if _chosen is None else _chosen


_of_command = False


@contextmanager
def command_terms() -> Iterator[None]:
    """Leave errors as they are inside this context, for a command that runs the statements of its user."""
    global _of_command
    _of_command = True
    try:
        yield
    finally:
        _of_command = False


class reported(ContextDecorator):
    """Context in which errors are reworded for a Python program; also a decorator."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, fault: BaseException | None, at: object) -> None:
        if _of_command or not isinstance(fault, CompiledPlanError):
            return
        fault.message, fault.remedy = in_python(fault.message), in_python(fault.remedy)
        fault.args = (in_one_line(fault),)
        if is_debug():
            return
        if fault.__cause__ is not None:
            # Hidden, not lost: debuggers still find the cause in `__context__`.
            fault.__context__ = fault.__cause__
        text = f"{type(fault).__name__}: {fault}"
        # Without the frames of the product.
        fault._render_traceback_ = lambda: [text]
        # Without the frames of the executor, which may be those of another thread.
        raise fault.with_traceback(None) from None


def in_one_line(fault: CompiledPlanError) -> str:
    """An error with its place and its remedy in one line; items of a list are separated by semicolons."""
    text = f"{fault.message} (at: {fault.where})" if fault.where else fault.message
    text = f"{text}; try: {fault.remedy}" if fault.remedy else text
    shown = ""
    for line in text.splitlines():
        words = " ".join(line.split())
        is_next = words.startswith("- ") and not shown.endswith((":", ";"))
        shown += f"{';' if is_next else ''} {words.removeprefix('- ')}"
    return shown.strip()


#: An option of a command in a text, and the word behind it. Code in backticks is a command as a whole.
_MENTION = re.compile(
    r"`[^`]*`|(?<![\w-])--(?P<name>[a-z]+(?:-[a-z]+)*)(?![\w-])"
    r"""(?:[ =](?P<value>'[^']*'|"[^"]*"|[^\s;,]*[^\s;,:]))?"""
)

#: The space between two keyword arguments.
_NEXT = re.compile(r"(?<=[\"\]}]) (?=[a-z_]+=[\"\[{])")

#: Words that follow an option without being its value.
_PROSE = frozenset(
    "all and entries exclude fills for from has in instead is must names needs of or out says shows starts than to "
    "with without writes".split()
)

#: Options of commands that are no run options, in Python's terms: alone, and with a value.
_PHRASES = {
    "conf": ("Spark's settings", "Spark's setting {}"),
    "master": ("Spark's master", "Spark's master {}"),
    "debug": (f"debug=True (or {DEBUG_VARIABLE}=1)", ""),
    "init": ("init", 'TableEnvironment(init=["{}"])'),
    "what-if": ("what_if", 'what_if="{}"'),
    "export": ("export_state()", ""),
    "jars": ("jars", 'jars=["{}"]'),
    "max-parallelism": ("max_parallelism", "max_parallelism={}"),
    "written-at": ("written_at", 'written_at="{}"'),
    "allow-non-restored-state": ("allow_non_restored_state=True", ""),
    "prune": ("`execute-plan --prune`", ""),
    "rollback": ("`execute-plan --rollback`", ""),
    "rewind-to": ("`execute-plan --rewind-to`", "`execute-plan --rewind-to {}`"),
    "keep-output": ("`execute-plan --keep-output`", ""),
    "shadow": ("`execute-plan --shadow`", ""),
    "shadow-share": ("`execute-plan --shadow-share`", ""),
    "promote": ("`execute-plan --promote`", ""),
}
_DEFAULTS = {field.name: field.default for field in fields(RunOptions)}


def in_python(text: str) -> str:
    """A text of the executor with its options as keyword arguments: `--reset a` becomes `reset=["a"]`."""
    return _NEXT.sub(", ", _MENTION.sub(_keyword, text))


def _keyword(mention: re.Match[str]) -> str:
    if mention["name"] is None:
        return mention[0]
    name, value = mention["name"], (mention["value"] or "").strip("\"'")
    parameter, rest = name.replace("-", "_"), mention[0][len(name) + 2 :]
    if name in _PHRASES:
        alone, with_value = _PHRASES[name]
    elif name == "key":
        column, _, text = value.partition("=")
        alone, with_value = "key", f'key={{{{"{column}": "{text}"}}}}'
    elif name == "start":
        table, _, position = value.partition("=")
        alone, with_value = "start", f'start={{{{"{table}": "{position}"}}}}'
    elif name == "warm-up-from":
        table, _, options = value.partition("=")
        options = options.translate(_BRACES).replace("' = '", "': '")
        alone, with_value = parameter, f'{parameter}={{{{"{table}": {options or "..."}}}}}'
    elif parameter not in _DEFAULTS:
        return mention[0]
    elif isinstance(_DEFAULTS[parameter], bool):
        alone, with_value = f"{parameter}=True", ""
    else:
        alone, with_value = parameter, f'{parameter}=["{{}}"]' if _DEFAULTS[parameter] == () else f'{parameter}="{{}}"'
    if not value or value in _PROSE or not with_value:
        return alone + rest
    return with_value.format(value)


_BRACES = str.maketrans({"(": "{{", ")": "}}"})
