"""Event-time positions of partitions, against a model with the whole history; their form in a checkpoint."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiled_plan.plans.execution.spark.storage import LocalFolder
from compiled_plan.plans.execution.state.checkpoint.marks import (
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
from compiled_plan.plans.inspection.checkpoints import TICKS, WATERMARKS

NEVER = Silence(0, 10**9)


def source(mark: int | None = None, **marks: int | None) -> SourceMarks:
    return SourceMarks({name: Partition(reached, 0) for name, reached in marks.items()}, mark)


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


def test_an_idle_partition_is_left_out_until_its_next_row() -> None:
    silence = Silence(100, 150)
    after = source(a=10, b=None).after({"a": 40}, now=120).moved(silence)
    assert after.mark == 40
    # The partition comes back behind the watermark, which waits for it.
    after = after.after({"a": 90, "b": 20}, now=160).moved(Silence(100, 200))
    assert after.mark == 40
    assert after.after({"b": 60}, now=210).moved(Silence(100, 200)).mark == 60


def test_a_row_without_a_time_is_a_sign_of_life() -> None:
    after = source(a=10, b=5).after({"b": None}, now=120)
    assert after.partitions["b"] == Partition(5, 120)
    assert after.moved(Silence(100, 150)).mark == 5


def test_the_watermark_of_a_query_is_that_of_sources_that_are_not_idle() -> None:
    first, second = source(10, a=10), source(20, a=20)
    silent, never = Silence(100, 100), NEVER
    assert least({"one": first, "other": second}, {"one": never, "other": never}) == 10
    assert least({"one": first, "other": second}, {"one": silent, "other": never}) == 20
    assert least({"one": first, "other": second}, {"one": silent, "other": silent}) == 20
    assert least({"one": first, "other": source(a=None)}, {"one": never, "other": never}) is None
    # No topic of a pattern exists yet.
    assert least({"one": first, "other": source()}, {"one": never, "other": never}) is None
    assert least({"one": first, "other": source()}, {"one": never, "other": silent}) == 10


def test_partitions_come_and_go() -> None:
    actual = source(10, a=10, b=20).with_partitions(("a", "c"), now=50)
    assert actual.partitions == {"a": Partition(10, 0), "c": Partition(None, 50)}
    # A new partition holds the watermark until it delivers rows or is idle.
    assert actual.after({"a": 90}, now=60).moved(NEVER).mark == 10
    assert actual.after({"a": 90}, now=160).moved(Silence(100, 160)).mark == 90


BATCHES = st.lists(
    st.tuples(
        st.integers(1, 50),
        st.dictionaries(st.sampled_from("abc"), st.one_of(st.none(), st.integers(0, 100)), max_size=3),
    ),
    max_size=12,
)


@given(BATCHES, st.sampled_from([0, 20, 60]))
def test_any_batching_equals_the_model_of_the_whole_history(
    batches: list[tuple[int, dict[str, int | None]]], timeout: int
) -> None:
    """A micro-batch after so many ms; the model processes all rows again."""
    marks, now, wanted = SourceMarks().with_partitions("abc", 0), 0, None
    past: list[tuple[int, dict[str, int | None]]] = [(0, {})]
    for wait, rows in batches:
        now += wait
        past.append((now, rows))
        marks = marks.after(rows, now).moved(Silence(timeout, now))
        active: list[float] = []
        highest: list[float] = []
        for name in "abc":
            last = max(at for at, events in past if name in events or at == 0)
            known = [mark for _, events in past if (mark := events.get(name)) is not None]
            highest.append(max(known, default=float("-inf")))
            if not timeout or now - last < timeout:
                active.append(highest[-1])
        reached = min(active) if active else max(highest)
        if reached >= 0:
            wanted = int(reached) if wanted is None else max(wanted, int(reached))
        assert marks.mark == wanted


def test_positions_in_a_checkpoint(tmp_path: Path) -> None:
    folder = LocalFolder(tmp_path)
    assert read_marks(folder) == Marks()
    marks = Marks(3, {"t": source(1, a=1)}, {"t": source(2, a=2, b=None)})
    write_marks(folder, marks)
    assert read_marks(folder) == marks
    new = LocalFolder(tmp_path / "new")
    carry_marks(folder, new)
    assert read_marks(new) == Marks(0, {}, marks.after)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"batch": 1, "after": {"t": 3}}'])
def test_unreadable_positions_are_ignored(tmp_path: Path, text: str) -> None:
    folder = LocalFolder(tmp_path)
    folder.write_text(WATERMARKS, text)
    assert read_marks(folder) == Marks()


def test_a_repeated_batch_begins_at_the_same_positions() -> None:
    before, after = {"t": source(1, a=1)}, {"t": source(2, a=2)}
    marks = Marks(3, before, after)
    assert marks.entering(3, 70) == before
    assert marks.entering(4, 70) == after
    # Nobody watched micro-batch 4: the duration of the silence is unknown.
    assert marks.entering(5, 70) == {"t": SourceMarks({"a": Partition(2, 70)}, 2)}
    assert marks.entering(2, 70) == {}


def batch_done(folder: LocalFolder, number: int, ticks: str | None) -> None:
    """A batch in Spark's logs; with the position of ticks, one of real-time mode."""
    position = [] if ticks is None else [f"{TICKS}:{ticks}"]
    folder.write_text(f"offsets/{number}", "\n".join(["v2", '{"batchWatermarkMs": 5}', 't:{"t":{"0":3}}', *position]))
    folder.write_text(f"commits/{number}", 'v1\n{"nextBatchWatermarkMs": 7}')


def test_positions_of_real_time_mode_are_those_of_ticks(tmp_path: Path) -> None:
    folder = LocalFolder(tmp_path)
    assert marks_of_ticks(folder) is None
    write_marks(folder, Marks(0, {}, {"t": source(a=1)}))
    batch_done(folder, 0, None)
    assert read_marks(folder).after == {"t": source(a=1)}
    sources = {"t": {"mark": 10, "partitions": {"a": [10, 70], "b": [20, 80]}}, "s": {"mark": None, "partitions": {}}}
    batch_done(folder, 1, json.dumps({"mark": 15, "sources": sources}))
    marks = read_marks(folder)
    # Since some source was idle then, the query's position applies to each.
    partitions = {"a": Partition(10, 70), "b": Partition(20, 80)}
    assert marks == Marks(1, {}, {"t": SourceMarks(partitions, 15), "s": SourceMarks({}, 15)})
    assert marks.entering(2, 99) == marks.after
    document = json.loads(position_of(marks))
    assert document == {"mark": None, "sources": {"t": {**sources["t"], "mark": 15}, "s": {**sources["s"], "mark": 15}}}
    # As written by a run without event time, and by one in micro-batches.
    for number, position in ((2, "0"), (3, "{}"), (4, None)):
        batch_done(folder, number, position)
        assert marks_of_ticks(folder) is None
