"""Examples of differences in a review."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from shlex import quote
from typing import TYPE_CHECKING

from compiled_plan.cli.review.reviewing import Result, Reviewed
from compiled_plan.cli.review.running import extended
from compiled_plan.compiling.scripts import Session
from compiled_plan.plans.errors import ExecutionError
from compiled_plan.plans.inspection.checked_plans import plan_from_json
from compiled_plan.plans.inspection.diff.markdown import code

if TYPE_CHECKING:
    from compiled_plan.plans.execution.testing.engine import Engines

#: The time after which no further search begins, in s.
_SECONDS = 60.0
#: The name of the committed plan in the files of examples.
_OLD = "old.json"


@dataclass(slots=True)
class ExamplesAdded:
    """Examples of the programs that are not fully compatible, see `Addition`.

    Args:
        session: the initial session of programs.
    """

    session: Session
    what: str = "examples"
    _end: float = field(default_factory=lambda: time.monotonic() + _SECONDS)

    def concerns(self, item: Reviewed) -> bool:
        return item.plans is not None and item.result is not Result.FULL

    def extend(self, item: Reviewed, engines: Engines) -> Reviewed:
        from compiled_plan.cli.comparing.examples import example_markdown
        from compiled_plan.testing.example_files import Names, examples_of

        if time.monotonic() > self._end:
            raise ExecutionError("the time for examples is over")
        assert item.plans is not None
        old, new = map(plan_from_json, item.plans)
        names = Names(_OLD, item.name, self.session.init, self.session.settings)
        lines = [*example_markdown(examples_of((old, new), names, engines, checks=False))]
        if item.old_plan:
            command = f"git show {quote(item.old_plan)} > {_OLD}"
            lines += [f"{code(command)} writes the old plan of the examples.", ""]
        return extended(item, lines)
