"""Runs of tests: `test-plan`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from compiled_plan.cli.common.options import TestOptions
from compiled_plan.cli.common.terminal import print_lines
from compiled_plan.plans.execution.testing.engine import QUICK, SPARK, Engines
from compiled_plan.plans.execution.testing.sessions import own_engines
from compiled_plan.plans.files import write_text
from compiled_plan.plans.text.visible import counted
from compiled_plan.testing.cases import Case
from compiled_plan.testing.reporting import failure_lines, junit, result_lines, summary_line
from compiled_plan.testing.running import run_case
from compiled_plan.testing.updating import update

#: A function that runs tests and prints their results; returns True if one failed.
RunTests = Callable[[Sequence[Case]], bool]


@contextmanager
def opened_runs(settings: Mapping[str, str], how: TestOptions, quiet: bool) -> Iterator[RunTests]:
    """A function that runs tests in engines of this process, prints their results, and returns True if one failed.

    Args:
        settings: Spark settings.
        how: options of the runs.
        quiet: print failures only.
    """
    with own_engines(settings) as engines:
        yield lambda cases: run_tests(cases, engines, how, quiet)


def run_tests(cases: Sequence[Case], engines: Engines, how: TestOptions, quiet: bool) -> bool:
    """Run tests and print their results; return True if one failed."""
    begin, results = time.monotonic(), []
    for case in cases:
        result = run_case(case, engines, SPARK if how.spark else QUICK, collect=how.update)
        results.append(result)
        if not quiet or result.failure is not None:
            print_lines(result_lines(result, notes=not quiet), stderr=False)
    for result in results:
        if result.failure is not None:
            print()
            print_lines(failure_lines(result.failure), stderr=False)
    seconds = time.monotonic() - begin
    for path, count in update(results).items() if how.update else ():
        print(f"{path}: {counted(count, 'expectation')} updated")
    print_lines([summary_line(results, seconds)], stderr=False)
    if how.junit:
        write_text(how.junit, junit(results, seconds))
    return any(result.failure is not None for result in results)
