"""Runs of the compared programs in a review: in this process, for all programs in one session of Spark."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Protocol

from compiled_plan.cli.review.reviewing import Reviewed
from compiled_plan.plans.errors import CompiledPlanError, ExecutionError
from compiled_plan.plans.text.masking import masked_text

if TYPE_CHECKING:
    from compiled_plan.plans.execution.testing.engine import Engines


class Addition(Protocol):
    """Results of runs that a review adds to a program."""

    @property
    def what(self) -> str:
        """Their name, for the remark on a program without."""

    def concerns(self, item: Reviewed) -> bool:
        """Return True for a program that is to be run."""

    def extend(self, item: Reviewed, engines: Engines) -> Reviewed:
        """Add the results to a program.

        Raises:
            CompiledPlanError: there are none, for this reason.
        """


def with_runs(reviewed: Sequence[Reviewed], additions: Iterable[Addition]) -> list[Reviewed]:
    """Add the results of runs to reviewed programs; the reason is a remark where there are none."""
    results, engines = list(reviewed), None
    with ExitStack() as stack:
        for addition in additions:
            for at, item in enumerate(results):
                if not addition.concerns(item):
                    continue
                try:
                    engines = engines or stack.enter_context(_engines())
                    results[at] = addition.extend(item, engines)
                except CompiledPlanError as fault:
                    results[at] = extended(item, (), f"no {addition.what}: {masked_text(fault.message)}")
    return results


def _engines() -> AbstractContextManager[Engines]:
    if find_spec("pyspark") is None:
        raise ExecutionError("pyspark is not installed")
    from compiled_plan.cli.comparing.examples import engines_of_command

    return engines_of_command()


def extended(item: Reviewed, lines: Iterable[str], *notes: str) -> Reviewed:
    """A reviewed program with more lines in its section, and more remarks."""
    return replace(item, body="\n".join((item.body.rstrip("\n"), *lines)), notes=(*item.notes, *notes))
