"""The example of a difference: `diff-plan --example`."""

from __future__ import annotations

import sys

from compiled_plan.cli.common.terminal import print_lines
from compiled_plan.cli.comparing.comparison import Comparison
from compiled_plan.plans.errors import ExecutionError, UnsupportedError
from compiled_plan.plans.execution.session.kept import session_of_command
from compiled_plan.plans.execution.state.upgrade.refusing import UpgradeError
from compiled_plan.plans.execution.testing.quick import NotQuickError
from compiled_plan.plans.execution.testing.sessions import engines_of
from compiled_plan.plans.inspection.diff.text import Line
from compiled_plan.plans.text.visible import counted
from compiled_plan.testing.counterexamples import Names, search
from compiled_plan.testing.reporting import failure_text

#: The greatest number of random inputs, and the time limit of a search, in s.
_TRIES, _SECONDS = 60, 10.0


def print_example(compared: Comparison, names: Names) -> None:
    """Print the smallest input for which the new program that continues differs from one from scratch.

    Raises:
        UnsupportedError: a program runs in a query alone; names the reason.
        ExecutionError: Spark did not start, or the example does not pass as a test.
    """
    for side in (compared.before, compared.after):
        if side.kind == "checkpoint":
            raise UnsupportedError(
                f"--example: {side.name} is a checkpoint, and a file of tests names programs and plan files",
                remedy="give the plan file or the program that runs on it",
            )
    with session_of_command("local[1]", {}, verbose=False, meanwhile=None) as spark:
        engines = engines_of(spark)
        try:
            outcome = search(compared.before.plan, compared.after.plan, engines, _SECONDS, _TRIES)
        except UpgradeError:
            _print("no example: the new program does not start on this state")
            return
        except NotQuickError as reason:
            raise UnsupportedError(
                f"--example: {reason}, and an example is searched without a query",
                remedy="write a test with a step `upgrade`, for test-plan --spark",
            ) from None
        if outcome.example is not None and (failure := outcome.example.result(names, engines).failure) is not None:
            raise ExecutionError(
                f"--example: the example does not pass as a test:\n{failure_text(failure)}",
                remedy="write a test with a step `upgrade` for test-plan, and report this with both programs",
            )
    if outcome.example is None:
        ended = f"; {counted(outcome.failed, 'more input')} ended a program" if outcome.failed else ""
        _print(f"no difference in {counted(outcome.compared, 'random input')}{ended}")
        return
    _print("example, a file for test-plan:")
    sys.stdout.write(outcome.example.text(names))


def _print(line: str) -> None:
    print_lines([Line(line)], stderr=False)
