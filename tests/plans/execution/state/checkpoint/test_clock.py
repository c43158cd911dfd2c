"""The clock of micro-batches, on simulated machine clocks."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar, cast

import pytest

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.spark.storage import LocalFolder
from compiled_plan.plans.execution.state.checkpoint import clock
from compiled_plan.plans.execution.state.checkpoint.clock import BatchClock, Reading
from compiled_plan.plans.execution.state.checkpoint.offsets import begun_at, progress_of
from compiled_plan.plans.execution.tables.sinks import Sinks
from compiled_plan.plans.inspection.checkpoints import WRITTEN
from compiled_plan.plans.inspection.ttl import parse_edit, set_ttls
from compiled_plan.plans.plan import CompiledPlan
from tests.plans.execution.state.checkpoint.places import Place, table
from tests.support.running import Running
from tests.support.waiting import wait_until

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000


@dataclass
class Machine:
    """Clocks set by the test.

    Args:
        now: their reading.
    """

    now: Reading

    def passes(self, millis: int) -> None:
        self.now = replace(self.now, wall=self.now.wall + millis, up=self.now.up + millis)

    def jumps(self, millis: int) -> None:
        self.now = replace(self.now, wall=self.now.wall + millis)

    def boots(self) -> None:
        self.now = replace(self.now, up=0, boot="another")


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    machine = Machine(Reading(1_000 * DAY, HOUR, "one"))
    monkeypatch.setattr(clock, "reading", lambda: machine.now)
    return machine


def restarted(machine: Machine, between: Callable[[], None], *, strict: bool = True) -> BatchClock:
    """The clock of a run after one that ended now, with a change in between."""
    before = machine.now
    between()
    return BatchClock("cp", before.wall, before, strict=strict)


@pytest.mark.parametrize("jump", [HOUR, DAY, -HOUR, -DAY])
def test_a_jump_is_refused_unless_it_is_allowed(machine: Machine, jump: int) -> None:
    last = machine.now.wall
    way = f"is {'1 h' if abs(jump) == HOUR else '1 d'} {'ahead' if jump > 0 else 'back'}"
    with pytest.raises(CheckpointError, match=rf"{way} since the last micro-batch.*\n.*\n.*--allow-clock-jump"):
        restarted(machine, lambda: machine.jumps(jump))
    machine.jumps(-jump)
    allowed = restarted(machine, lambda: machine.jumps(jump), strict=False)
    assert allowed.now() == last + max(0, jump)
    machine.jumps(-jump)
    run = BatchClock("cp")
    run.follow()
    machine.jumps(jump)
    before = run.now()
    with pytest.raises(CheckpointError, match=f"{way} in the run"):
        run.follow()
    assert run.now() == before, "it does not go by it"


def test_time_without_a_run_is_no_jump(machine: Machine) -> None:
    for absence in (HOUR, DAY, 40 * DAY):
        run = restarted(machine, lambda absence=absence: machine.passes(absence))  # type: ignore[misc]
        assert run.now() == machine.now.wall


def test_after_a_boot_a_week_counts_as_time_without_a_run(machine: Machine) -> None:
    def away(millis: int) -> Callable[[], None]:
        def between() -> None:
            machine.boots()
            machine.jumps(millis)

        return between

    for absence in (DAY, 7 * DAY, -MINUTE):
        machine.now = replace(machine.now, boot="one")
        restarted(machine, away(absence))
    for absence, said in ((8 * DAY, "8 d ahead of the last micro-batch"), (-HOUR, "1 h back of the last micro-batch")):
        machine.now = replace(machine.now, boot="one")
        with pytest.raises(CheckpointError, match=said):
            restarted(machine, away(absence))


def test_the_clock_is_monotonic_and_follows_corrections(machine: Machine) -> None:
    run = BatchClock("cp")
    seen = [run.now()]
    for correction in (-MINUTE, 2 * MINUTE, -5 * MINUTE, 0, 0, 0, 0, 9 * MINUTE):
        machine.passes(MINUTE)
        machine.jumps(correction)
        run.follow()
        seen.append(run.now())
    assert seen == sorted(seen)
    assert seen[-1] == machine.now.wall


class KernelClock:
    """The kernel's clock, recording each query that is started on it."""

    instances: ClassVar[list[KernelClock]] = []

    def __init__(self, last: int, now: int) -> None:
        self.last, self.now, self.queries = last, now, 0
        self.instances.append(self)

    def forNext(self, session: object, checkpoint: str) -> KernelClock:
        self.queries += 1
        return self

    def follow(self, now: int) -> None:
        self.now = now

    def close(self) -> None:
        pass


def test_all_queries_of_a_run_go_by_one_clock(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "java_class", lambda jvm, name: KernelClock)
    monkeypatch.setattr(KernelClock, "instances", [])
    session = cast("SparkSession", SimpleNamespace(_jvm="", _jsparkSession=None))
    run, begun = BatchClock("cp", machine.now.wall - MINUTE), machine.now.wall
    machine.passes(MINUTE)
    machine.jumps(DAY)
    for _ in range(2):
        with run.for_next(session, LocalFolder(tmp_path)):
            pass
    (kernel,) = KernelClock.instances
    assert (kernel.last, kernel.queries) == (begun - MINUTE, 2), "the second one does not go back"
    assert kernel.now == begun + MINUTE, "a jump before a query is not gone by"
    with pytest.raises(CheckpointError, match="1 d ahead in the run"):
        run.follow()


