"""Plans and checkpoints of a release: later releases start, migrate or refuse them by name.

`python -m tools.freeze_release` makes the archive of a release, which never changes again. If this release refuses
the checkpoint or the plan of a case, `releases.json` has a part of the message.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan.plans.errors import CheckpointError, UnsupportedError
from compiled_plan.plans.execution.session.options import CHECK, MIGRATE, NATIVE
from compiled_plan.plans.execution.spark.java import java_class
from compiled_plan.plans.inspection.diff.build import diff_plans
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from compiled_plan.plans.nodes.python import PythonNode
from compiled_plan.plans.nodes.registry import all_node_types
from compiled_plan.plans.plan import CompiledPlan
from tests.conformance.compiled import same_execution
from tests.historical import cases
from tests.historical.cases import Case
from tests.older_spark import EVERY_OPERATOR

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FROZEN = cases.cases()
WHAT_TO_DO = "add to a program of `programs`, and freeze it: python -m tools.freeze_release PROGRAM"


def name(case: Case) -> str:
    return case.name


def files(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def place(case: Case) -> Iterator[Path]:
    with cases.place(case.name) as folder:
        case.restore(folder)
        yield folder


#: Short cases of their oldest release; `make test-wide` has the rest.
DEFAULT = (
    "kept",
    "kept_lookups",
)


NEWEST = list(cases.frozen())[-1]
STARTED = [case for case in FROZEN if not case.refusal]
OLDEST = {case.folder.name: case for case in reversed(STARTED)}


def _marks(case: Case) -> Any:
    default = case.refusal or (case.folder.name in DEFAULT and case is OLDEST[case.folder.name])
    # The programs of a release have every operator.
    return () if default or (EVERY_OPERATOR and case.folder.parent.name == NEWEST) else pytest.mark.wide


@pytest.mark.parametrize("case", [pytest.param(case, marks=_marks(case), id=case.name) for case in FROZEN])
def test_a_run_stopped_by_a_release_continues(case: Case, spark: SparkSession, place: Path) -> None:
    if case.refusal:
        before = files(place)
        with pytest.raises((CheckpointError, UnsupportedError)) as refused:
            cases.run(spark, case.plan(place), place, case.expected["host"])
        assert case.refusal in str(refused.value)
        assert files(place) == before
        return
    goes_on(case, case.plan(place), spark, place)


@pytest.mark.deep
@pytest.mark.parametrize("case", [case for case in STARTED if case.expected["host"] != NATIVE], ids=name)
def test_all_state_of_a_release_migrates(case: Case, spark: SparkSession, place: Path) -> None:
    goes_on(case, case.plan(place), spark, place, MIGRATE)


def recompiled(case: Case) -> CompiledPlan:
    return cases.compiled(case.program, case.text("program.sql"))


def frozen(case: Case) -> CompiledPlan:
    return CompiledPlan.from_json(case.text(cases.PLAN))


#: Programs that run recompiled, on their oldest release, although they differ from the frozen plan in uids alone;
#: the other cases run in `make test-deep`.
RENAMED = ("conflicts", "first_rows", "first_rows_native")
#: Recompiled programs that run in `make test`.
RECOMPILED = ("0.2.0/first_rows",)


def is_renamed(case: Case) -> bool:
    return case.folder.name in RENAMED and case is OLDEST[case.folder.name]


@pytest.mark.parametrize("case", STARTED, ids=name)
def test_a_recompiled_program_continues_on_the_checkpoint_of_a_release(
    case: Case, spark: SparkSession, place: Path
) -> None:
    plan = recompiled(case)
    assert diff_plans(frozen(case), plan).verdict is Verdict.FULL
    if case.name in RECOMPILED:
        continues_recompiled(case, plan, spark, place)


@pytest.mark.wide
@pytest.mark.parametrize("case", [case for case in STARTED if case.name not in RECOMPILED], ids=name)
def test_recompiled_programs_of_another_execution_continue(case: Case, spark: SparkSession, place: Path) -> None:
    plan = recompiled(case)
    if is_renamed(case) or not same_execution(frozen(case), plan):
        continues_recompiled(case, plan, spark, place)


@pytest.mark.deep
@pytest.mark.parametrize("case", [case for case in STARTED if not is_renamed(case)], ids=name)
def test_all_recompiled_programs_continue(case: Case, spark: SparkSession, place: Path) -> None:
    plan = recompiled(case)
    if plan != frozen(case):
        continues_recompiled(case, plan, spark, place)


def continues_recompiled(case: Case, plan: CompiledPlan, spark: SparkSession, place: Path) -> None:
    goes_on(case, CompiledPlan.from_json(plan.to_json().replace(cases.PLACE, str(place))), spark, place)


def goes_on(case: Case, plan: CompiledPlan, spark: SparkSession, place: Path, upgrade: str = CHECK) -> None:
    """Start the case; its results are those at the freeze."""
    cases.database(spark)
    fault = cases.run(spark, plan, place, case.expected["host"], upgrade=upgrade)
    if case.expected["fails"]:
        assert case.expected["fails"] in fault
    else:
        assert fault == ""
        assert len(list((place / "checkpoint/generations").iterdir())) == 1 + (upgrade == MIGRATE)
        assert cases.difference(cases.results(plan, place), case.expected["sinks"]) == ""


@pytest.mark.parametrize("release", cases.frozen())
def test_frozen_archives_do_not_change(release: str) -> None:
    assert cases.digest(release) == cases.frozen()[release]["sha256"]


def test_every_state_format_is_frozen(spark: SparkSession) -> None:
    jvm = spark._jvm
    assert jvm is not None
    kinds: Any = java_class(jvm, "org.compiledplan.kernel.operators.base.StateKind").values()
    frozen = {state_format for case in STARTED for state_format in case.state_formats()}
    missing = {(kind.text(), kind.version()) for kind in kinds} - frozen
    assert missing == set(), WHAT_TO_DO


#: Nodes that only Flink compiles, with the fields of another node.
BY_FLINK_ALONE = {"stream-exec-async-calc_1", "stream-exec-async-correlate_1"} | {
    type_ for type_, node in all_node_types().items() if issubclass(node, PythonNode)
}


def test_every_node_version_is_frozen() -> None:
    plans = [case.folder / cases.PLAN for case in FROZEN] + sorted((cases.PACKED / "flink").glob("*/*.json"))
    frozen = {node["type"] for plan in plans for node in json.loads(plan.read_text())["nodes"]}
    runs = {type_ for type_, node in all_node_types().items() if node.RUNNABLE}
    assert runs - frozen - BY_FLINK_ALONE == set(), WHAT_TO_DO
