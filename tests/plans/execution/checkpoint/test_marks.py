"""How far partitions are in event time, beside a model that knows the whole past; what a checkpoint keeps of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiled_plan.plans.execution.checkpoint.marks import (
    Marks,
    Partition,
    Silence,
    SourceMarks,
    carry_marks,
    least,
    marks_of_ticks,
    position_of,
    read_marks,
    write_marks,
)
from compiled_plan.plans.execution.spark.storage import LocalFolder
from compiled_plan.plans.inspection.checkpoints import TICKS, WATERMARKS

NEVER = Silence(0, 10**9)


def source(mark: int | None = None, **marks: int | None) -> SourceMarks:
    return SourceMarks({name: Partition(each, 0) for name, each in marks.items()}, mark)


@pytest.mark.parametrize(
    ("before", "silence", "mark"),
    [
        pytest.param(source(a=10, b=20), NEVER, 10, id="the least of its partitions"),
        pytest.param(source(a=10, b=None), NEVER, None, id="one that has given nothing holds it back"),
        pytest.param(source(5, a=10, b=None), NEVER, 5, id="and leaves it where it is"),
        pytest.param(source(30, a=10, b=20), NEVER, 30, id="it never goes back"),
        pytest.param(source(), NEVER, None, id="no partitions"),
        pytest.param(source(7, a=10, b=20), Silence(100, 100), 20, id="all idle: the largest"),
        pytest.param(source(7, a=10, b=None), Silence(100, 100), 10, id="all idle, one has given nothing"),
        pytest.param(source(7, a=None), Silence(100, 100), 7, id="all idle, none has given anything"),
        pytest.param(source(7, a=10, b=20), Silence(100, 99), 10, id="not idle yet"),
        pytest.param(source(7, a=10, b=20), Silence(100, 199, 100), 10, id="not idle before it could be read"),
    ],
)
def test_the_watermark_of_a_source(before: SourceMarks, silence: Silence, mark: int | None) -> None:
    assert before.moved(silence).mark == mark


def test_a_silent_partition_is_left_out_until_it_gives_a_row() -> None:
    silence = Silence(100, 150)
    found = source(a=10, b=None).after({"a": 40}, now=120).moved(silence)
    assert found.mark == 40
    # It comes back behind the watermark, which waits for it.
    found = found.after({"a": 90, "b": 20}, now=160).moved(Silence(100, 200))
    assert found.mark == 40
    assert found.after({"b": 60}, now=210).moved(Silence(100, 200)).mark == 60


def test_a_row_without_a_time_is_a_sign_of_life() -> None:
    found = source(a=10, b=5).after({"b": None}, now=120)
    assert found.partitions["b"] == Partition(5, 120)
    assert found.moved(Silence(100, 150)).mark == 5


def test_the_watermark_of_a_query_is_that_of_sources_that_are_not_idle() -> None:
    one, other = source(10, a=10), source(20, a=20)
    silent, never = Silence(100, 100), NEVER
    assert least({"one": one, "other": other}, {"one": never, "other": never}) == 10
    assert least({"one": one, "other": other}, {"one": silent, "other": never}) == 20
    assert least({"one": one, "other": other}, {"one": silent, "other": silent}) == 20
    assert least({"one": one, "other": source(a=None)}, {"one": never, "other": never}) is None
    # No topic of a pattern is there yet.
    assert least({"one": one, "other": source()}, {"one": never, "other": never}) is None
    assert least({"one": one, "other": source()}, {"one": never, "other": silent}) == 10


def test_partitions_come_and_go() -> None:
    found = source(10, a=10, b=20).with_partitions(("a", "c"), now=50)
    assert found.partitions == {"a": Partition(10, 0), "c": Partition(None, 50)}
    # A new partition holds the watermark where it is, until it gives rows or is idle.
    assert found.after({"a": 90}, now=60).moved(NEVER).mark == 10
    assert found.after({"a": 90}, now=160).moved(Silence(100, 160)).mark == 90


BATCHES = st.lists(
    st.tuples(
        st.integers(1, 50),
        st.dictionaries(st.sampled_from("abc"), st.one_of(st.none(), st.integers(0, 100)), max_size=3),
    ),
    max_size=12,
)


@given(BATCHES, st.sampled_from([0, 20, 60]))
def test_any_batches_give_what_the_whole_past_gives(
    batches: list[tuple[int, dict[str, int | None]]], timeout: int
) -> None:
    """A micro-batch after so many ms; the model goes through all rows again."""
    found, now, wanted = SourceMarks().with_partitions("abc", 0), 0, None
    past: list[tuple[int, dict[str, int | None]]] = [(0, {})]
    for wait, rows in batches:
        now += wait
        past.append((now, rows))
        found = found.after(rows, now).moved(Silence(timeout, now))
        active: list[float] = []
        highest: list[float] = []
        for name in "abc":
            last = max(at for at, given in past if name in given or at == 0)
            known = [mark for _, given in past if (mark := given.get(name)) is not None]
            highest.append(max(known, default=float("-inf")))
            if not timeout or now - last < timeout:
                active.append(highest[-1])
        reached = min(active) if active else max(highest)
        if reached >= 0:
            wanted = int(reached) if wanted is None else max(wanted, int(reached))
        assert found.mark == wanted


def test_what_a_checkpoint_keeps(tmp_path: Path) -> None:
    folder = LocalFolder(tmp_path)
    assert read_marks(folder) == Marks()
    kept = Marks(3, {"t": source(1, a=1)}, {"t": source(2, a=2, b=None)})
    write_marks(folder, kept)
    assert read_marks(folder) == kept
    new = LocalFolder(tmp_path / "new")
    carry_marks(folder, new)
    assert read_marks(new) == Marks(0, {}, kept.after)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"batch": 1, "after": {"t": 3}}'])
def test_what_nobody_can_read_is_as_if_it_were_not_there(tmp_path: Path, text: str) -> None:
    folder = LocalFolder(tmp_path)
    folder.write_text(WATERMARKS, text)
    assert read_marks(folder) == Marks()


def test_a_batch_that_runs_again_begins_as_it_did() -> None:
    before, after = {"t": source(1, a=1)}, {"t": source(2, a=2)}
    kept = Marks(3, before, after)
    assert kept.entering(3, 70) == before
    assert kept.entering(4, 70) == after
    # Nobody watched micro-batch 4: how long the partition is silent is not known.
    assert kept.entering(5, 70) == {"t": SourceMarks({"a": Partition(2, 70)}, 2)}
    assert kept.entering(2, 70) == {}


def batch_done(folder: LocalFolder, number: int, ticks: str | None) -> None:
    """A batch in Spark's logs; with the position of ticks, one of real-time mode."""
    position = [] if ticks is None else [f"{TICKS}:{ticks}"]
    folder.write_text(f"offsets/{number}", "\n".join(["v2", '{"batchWatermarkMs": 5}', 't:{"t":{"0":3}}', *position]))
    folder.write_text(f"commits/{number}", 'v1\n{"nextBatchWatermarkMs": 7}')