# ---- whole runs

TABLES = table("sales", "shop STRING, price INT") + table("counts", "k STRING, n BIGINT", "debezium-json")
COUNTS = "INSERT INTO counts SELECT shop, COUNT(*) FROM sales GROUP BY shop"


def with_ttl(plan: CompiledPlan, ttl: str) -> CompiledPlan:
    node = next(node for node in plan.nodes if node.state_entries)
    text, _ = set_ttls(plan.to_json(), [parse_edit(f"{node.id}.groupAggregateState={ttl}")])
    return CompiledPlan.from_json(text)


@pytest.fixture
def place(spark: SparkSession, tmp_path: Path) -> Place:
    place = Place(spark, tmp_path)
    place.add({"sales": [{"shop": "x", "price": 1}]})
    return place


def log(place: Place) -> tuple[int, int]:
    """The number and the time of the last micro-batch."""
    folder = LocalFolder(place.checkpoint / "generations/1")
    last = progress_of(folder).last
    assert last is not None
    return last, begun_at(folder, last)


@pytest.mark.wide
@pytest.mark.parametrize("jump", [HOUR, -DAY, *(pytest.param(jump, marks=pytest.mark.deep) for jump in (DAY, -HOUR))])
def test_a_start_on_a_clock_that_has_jumped_changes_nothing(place: Place, machine: Machine, jump: int) -> None:
    plan = with_ttl(place.compiled(TABLES, COUNTS), "30 min")
    place.run(plan)
    last = log(place)
    place.add({"sales": [{"shop": "x", "price": 1}]})
    machine.passes(MINUTE)
    machine.jumps(jump)
    assert "--allow-clock-jump" in place.refusal(plan)
    machine.jumps(-jump)
    place.run(plan)
    assert place.rows("counts") == [("x", 2)]
    assert log(place)[1] - last[1] in range(MINUTE - 5_000, MINUTE + 5_000)
    # The option accepts it: a jump ahead expires state, a jump back stops time.
    place.add({"sales": [{"shop": "x", "price": 1}]})
    before = log(place)
    machine.jumps(jump)
    place.run(plan, allow_clock_jump=True)
    assert place.rows("counts") == ([("x", 1), ("x", 2)] if jump > 0 else [("x", 3)])
    assert log(place)[1] - before[1] in (range(jump - 30_000, jump + 30_000) if jump > 0 else range(1_000))
    place.run(plan)


@pytest.mark.wide
def test_a_run_ends_before_it_uses_a_clock_that_jumped(place: Place, machine: Machine) -> None:
    plan = with_ttl(
        place.compiled(TABLES.replace("'json'", "'json', 'source.monitor-interval' = '1 s'"), COUNTS), "1 h"
    )
    run = place.started(plan, available_now=False, trigger="100 ms")
    with pytest.raises(CheckpointError, match="1 d ahead in the run"), Running(run):
        wait_until(lambda: place.rows("counts") == [("x", 1)])
        machine.jumps(DAY)
        place.add({"sales": [{"shop": "x", "price": 1}]})
        wait_until(lambda: not place.spark.streams.active)
    assert log(place)[1] < machine.now.wall - DAY + MINUTE
    machine.jumps(-DAY)
    place.run(plan)
    assert place.rows("counts") == [("x", 2)]


def test_a_jump_in_a_micro_batch_is_known_to_the_next_start(
    place: Place, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = with_ttl(place.compiled(TABLES, COUNTS), "1 h")
    with monkeypatch.context() as patched, suppress(CheckpointError):
        count = Sinks.count

        def jump_and_count(*arguments: Any, **named: Any) -> None:
            machine.jumps(DAY)
            count(*arguments, **named)

        patched.setattr(Sinks, "count", jump_and_count)
        place.run(plan)
    assert place.rows("counts") == [("x", 1)]
    assert "1 d ahead since the last micro-batch" in place.refusal(plan)
    machine.jumps(-DAY)
    place.run(plan)


@pytest.mark.wide
def test_plans_without_timers_start_after_any_jump(place: Place, machine: Machine) -> None:
    plan = place.compiled(TABLES, COUNTS)
    place.run(plan)
    before = log(place)
    place.add({"sales": [{"shop": "x", "price": 1}]})
    machine.jumps(-DAY)
    place.run(plan)
    assert place.rows("counts") == [("x", 2)]
    assert log(place)[0] > before[0]
    assert log(place)[1] >= before[1], "time never goes back"


@pytest.mark.wide
def test_checkpoints_of_earlier_releases_have_no_reading(place: Place, machine: Machine) -> None:
    plan = with_ttl(place.compiled(TABLES, COUNTS), "1 h")
    place.run(plan)
    written = place.checkpoint / "generations/1" / WRITTEN
    document = json.loads(written.read_text())
    del document["clock"], document["digest"]
    written.write_text(json.dumps(document))
    machine.jumps(DAY)
    place.started(plan)
    machine.jumps(-2 * DAY)
    assert "1 d back of the last micro-batch" in place.refusal(plan)
