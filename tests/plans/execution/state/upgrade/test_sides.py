"""Mapping of the columns and calls of a new program's operators to the old state."""

from __future__ import annotations

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.execution.stages.prepared import prepare
from compiled_plan.plans.execution.state.upgrade.sides import kernel_side
from compiled_plan.plans.inspection.diff.mapping import KernelSide, OldColumn, StateMapping, mapping_of
from compiled_plan.plans.inspection.identity import with_uids

TABLES = """
CREATE TABLE s (k STRING, v {v}, w INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = '/s', 'format' = 'json');
CREATE TABLE r (k STRING, x INT) WITH ('connector' = 'filesystem', 'path' = '/r', 'format' = 'json');
CREATE TABLE o (k STRING, a BIGINT, b BIGINT)
WITH ('connector' = 'filesystem', 'path' = '/o', 'format' = 'debezium-json');
INSERT INTO o """
TUMBLE = "GROUP BY k, TUMBLE(ts, INTERVAL '1' HOUR)"
OVER = "OVER (PARTITION BY k ORDER BY ts)"


def side(query: str, type_: str = "INT") -> KernelSide:
    plan = with_uids(TableEnvironment().compile_script(f"{TABLES}{query};".replace("{v}", type_)))
    return kernel_side(prepare(plan))


def mapped(old: str, new: str, type_: str = "INT") -> list[StateMapping]:
    before, after = side(old), side(new, type_)
    return [
        mapping_of(before, after, old_uid, new_uid, ("old", "new"))
        for old_uid, new_uid in zip(before.operators, after.operators, strict=True)
    ]


def only(old: str, new: str, type_: str = "INT") -> StateMapping:
    (mapping,) = mapped(old, new, type_)
    return mapping


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("SELECT k, SUM(v), SUM(w) FROM s GROUP BY k", "SELECT k, SUM(w), SUM(v) FROM s GROUP BY k"),
        (f"SELECT k, SUM(v), COUNT(*) FROM s {TUMBLE}", f"SELECT k, COUNT(*), SUM(v) FROM s {TUMBLE}"),
        (f"SELECT k, MAX(v) {OVER}, MIN(w) {OVER} FROM s", f"SELECT k, MIN(w) {OVER}, MAX(v) {OVER} FROM s"),
    ],
)
def test_calls_are_mapped_to_their_old_positions(old: str, new: str) -> None:
    mapping = only(old, new)
    assert mapping.calls == (1, 0)
    assert not mapping.is_identity
    assert mapping.dropped == mapping.new_columns == ()
    assert only(old, old).is_identity


def test_a_window_keeps_the_columns_that_it_works_with_and_its_time() -> None:
    mapping = only(f"SELECT k, SUM(v), SUM(w) FROM s {TUMBLE}", f"SELECT k, SUM(w), SUM(v) FROM s {TUMBLE}")
    assert [column.column if column else None for column in mapping.inputs[0]] == [0, 2, 1, 3]


def test_a_filter_and_a_wider_type_change_nothing() -> None:
    old = "SELECT k, SUM(v), SUM(w) FROM s GROUP BY k"
    new = "SELECT k, SUM(v), SUM(w) FROM s WHERE w > 3 GROUP BY k"
    assert only(old, new, "BIGINT").is_identity
    below = "SELECT k, SUM(n), COUNT(*) FROM ({}) GROUP BY k"
    inner = "SELECT k, SUM(v) AS n FROM s {} GROUP BY k"
    mappings = mapped(below.format(inner.format("")), below.format(inner.format("WHERE w > 3")))
    assert [mapping.is_identity for mapping in mappings] == [True, True]


def test_columns_of_a_join_come_go_and_change_places() -> None:
    mapping = only(
        "SELECT k, v, x FROM (SELECT s.k, v, w, x FROM s JOIN r ON s.k = r.k) WHERE x > v",
        "SELECT k, w, v FROM (SELECT s.k, w, v, x FROM s JOIN r ON s.k = r.k)",
    )
    assert mapping.inputs == ((OldColumn(0, 0), OldColumn(0, 1), None), (OldColumn(1, 0),))
    assert (mapping.dropped, mapping.new_columns) == (("r.x",), ("s.w",))


def test_the_sides_of_a_join_are_not_mixed() -> None:
    self_join = "SELECT a.k, a.v, b.{} FROM s AS a JOIN s AS b ON a.k = b.k"
    mapping = only(self_join.format("w"), self_join.format("v"))
    assert mapping.inputs[1] == (OldColumn(1, 0), None)
    assert mapping.new_columns == ("s.v",)


def test_an_aggregate_in_two_phases_reads_the_rows_in_front_of_the_first() -> None:
    query = "SELECT k, SUM(v), COUNT(*) FROM s GROUP BY k"
    phases = (
        "SET 'table.exec.mini-batch.enabled' = 'true'; SET 'table.exec.mini-batch.allow-latency' = '1 s'; "
        "SET 'table.exec.mini-batch.size' = '10'; "
    )
    before = side(query)
    plan = with_uids(TableEnvironment().compile_script(f"{phases}{TABLES}{query};".replace("{v}", "INT")))
    after = kernel_side(prepare(plan))
    (old_uid,), (new_uid,) = before.operators, after.operators
    assert after.operators[new_uid].reader != new_uid
    assert mapping_of(before, after, old_uid, new_uid, ("old", "new")).is_identity


def test_branches_of_a_union_that_come_and_go_leave_columns_where_they_were() -> None:
    query = "SELECT k, SUM(v), COUNT(*) FROM {} GROUP BY k"
    more, fewer = query.format("(SELECT k, v FROM s UNION ALL SELECT k, x AS v FROM r)"), query.format("s")
    for old, new in ((fewer, more), (more, fewer)):
        mapping = only(old, new)
        assert mapping.inputs == ((OldColumn(0, 0), OldColumn(0, 1)),)
        assert mapping.calls == (0, 1)
