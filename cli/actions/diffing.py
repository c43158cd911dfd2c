"""The output of a comparison: `diff-plan`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING

from compiled_plan.cli.common.terminal import ExitCode, print_lines
from compiled_plan.cli.comparing.comparison import Comparison
from compiled_plan.plans.inspection.diff.flink import FlinkDiff
from compiled_plan.plans.inspection.diff.model import PlanDiff
from compiled_plan.plans.inspection.diff.text import Line, advice_lines, diff_lines, verdict_line
from compiled_plan.plans.inspection.judging.verdicts import Verdict

if TYPE_CHECKING:
    from compiled_plan.plans.inspection.diff.document import Examples

#: The exit code of `--detailed-exitcode` for different, compatible plans.
CHANGES = 2


class Form(Enum):
    """Output formats of a comparison: text, JSON, Markdown."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"


def exit_code(plan_diff: PlanDiff) -> int:
    """The exit code of `--detailed-exitcode`."""
    if plan_diff.is_empty:
        return ExitCode.OK
    return CHANGES if plan_diff.verdict in (Verdict.FULL, Verdict.PARTIAL) else ExitCode.FAILED


def diff_in_flink(compared: Comparison, settings: dict[str, str]) -> FlinkDiff:
    """The state that a savepoint of Flink restores."""
    from compiled_plan.plans.inspection.diff.flink import flink_diff

    return flink_diff(compared.diff, compared.before.plan, compared.after.plan, settings)


def print_difference(
    compared: Comparison,
    flink: FlinkDiff | None,
    form: Form,
    everything: bool,
    examples: Callable[[], Examples] | None = None,
) -> None:
    """Print a comparison to stdout, and search examples of it."""
    plan_diff, advice = compared.diff, compared.advice()
    if form is Form.JSON:
        from compiled_plan.plans.inspection.diff.document import document, to_json

        before, after = compared.before.named(), compared.after.named()
        result = None if examples is None else examples()
        sys.stdout.write(to_json(document(plan_diff, before, after, advice, flink, result)))
    elif form is Form.MARKDOWN:
        sys.stdout.write(compared.markdown())
        if flink is not None:
            from compiled_plan.plans.inspection.diff.flink_shown import flink_markdown

            sys.stdout.write("\n" + flink_markdown(flink))
        if examples is not None:
            from compiled_plan.cli.comparing.examples import example_markdown

            sys.stdout.write("\n".join(example_markdown(examples())) + "\n")
    else:
        lines = list(diff_lines(plan_diff, everything=everything))
        if flink is not None:
            from compiled_plan.plans.inspection.diff.flink_shown import flink_lines

            lines += flink_lines(flink, everything=everything)
        print_lines((*lines, verdict_line(plan_diff), *advice_lines(advice)), stderr=False)
        if examples is not None:
            from compiled_plan.cli.comparing.examples import example_lines

            print_lines(map(Line, example_lines(examples())), stderr=False)
