"""A checkpoint as a savepoint of Flink: `export-state`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence

from compiled_plan.cli.actions.state_text import size_text
from compiled_plan.cli.common.terminal import console, print_table
from compiled_plan.plans.execution.session import spark_session as sessions
from compiled_plan.plans.execution.spark.logs import silence_py4j
from compiled_plan.plans.execution.state.flink.exports import Export
from compiled_plan.plans.execution.state.flink.exports import ExportOptions as ExportOptions
from compiled_plan.plans.execution.state.flink.report import ExportReport
from compiled_plan.plans.text.documents import to_json


def export_state(
    checkpoint: str,
    to: str,
    options: ExportOptions,
    cluster: tuple[str, Mapping[str, str]],
    *,
    as_json: bool,
    debug: bool,
) -> None:
    """Export a checkpoint, and print the report.

    Args:
        checkpoint: its folder.
        to: the folder of the savepoint; empty to write nothing.
        options: options of the export.
        cluster: Spark's master URL and settings.
        as_json: print a JSON document.
        debug: leave messages of the JVM on stderr.

    Raises:
        CheckpointError: a part of the state is refused, or the folder is not empty.
    """
    if not debug:
        silence_py4j()
    with sessions.spark_session(*cluster, verbose=debug) as spark:
        export = Export(spark, checkpoint, options)
        if as_json:
            sys.stdout.write(to_json(export.report))
        else:
            print_table(("part", "description", "outcome", "keys", "bytes", "why"), _rows(export.report))
        export.check()
        if to:
            export.write(to)
    if to:
        console().print(f"exported to {to}; have Flink restore it with execution.state-recovery.path")


def _rows(report: ExportReport) -> Iterator[Sequence[str]]:
    for operator in report.operators:
        figures = (str(operator.keys), size_text(operator.bytes)) if operator.keys else ("", "")
        yield operator.flink_uid, operator.words, operator.outcome.value, *figures, operator.why
    for source in report.sources:
        yield f"source {source.table}", source.position, source.outcome.value, "", "", source.why
