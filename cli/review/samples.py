"""Samples in a review: the old and the new program over the rows of the tests beside a program."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, ClassVar

from compiled_plan.cli.review.repository import Repository
from compiled_plan.cli.review.reviewing import Reviewed
from compiled_plan.cli.review.running import extended
from compiled_plan.cli.review.subjects import is_pattern, matches
from compiled_plan.plans.errors import CompiledPlanError, ProgramError
from compiled_plan.plans.inspection.checked_plans import plan_from_json
from compiled_plan.plans.inspection.diff.markdown import code
from compiled_plan.plans.text.masking import masked_text
from compiled_plan.plans.text.visible import counted

if TYPE_CHECKING:
    from compiled_plan.plans.execution.testing.engine import Engines
    from compiled_plan.testing.cases import Case

_SUFFIXES = (".test.yaml", ".test.yml")
#: The suffix of the copy of a run's plan, to which `test-plan --from-run` gives the name of the test.
_COPY = ".test.json"


@dataclass(frozen=True)
class SamplesAdded:
    """Results of the old and the new program over the rows of tests, see `Addition`.

    Args:
        repository: the working tree.
        patterns: paths or patterns of the tests.
    """

    repository: Repository
    patterns: Sequence[str]
    what: ClassVar[str] = "sample"

    def check(self) -> None:
        """Raise ProgramError for a path that is not a test."""
        for path in self.patterns:
            if not is_pattern(path) and path not in self._files:
                raise ProgramError(
                    f"the repository has no test {path!r}",
                    where=str(self.repository.root),
                    remedy=f"name a file {' or '.join(_SUFFIXES)} from the root",
                )

    def concerns(self, item: Reviewed) -> bool:
        return item.plans is not None and any(self._tests(item))

    def extend(self, item: Reviewed, engines: Engines) -> Reviewed:
        from compiled_plan.testing.side_by_side import FEEDS, side_by_side

        assert item.plans is not None
        old, new = map(plan_from_json, item.plans)
        for name, case in self._tests(item):
            try:
                if isinstance(case, CompiledPlanError):
                    raise case
                report = side_by_side(case, (old, new), engines)
            except CompiledPlanError as fault:
                item = extended(item, (), f"no comparison over `{name}`: {masked_text(fault.message)}")
                continue
            rows = sum(len(items or ()) for step in case.steps if step.kind in FEEDS for items in step.value.values())
            fact = f"The old and the new program, each from an empty state, over {counted(rows, 'row')}."
            lines = report.markdown_of(f"#### Sample {code(name)}", fact)
            item = extended(item, ("", *lines), f"`{name}`: {report.outcome.value}")
        return item

    @cached_property
    def _files(self) -> tuple[str, ...]:
        """The files of tests."""
        return tuple(
            path for path in self.repository.files if path.endswith(_SUFFIXES) and matches(path, self.patterns)
        )

    def _tests(self, item: Reviewed) -> Iterator[tuple[str, Case | CompiledPlanError]]:
        """The tests of a program, or of the run whose plan lies beside it under its name."""
        for name, case in self._cases:
            path = name if isinstance(case, CompiledPlanError) else self._program(case)
            stems = {path.removesuffix(end) for end in (*_SUFFIXES, _COPY) if path.endswith(end)}
            if path in item.paths or stems & {str(PurePosixPath(own).with_suffix("")) for own in item.paths}:
                yield name, case

    def _program(self, case: Case) -> str:
        """The path of a test's program from the root; empty for one in the test itself."""
        return os.path.relpath(case.file(case.program), self.repository.root) if case.program else ""

    @cached_property
    def _cases(self) -> Sequence[tuple[str, Case | CompiledPlanError]]:
        """The tests by their names; for a file that is not one of tests, the error."""
        from compiled_plan.testing.cases import cases_of
        from compiled_plan.testing.document import read_document

        cases: list[tuple[str, Case | CompiledPlanError]] = []
        for path in self._files:
            try:
                of_file = cases_of(read_document(self.repository.root / path, self.repository.text(path)))
            except CompiledPlanError as fault:
                cases.append((path, fault))
            else:
                cases += ((path if len(of_file) == 1 else f"{path}: {case.name}", case) for case in of_file)
        return cases
