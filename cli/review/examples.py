"""Examples of differences in a review: searched in this process, for all programs in one session of Spark."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from importlib.util import find_spec
from shlex import quote
from typing import TYPE_CHECKING

from compiled_plan.cli.review.reviewing import Reviewed
from compiled_plan.compiling.scripts import Session
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.inspection.checked_plans import plan_from_json
from compiled_plan.plans.inspection.diff.markdown import code
from compiled_plan.plans.text.masking import masked_text

if TYPE_CHECKING:
    from compiled_plan.plans.execution.testing.engine import Engines

#: The time after which no further search begins, in s.
_SECONDS = 60.0
#: The name of the committed plan in the files of examples.
_OLD = "old.json"


def with_examples(reviewed: Sequence[Reviewed], session: Session) -> list[Reviewed]:
    """Add examples to the programs that are not fully compatible; the reason is a remark where there are none."""
    if find_spec("pyspark") is None:
        return [_noted(item, "pyspark is not installed") for item in reviewed]
    end, result = time.monotonic() + _SECONDS, list[Reviewed]()
    with ExitStack() as stack:
        engines: Engines | None = None
        for item in reviewed:
            try:
                if item.plans is None:
                    result.append(item)
                elif time.monotonic() > end:
                    result.append(_noted(item, "the time for examples is over"))
                else:
                    from compiled_plan.cli.comparing.examples import engines_of_command

                    engines = engines or stack.enter_context(engines_of_command())
                    result.append(_with_examples(item, item.plans, session, engines))
            except CompiledPlanError as fault:
                result.append(_noted(item, masked_text(fault.message)))
    return result


def _noted(item: Reviewed, reason: str) -> Reviewed:
    return item if item.plans is None else replace(item, notes=(*item.notes, f"no examples: {reason}"))


def _with_examples(item: Reviewed, plans: tuple[str, str], session: Session, engines: Engines) -> Reviewed:
    from compiled_plan.cli.comparing.examples import example_markdown
    from compiled_plan.testing.example_files import Names, examples_of

    old, new = map(plan_from_json, plans)
    names = Names(_OLD, item.name, session.init, session.settings)
    lines = [*example_markdown(examples_of((old, new), names, engines, checks=False))]
    if item.old_plan:
        command = f"git show {quote(item.old_plan)} > {_OLD}"
        lines += [f"{code(command)} writes the old plan of the examples.", ""]
    return replace(item, body="\n".join((item.body.rstrip("\n"), *lines)))
