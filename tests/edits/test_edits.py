"""Random edits of Flink's plans: each is refused with a pointer, changes nothing, or gives another plan that runs.

The short test tries some hundred edits, `make test-deep` 20,000. The seed reproduces edit number n.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan.plans.errors import CompiledPlanError, DataError, UnsupportedError
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.inspection.check import check
from compiled_plan.plans.plan import CompiledPlan
from tests.conformance.cases import CASES
from tests.edits.outcomes import Outcome, outcomes

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Environment variables of the deep test: number of edits, first seed, number of plans that are run.
DEEP = {"EDITS": 20_000, "SEED": 1, "RUNS": 100}
REFUSED = "refused"
#: Run errors caused by the input rows, not by the plan.
_BY_DATA = (
    "null value is being written",
    "cannot be read",
    "division by zero",
    "/ by zero",
    "more than one row",
    "NOT NULL",
)


def is_place(data: Any, pointer: str) -> bool:
    """Return True if a pointer resolves to a value, or to where one is missing."""
    parts = pointer.split("/")[1:]
    here = data
    for at, part in enumerate(parts):
        key: str | int = part.replace("~1", "/").replace("~0", "~")
        if isinstance(here, list):
            key = int(key) if str(key).isdigit() else -1
        if isinstance(here, dict | list) and (key in here if isinstance(here, dict) else 0 <= int(key) < len(here)):
            here = here[key]  # type: ignore[index]
        else:
            return isinstance(here, str) or at == len(parts) - 1
    return True


def test_an_edit_is_refused_by_pointer_or_makes_a_plan(tmp_path: Path) -> None:
    counts: Counter[str] = Counter()
    for outcome in outcomes(1, 400, tmp_path):
        counts["refused" if outcome.refusals else "same" if outcome.same else "other"] += 1
        assert all(is_place(outcome.data, pointer) for pointer in outcome.refusals), (str(outcome), outcome.refusals)
        if outcome.plan is None:
            continue
        assert CompiledPlan.from_dict(outcome.plan.to_dict()) == outcome.plan, str(outcome)
    assert counts["refused"] > 250
    assert counts["other"] > 20


@pytest.mark.wide
@pytest.mark.slow
def test_edit_plan_reports_errors_of_loading(tmp_path: Path) -> None:
    for outcome in outcomes(1000, 60, tmp_path):
        text = json.dumps(outcome.data)
        assert any(item.is_error for item in check(text)) == bool(outcome.refusals), str(outcome)


@pytest.mark.wide
def test_an_accepted_plan_can_be_run(spark: SparkSession, tmp_path: Path) -> None:
    taken = [outcome for outcome in outcomes(1, 120, tmp_path) if outcome.plan is not None and not outcome.same][:15]
    assert [wrong for outcome in taken if (wrong := lowered(spark, outcome)) not in ("", REFUSED)] == []


@pytest.mark.deep
def test_many_edits(spark: SparkSession, tmp_path: Path) -> None:
    edits, seed, runs = (int(os.environ.get(name, number)) for name, number in DEEP.items())
    counts: Counter[str] = Counter()
    failures: list[str] = []
    for number, outcome in enumerate(outcomes(seed, edits, tmp_path)):
        if number % 1000 == 999:
            print(f"{number + 1} edits from seed {seed}: {dict(counts)}", flush=True)
        if outcome.refusals or outcome.same:
            counts["refused by pointer" if outcome.refusals else "same"] += 1
            continue
        wrong = lowered(spark, outcome)
        counts["refused by name at the start" if wrong == REFUSED else "other plan"] += 1
        if wrong == REFUSED:
            continue
        if not wrong and counts["run"] < runs and counts["other plan"] % max(edits // 10 // runs, 1) == 0:
            counts["run"] += stays_in(tmp_path, outcome.data)
            wrong = ran(spark, outcome) if stays_in(tmp_path, outcome.data) else ""
        if wrong:
            failures.append(wrong)
            print(wrong, flush=True)
    print(f"{edits} edits from seed {seed}: {dict(counts)}, {len(failures)} of them failed inside Spark")
    assert failures == []


def lowered(spark: SparkSession, outcome: Outcome) -> str:
    """The error of Spark's analysis of the plan; empty if there is none, REFUSED if a start would refuse the plan."""
    assert outcome.plan is not None
    try:
        Run(spark, outcome.plan, RunOptions()).lower()
    except UnsupportedError as fault:
        return f"{outcome}: the check has no error, and the run refuses it: {fault}"
    except CompiledPlanError:
        return REFUSED
    except Exception as fault:
        return f"{outcome}: {type(fault).__name__}: {str(fault)[:300]}"
    return ""


def stays_in(folder: Path, data: Any) -> bool:
    """Return True if all paths of a plan are in a folder or a case's data: an edit may redirect a sink anywhere."""
    if isinstance(data, dict):
        path = data.get("path")
        if isinstance(path, str) and not any(map(Path(path).is_relative_to, (folder, CASES))):
            return False
        return all(stays_in(folder, item) for item in data.values())
    return not isinstance(data, list) or all(stays_in(folder, item) for item in data)


def ran(spark: SparkSession, outcome: Outcome) -> str:
    """The error of running the plan on the case's data, unless the data does not match it."""
    assert outcome.plan is not None
    try:
        Run(spark, outcome.plan, RunOptions()).execute()
    except DataError:
        return ""
    except CompiledPlanError as fault:
        return "" if any(text in str(fault) for text in _BY_DATA) else f"{outcome}: when it ran: {str(fault)[:300]}"
    return ""
