"""`diff-plan`: compare two plans, and show which state is restored."""

from __future__ import annotations

import sys
from functools import partial
from typing import Annotated

import typer

from compiled_plan.cli.common.engines import Engine
from compiled_plan.cli.common.graphs import GraphForm
from compiled_plan.cli.common.terminal import (
    Debug,
    ExitCode,
    InitFiles,
    SetOptions,
    app_for,
    fail,
    run_app,
    say,
    session_of,
    session_settings,
)
from compiled_plan.compiling.scripts import STDIN
from compiled_plan.plans.errors import CompiledPlanError

app = app_for("diff-plan")


@app.command()
def diff(
    old: Annotated[str, typer.Argument(metavar="OLD", help="Old plan: a plan file, a checkpoint, or a program.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="New plan: likewise.")],
    as_json: Annotated[
        bool, typer.Option("--json", help="Print a JSON document (schemas/plan-diff.schema.json).")
    ] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown for a pull request.")] = False,
    everything: Annotated[bool, typer.Option("--all", "-a", help="Show unchanged operators, too.")] = False,
    detailed: Annotated[
        bool,
        typer.Option("--detailed-exitcode", help="Exit with 0 if both are equal, 2 if they differ, 1 if incompatible."),
    ] = False,
    engine: Annotated[
        Engine | None,
        typer.Option("--for", metavar="flink", help="Also show which state Flink restores from a savepoint of OLD."),
    ] = None,
    graph: Annotated[
        GraphForm | None,
        typer.Option("--graph", metavar="mermaid|dot|svg", help="Print the difference as a drawing in this format."),
    ] = None,
    example: Annotated[
        bool,
        typer.Option("--example", help="Also search the smallest input for which each part makes a difference."),
    ] = False,
    options: SetOptions = None,
    init: InitFiles = None,
    debug: Debug = False,
) -> None:
    """Compare two plans: operators, restored state, sources and sinks, and the next command.

    Exit codes: 0 compared, 1 an input cannot be read or compiled, 2 wrong usage. With --detailed-exitcode, by verdict:
    0 equal; 2 different, fully or partially compatible; 1 incompatible, unknown, or an error.

    OLD and NEW are plan files, checkpoint folders (the plan of the last start) or programs (.sql or .py), which are
    compiled first; `-` reads SQL from stdin. A NEW program is compiled over OLD, as with compile-plan -o: operators
    keep their uids and edited TTLs. --for flink derives uids from node ids by table.exec.uid.format (see --set).
    """
    if as_json + markdown + bool(graph) > 1:
        raise typer.BadParameter("--json, --markdown and --graph exclude each other")
    if graph and engine:
        raise typer.BadParameter("--graph draws no savepoints of Flink; leave out --for")
    if example and graph:
        raise typer.BadParameter("--graph draws no examples; leave out --example")
    if example and STDIN in (old, new):
        raise typer.BadParameter("--example names both programs in a file of tests; write the one of stdin to a file")
    if old == new == STDIN:
        raise typer.BadParameter("only one of OLD and NEW can come from stdin")
    settings = session_settings(options or [])
    session = session_of(settings, init)
    from compiled_plan.cli.actions.diffing import Form, diff_in_flink, exit_code, print_difference

    form = Form.JSON if as_json else Form.MARKDOWN if markdown else Form.TEXT
    concerned = old
    try:
        from compiled_plan.cli.comparing.sides import side_of

        before = side_of(old, session, say)
        concerned = new
        after = side_of(new, session, say, over=before)
        from compiled_plan.cli.comparing.comparison import Comparison

        compared = Comparison.of(before, after)
    except CompiledPlanError as fault:
        fail(fault, session.concerned(fault, concerned), debug=debug)
        raise typer.Exit(ExitCode.FAILED) from None
    if graph:
        sys.stdout.write(graph.text(compared.drawing()))
    else:
        examples = None
        if example:
            from compiled_plan.cli.comparing.examples import examples_of_difference
            from compiled_plan.testing.example_files import Names

            examples = partial(examples_of_difference, compared, Names(old, new, init or (), settings))
        flink = diff_in_flink(compared, settings) if engine else None
        try:
            print_difference(compared, flink, form, everything, examples)
        except CompiledPlanError as fault:
            fail(fault, debug=debug)
            raise typer.Exit(ExitCode.FAILED) from None
    raise typer.Exit(exit_code(compared.diff) if detailed else ExitCode.OK)


def main() -> None:
    """Entry point of `diff-plan`: errors become exit codes."""
    run_app(app)


if __name__ == "__main__":
    main()
