"""Random programs in both modes, without Spark: chained operators, rows in any order that the mode allows.

In micro-batches an operator sees the rows of a batch key by key. In real-time mode it sees each row by itself, with
ticks in between, in the order of each upstream task and in no order between these. Both must result in the table that
is computed from the remaining rows, and retract nothing that is not there.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.plans.execution.operators import test_aggregate, test_join, test_rank
from tests.support.kernel.changelogs import Batches, retract_streams
from tests.support.kernel.harness import Change, Harness, Step, Table, Values, add_up

_TASKS = 2
_TICK = Step(0, [])
#: Input of each operator.
Checkpoint = list[list[Step]]


@dataclass(frozen=True)
class Stage:
    """An operator of a program.

    Args:
        spec: the kernel's description.
        key: the key of an input row.
        model: its output table for the tables of its inputs.
    """

    spec: dict[str, Any]
    key: Callable[[Values], str]
    model: Callable[[Sequence[Table]], Table]


def joins(type_: str) -> Stage:
    return Stage(test_join.spec(type_), lambda row: str(row[0]), lambda tables: test_join.joined(type_, False, *tables))


def aggregates(width: int, group: int, value: int) -> Stage:
    """Groups of rows: count, sum and maximum."""
    aggs = [("$COUNT$1", []), ("$SUM$1", [value]), ("$MAX$1", [value])]
    spec = test_aggregate.spec(
        [{"function": name, "args": args, "needRetract": True} for name, args in aggs],
        ["BIGINT", "INT", "INT"],
        grouping=[group],
        needRetraction=True,
        inputTypes=[["INT"] * width],
        outputTypes=["INT", "BIGINT", "INT", "INT"],
    )

    def model(tables: Sequence[Table]) -> Table:
        groups: dict[Any, list[Any]] = {}
        for row in tables[0].elements():
            groups.setdefault(row[group], []).append(row[value])
        return Counter(
            (of, len(members), sum(there), max(there)) if there else (of, len(members), None, None)
            for of, members in groups.items()
            for there in [[value for value in members if value is not None]]
        )

    return Stage(spec, lambda row: str(row[group]), model)


def counts() -> Stage:
    """Number of groups by number of rows, behind `aggregates`: it retracts whatever that retracts."""
    spec = test_aggregate.spec(
        [{"function": "$COUNT$1", "args": []}],
        ["BIGINT"],
        grouping=[1],
        needRetraction=True,
        inputTypes=[["INT", "BIGINT", "INT", "INT"]],
        outputTypes=["BIGINT", "BIGINT"],
    )

    def model(tables: Sequence[Table]) -> Table:
        return Counter(Counter(row[1] for row in tables[0].elements()).items())

    return Stage(spec, lambda row: str(row[1]), model)


def ranks() -> Stage:
    """The two largest groups behind `aggregates`."""
    order = [{"index": 1, "ascending": False}, {"index": 0, "ascending": True, "nullsLast": True}]
    columns = ["INT", "BIGINT", "INT", "INT"]
    spec = test_rank.spec("retract", inputTypes=[columns], outputTypes=columns, orderBy=order)

    def model(tables: Sequence[Table]) -> Table:
        ranked = sorted(tables[0].elements(), key=lambda row: (-row[1], row[0] is None, row[0]))
        return Counter(ranked[:2])

    return Stage(spec, lambda row: "", model)


LAST: dict[str, Callable[[], list[Stage]]] = {"counts": lambda: [counts()], "ranks": lambda: [ranks()], "": list}


def program(type_: str, last: str) -> list[Stage]:
    """A join, an aggregate, and a following operator."""
    width = len(test_join.spec(type_)["outputTypes"])
    return [joins(type_), aggregates(width, group=1, value=width - 2), *LAST[last]()]


def in_batches(harness: Harness, stages: Sequence[Stage], batches: Batches) -> Iterable[Change]:
    """Output in micro-batches."""
    for stage in stages:
        steps = [Step(number, [keyed(stage, row) for row in rows]) for number, rows in enumerate(batches)]
        batches = [[replace(row, port=0) for row in answer.out] for answer in harness.run(stage.spec, steps)]
    return [row for rows in batches for row in rows]


def one_by_one(
    harness: Harness, stages: Sequence[Stage], inputs: Sequence[Sequence[Change]], chance: random.Random
) -> Iterable[Change]:
    """Output in real-time mode."""
    return since(harness, stages, inputs, chance, [[] for _ in stages])[0]


def since(
    harness: Harness,
    stages: Sequence[Stage],
    inputs: Sequence[Sequence[Change]],
    chance: random.Random,
    checkpoint: Checkpoint,
) -> tuple[list[Change], Checkpoint]:
    """Output after a restart from a checkpoint, and the next checkpoint."""
    after: Checkpoint = []
    for stage, before in zip(stages, checkpoint, strict=True):
        steps: list[Step] = []
        for time, row in enumerate(interleaved(inputs, chance)):
            steps.append(Step(time, [keyed(stage, row)]))
            if chance.random() < 0.2:
                steps.append(replace(_TICK, time=time))
        tasks: list[list[Change]] = [[] for _ in range(_TASKS)]
        after.append([*before, *steps])
        for answer in harness.run(stage.spec, after[-1])[len(before) :]:
            for row in answer.out:
                tasks[crc32(row.key.encode()) % _TASKS].append(replace(row, port=0))
        inputs = tasks
    return list(interleaved(inputs, chance)), after


def interleaved(inputs: Sequence[Sequence[Change]], chance: random.Random) -> Iterable[Change]:
    """The rows of several tasks, each in its order."""
    left = [list(reversed(rows)) for rows in inputs if rows]
    while left:
        rows = chance.choice(left)
        yield rows.pop()
        left = [batch for batch in left if batch]


def keyed(stage: Stage, row: Change) -> Change:
    return replace(row, key=stage.key(row.values))


def reference(stages: Sequence[Stage], batches: Batches) -> Table:
    """The table, computed from the remaining rows."""
    rows = [row for batch in batches for row in batch]
    tables = [add_up(row for row in rows if row.port == port) for port in (0, 1)]
    for stage in stages:
        tables = [stage.model(tables)]
    return tables[0]


ROWS = st.tuples(st.none() | st.integers(0, 2), st.integers(0, 3))
TYPES = ("INNER", "LEFT", "FULL", "SEMI", "ANTI")
#: Programs of the default suite: all joins and all last operators; the padding joins before each operator of state.
QUICK = {("INNER", ""), ("LEFT", "counts"), ("FULL", "ranks"), ("SEMI", "ranks"), ("ANTI", "counts")}


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("type_", "last"),
    [
        pytest.param(type_, last, marks=() if (type_, last) in QUICK else pytest.mark.deep)
        for type_, last in product(TYPES, LAST)
    ],
)
@given(batches=retract_streams(ROWS, ports=2), seed=st.integers(0, 2**32))
def test_both_modes_result_in_the_table_of_the_remaining_rows(
    harness: Harness, type_: str, last: str, batches: Batches, seed: int
) -> None:
    stages = program(type_, last)
    expected = reference(stages, batches)
    assert add_up(in_batches(harness, stages, batches)) == expected
    rows = [row for batch in batches for row in batch]
    assert add_up(one_by_one(harness, stages, sources(rows), random.Random(seed))) == expected


def sources(rows: Iterable[Change]) -> list[list[Change]]:
    all_rows = list(rows)
    return [[row for row in all_rows if row.port == port] for port in (0, 1)]


def killed(
    harness: Harness, stages: Sequence[Stage], runs: Sequence[Sequence[Sequence[Change]]], chance: random.Random
) -> Table:
    """A table by key, written by a batch, a killed one, and one that resumes from the same place.

    Args:
        runs: the inputs of each of the three.
    """
    first, lost, again = runs
    empty: Checkpoint = [[] for _ in stages]
    changes, checkpoint = since(harness, stages, first, chance, empty)
    changes += since(harness, stages, lost, chance, checkpoint)[0]
    changes += since(harness, stages, again, chance, checkpoint)[0]
    table: dict[Any, Values] = {}
    for change in changes:
        if change.adds:
            table[change.values[0]] = change.values
        elif change.kind == "-D":
            table.pop(change.values[0], None)
    return Counter(table.values())


@pytest.mark.parametrize("last", ["counts", ""])
@given(
    batches=retract_streams(ROWS, ports=2, insert_only=True),
    seed=st.integers(0, 2**32),
    parts=st.tuples(st.floats(0, 1), st.floats(0, 1)),
)
def test_a_kill_leaves_the_last_row_of_each_key_right(
    harness: Harness, last: str, batches: Batches, seed: int, parts: tuple[float, float]
) -> None:
    """If the same changes come in any order: joins without padding, aggregates, over rows that stay."""
    stages = program("INNER", last)
    rows = [row for batch in batches for row in batch]
    done, end = (int(len(rows) * part) for part in sorted(parts))
    runs = [sources(rows[:done]), sources(rows[done:end]), sources(rows[done:])]
    assert killed(harness, stages, runs, random.Random(seed)) == reference(stages, batches)


def test_transient_rows_may_remain_after_a_kill(harness: Harness) -> None:
    """A padded row in the killed batch has its match at once in the following one."""
    stages = [joins("LEFT"), aggregates(4, group=3, value=0)]
    left, right = Change("+I", (1, 7)), Change("+I", (1, 8), port=1)
    actual = killed(harness, stages, [[], [[left]], [[right, left]]], random.Random(1))
    assert actual == Counter([(8, 1, 1, 1), (None, 1, 1, 1)])
    assert reference(stages, [[left, right]]) == Counter([(8, 1, 1, 1)])
