"""Groups of options that a command passes to its action."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from compiled_plan.cli.common.engines import Engine


@dataclass(frozen=True, slots=True)
class ShownState:
    """The part of the state to show; by default figures."""

    what_if: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[ENTRY=]DURATION",
            help="Simulate another TTL: 3d for all state entries, left=3d or 0=3d for one; repeatable.",
        ),
    ] = None
    key: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=VALUE",
            help="Show the state of a key: id=5, name=NULL, name='NULL' for the text; repeatable.",
        ),
    ] = None
    sink: Annotated[
        str,
        typer.Option(
            metavar="TABLE",
            help="With --key columns of this sink: show the state of every operator upstream for that key.",
        ),
    ] = ""
    export: Annotated[
        str, typer.Option(metavar="PATH", help="Write all state entries of the operator to a new folder, as Parquet.")
    ] = ""
    advise: Annotated[
        bool,
        typer.Option(
            "--advise",
            help="Show the TTL of each state entry that its uses need, and the state that it saves; with --json for "
            "edit-plan --ttl-from.",
        ),
    ] = False
    keep: Annotated[
        str, typer.Option(metavar="99.9%", help="The share of uses that must still meet their entry, for --advise.")
    ] = ""


@dataclass(frozen=True, slots=True)
class TestOptions:
    """Options of a run of tests."""

    spark: Annotated[bool, typer.Option("--spark", help="Run each test as a streaming query on Spark.")] = False
    names: Annotated[
        str, typer.Option("-k", metavar="TEXT", help="Run only the tests whose file or name contains the text.")
    ] = ""
    update: Annotated[
        bool, typer.Option("--update", help="Write what came into the files, instead of other expectations.")
    ] = False
    watch: Annotated[bool, typer.Option("--watch", help="Run the tests again whenever one of their files changes.")] = (
        False
    )
    junit: Annotated[str, typer.Option("--junit", metavar="FILE", help="Write the results as JUnit XML.")] = ""

    def is_given(self) -> bool:
        """Return True if an option is given."""
        return self != TestOptions()


@dataclass(frozen=True, slots=True)
class RecordingOptions:
    """Options of a test that is written from a run."""

    from_run: Annotated[
        str,
        typer.Option(
            metavar="CHECKPOINT",
            help="Write a test of the run on this checkpoint: a sample of its input, and the result.",
        ),
    ] = ""
    rows: Annotated[
        int, typer.Option(metavar="N", min=1, help="Maximum number of rows of each table, for --from-run.")
    ] = 100
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="File of the test, for --from-run; by default it is named after the checkpoint.",
        ),
    ] = ""
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files, for --from-run.")] = False


@dataclass(frozen=True, slots=True)
class PlanFileOptions:
    """Options for an existing plan file, and for messages."""

    if_not_exists: Annotated[bool, typer.Option("--if-not-exists", help="Do nothing if the plan file exists.")] = False
    force: Annotated[
        bool,
        typer.Option("--force", help="Overwrite the plan file even if the new plan cannot restore all of its state."),
    ] = False
    program_ttls: Annotated[
        bool,
        typer.Option("--program-ttls", help="Take all TTLs from the program, and drop TTLs edited in the plan file."),
    ] = False
    engine: Annotated[
        Engine | None,
        typer.Option("--for", metavar="flink", help="Write the plan for Flink, without the $schema of the old plan."),
    ] = None
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False

    def say(self, text: str) -> None:
        """Print a message to stderr unless `quiet`."""
        if not self.quiet:
            typer.echo(text, err=True)
