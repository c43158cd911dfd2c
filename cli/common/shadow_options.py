"""Options of a shadow run, for `execute-plan`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import typer

from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.text.durations import parse_duration


@dataclass(frozen=True, slots=True)
class Shadowing:
    """A run beside the one of the checkpoint."""

    shadow: Annotated[
        bool,
        typer.Option(
            "--shadow",
            help="Run the plan on a copy of the checkpoint, over the rows that follow, and compare what it writes with "
            "what the checkpoint's program writes; change nothing.",
        ),
    ] = False
    for_: Annotated[
        str, typer.Option("--for", metavar="1h", help="Duration of --shadow; by default the rows available now.")
    ] = ""
    rows: Annotated[int | None, typer.Option(metavar="N", min=1, help="Number of rows after which --shadow ends.")] = (
        None
    )
    shadow_share: Annotated[
        int,
        typer.Option(metavar="PERCENT", min=1, max=100, help="Share of the time in which --shadow runs micro-batches."),
    ] = 100
    promote: Annotated[
        bool,
        typer.Option(
            "--promote",
            help="Once the old run has stopped, put the plan of --shadow in force with the state of the shadow, and "
            "run it; refused if it differs otherwise than diff-plan names.",
        ),
    ] = False
    promote_when: Annotated[
        str,
        typer.Option(
            "--promote-when",
            metavar="FILE",
            help="With --promote, for a supervisor of runs: wait until this file exists, and end after the promotion; "
            "the supervisor starts the plan.",
        ),
    ] = ""
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the report of --shadow as Markdown.")] = False

    @property
    def runs_on(self) -> bool:
        """True if the command runs the plan once it is promoted; otherwise a supervisor starts it."""
        return self.promote and not self.promote_when

    @property
    def seconds(self) -> float | None:
        """The duration in seconds; None without one.

        Raises:
            typer.BadParameter: --for is no duration.
        """
        try:
            return parse_duration(self.for_) / 1000 if self.for_ else None
        except CompiledPlanError as fault:
            raise typer.BadParameter(f"--for: {fault}") from None

    def check(self, plans: Sequence[str], checkpoint: str, *, as_json: bool) -> None:
        """Refuse options that contradict each other.

        Raises:
            typer.BadParameter: they do; names them.
        """
        _ = self.seconds
        if not self.shadow:
            if self != Shadowing():
                raise typer.BadParameter(
                    "--for, --rows, --shadow-share, --promote, --promote-when and --markdown belong to --shadow"
                )
        elif self.promote_when and not self.promote:
            raise typer.BadParameter("--promote-when belongs to --promote")
        elif len(plans) != 1 or not checkpoint:
            raise typer.BadParameter("--shadow takes one plan, and --checkpoint")
        elif self.markdown and as_json:
            raise typer.BadParameter("--json and --markdown exclude each other")
