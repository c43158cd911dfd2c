"""Tests that a change reaches, by imports."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.changed import Imports, imports, modules, reached


@pytest.fixture(scope="module")
def files() -> dict[str, Path]:
    return modules()


@pytest.fixture(scope="module")
def graph(files: dict[str, Path]) -> Imports:
    return imports(files)


@pytest.mark.wide
@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "reaches", "not_reached"),
    [
        ("planner/sql/binding/hints.py", "tests/planner/test_pipeline.py", "tests/plans/types/test_row.py"),
        ("plans/execution/operators/join.py", "tests/plans/execution/operators/test_join.py",
         "tests/plans/text/test_masking.py"),
        ("plans/nodes/join.py", "tests/plans/nodes/test_nodes_round_trip.py", "tests/plans/text/test_masking.py"),
        ("plans/connectors/specs/kafka.py", "tests/planner/test_pipeline.py", "tests/plans/text/test_masking.py"),
        ("kernel/src/main/java/org/compiledplan/kernel/operators/join/Join.java", "tests/historical/test_historical.py",
         "tests/planner/sql/test_parse_flink.py"),
        ("cli/edit_plan.py", "tests/cli/test_edit_plan.py", "tests/cli/test_diff_plan.py"),
        ("service/page/js/main.js", "tests/service/page/test_page.py", "tests/plans/types/test_row.py"),
        ("tests/conformance/cases/over/rows_unbounded.txtar", "tests/conformance/test_conformance.py",
         "tests/service/web/test_versions.py"),
        ("compiled_plan/pyflink/udf.py", "tests/compiled_plan/pyflink/test_udf.py", "tests/plans/types/test_row.py"),
        ("docs/reference/coverage.md", "tests/tools/coverage", "tests/conformance/test_conformance.py"),
        ("docs/running.md", "tests/docs", "tests/conformance/test_conformance.py"),
        ("README.md", "tests/docs", "tests/conformance/test_conformance.py"),
        ("samples/generate.py", "tests/docs", "tests/conformance/test_conformance.py"),
        ("cli/execute_plan.py", "tests/docs", "tests/plans/types/test_row.py"),
        ("cli/execute_plan.py", "tests/plans/execution/realtime/test_query.py", "tests/plans/types/test_row.py"),
    ],
)  # fmt: skip
def test_a_change_reaches_tests_that_import_it(
    files: dict[str, Path], graph: Imports, change: str, reaches: str, not_reached: str
) -> None:
    tests = reached([change], files, graph)
    assert tests is not None
    assert (Path(__file__).parents[2] / not_reached).is_file()
    assert reaches in tests
    assert not_reached not in tests


@pytest.mark.wide
@pytest.mark.slow
def test_the_set_up_reaches_all_tests(files: dict[str, Path], graph: Imports) -> None:
    assert reached(["docs/running.md", "pyproject.toml"], files, graph) is None
