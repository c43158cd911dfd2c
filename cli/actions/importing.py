"""A savepoint of Flink as a checkpoint: `import-state`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence

import typer

from compiled_plan.cli.actions.state_text import size_text
from compiled_plan.cli.common.terminal import console, print_table
from compiled_plan.plans.execution.session import spark_session as sessions
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.execution.spark.logs import silence_py4j
from compiled_plan.plans.execution.state.flink.imports import Import, ImportOptions
from compiled_plan.plans.execution.state.flink.report import ImportReport
from compiled_plan.plans.execution.state.reading.content import time_text
from compiled_plan.plans.inspection.checked_plans import plan_from_file
from compiled_plan.plans.text.documents import to_json


def import_state(
    savepoint: str,
    plan: str,
    import_options: ImportOptions,
    options: RunOptions,
    cluster: tuple[str, Mapping[str, str]],
    *,
    as_json: bool,
    debug: bool,
) -> None:
    """Import a savepoint, and print the report.

    Args:
        savepoint: its folder.
        plan: the plan file of its job.
        import_options: options of the import.
        options: options of the run, with the new checkpoint; without one, nothing is written.
        cluster: Spark's master URL and settings.
        as_json: print a JSON document.
        debug: leave messages of the JVM on stderr.

    Raises:
        CompiledPlanError: a part of the state is refused, or the plan does not run.
    """
    with Import.open(savepoint, plan_from_file(plan), import_options) as opened:
        if as_json:
            sys.stdout.write(to_json(opened.report))
        else:
            _show(opened)
        secrets = opened.check(options)
        if not options.checkpoint:
            return
        if not debug:
            silence_py4j()
        with sessions.spark_session(*cluster, verbose=debug) as spark:
            opened.write(spark, options, secrets)
        checkpoint = options.checkpoint
        console().print(f"imported into {checkpoint}; go on with: execute-plan {plan} --checkpoint {checkpoint}")


def _show(opened: Import) -> None:
    report = opened.report
    watermark = "no watermark" if report.watermark is None else f"watermark {time_text(report.watermark)}"
    typer.echo(f"{report.savepoint}, taken at {time_text(report.taken_at)}, {watermark}", err=True)
    print_table(("part", "description", "outcome", "entries", "bytes", "why"), _rows(report))


def _rows(report: ImportReport) -> Iterator[Sequence[str]]:
    for operator in report.operators:
        figures = (str(operator.entries), size_text(operator.bytes)) if operator.entries else ("", "")
        yield operator.uid, operator.words, operator.outcome.value, *figures, operator.why
    for source in report.sources:
        yield f"source {source.table}", source.position, source.outcome.value, "", "", source.why
    for sink in report.sinks:
        yield f"sink {sink.table}", "", sink.outcome.value, "", "", sink.why
    for left in report.left:
        yield left.name, "", left.outcome.value, str(left.entries), size_text(left.bytes), left.why
