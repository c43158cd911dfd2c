"""Every recorded expression gives Flink's results on Spark, value by value, or fails if Flink fails."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from compiled_plan.plans.execution.spark.java import frame_of
from compiled_plan.plans.rex import type_of
from tests.plans.execution.expressions.recorded import FIXTURES, Case, Fixture, evaluate, from_flink, read

PATHS = sorted(FIXTURES.glob("*.json"))
#: Fixtures in `make test-wide`: zones other than UTC, and changes of clocks.
OTHER_TIMES = re.compile(r"_(zone|clock_change)")


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, marks=pytest.mark.wide if OTHER_TIMES.search(path.stem) else ()) for path in PATHS],
    ids=lambda path: path.stem,
)
@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.wide)])
def test_results(path: Path, step: int, session: SparkSession) -> None:
    """One expression in five, and all in `make test-wide`."""
    fixture = read(path, step)
    cases = [case for case in fixture.cases if case.results is not None]
    results = evaluate(fixture, cases, fixture.frame(session))
    wrong = [text for case, result in zip(cases, results, strict=True) for text in difference(fixture, case, result)]
    assert not wrong, f"{len(wrong)} values differ\n" + "\n".join(wrong)


@pytest.mark.wide
@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_failures(path: Path, session: SparkSession) -> None:
    fixture = read(path)
    failing = [case for case in fixture.cases if case.error is not None]
    if not failing:
        return
    rows = fixture.frame(session)._jdf
    # The optimizer evaluates expressions over a relation of literals, which saves a job for each of them.
    frame = frame_of(session._jsparkSession.createDataFrame(rows.collectAsList(), rows.schema()), session)  # type: ignore[attr-defined]
    silent = []
    for case in failing:
        try:
            evaluate(fixture, [case], frame)
        except (PySparkException, Py4JJavaError):
            continue
        silent.append(f"{case.sql}: Flink fails ({case.error}), Spark does not")
    assert not silent, "\n".join(silent)


def difference(fixture: Fixture, case: Case, result: list[object]) -> list[str]:
    assert case.results is not None
    type_ = type_of(case.rex)
    wanted = [from_flink(value, type_) for value in case.results]
    return [
        f"{case.sql} [row {n + 1}]: Flink {want!r}, Spark {have!r}"
        for n, (want, have) in enumerate(zip(wanted, result, strict=True))
        if want != have
    ]
