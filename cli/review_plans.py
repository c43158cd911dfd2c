"""`review-plans`: compare the plans of changed programs with the committed ones, for pull requests."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from compiled_plan.cli.common.groups import with_groups
from compiled_plan.cli.common.terminal import Debug, ExitCode, SessionOptions, app_for, fail, run_app
from compiled_plan.plans.errors import CompiledPlanError

if TYPE_CHECKING:
    from collections.abc import Sequence


app = app_for("review-plans")


@app.command()
@with_groups
def review(
    programs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PROGRAM]...",
            help="Programs to review, as paths from the root or patterns ('jobs/*.sql'); by default all.",
        ),
    ] = None,
    base: Annotated[
        str,
        typer.Option("--base", metavar="COMMIT", help="Commit or branch to compare with; by default HEAD."),
    ] = "",
    plan: Annotated[
        str,
        typer.Option(
            "--plan",
            metavar="PATTERN",
            help="Path of a program's plan, with {folder} and {name} of the program; by default {folder}/{name}.json.",
        ),
    ] = "",
    checkpoint: Annotated[
        list[str] | None,
        typer.Option(
            "--checkpoint",
            metavar="PROGRAM=DIR",
            help="Compare a program, or a plan, with the plan and the state of a checkpoint; repeatable.",
        ),
    ] = None,
    fail_on: Annotated[
        str,
        typer.Option(
            "--fail-on",
            metavar="partial|unknown|incompatible|never",
            help="Exit with 1 from this verdict on; a program that does not compile always fails.",
        ),
    ] = "incompatible",
    check_plans: Annotated[
        bool, typer.Option("--check-plans", help="Exit with 1 if a plan file is not the plan of its program.")
    ] = False,
    tracked: Annotated[
        bool, typer.Option("--tracked", help="Leave out files that git does not track, as a hook before a commit does.")
    ] = False,
    everything: Annotated[bool, typer.Option("--all", "-a", help="Review unchanged programs, too.")] = False,
    code: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-code",
            metavar="FOLDER",
            help="Run programs and functions in Python, and read jars, of this folder; by default none; repeatable.",
        ),
    ] = None,
    sample: Annotated[
        list[str] | None,
        typer.Option(
            "--sample",
            metavar="TEST",
            help="Also run the old and the new program over the rows of their tests for test-plan, as paths from the "
            "root or patterns ('*.test.yaml'), and compare what they write; needs Java; repeatable.",
        ),
    ] = None,
    example: Annotated[
        bool,
        typer.Option("--example", help="Also search the smallest inputs that show a difference; needs Java."),
    ] = False,
    github: Annotated[
        bool,
        typer.Option(
            "--github", help="In GitHub Actions: also comment on the pull request, and write the run's summary."
        ),
    ] = False,
    *,
    opening: SessionOptions,
    debug: Debug = False,
) -> None:
    """Review the changed programs of a git repository: compile each, and compare it with its committed plan.

    The review goes to stdout as Markdown: a line of verdict, a table of programs, and for each the output of diff-plan
    --markdown. Changed files are those that differ between COMMIT and the working tree, untracked ones too. A changed
    init file or Python module concerns all programs. A plan without a program here is compared with its committed
    version. A program is compiled over its plan file, so that operators keep their uids and edited TTLs; no file is
    written, and no code of the repository is run without --allow-code.

    Exit codes: 0 reviewed, 1 a program does not compile or has a verdict of --fail-on, or an error, 2 wrong usage.
    """
    from compiled_plan.cli.review.command import THRESHOLDS, exit_code, review_repository
    from compiled_plan.cli.review.subjects import BESIDE, Choice

    if fail_on not in THRESHOLDS:
        raise typer.BadParameter(f"--fail-on {fail_on}: choose {', '.join(THRESHOLDS)}")
    session = opening.session()
    try:
        reviewed = review_repository(
            session,
            base,
            Choice(tuple(programs or ()), plan or BESIDE, everything=everything),
            checkpoints=_pairs(checkpoint or []),
            code=tuple(map(Path, code or ())),
            is_tracked_only=tracked,
            github=github,
            samples=sample or (),
            examples=example,
        )
    except CompiledPlanError as fault:
        fail(fault, debug=debug)
        raise typer.Exit(ExitCode.FAILED) from None
    raise typer.Exit(exit_code(reviewed, fail_on, check_plans))


def _pairs(options: Sequence[str]) -> dict[str, str]:
    pairs = dict(option.partition("=")[::2] for option in options)
    if not all(name and folder for name, folder in pairs.items()):
        raise typer.BadParameter("--checkpoint: write PROGRAM=DIR")
    return pairs


def main() -> None:
    """Entry point of `review-plans`: errors become exit codes."""
    run_app(app)


if __name__ == "__main__":
    main()