def test_what_real_time_mode_had_reached_is_the_position_of_ticks(tmp_path: Path) -> None:
    folder = LocalFolder(tmp_path)
    assert marks_of_ticks(folder) is None
    write_marks(folder, Marks(0, {}, {"t": source(a=1)}))
    batch_done(folder, 0, None)
    assert read_marks(folder).after == {"t": source(a=1)}
    told = {"t": {"mark": 10, "partitions": {"a": [10, 70], "b": [20, 80]}}, "s": {"mark": None, "partitions": {}}}
    batch_done(folder, 1, json.dumps({"mark": 15, "sources": told}))
    found = read_marks(folder)
    # What the query had reached, some source was idle then, holds for each.
    partitions = {"a": Partition(10, 70), "b": Partition(20, 80)}
    assert found == Marks(1, {}, {"t": SourceMarks(partitions, 15), "s": SourceMarks({}, 15)})
    assert found.entering(2, 99) == found.after
    kept = json.loads(position_of(found))
    assert kept == {"mark": None, "sources": {"t": {**told["t"], "mark": 15}, "s": {**told["s"], "mark": 15}}}
    # As a run without event time writes it, and one in micro-batches.
    for number, position in ((2, "0"), (3, "{}"), (4, None)):
        batch_done(folder, number, position)
        assert marks_of_ticks(folder) is None
