"""The review of a repository's changed programs: `review-plans`."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import chdir
from dataclasses import replace
from pathlib import Path

import typer

from compiled_plan.cli.common.terminal import ExitCode
from compiled_plan.cli.review.comment import comment, shortened, worst
from compiled_plan.cli.review.examples import ExamplesAdded
from compiled_plan.cli.review.github import LONGEST_SUMMARY, ActionsRun, as_data
from compiled_plan.cli.review.isolation import isolated
from compiled_plan.cli.review.repository import HEAD, Repository
from compiled_plan.cli.review.reviewing import THRESHOLDS as THRESHOLDS
from compiled_plan.cli.review.reviewing import Reviewed, Reviewer, failed
from compiled_plan.cli.review.running import Addition, with_runs
from compiled_plan.cli.review.samples import SamplesAdded
from compiled_plan.cli.review.subjects import SUFFIXES, Choice, is_pattern, subjects
from compiled_plan.compiling.scripts import Session
from compiled_plan.plans.errors import CompiledPlanError, ProgramError
from compiled_plan.plans.files import is_remote, quoted


def review_repository(
    session: Session,
    base: str,
    choice: Choice,
    *,
    checkpoints: Mapping[str, str],
    code: Sequence[Path],
    is_tracked_only: bool,
    github: bool,
    samples: Sequence[str],
    examples: bool,
) -> list[Reviewed]:
    """Review the chosen programs of the repository of the working directory, and print the review.

    Args:
        session: the initial session of programs.
        base: the commit to compare with; by default that of the pull request, or HEAD.
        choice: the programs.
        checkpoints: the folders of checkpoints by program.
        code: folders whose code may run.
        is_tracked_only: leave out files that git does not track.
        github: report to GitHub, too.
        samples: tests over whose rows the old and the new program run, as paths from the root or patterns.
        examples: search examples of the differences.

    Raises:
        CompiledPlanError: there is no repository, commit, program, test or init file of that name.
    """
    run = ActionsRun.of(os.environ) if github else None
    repository = Repository.at(Path.cwd(), base or (run.base if run else "") or HEAD, is_tracked_only=is_tracked_only)
    sampled = SamplesAdded(repository, samples)
    sampled.check()
    reviewed = reviewed_programs(Reviewer(repository, session, checkpoints, code), choice)
    additions: list[Addition] = [*([sampled] if samples else []), *([ExamplesAdded(session)] if examples else [])]
    reviewed = with_runs(reviewed, additions)
    text = comment(reviewed) + "\n"
    sys.stdout.write(text if run is None else as_data(text))
    if run is not None:
        report_in(run, reviewed)
    return reviewed


def reviewed_programs(reviewer: Reviewer, choice: Choice) -> list[Reviewed]:
    """Review the chosen programs, each in a process of its own."""
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
    for name in (*checkpoints, *(name for name in choice.patterns if not is_pattern(name))):
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


def report_in(run: ActionsRun, reviewed: Sequence[Reviewed]) -> None:
    """Report a review to the pull request and the summary of a run of GitHub Actions."""
    text = comment(reviewed)
    run.summarize(shortened(text, LONGEST_SUMMARY - 1))
    run.put_out({"verdict": worst(reviewed)})
    warning = run.post(shortened(text, run.longest), only_update=not reviewed)
    if warning:
        typer.echo(f"::warning::{warning}", err=True)


def exit_code(reviewed: Sequence[Reviewed], fail_on: str, check_plans: bool) -> int:
    """The exit code of a review."""
    failing = any(item.result in THRESHOLDS[fail_on] for item in reviewed)
    return ExitCode.FAILED if failing or (check_plans and any(item.is_stale for item in reviewed)) else ExitCode.OK
