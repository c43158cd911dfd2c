"""`review-plans`: compare the plans of changed programs with the committed ones, for pull requests."""

from __future__ import annotations

import os
import re
import sys
from contextlib import chdir
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from compiled_plan.cli.common.groups import with_groups
from compiled_plan.cli.common.terminal import (
    Debug,
    ExitCode,
    SessionOptions,
    app_for,
    fail,
    run_app,
)
from compiled_plan.plans.errors import CompiledPlanError, ProgramError
from compiled_plan.plans.files import is_remote, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compiled_plan.cli.review.github import ActionsRun
    from compiled_plan.cli.review.repository import Repository
    from compiled_plan.cli.review.reviewing import Reviewed, Reviewer
    from compiled_plan.cli.review.subjects import Choice

app = app_for("review-plans")

_WILD = re.compile(r"[*?\[]")


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
    from compiled_plan.cli.review.comment import comment
    from compiled_plan.cli.review.github import as_data
    from compiled_plan.cli.review.repository import HEAD, Repository
    from compiled_plan.cli.review.reviewing import THRESHOLDS, Reviewer
    from compiled_plan.cli.review.subjects import BESIDE, Choice

    if fail_on not in THRESHOLDS:
        raise typer.BadParameter(f"--fail-on {fail_on}: choose {', '.join(THRESHOLDS)}")
    session = opening.session()
    try:
        run = _actions_run() if github else None
        base = base or (run.base if run else "")
        repository = Repository.at(Path.cwd(), base or HEAD, is_tracked_only=tracked)
        choice = Choice(tuple(programs or ()), plan or BESIDE, everything=everything)
        reviewer = Reviewer(repository, session, _pairs(checkpoint or []), tuple(map(Path, code or ())))
        reviewed = _review(reviewer, choice)
        text = comment(reviewed) + "\n"
        sys.stdout.write(text if run is None else as_data(text))
        if run is not None:
            _report(run, reviewed)
    except CompiledPlanError as fault:
        fail(fault, debug=debug)
        raise typer.Exit(ExitCode.FAILED) from None
    raise typer.Exit(_code(reviewed, fail_on, check_plans))


def _review(reviewer: Reviewer, choice: Choice) -> list[Reviewed]:
    from compiled_plan.cli.review.isolation import isolated
    from compiled_plan.cli.review.reviewing import failed
    from compiled_plan.cli.review.subjects import SUFFIXES, subjects

    repository = reviewer.repository
    init = tuple(_init_file(file, repository) for file in reviewer.session.init)
    checkpoints = {name: _from_root(folder, repository.root) for name, folder in reviewer.checkpoints.items()}
    for name in checkpoints:
        if not name.endswith(SUFFIXES):
            raise ProgramError(
                f"{name!r} is neither a program nor a plan",
                where=f"--checkpoint {name}",
                remedy=f"name a file {', '.join(SUFFIXES)}",
            )
    for name in (*checkpoints, *(name for name in choice.patterns if not _WILD.search(name))):
        if name not in repository.files and name not in repository.old_files:
            raise ProgramError(
                f"the repository has no program {name!r}", where=str(repository.root), remedy="name it from the root"
            )
    session, code = replace(reviewer.session, init=init), [folder.resolve() for folder in reviewer.code]
    reviewer = replace(reviewer, session=session, checkpoints=checkpoints, code=code)
    results = []
    with chdir(repository.root):
        for subject in subjects(repository, replace(choice, init=init)):
            try:
                results.append(isolated(reviewer.review, subject))
            except CompiledPlanError as fault:
                results.append(failed(subject.name, fault))
    return results


def _init_file(file: str, repository: Repository) -> str:
    path = _from_root(file, repository.root)
    if not (is_remote(path) or path.startswith(f"{os.pardir}{os.sep}") or repository.holds(path)):
        remedy = "correct the path; a link to a file outside of the repository does not count"
        raise ProgramError("no such file in the repository", where=quoted(file), remedy=remedy)
    return path


def _from_root(path: str, root: Path) -> str:
    """A local path as it is named from the root of the repository; links stay as they are."""
    return path if is_remote(path) else os.path.relpath(Path(path).absolute(), root)


def _pairs(options: Sequence[str]) -> dict[str, str]:
    pairs = dict(option.partition("=")[::2] for option in options)
    if not all(name and folder for name, folder in pairs.items()):
        raise typer.BadParameter("--checkpoint: write PROGRAM=DIR")
    return pairs


def _actions_run() -> ActionsRun:
    from compiled_plan.cli.review.github import ActionsRun

    return ActionsRun.of(os.environ)


def _report(run: ActionsRun, reviewed: Sequence[Reviewed]) -> None:
    from compiled_plan.cli.review.comment import comment, shortened, worst
    from compiled_plan.cli.review.github import LONGEST_SUMMARY

    text = comment(reviewed)
    run.summarize(shortened(text, LONGEST_SUMMARY - 1))
    run.put_out({"verdict": worst(reviewed)})
    warning = run.post(shortened(text, run.longest), only_update=not reviewed)
    if warning:
        typer.echo(f"::warning::{warning}", err=True)


def _code(reviewed: Sequence[Reviewed], fail_on: str, check_plans: bool) -> int:
    from compiled_plan.cli.review.reviewing import THRESHOLDS

    failing = any(item.result in THRESHOLDS[fail_on] for item in reviewed)
    return ExitCode.FAILED if failing or (check_plans and any(item.is_stale for item in reviewed)) else ExitCode.OK


def main() -> None:
    """Entry point of `review-plans`."""
    run_app(app)


if __name__ == "__main__":
    main()
