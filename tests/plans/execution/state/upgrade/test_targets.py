"""Targets of rewinds: forms, and the micro-batches that they name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import pytest

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.spark.storage import LocalFolder
from compiled_plan.plans.execution.state.checkpoint.store import Generation, Store
from compiled_plan.plans.execution.state.upgrade.targets import Point, Target, resolved
from compiled_plan.plans.inspection.checkpoints import Origin, ProgramFiles
from compiled_plan.plans.inspection.diff.description import Description

HOUR = 3_600_000
SOURCES = [{"name": "shop.orders", "names": ["orders"]}, {"name": "files", "names": ["files"]}]
DESCRIPTION = cast("Description", {"sources": SOURCES})


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("57", Target("57", 57)),
        ("1/57", Target("1/57", 57, 1)),
        ("1970-01-01T01:00:00Z", Target("1970-01-01T01:00:00Z", time=HOUR)),
        ("1970-01-01T01:00", Target("1970-01-01T01:00", time=HOUR)),
        ("1970-01-01T01:00+01:00", Target("1970-01-01T01:00+01:00", time=0)),
        ("orders:0=1500", Target("orders:0=1500", offset=("orders", "0", 1500))),
        ("a.b:t/0=7", Target("a.b:t/0=7", offset=("a.b", "t/0", 7))),
    ],
)
def test_the_forms_of_a_target(text: str, parsed: Target) -> None:
    assert Target.parse(text) == parsed


@pytest.mark.parametrize("text", ["", "-1", "friday", "1/", "orders=5", "orders:0=x", "1/2/3"])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(CheckpointError, match="no target of a rewind") as refused:
        Target.parse(text)
    assert "1/57" in str(refused.value)


def generation(store: Store, batches: range, origin: Origin | None = None) -> Generation:
    """A generation whose micro-batch n was planned for hour n, and read up to offset 10 n."""
    new = store.new_generation({}, f"run-{store.next_generation()}", origin)
    for batch in batches:
        about = json.dumps({"batchWatermarkMs": 0, "batchTimestampMs": batch * HOUR})
        position = json.dumps({"topic": {"0": 10 * batch}})
        new.folder.write_text(f"offsets/{batch}", f'v2\n{about}\norders:{position}\nfiles:{{"logOffset":{batch}}}')
        new.folder.write_text(f"commits/{batch}", 'v2\n{"nextBatchWatermarkMs":0}')
    store.publish(new.number, store.new_program(new, ProgramFiles("{}", "{}")), "start")
    return new


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Generation 1 has run micro-batches up to 9 and retains those from 5 on; 2 went back to 7, and ran up to 8."""
    store = Store(LocalFolder(tmp_path))
    generation(store, range(5, 10))
    generation(store, range(5, 9), Origin(1, 1, 7))
    return store


@pytest.mark.parametrize(
    ("text", "current", "point"),
    [
        ("5", 1, Point(1, 5)),
        ("9", 1, Point(1, 9)),
        ("8", 2, Point(2, 8)),
        ("7", 2, Point(2, 7)),
        ("6", 2, Point(1, 6)),
        ("1/9", 2, Point(1, 9)),
        ("1970-01-01T06:59", 1, Point(1, 6)),
        ("1970-01-01T07:00", 1, Point(1, 7)),
        ("1970-01-02", 1, Point(1, 9)),
        ("1970-01-01T06:00", 2, Point(1, 6)),
        ("orders:0=69", 1, Point(1, 6)),
        ("orders:0=70", 1, Point(1, 7)),
        ("shop.orders:topic/0=70", 1, Point(1, 7)),
        ("orders:1=0", 1, Point(1, 9)),
    ],
)
def test_the_micro_batch_of_a_target(store: Store, text: str, current: int, point: Point) -> None:
    assert resolved(store, Target.parse(text), current, DESCRIPTION) == point


def test_a_time_before_a_migration_is_one_of_the_generation_before(store: Store) -> None:
    generation(store, range(10, 12), Origin(2, 1))
    assert resolved(store, Target.parse("1970-01-01T10:30"), 3, DESCRIPTION) == Point(3, 10)
    assert resolved(store, Target.parse("1970-01-01T08:30"), 3, DESCRIPTION) == Point(2, 8)
    assert resolved(store, Target.parse("orders:0=69"), 3, DESCRIPTION) == Point(1, 6)
    with pytest.raises(CheckpointError, match="generation 3 retains micro-batches 10 to 11"):
        resolved(store, Target.parse("6"), 3, DESCRIPTION)
    with pytest.raises(CheckpointError, match="generation 1 retains micro-batches 5 to 9"):
        resolved(store, Target.parse("1970-01-01T04:00"), 3, DESCRIPTION)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("4", "generation 1 retains micro-batches 5 to 9, begun 1970-01-01T05:00:00.00:00 to 1970-01-01T09:00:00"),
        ("10", "generation 1 retains micro-batches 5 to 9"),
        ("1970-01-01T04:00", "generation 1 retains micro-batches 5 to 9"),
        ("orders:0=49", "generation 1 retains micro-batches 5 to 9"),
        ("3/1", "no generation 3"),
        ("files:0=1", "table files has no offsets by partition"),
        ("others:0=1", "the program reads no table others"),
    ],
)
def test_a_micro_batch_that_is_not_retained_is_refused(store: Store, text: str, said: str) -> None:
    with pytest.raises(CheckpointError, match=said):
        resolved(store, Target.parse(text), 1, DESCRIPTION)
