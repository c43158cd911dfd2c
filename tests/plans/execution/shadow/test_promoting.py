"""Promotions: a shadow becomes the next generation, and each row is in the sinks once."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan.plans.errors import BusyError, CheckpointError, ExecutionError, UnsupportedError
from compiled_plan.plans.execution.interfaces import connectors
from compiled_plan.plans.execution.interfaces.connectors import RowSink
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.execution.shadow.report import Outcome, ShadowReport
from compiled_plan.plans.execution.shadow.rounds import Limits
from compiled_plan.plans.execution.shadow.shadow import shadow
from compiled_plan.plans.execution.state.upgrade.rewinding import rewind
from compiled_plan.plans.execution.state.upgrade.rollback import roll_back
from compiled_plan.plans.plan import CompiledPlan
from tests.plans.execution.disk_steps import Crash
from tests.plans.execution.shadow.test_shadow import SOLD, TABLES, TOTALS, digests, sale, together
from tests.plans.execution.state.checkpoint.places import Place, table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

WHERE = TOTALS.replace("GROUP", "WHERE price > 2 GROUP")


@pytest.fixture
def place(spark: SparkSession, tmp_path: Path) -> Place:
    place = Place(spark, tmp_path)
    place.add({"sales": [sale("x", 3, 10), sale("y", 5, 20)]})
    return place


def promoted(place: Place, new: CompiledPlan, report: Any = lambda _: None, **options: Any) -> ShadowReport:
    chosen = RunOptions(checkpoint=str(place.checkpoint), **options)
    return shadow(place.spark, new, chosen, Limits(), report, promote=True)


def sold(place: Place) -> list[tuple[Any, ...]]:
    lines = (line for file in (place.folder / "sold").glob("part-*") for line in file.read_text().splitlines())
    return sorted(tuple(json.loads(line).values()) for line in lines)


@dataclass(frozen=True)
class Failing:
    """A sink that ends the run once it has written."""

    sink: RowSink
    READS_ORDER = True

    def write(self, frame: DataFrame, batch_id: int) -> None:
        self.sink.write(frame, batch_id)
        raise Crash


def interrupt(place: Place, plan: CompiledPlan) -> None:
    """Run a plan that ends when its first sink has written, before the micro-batch is committed."""
    options = RunOptions(checkpoint=str(place.checkpoint), available_now=True)
    with pytest.raises(ExecutionError):
        Run(place.spark, plan, options, open_sink=lambda *of: Failing(connectors.open_sink(*of))).execute()


def test_the_new_program_goes_on_behind_the_old_run(place: Place) -> None:
    old, new = place.compiled(TABLES, together(TOTALS, SOLD)), place.compiled(TABLES, together(WHERE, SOLD))
    place.run(old)

    def run_on(report: ShadowReport) -> None:
        # The old run goes on while the shadow follows it, and ends in the middle of its last micro-batch.
        if report.rounds == 1:
            place.add({"sales": [sale("x", 2), sale("y", 3)]})
            place.run(old)
            place.add({"sales": [sale("x", 1), sale("y", 4)]})
            interrupt(place, old)

    report = promoted(place, new, run_on)
    assert (report.outcome, report.rows_in, report.promoted) == (Outcome.NAMED, 4, 2)
    assert place.heads() == [(1, "start"), (2, "promote")]
    assert not place.checkpoint.with_name("checkpoint.shadow").exists()
    # All rows so far are those of the old program.
    assert place.rows("totals") == [("x", 6, 12), ("y", 12, 22)]
    place.add({"sales": [sale("x", 1), sale("x", 4), sale("z", 1)]})
    assert not place.run(new).start.migrates
    # The new program has counted 3 of x, and goes on with 4.
    assert ("x", 7, 11) in place.rows("totals")
    assert sold(place) == [("x", 3), ("x", 4), ("y", 3), ("y", 4), ("y", 5)]


@pytest.mark.wide
def test_the_first_places_stay_in_the_report(place: Place) -> None:
    old, new = place.compiled(TABLES, TOTALS), place.compiled(TABLES, WHERE)
    place.run(old)

    def run_on(report: ShadowReport) -> None:
        if report.rounds < 3:
            place.add({"sales": [sale("x", 2)]})
            place.run(old)

    options = RunOptions(checkpoint=str(place.checkpoint))
    report = shadow(place.spark, new, options, Limits(rows=1), run_on, promote=True)
    assert (report.rows_in, report.promoted, len(report.tables[0].parts)) == (2, 2, 1)


def test_a_rollback_and_rewinds_of_a_promotion(place: Place) -> None:
    old, new = place.compiled(TABLES, SOLD), place.compiled(TABLES, SOLD.replace("> 2", "> 3"))
    place.run(old)

    def run_on(report: ShadowReport) -> None:
        if report.rounds == 1:
            place.add({"sales": [sale("x", 4), sale("y", 3)]})
            place.run(old)

    promoted(place, new, run_on)
    checkpoint = str(place.checkpoint)
    with pytest.raises(CheckpointError, match="micro-batch 0 of generation 2 ran in a shadow run"):
        rewind(place.spark, checkpoint, "0")
    place.add({"sales": [sale("z", 9), sale("z", 3)]})
    place.run(new)
    assert sold(place) == [("x", 3), ("x", 4), ("y", 3), ("y", 5), ("z", 9)]
    # Behind the last micro-batch of the shadow, whose output is that of the old run.
    assert rewind(place.spark, checkpoint, "1").batches == 1
    assert sold(place) == [("x", 3), ("x", 4), ("y", 3), ("y", 5)]
    roll_back(place.spark, checkpoint)
    assert sold(place) == [("x", 3), ("x", 4), ("y", 3), ("y", 5), ("z", 9)]
    back = roll_back(place.spark, checkpoint)
    assert (back.generation, back.batches, [sink.rows for sink in back.sinks]) == (1, 1, [1])
    place.run(old)
    assert sold(place) == [("x", 3), ("x", 4), ("y", 3), ("y", 5), ("z", 3), ("z", 9), ("z", 9)]


@pytest.mark.wide
def test_a_shadow_that_is_not_due_follows_a_run_that_has_stopped(place: Place) -> None:
    place.run(place.compiled(TABLES, TOTALS))
    reports, options = list[ShadowReport](), RunOptions(checkpoint=str(place.checkpoint))

    def follow(report: ShadowReport) -> None:
        reports.append(report)
        assert place.heads() == [(1, "start")]

    new, due = place.compiled(TABLES, WHERE), lambda: len(reports) > 2
    report = shadow(place.spark, new, options, Limits(), follow, promote=True, due=due)
    # The last round is under the lock.
    assert (report.promoted, report.rounds) == (2, 4)


@pytest.mark.wide
def test_refusals_leave_nothing(place: Place) -> None:
    tables = TABLES + table("shops", "shop STRING, price INT, pieces INT")
    old = place.compiled(tables, TOTALS)
    place.run(old)
    place.add({"sales": [sale("x", 2)], "shops": []})
    before = digests(place.folder)
    union = "FROM (SELECT * FROM sales UNION ALL SELECT * FROM shops) AS s"
    with pytest.raises(UnsupportedError, match="--promote: the old run does not read shops"):
        promoted(place, place.compiled(tables, TOTALS.replace("FROM sales", union)))
    assert digests(place.folder) == before
    third = place.compiled(tables, together(TOTALS, "INSERT INTO sold SELECT shop, pieces FROM shops"))

    def change(report: ShadowReport) -> None:
        if report.rounds == 1:
            place.run(third)

    # Another program was started meanwhile.
    with pytest.raises(BusyError):
        promoted(place, place.compiled(tables, WHERE), change)
    assert place.heads() == [(1, "start"), (1, "start")]


@pytest.mark.wide
def test_a_difference_that_is_not_named_is_not_promoted(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = place.compiled(TABLES, TOTALS), place.compiled(TABLES, WHERE)
    monkeypatch.setattr("compiled_plan.plans.execution.shadow.rounds.named_columns", lambda *_: frozenset())
    place.run(old)

    def run_on(report: ShadowReport) -> None:
        if report.rounds == 1:
            place.add({"sales": [sale("x", 1)]})
            place.run(old)

    report = promoted(place, new, run_on)
    assert (report.outcome, report.promoted) == (Outcome.OTHERWISE, None)
    assert place.heads() == [(1, "start")]
    assert place.generations() == [1]
