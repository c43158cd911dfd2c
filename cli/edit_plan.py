"""`edit-plan`: show and set the state TTLs of a plan, and check a plan."""

from __future__ import annotations

from typing import Annotated

import typer

from compiled_plan.cli.common.engines import Engine
from compiled_plan.cli.common.graphs import GraphForm
from compiled_plan.cli.common.terminal import Debug, ExitCode, app_for, fail, run_app
from compiled_plan.plans.errors import CompiledPlanError

app = app_for("edit-plan")


@app.command()
def edit(
    plan: Annotated[str, typer.Argument(metavar="PLAN.json", help="The plan file, local or remote (s3://...).")],
    ttl: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NODE[.ENTRY]=DURATION",
            help="Set a TTL, such as 5.leftState=3s, or 5=3s if the node has one state entry; NODE is an id or a uid; "
            "0 never expires; repeatable.",
        ),
    ] = None,
    ttl_from: Annotated[
        str,
        typer.Option(
            "--ttl-from",
            metavar="ADVICE.json",
            help="Set the TTLs of an advice, the output of inspect-state --advise --json; --ttl has priority.",
        ),
    ] = "",
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="OUT.json", help="File to write; by default the plan file itself.")
    ] = "",
    check: Annotated[bool, typer.Option("--check", help="Check the plan, and list all errors and warnings.")] = False,
    graph: Annotated[
        GraphForm | None,
        typer.Option("--graph", metavar="mermaid|dot|svg", help="Print the plan as a drawing in this format."),
    ] = None,
    engine: Annotated[
        Engine | None,
        typer.Option("--for", metavar="flink", help="Write the plan for Flink, which refuses the field $schema."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
    debug: Debug = False,
) -> None:
    """Show the state entries of a plan, set their TTLs, draw the plan, or check it.

    --ttl and --ttl-from change only the durations in the file and no other character, --for flink only removes
    `$schema`. With --check, a plan with errors is not written. --graph prints Mermaid (for Markdown), DOT (Graphviz)
    or SVG.

    Exit codes: 0 done (a check may have warnings), 1 the plan or an edit is not valid, 2 wrong usage.
    """
    if output and not (ttl or ttl_from or engine):
        raise typer.BadParameter("-o is the file for edits; give --ttl, --ttl-from or --for, too")
    if graph and (ttl or ttl_from or engine or check or as_json):
        raise typer.BadParameter("--graph only prints; leave out --ttl, --ttl-from, --for, --check and --json")
    try:
        if graph:
            from compiled_plan.cli.actions.drawing import draw

            code = draw(plan, graph)
        else:
            from compiled_plan.cli.actions.editing import Printer, TtlSources, edit_plan

            ttls = TtlSources(ttl or [], ttl_from)
            code = edit_plan(plan, ttls, output or plan, check, engine, Printer(as_json, quiet))
    except CompiledPlanError as fault:
        fail(fault, plan, debug=debug)
        code = ExitCode.FAILED
    raise typer.Exit(code)


def main() -> None:
    """Entry point of `edit-plan`: errors become exit codes."""
    run_app(app)


if __name__ == "__main__":
    main()
