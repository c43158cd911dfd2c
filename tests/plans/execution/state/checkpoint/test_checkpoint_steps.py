"""Starts that fail between any two steps on disk: the head's content is complete, and the next start finds it."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.spark.storage import LocalFolder
from compiled_plan.plans.execution.state.checkpoint import store as store_module
from compiled_plan.plans.execution.state.checkpoint.store import Store
from compiled_plan.plans.inspection.checkpoints import FORMAT, ProgramFiles
from tests.plans.execution.disk_steps import Crash, DiskSteps

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NO_SPARK = cast("SparkSession", None)


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> DiskSteps:
    held = SimpleNamespace(holds=lambda: True, release=lambda remove: None)
    monkeypatch.setattr(store_module, "lock", lambda *arguments: held)
    monkeypatch.setattr(os, "fsync", lambda number: None)
    return DiskSteps(monkeypatch)


def files(name: str) -> ProgramFiles:
    plan, description, state = (json.dumps({what: name}) for what in ("plan", "description", "state"))
    return ProgramFiles(plan, description, json.dumps([name]), state)


def start(root: Path, name: str) -> None:
    """The disk operations of a start."""
    store = Store(LocalFolder(root), "1.0")
    with store.locked(NO_SPARK):
        head = store.head()
        if head is None:
            generation = store.new_generation({"product": "1.0"}, f"run-{name}")
        else:
            generation = store.generation(head.generation)
        store.publish(generation.number, store.new_program(generation, files(name)), "start")


def held(root: Path) -> tuple[str, str] | None:
    """The current program, and the run that created its generation."""
    store = Store(LocalFolder(root))
    head = store.head()
    if head is None:
        return None
    program, generation = store.program(head), store.generation(head.generation)
    name = json.loads(program.plan)["plan"]
    assert program == files(name), "all files of one program"
    return name, generation.run_id


def crashes(disk: DiskSteps, work: Callable[[], object]) -> Iterator[None]:
    """Let `work` fail before and after each of its steps, until it succeeds."""
    for before in itertools.count():
        for last in (None, done_or_half_written):
            disk.allow(before, last)
            try:
                work()
            except Crash:
                disk.allow()
                yield
                continue
            assert before >= 10, "a start has steps"
            return


def done_or_half_written(step: Callable[..., Any], folder: LocalFolder, path: Path, *more: Any, **named: Any) -> None:
    if step.__name__ == "_write":
        path.write_text(more[0][: len(more[0]) // 2])
    else:
        step(folder, path, *more, **named)


def test_a_first_start_that_crashes_at_any_step(tmp_path: Path, disk: DiskSteps) -> None:
    number = 0

    def work() -> None:
        start(tmp_path / str(number), "one")

    seen = set()
    for _ in crashes(disk, work):
        holder = held(tmp_path / str(number))
        assert holder in (None, ("one", "run-one"))
        seen.add(holder)
        start(tmp_path / str(number), "two")
        assert held(tmp_path / str(number)) == ("two", "run-two" if holder is None else "run-one")
        generations = tmp_path / str(number) / "generations"
        assert [path.name for path in generations.iterdir()] == ["1"], "what was not published is gone"
        assert not list((tmp_path / str(number)).rglob("*.tmp"))
        number += 1
    assert len(seen) == 2


@pytest.mark.wide
def test_a_later_start_that_crashes_at_any_step(tmp_path: Path, disk: DiskSteps) -> None:
    start(tmp_path, "one")
    seen, number = set(), 0

    def work() -> None:
        start(tmp_path, f"at {number}")

    for _ in crashes(disk, work):
        holder = held(tmp_path)
        assert holder is not None
        assert holder[1] == "run-one"
        assert holder[0] in ("one" if number == 0 else "again", f"at {number}")
        seen.add(holder[0] == f"at {number}")
        number += 1
        start(tmp_path, "again")
        assert held(tmp_path) == ("again", "run-one")
    assert seen == {False, True}
    heads = Store(LocalFolder(tmp_path)).heads()
    assert [head.number for head in heads] == list(range(1, len(heads) + 1)), "the history is whole"


def test_a_head_with_an_older_generation_is_a_rollback(tmp_path: Path, disk: DiskSteps) -> None:
    start(tmp_path, "one")
    store = Store(LocalFolder(tmp_path), "1.0")
    with store.locked(NO_SPARK):
        generation = store.new_generation({}, "run-two")
        store.publish(generation.number, store.new_program(generation, files("two")), "upgrade")
    assert held(tmp_path) == ("two", "run-two")
    with store.locked(NO_SPARK):
        first = store.heads()[0]
        store.publish(first.generation, first.program, f"back to head {first.number}")
    assert held(tmp_path) == ("one", "run-one")
    start(tmp_path, "three")
    assert [(head.generation, head.by) for head in store.heads()] == [
        (1, "start"),
        (2, "upgrade"),
        (1, "back to head 1"),
        (1, "start"),
    ]


def test_a_head_is_never_overwritten(tmp_path: Path) -> None:
    folder = LocalFolder(tmp_path)
    folder.create_text("heads/1", "mine")
    with pytest.raises(FileExistsError):
        folder.create_text("heads/1", "yours")
    assert (tmp_path / "heads" / "1").read_text() == "mine"
    assert [path.name for path in (tmp_path / "heads").iterdir()] == ["1"]


def test_a_start_that_publishes_nothing_leaves_nothing(tmp_path: Path, disk: DiskSteps) -> None:
    root = tmp_path / "new"
    with Store(LocalFolder(root)).locked(NO_SPARK):
        Store(LocalFolder(root)).new_generation({}, "run")
        assert root.is_dir()
    assert not root.exists()
    start(tmp_path, "one")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    store = Store(LocalFolder(tmp_path))
    with store.locked(NO_SPARK):
        store.new_program(store.generation(1), files("two"))
        store.new_generation({}, "run")
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("compiled-plan/layout.json", "{}", "the form of an earlier release"),
        ("offsets/0", "v1", "did not start"),
        ("heads/1", json.dumps({"format": FORMAT + 1, "product": "9.0"}), "of release 9.0; this release reads form"),
        ("heads/1", "{", "heads/1 of the checkpoint is missing or cannot be read"),
    ],
)
def test_foreign_heads_are_refused(tmp_path: Path, name: str, text: str, said: str) -> None:
    LocalFolder(tmp_path).write_text(name, text)
    with pytest.raises(CheckpointError, match=said) as refused:
        Store(LocalFolder(tmp_path)).head()
    assert "try: " in str(refused.value)
    assert str(tmp_path) in str(refused.value)
