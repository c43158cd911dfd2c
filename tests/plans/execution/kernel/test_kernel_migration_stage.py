"""State that moves to other stages: another checkpoint, other columns, another level, host and number of partitions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.plans.execution.kernel.kept_states import CASES, DAY, Case
from tests.support.kernel.chains import GROUP_STATE, TRANSFORM, Chain, Running, move, state_of
from tests.support.kernel.changed import Changed
from tests.support.kernel.harness import Change
from tests.support.waiting import wait_until

WIDER = {"INT": "BIGINT", "ARRAY<INT>": "ARRAY<BIGINT>"}
KEYS = [f"k{at}" for at in range(7)]
#: States of functions that do not exist, of types that JSON cannot represent, and of INT that cannot become BIGINT.
LEFT_OUT = (
    "group-aggregate-python",
    "group-aggregate-python-value",
    "group-aggregate-python-unfit",
    "group-aggregate-java",
    "group-aggregate-bitmap",
    "deduplicate",
)
#: One operator of each way to hold and expire state; conversions of all kinds are tested without Spark.
SOME = (
    "deduplicate-first",
    "group-aggregate",
    "rank",
    "join",
    "interval-join",
    "temporal-join",
    "over-rowtime",
    "window-aggregate",
    "session-aggregate",
    "match",
)
END = 10**9
Rows = list[tuple[str, Change]]


def cases(host: str, names: Collection[str]) -> dict[str, Case]:
    """The kinds of state among `names` that a host supports, each operator under the name of its case."""
    chosen = {name: CASES[name] for name in names if name not in LEFT_OUT}
    if host == GROUP_STATE:
        chosen = {name: case for name, case in chosen.items() if case.spec.get("timeDomain") != "event"}
    return {name: replace(case, spec={**case.spec, "uid": name}) for name, case in chosen.items()}


def changed(case: Case) -> Changed:
    """Reordered columns, a new one first, and reordered aggregate calls."""
    orders = [[None, *reversed(range(len(types)))] for types in case.spec["inputTypes"]]
    return Changed(case.spec, orders, WIDER, list(reversed(range(len(case.spec.get("aggs", ()))))))


def rows(chosen: dict[str, Case], of: Callable[[str, Change], Change] = lambda _, row: row) -> Rows:
    """The rows of the cases, for several keys."""
    return [
        (name, of(name, replace(row, key=key)))
        for name, case in chosen.items()
        for step in case.steps
        for row in step.rows
        for key in KEYS
    ]


def once(chosen: dict[str, Case], all_: Rows) -> Rows:
    """Cases without those that accept a single row."""
    single = [(name, row) for name, row in all_ if name == "group-aggregate"]
    return [row for row in all_ if row not in single] + [
        (name, replace(row, values=tuple(False if value is True else value for value in row.values)))
        for name, row in single
    ]


TIMES = [2_600, 6_000, END, END]


def go_on(running: Running, all_: Rows) -> list[tuple[str, Change]]:
    """The rows once more, then only time."""
    running.take()
    running.add(all_, TIMES[0] if running.chain.event else None)
    for at in TIMES[1:] if running.chain.event else ():
        running.tick(at, times=1)
    return running.take()


@pytest.mark.wide
@pytest.mark.parametrize(
    ("type_", "kinds"),
    [
        (TRANSFORM, SOME),
        pytest.param(TRANSFORM, tuple(CASES), marks=pytest.mark.deep),
        pytest.param(GROUP_STATE, tuple(CASES), marks=pytest.mark.deep),
    ],
    ids=["some", "all", "all-in-the-second-host"],
)
def test_operators_continue_with_other_columns_in_another_place(
    spark: SparkSession, tmp_path: Path, type_: str, kinds: tuple[str, ...]
) -> None:
    """Also in the second host, with the results of the default one."""
    chosen = cases(type_, kinds)
    news = {name: changed(case) for name, case in chosen.items()}
    names = list(chosen)
    half = len(names) // 2
    event = any(case.spec.get("timeDomain") == "event" for case in chosen.values())
    specs = {name: case.spec for name, case in chosen.items()}
    old = Chain([[specs[name] for name in names[:half]], [specs[name] for name in names[half:]]], TRANSFORM, event)
    new_specs = [news[name].spec for name in names]
    # Operators move to other levels, and there is one more.
    new = Chain([new_specs[half + 3 :], new_specs[:half], new_specs[half : half + 3]], type_, event)
    first, again = rows(chosen), once(chosen, rows(chosen))

    whole = Running(spark, old, tmp_path / "whole", tmp_path / "whole-checkpoint")
    broken = Running(spark, old, tmp_path / "broken", tmp_path / "broken-checkpoint")
    for running in (whole, broken):
        running.add(first, 900 if event else None)
        running.tick(900 if event else None, times=1)
    before = broken.state_rows()
    assert all(before[name] > 0 for name in names), before
    broken.stop()
    expected = go_on(whole, again)
    left = whole.state_rows()
    whole.stop()
    mapping = [news[name].mapping for name in names]
    moved, seeded = move(broken, new, mapping, tmp_path / "new", 3)
    try:
        assert {name: seeded[name]["stateRows"] for name in names} == before
        assert all(seeded[name]["expired"] == 0 for name in names)
        out = go_on(moved, [(name, news[name].row(row)) for name, row in again])
        shown = [(name, news[name].shown_before([row])[0]) for name, row in out]
        assert _counted(shown) == _counted(expected)
        assert {name for name, _ in shown} == {name for name, _ in expected}
        assert {name: rows + before[name] for name, rows in moved.state_rows().items()} == left
    finally:
        moved.stop()


def _counted(out: list[tuple[str, Change]]) -> Counter[str]:
    return Counter(f"{name} {change.kind} {change.values}" for name, change in out)


def identity(chain: Chain) -> list[dict[str, Any]]:
    """A mapping without changes."""
    result = []
    for spec in chain.operators():
        orders = [list(range(len(types))) for types in spec["inputTypes"]]
        result.append(Changed(spec, orders, {}, list(range(len(spec.get("aggs", ()))))).mapping)
    return result


def _ttl(ttl: int, *, event: bool, host: str) -> Chain:
    """Operators with a TTL each, one of them in event time if there is one."""
    names = ["deduplicate-first", "join-semi", *(["over-rowtime"] if event else [])]
    specs = [{**CASES[name].spec, "uid": name, "ttl": [ttl] * (2 if name == "join-semi" else 1)} for name in names]
    return Chain([specs], host, event)


@pytest.mark.wide
@pytest.mark.parametrize(("host", "event"), [(TRANSFORM, False), (TRANSFORM, True), (GROUP_STATE, False)])
def test_entries_written_under_another_ttl_follow_the_new_one(
    spark: SparkSession, tmp_path: Path, host: str, event: bool
) -> None:
    old = _ttl(0, event=event, host=host)
    running = Running(spark, old, tmp_path / "in", tmp_path / "checkpoint")
    row = Change("+I", ("a", 1, 1_000))
    names = [spec["uid"] for spec in old.operators()]
    running.add([(name, replace(row, key=key)) for name in names for key in KEYS], 500 if event else None)
    running.tick(1_200 if event else None)
    before = running.state_rows()
    running.stop()
    new = _ttl(1_000, event=event, host=host)
    moved, seeded = move(running, new, identity(new), tmp_path / "new", 1)
    # Keys idle for longer than the TTL are dropped by the move, the others expire in time.
    left_out = {name: seeded[name]["expired"] for name in names}
    there = {name: seeded[name]["stateRows"] for name in names}
    try:
        assert {name: before[name] for name in names if not left_out[name]} == {
            name: there[name] for name in names if not left_out[name]
        }

        # The rest of a TTL elapses in event time, too, for operators that use it.
        watermarks = count(END, 5_000)

        def gone() -> bool:
            moved.tick(next(watermarks) if event else None, times=1)
            rows = moved.state_rows()
            return all(rows[name] + there[name] == 0 for name in names)

        wait_until(gone)
        assert moved.take() == []
        moved.stop()
        assert state_left(spark, tmp_path / "new", new) == []
    finally:
        moved.stop()


def state_left(spark: SparkSession, checkpoint: Path, chain: Chain) -> list[tuple[str, str]]:
    """Operator and key of all entries in a checkpoint's state."""
    from compiled_plan.plans.execution.session.spark_session import query_settings

    with query_settings(spark, False):
        return [(row.op, row.key) for row in state_of(spark, checkpoint, chain).collect()]


@pytest.mark.wide
def test_impossible_mappings_are_refused(spark: SparkSession, tmp_path: Path) -> None:
    chain = _ttl(DAY, event=False, host=TRANSFORM)
    running = Running(spark, chain, tmp_path / "in", tmp_path / "checkpoint")
    row = Change("+I", ("a", 1, 1_000), key="a")
    running.add([("deduplicate-first", row), ("join-semi", row)])
    running.stop()
    twice = [*identity(chain), {**identity(chain)[0], "from": "join-semi"}]
    with pytest.raises(Exception, match="it is deduplicate instead of join"):
        move(running, chain, twice, tmp_path / "new", 2)
    with pytest.raises(Exception, match="operator deduplicate-first is mapped twice"):
        move(running, chain, [identity(chain)[0]] * 2, tmp_path / "new", 2)
    with pytest.raises(Exception, match="operator nobody, which is not in the new program"):
        move(running, chain, [{**identity(chain)[0], "to": "nobody"}], tmp_path / "new", 2)
    moved, seeded = move(running, chain, [identity(chain)[1]], tmp_path / "new", 2)
    moved.stop()
    assert seeded["deduplicate-first"]["keys"] == 0, "what no mapping names stays behind"
