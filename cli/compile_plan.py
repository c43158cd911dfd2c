"""`compile-plan`: a table program to a plan file."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli._common import ExitCode, app_for, fail, run_app
from plans.errors import CompiledPlanError, ProgramError

if TYPE_CHECKING:
    from planner.environment import CompiledScript, TableEnvironment

app = app_for()

_PYTHON = ".py"


@app.command()
def compile_plan(
    program: Annotated[
        str, typer.Argument(metavar="PROGRAM", help="The program, .sql or .py; `-` reads SQL from stdin.")
    ],
    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar="PLAN.json", help="Write the plan there; to stdout if left out."),
    ] = "",
    options: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Set an option, as SET at the program's start; repeatable."),
    ] = None,
    if_not_exists: Annotated[
        bool, typer.Option("--if-not-exists", help="Do nothing when the plan file is already there.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a plan file that is already there.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks.")] = False,
) -> None:
    """Compile a program: declarations, and one INSERT or one statement set.

    A program in SQL is a script; a COMPILE PLAN statement in it says where its plan goes, unless -o does. A program in
    Python (.py) has a function main(env) that is given a TableEnvironment and returns what to write:
    table.insert_into("sink"), a list of those, or a statement set. What it prints goes to stderr.

    Exit codes: 0 compiled, 1 the program or the plan file was refused, 2 wrong usage. Nothing is written when it fails.
    """
    if force and if_not_exists:
        raise typer.BadParameter("--force and --if-not-exists contradict each other")
    settings = dict(_setting(item) for item in options or [])
    try:
        _compile(program, output, settings, if_not_exists, force, quiet)
    except CompiledPlanError as fault:
        fail(fault, program, debug=debug)
        raise typer.Exit(ExitCode.FAILED) from None


def _setting(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise typer.BadParameter(f"--set takes KEY=VALUE, not {text!r}")
    return key.strip(), value.strip()


def _compile(
    program: str, output: str, settings: dict[str, str], if_not_exists: bool, force: bool, quiet: bool
) -> None:
    from plans.files import exists

    if output and if_not_exists and exists(output):
        _say(f"{output} exists already; nothing was done", quiet)
        return
    in_python = program.endswith(_PYTHON)
    if in_python and "://" in program:
        raise ProgramError(
            "a program in Python is imported, so it must be a local file", where=program, remedy="copy it here first"
        )
    text = "" if in_python else _read(program)
    # CREATE FUNCTION ... AS 'module.Class' finds modules beside the program, after all others.
    sys.path.append(str(Path.cwd() if program == "-" else Path(program).resolve().parent))
    from planner.environment import TableEnvironment

    environment = TableEnvironment()
    with _warnings_said(quiet):
        for key, value in settings.items():
            environment.set(key, value)
        compiled = _in_python(environment, program) if in_python else environment.compile_statements(text)
    for key in environment.config:
        nearest = environment.config.nearest(key)
        if nearest is not None:
            _say(f"warning: the option {key!r} is unknown; did you mean {nearest!r}?", quiet)
    _write(compiled, output, if_not_exists, force, quiet)


@contextmanager
def _warnings_said(quiet: bool) -> Iterator[None]:
    """Warnings of the product as lines of the command."""
    from plans.errors import ProgramWarning

    with warnings.catch_warnings():
        warnings.simplefilter("always", ProgramWarning)
        plain = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *rest: Any, **named: Any) -> None:
            if issubclass(category, ProgramWarning):
                _say(f"warning: {message}", quiet)
            else:
                plain(message, category, *rest, **named)

        warnings.showwarning = show
        yield


def _in_python(environment: TableEnvironment, program: str) -> CompiledScript:
    from planner.environment import CompiledScript
    from planner.table.program import compile_program

    plan = compile_program(environment, program)
    if "plans.embedded" in sys.modules:  # else the program has no tables of its own process
        from plans.embedded import check_can_leave

        check_can_leave(plan)
    return CompiledScript(plan)


def _write(compiled: CompiledScript, output: str, if_not_exists: bool, force: bool, quiet: bool) -> None:
    target = output or compiled.path or ""
    plan = compiled.plan.to_json()
    if not target:
        sys.stdout.write(plan if plan.endswith("\n") else plan + "\n")
        return
    from plans.files import exists, write_text

    if not force and exists(target):
        if if_not_exists or (compiled.if_not_exists and not output):
            _say(f"{target} exists already; nothing was done", quiet)
            return
        raise ProgramError(
            f"cannot overwrite the plan file {target!r}",
            where=target,
            remedy="give --force to overwrite it, --if-not-exists to keep it, or another file with -o",
        )
    write_text(target, plan)
    _say(f"{target}: {_count(len(compiled.plan.nodes), 'operator')}, {_stateful(compiled)} with state", quiet)


def _stateful(compiled: CompiledScript) -> int:
    return sum(1 for node in compiled.plan.nodes if node.ttl_entries)


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _read(program: str) -> str:
    from plans.files import is_remote, read_text

    if program == "-":
        return sys.stdin.read()
    if is_remote(program):
        return read_text(program, "program")
    try:
        return Path(program).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ProgramError("there is no such file", where=program, remedy="check the path") from None
    except (OSError, UnicodeDecodeError) as fault:
        raise ProgramError(f"the program cannot be read: {fault}", where=program) from None


def _say(text: str, quiet: bool) -> None:
    if not quiet:
        typer.echo(text, err=True)


def main() -> None:
    """The command."""
    run_app(app)


if __name__ == "__main__":
    main()
