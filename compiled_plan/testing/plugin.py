"""Plugin of pytest: collects files of tests, `*.test.yaml`.

`--plan-spark` runs them on Spark. The Spark session is that of the process.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan.plans.errors import CompiledPlanError

if TYPE_CHECKING:
    from compiled_plan.testing.cases import Case
    from compiled_plan.testing.running import Failure

_SUFFIXES = (".test.yaml", ".test.yml")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option of pytest that runs tests on Spark."""
    group = parser.getgroup("compiled-plan")
    group.addoption("--plan-spark", action="store_true", help="run tests of streaming programs on Spark")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a file of tests."""
    if not file_path.name.endswith(_SUFFIXES):
        return None
    collected: PlanFile = PlanFile.from_parent(parent, path=file_path)
    return collected


class PlanFile(pytest.File):
    """A file of tests as pytest collects it."""

    def collect(self) -> Iterator[pytest.Item]:
        """The tests of the file."""
        from compiled_plan.testing.cases import cases_in

        try:
            cases = cases_in(self.path)
        except CompiledPlanError as fault:
            raise self.CollectError(fault.render()) from None
        for case in cases:
            item: PlanItem = PlanItem.from_parent(self, name=case.name)
            item.case = case
            yield item


class PlanItem(pytest.Item):
    """A test of a streaming program."""

    case: Case

    def runtest(self) -> None:
        """Run the test in the engines of pytest's process."""
        from compiled_plan.plans.execution.testing.engine import QUICK, SPARK
        from compiled_plan.plans.execution.testing.sessions import process_engines
        from compiled_plan.testing.running import run_case

        engine = SPARK if self.config.getoption("--plan-spark") else QUICK
        result = run_case(self.case, process_engines(), engine)
        notes = [f"on Spark, since {result.reason}"] if result.reason else []
        self.add_report_section("call", "notes", "\n".join([*notes, *result.notes]))
        if result.failure is not None:
            raise PlanFailedError(result.failure)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The rows that differ, instead of a traceback."""
        from compiled_plan.testing.reporting import failure_text

        if isinstance(excinfo.value, PlanFailedError):
            return failure_text(excinfo.value.failure)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """The file, the line and the name."""
        spot = self.case.document.spots[self.case.path]
        return self.path, spot.line - 1, self.name


class PlanFailedError(Exception):
    """The failure of a test."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure
