"""`diff-plan`: what differs between two plans, and what becomes of the state."""

from __future__ import annotations

import sys
from enum import Enum
from typing import TYPE_CHECKING, Annotated

import typer

from compiled_plan.api.scripts import STDIN
from compiled_plan.cli.common.terminal import (
    Debug,
    ExitCode,
    app_for,
    fail,
    print_lines,
    run_app,
    session_of,
    session_settings,
)
from compiled_plan.plans.errors import CompiledPlanError

if TYPE_CHECKING:
    from compiled_plan.cli._sides import ComparedSide
    from compiled_plan.plans.inspection.diff.advice import Advice
    from compiled_plan.plans.inspection.diff.flink import FlinkDiff
    from compiled_plan.plans.inspection.diff.model import PlanDiff

app = app_for()

_FLINK = "flink"
#: The exit code of `--detailed-exitcode` for plans that differ and go together.
CHANGES = 2


class Form(Enum):
    """How the difference is shown."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"


@app.command()
def diff(
    old: Annotated[str, typer.Argument(metavar="OLD", help="What ran: a plan file, a checkpoint, or a program.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="What is to run: the same.")],
    as_json: Annotated[
        bool, typer.Option("--json", help="Print a JSON document (schemas/plan-diff.schema.json).")
    ] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown for a pull request.")] = False,
    everything: Annotated[bool, typer.Option("--all", "-a", help="Show what was kept, too.")] = False,
    detailed: Annotated[
        bool,
        typer.Option(
            "--detailed-exitcode", help="Exit with 0 where both are the same, 2 where they differ, 1 if incompatible."
        ),
    ] = False,
    engine: Annotated[
        str, typer.Option("--for", metavar="flink", help="Say, too, what real Flink restores from a savepoint of OLD.")
    ] = "",
    options: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Set an option, as SET at a program's start; repeatable."),
    ] = None,
    init: Annotated[
        list[str] | None,
        typer.Option(
            "--init",
            "-i",
            metavar="INIT.sql",
            help="Carry out a file of SQL before each program, as compile-plan does; repeatable.",
        ),
    ] = None,
    debug: Debug = False,
) -> None:
    """Compare two plans: operators, what becomes of their state, sources and sinks, and what to do next.

    Each may be a plan file, the folder of a checkpoint (the plan that it was last started with), or a program, .sql or
    .py, which is compiled first; `-` reads SQL from stdin. A NEW program is compiled over OLD, as compile-plan -o does
    it: operators keep their uids, and TTLs that were edited are kept. --for flink goes by the uids that
    table.exec.uid.format (with --set) makes of node ids.

    Exit codes: 0 compared, 1 something cannot be read or compiled, 2 wrong usage. With --detailed-exitcode: 0 no
    difference, 2 they differ, and state can be kept at least in part, 1 incompatible, unknown, or an error.
    """
    if as_json and markdown:
        raise typer.BadParameter("--json and --markdown are two forms; give one")
    if engine not in ("", _FLINK):
        raise typer.BadParameter(f"--for {engine}: only {_FLINK} is known")
    if old == new == STDIN:
        raise typer.BadParameter("only one of both can come from stdin")
    settings = session_settings(options or [])
    session = session_of(settings, init)
    form = Form.JSON if as_json else Form.MARKDOWN if markdown else Form.TEXT
    concerned = old
    try:
        from compiled_plan.cli._sides import side_of

        before = side_of(old, session, _say)
        concerned = new
        after = side_of(new, session, _say, over=before)
        from compiled_plan.plans.inspection.diff.build import diff_plans

        found = diff_plans(before.plan, after.plan, runs=(before.run, after.run))
    except CompiledPlanError as fault:
        fail(fault, session.concerned(fault, concerned), debug=debug)
        raise typer.Exit(ExitCode.FAILED) from None
    flink = _in_flink(found, before, after, settings) if engine else None
    _print(found, flink, before, after, form, everything)
    raise typer.Exit(_code(found) if detailed else ExitCode.OK)


def _code(found: PlanDiff) -> int:
    from compiled_plan.plans.inspection.judging.verdicts import Verdict

    if found.is_empty:
        return ExitCode.OK
    return CHANGES if found.verdict in (Verdict.FULL, Verdict.PARTIAL) else ExitCode.FAILED


def _in_flink(found: PlanDiff, before: ComparedSide, after: ComparedSide, settings: dict[str, str]) -> FlinkDiff:
    from compiled_plan.plans.inspection.diff.flink import flink_diff

    return flink_diff(found, before.plan, after.plan, settings)


def _advice(found: PlanDiff, before: ComparedSide, after: ComparedSide) -> Advice:
    """What to do, with the names that were given; a program has to become a plan file first."""
    from compiled_plan.plans.inspection.diff.advice import CHECKPOINT, PLAN, advice

    plan = after.name if after.kind == "plan" else PLAN
    return advice(found, plan, before.name if before.kind == "checkpoint" else CHECKPOINT)


def _print(
    found: PlanDiff, flink: FlinkDiff | None, before: ComparedSide, after: ComparedSide, form: Form, everything: bool
) -> None:
    told = _advice(found, before, after)
    if form is Form.JSON:
        from compiled_plan.plans.inspection.diff.document import document, to_json

        sys.stdout.write(to_json(document(found, before.named(), after.named(), told, flink)))
    elif form is Form.MARKDOWN:
        from compiled_plan.plans.inspection.diff.markdown import diff_markdown

        sys.stdout.write(diff_markdown(found, before.name, after.name, told))
        if flink is not None:
            from compiled_plan.plans.inspection.diff.flink_shown import flink_markdown

            sys.stdout.write("\n" + flink_markdown(flink))
    else:
        from compiled_plan.plans.inspection.diff.text import advice_lines, diff_lines, verdict_line

        lines = list(diff_lines(found, everything=everything))
        if flink is not None:
            from compiled_plan.plans.inspection.diff.flink_shown import flink_lines

            lines += flink_lines(flink, everything=everything)
        print_lines((*lines, verdict_line(found), *advice_lines(told)), stderr=False)


def _say(text: str) -> None:
    typer.echo(text, err=True)


def main() -> None:
    """The command."""
    run_app(app)


if __name__ == "__main__":
    main()
