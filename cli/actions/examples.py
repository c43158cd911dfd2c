"""The example of a difference: `diff-plan --example`."""

from __future__ import annotations

import sys

from compiled_plan.cli.common.terminal import print_lines
from compiled_plan.cli.comparing.comparison import Comparison
from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.execution.session.kept import session_of_command
from compiled_plan.plans.execution.state.upgrade.refusing import UpgradeError
from compiled_plan.plans.execution.testing.quick import NotQuickError
from compiled_plan.plans.execution.testing.sessions import engines_of
from compiled_plan.plans.inspection.diff.text import Line
from compiled_plan.testing.counterexamples import search

#: The greatest number of random inputs, and the time limit of a search, in s.
_TRIES, _SECONDS = 60, 10.0


def print_example(compared: Comparison) -> None:
    """Print the smallest input for which the new program that continues differs from one from scratch.

    Raises:
        UnsupportedError: a program runs in a query alone; names the reason.
        ExecutionError: Spark did not start.
    """
    before, after = compared.before, compared.after
    with session_of_command("local[1]", {}, verbose=False, meanwhile=None) as spark:
        try:
            outcome = search(before.plan, after.plan, engines_of(spark), _SECONDS, _TRIES)
        except UpgradeError:
            print_lines([Line("no example: the new program does not start on this state")], stderr=False)
            return
        except NotQuickError as reason:
            raise UnsupportedError(
                f"--example: {reason}, and an example is searched without a query",
                remedy="write a test with a step `upgrade`, for test-plan --spark",
            ) from None
    if outcome.example is None:
        print_lines([Line(f"no difference in {outcome.tries} random inputs")], stderr=False)
        return
    print_lines([Line("example, a file for test-plan:")], stderr=False)
    sys.stdout.write(outcome.example.text(before.name, after.name))
