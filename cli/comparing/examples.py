"""Examples of a difference: `diff-plan --example`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape

from compiled_plan.cli.comparing.comparison import Comparison
from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.execution.session.kept import session_of_command
from compiled_plan.plans.execution.testing.engine import Engines
from compiled_plan.plans.execution.testing.sessions import engines_of
from compiled_plan.plans.inspection.diff.document import Examples
from compiled_plan.plans.inspection.diff.markdown import fenced, plain
from compiled_plan.plans.text.visible import visible
from compiled_plan.testing.example_files import Names, examples_of, summary


@contextmanager
def engines_of_command() -> Iterator[Engines]:
    """The engines on the session of a command.

    Raises:
        ExecutionError: Spark did not start.
    """
    with session_of_command("local[1]", {}, verbose=False, meanwhile=None) as spark:
        yield engines_of(spark)


def examples_of_difference(compared: Comparison, names: Names) -> Examples:
    """Search the smallest inputs for which parts of the new program that continues differ.

    Raises:
        UnsupportedError: a side is a checkpoint; others as in `examples_of`.
    """
    for side in (compared.before, compared.after):
        if side.kind == "checkpoint":
            raise UnsupportedError(
                f"--example: {side.name} is a checkpoint, and a file of tests names programs and plan files",
                remedy="give the plan file or the program that runs on it",
            )
    with engines_of_command() as engines:
        return examples_of((compared.before.plan, compared.after.plan), names, engines)


def example_lines(examples: Examples) -> Iterator[str]:
    """The examples as text."""
    for example in examples.examples:
        yield f"example of {', '.join(example.parts)}, a file for test-plan:"
        yield from example.test.splitlines()
        yield ""
    yield from summary(examples)


def example_markdown(examples: Examples) -> Sequence[str]:
    """The examples as Markdown, folded."""
    lines = ["", plain("; ".join(summary(examples)).capitalize()) + ".", ""]
    for example in examples.examples:
        parts = escape(visible(", ".join(example.parts)))
        lines += [f"<details><summary>example of {parts}: a file for test-plan</summary>", ""]
        lines += [*fenced(example.test.rstrip("\n"), "yaml"), "</details>", ""]
    return lines
