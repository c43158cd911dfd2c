"""The state in a checkpoint: `inspect-state`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

import typer

from compiled_plan.cli.actions.advice_text import ADVISED, about_advice, advised
from compiled_plan.cli.actions.state_text import (
    COLUMNS,
    LISTED,
    about,
    about_savepoint,
    key_lines,
    listing,
    operator_lines,
    overview,
    path_lines,
    unread_lines,
)
from compiled_plan.cli.common.options import ShownState
from compiled_plan.cli.common.terminal import print_table
from compiled_plan.plans.execution.session.kept import session_of_command
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.execution.spark.logs import silence_py4j
from compiled_plan.plans.execution.state.flink.savepoint.reading import is_savepoint as is_savepoint
from compiled_plan.plans.execution.state.reading.advice import advice_on
from compiled_plan.plans.execution.state.reading.content import key_report
from compiled_plan.plans.execution.state.reading.entries import export
from compiled_plan.plans.execution.state.reading.figures import state_report, tried_of
from compiled_plan.plans.execution.state.reading.keys import key_of
from compiled_plan.plans.execution.state.reading.model import (
    Exported,
    Figures,
    KeyEntries,
    PathEntries,
    SavepointHeads,
    StateReport,
)
from compiled_plan.plans.execution.state.reading.paths import path_report
from compiled_plan.plans.execution.state.reading.progress import with_progress
from compiled_plan.plans.execution.state.reading.reader import StateReader, StoredOperator
from compiled_plan.plans.inspection.advice import KEEP, Advice, AdviceReport, share_of
from compiled_plan.plans.inspection.checked_plans import plan_from_file
from compiled_plan.plans.text.documents import to_json


@contextmanager
def reader_of(
    checkpoint: str,
    plan: str,
    options: RunOptions,
    jars: Sequence[str],
    cluster: tuple[str, Mapping[str, str]],
    progress_file: str,
    debug: bool,
) -> Iterator[StateReader]:
    """A reader of a checkpoint, or of the savepoint of a plan; starts Spark.

    Args:
        checkpoint: the folder.
        plan: the plan file of a savepoint's job; empty for a checkpoint.
        options: options of the run that apply to a savepoint.
        jars: jars with classes in the savepoint.
        cluster: Spark's master URL and settings.
        progress_file: the file with the numbers of tasks.
        debug: leave messages of the JVM on stderr.
    """
    if not debug:
        silence_py4j()
    with ExitStack() as stack:
        spark = session_of_command(*cluster, verbose=debug, meanwhile=None)
        started = partial(stack.enter_context, with_progress(spark, progress_file))
        if not plan:
            yield StateReader.open(started(), checkpoint)
            return
        from compiled_plan.plans.execution.state.flink.viewing import viewed

        yield stack.enter_context(viewed(checkpoint, plan_from_file(plan), options, jars, started))


def show_state(reader: StateReader, name: str, show: ShownState, as_json: bool) -> None:
    """Print the state of all operators, of one, or of one key, or export it."""
    if show.sink:
        way = path_report(reader, show.sink, key_of(show.key or ()))
        sys.stdout.write(to_json(PathEntries(path=way)) if as_json else _lines(path_lines(way)))
        return
    operator = reader.operator(name) if name else None
    if operator is not None and show.key:
        entries = key_report(reader, operator, key_of(show.key))
        sys.stdout.write(to_json(KeyEntries(entries=entries)) if as_json else _lines(key_lines(entries)))
        return
    if operator is not None and show.export:
        rows = export(reader, operator, show.export)
        done = Exported(uid=operator.uid, path=show.export, rows=rows)
        sys.stdout.write(to_json(done) if as_json else f"{operator.uid}: {rows} rows written to {show.export}\n")
        return
    if show.advise:
        report = advice_on(reader, share_of(show.keep or KEEP), None if operator is None else [operator.uid])
        print_advice(report, as_json)
        return
    tried = tried_of(show.what_if or [], operator)
    figures = state_report(reader, None if operator is None else [operator.uid], tried=tried)
    print_figures(figures, operator, show, as_json)


def print_figures(report: StateReport, operator: StoredOperator | None, show: ShownState, as_json: bool) -> None:
    """Print the figures of all operators, or of one."""
    if as_json:
        sys.stdout.write(to_json(Figures(state=report)))
    elif operator is None and not show.what_if:
        typer.echo(about(report), err=True)
        if report.operators:
            print_table(COLUMNS, overview(report))
        else:
            sys.stdout.write("no operator of the plan has state\n")
        sys.stdout.write(_lines(unread_lines(report)))
    else:
        typer.echo(about(report), err=True)
        for stateful in report.operators:
            sys.stdout.write(_lines(operator_lines(stateful, report.at)))
        sys.stdout.write(_lines(unread_lines(report, operator)))


def print_advice(report: AdviceReport, as_json: bool) -> None:
    """Print advised TTLs."""
    if as_json:
        sys.stdout.write(to_json(Advice(advice=report)))
        return
    typer.echo(about_advice(report), err=True)
    if report.entries:
        print_table(ADVISED, advised(report))
    else:
        sys.stdout.write("no operator of the plan has state with a TTL\n")


def _lines(lines: Iterable[object]) -> str:
    return "".join(f"{line}\n" for line in lines)


def list_savepoint(path: str, jars: Sequence[Path], as_json: bool) -> None:
    """Print the operators of a savepoint whose plan is not given."""
    from compiled_plan.plans.execution.state.flink.listing import listed

    report = listed(path, jars)
    if as_json:
        sys.stdout.write(to_json(SavepointHeads(savepoint=report)))
        return
    typer.echo(about_savepoint(report), err=True)
    if report.operators:
        print_table(LISTED, listing(report))
    else:
        sys.stdout.write("no operator of the savepoint has state\n")
