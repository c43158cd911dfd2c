"""The first rows of a plan: `preview_rows`."""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path

from compiled_plan.plans.execution.session.kept import session_of_command
from compiled_plan.plans.execution.session.lakes import with_lakes
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.execution.spark.logs import silence_py4j
from compiled_plan.plans.execution.testing.sessions import engines_of
from compiled_plan.plans.inspection.checked_plans import plan_from_file
from compiled_plan.plans.plan.session_options import UTC, zones_of
from compiled_plan.plans.secrets.values import Secrets
from compiled_plan.results.bounded import Limits, bounded_rows
from compiled_plan.results.tableau import Display
from compiled_plan.running.embedded import execute
from compiled_plan.testing.cases import Case, case_named, cases_of_text
from compiled_plan.testing.sampling import sample_rows


def print_preview(
    plan: str,
    options: RunOptions,
    rows: int,
    seconds: float,
    sample: str,
    test: str,
    progress_file: str,
    *,
    debug: bool,
) -> None:
    """Print the first rows of a plan as a JSON document; the arguments are options of the command."""
    if not debug:
        silence_py4j()
    compiled, limits, secrets = plan_from_file(plan), Limits(rows, seconds), Secrets(options.secrets)
    if not sample:
        secrets.collect(compiled)
    case = _case(sample, test) if sample else None
    with session_of_command("", with_lakes({}, [compiled]), verbose=debug, meanwhile=None) as spark:
        _report(progress_file, 0, rows)
        report = partial(_report, progress_file, of=rows)
        if case is not None:
            document = sample_rows(compiled, case, engines_of(spark, options.functions_from), limits, report)
        else:
            result = execute(compiled, options, secrets=secrets, display=Display((*zones_of(compiled), UTC)[0]))
            document = bounded_rows(result, limits, report)
    sys.stdout.write(document.model_dump_json())


def _case(sample: str, test: str) -> Case:
    return case_named(cases_of_text(Path(sample).read_text(encoding="utf-8")), test)


def _report(file: str, done: int, of: int) -> None:
    if file:
        new = Path(f"{file}.new")
        new.write_text(json.dumps({"done": done, "of": of}))
        new.replace(file)
