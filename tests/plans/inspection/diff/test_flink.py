"""Flink's restore from a savepoint."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.inspection.diff.build import diff_plans
from compiled_plan.plans.inspection.diff.flink import (
    DEFAULTS,
    FORMAT,
    GENERATION,
    Fate,
    FlinkDiff,
    FlinkEdit,
    flink_diff,
)
from compiled_plan.plans.inspection.diff.flink_shown import flink_lines, flink_markdown
from compiled_plan.plans.inspection.identity import keeps_state
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from compiled_plan.plans.nodes.python import PythonNode
from compiled_plan.plans.nodes.registry import all_node_types
from compiled_plan.plans.plan import CompiledPlan
from tests.conformance.cases import cases

TABLES = """
CREATE TABLE t (id INT, k STRING, k2 STRING, x INT, y BIGINT) WITH ('connector' = 'datagen');
CREATE TABLE u (id INT, k STRING, k2 STRING, x INT, y BIGINT) WITH ('connector' = 'datagen');
CREATE TABLE v (k STRING, y BIGINT, w TIMESTAMP(3), WATERMARK FOR w AS w)
  WITH ('connector' = 'datagen', 'rows-per-second' = '7');
CREATE TABLE s (a STRING, b BIGINT, c BIGINT) WITH ('connector' = 'blackhole');
"""
AGG = "INSERT INTO s SELECT k, SUM(y), COUNT(*) FROM t GROUP BY k"
FILTERED = AGG.replace("FROM t", "FROM t WHERE y > 0")
JOIN = "INSERT INTO s SELECT t.k, t.y, u.y FROM t JOIN u ON t.id = u.id"
FIRST = (
    "INSERT INTO s SELECT k, y, y FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY PROCTIME()) r FROM t)"
    " WHERE r = 1"
)
LAST = FIRST.replace("PROCTIME()", "PROCTIME() DESC")
TOP = FIRST.replace("PROCTIME()", "y DESC").replace("r = 1", "r <= 3")
OVER = (
    "INSERT INTO s SELECT k, SUM(y) OVER (PARTITION BY k ORDER BY p ROWS BETWEEN 2 PRECEDING AND CURRENT ROW), y"
    " FROM (SELECT *, PROCTIME() AS p FROM t)"
)
TUMBLE = """INSERT INTO s SELECT k, SUM(y), COUNT(*) FROM
  TUMBLE(TABLE v, DESCRIPTOR(w), INTERVAL '5' SECOND) GROUP BY k, window_start, window_end"""


def compiled(statement: str) -> CompiledPlan:
    return TableEnvironment().compile_script(TABLES + statement)


def flink(old: CompiledPlan, new: CompiledPlan, **options: str) -> FlinkDiff:
    settings = {FORMAT: options.get("format", DEFAULTS[FORMAT]), GENERATION: options.get("by", DEFAULTS[GENERATION])}
    return flink_diff(diff_plans(old, new), old, new, settings)


def fates(diff: FlinkDiff) -> list[Fate]:
    return [operator.fate for operator in operators(diff)]


def operators(diff: FlinkDiff) -> list[FlinkEdit]:
    return [operator for operator in diff.operators if not operator.words.startswith("source ")]


def sources(diff: FlinkDiff) -> list[tuple[str, Fate]]:
    return [(operator.words, operator.fate) for operator in diff.operators if operator.words.startswith("source ")]


def edited(plan: CompiledPlan, change: Callable[[dict[str, object]], None]) -> CompiledPlan:
    data = json.loads(plan.to_json())
    change(data)
    return CompiledPlan.from_json(json.dumps(data))


def shifted(plan: CompiledPlan, by: int = 100) -> CompiledPlan:
    """The plan with other ids."""
    data = json.loads(plan.to_json())
    for node in data["nodes"]:
        node["id"] += by
    for edge in data["edges"]:
        edge["source"] += by
        edge["target"] += by
    return CompiledPlan.from_json(json.dumps(data))


@pytest.mark.parametrize("case", cases("aggregate", "join", "window", "over", "topn")[::6])
def test_a_plan_over_its_own_savepoint(case: object, tmp_path: object) -> None:
    """All is restored, and every stateful operator has details."""
    plan = CompiledPlan.from_json(case.flink_plan(tmp_path))  # type: ignore[attr-defined]
    diff = flink(plan, plan)
    assert set(fates(diff)) <= {Fate.RESTORED} and diff.verdict is Verdict.FULL and not diff.needs_permission
    assert len(operators(diff)) == sum(keeps_state(node) for node in plan.nodes)


def test_every_node_type_with_state_has_a_rule() -> None:
    stateful = {model.NAME for model in all_node_types().values() if model.KEEPS_STATE and model.RUNNABLE}
    known = {model.NAME for model in all_node_types().values() if model.TRANSFORMATION}
    # Flink stores accumulators of Python functions as pickles, of which it compares nothing.
    pickled = {model.NAME for model in all_node_types().values() if issubclass(model, PythonNode)}
    assert stateful - known - pickled == set()


@pytest.mark.parametrize(
    ("old", "new", "fate"),
    [
        pytest.param(AGG, AGG.replace("k", "k2"), Fate.WRONG, id="another key of the same type"),
        pytest.param(AGG, AGG.replace("SELECT k", "SELECT CAST(id AS STRING)").replace("BY k", "BY id"), Fate.REFUSED),
        pytest.param(AGG, AGG.replace("SUM(y)", "MAX(y)"), Fate.RESTORED, id="MAX for SUM, in accumulators alike"),
        pytest.param(AGG, AGG.replace("SUM(y)", "CAST(SUM(x) AS BIGINT)"), Fate.REFUSED, id="SUM of INT for BIGINT"),
        pytest.param(
            AGG, AGG.replace("SUM(y)", "FIRST_VALUE(y)"), Fate.UNKNOWN, id="a function of which nothing is known"
        ),
        pytest.param(AGG, AGG.replace("COUNT(*)", "CAST(1 AS BIGINT)"), Fate.REFUSED, id="a call dropped"),
        pytest.param(FILTERED, FILTERED.replace("y > 0", "y > 1"), Fate.RESTORED, id="another filter before"),
        pytest.param(AGG, FILTERED, Fate.EMPTY, id="a filter more, and with it a node more"),
        pytest.param(AGG, AGG.replace("SUM(y)", "AVG(y)"), Fate.REFUSED, id="a sum and a count for a sum"),
        pytest.param(JOIN, JOIN.replace("t.y, u.y", "t.y, t.y"), Fate.REFUSED, id="a column less in a join"),
        pytest.param(JOIN, JOIN.replace("JOIN u", "LEFT JOIN u"), Fate.REFUSED, id="outer for inner"),
        pytest.param(FIRST, LAST, Fate.REFUSED, id="last for first"),
        pytest.param(TOP, TOP.replace("r <= 3", "r <= 5"), Fate.RESTORED, id="more of a top-n"),
        pytest.param(TOP, TOP.replace("r <= 3", "r = 1"), Fate.UNKNOWN, id="one of a top-n"),
        pytest.param(TOP, TOP.replace("BY y DESC", "BY y"), Fate.WRONG, id="a top-n from the other end"),
        pytest.param(OVER, OVER.replace("2 PREC", "5 PREC"), Fate.RESTORED, id="more rows of OVER"),
        pytest.param(OVER, OVER.replace("SUM(y)", "COUNT(*)"), Fate.REFUSED, id="another call over rows"),
        pytest.param(TUMBLE, TUMBLE.replace("'5' SECOND", "'9' SECOND"), Fate.WRONG, id="other windows"),
    ],
)
def test_one_operator_under_the_same_uid(old: str, new: str, fate: Fate) -> None:
    (operator,) = [
        operator for operator in operators(flink(compiled(old), compiled(new))) if operator.fate is not Fate.DROPPED
    ]
    assert operator.fate is fate, operator


def test_sessions_for_windows() -> None:
    """They are planned in one phase: another transformation, which has another uid."""
    diff = flink(compiled(TUMBLE), compiled(TUMBLE.replace("TUMBLE", "SESSION")))
    assert Fate.EMPTY in fates(diff) and Fate.DROPPED in fates(diff) and diff.needs_permission


def test_silently_wrong_restores_are_named() -> None:
    """Flink never compares the meaning of state: if it restores, our own verdict says what follows."""
    diff = flink(compiled(FILTERED), compiled(FILTERED.replace("y > 0", "y > 1")))
    (edit,) = operators(diff)
    assert edit.fate is Fate.RESTORED and edit.verdict is not Verdict.FULL and "silently, although" in edit.why


def test_other_ids_are_other_operators() -> None:
    plan = compiled(AGG)
    diff = flink(plan, shifted(plan))
    (edit,) = operators(diff)
    assert (edit.fate, edit.verdict) == (Fate.EMPTY, Verdict.PARTIAL)
    assert edit.uid == "103_group-aggregate" and edit.was == "3_group-aggregate" and "its old id, 3" in edit.why
    assert diff.needs_permission


def test_an_operator_at_the_position_of_another_gets_its_state() -> None:
    """Two equal aggregates change places: each gets the other's state."""
    two = """EXECUTE STATEMENT SET BEGIN
      INSERT INTO s SELECT k, SUM(y), COUNT(*) FROM t GROUP BY k;
      INSERT INTO s SELECT k2, SUM(y), COUNT(*) FROM t GROUP BY k2;
    END"""
    swapped = two.replace("k2", "q").replace("k,", "k2,").replace("BY k;", "BY k2;").replace("q", "k")
    diff = flink(compiled(two), compiled(swapped))
    assert fates(diff) == [Fate.OTHERS, Fate.OTHERS] and diff.verdict is Verdict.INCOMPATIBLE
    assert "silently restores the state under" in diff.operators[0].why


def test_unclaimed_state() -> None:
    diff = flink(compiled(JOIN), compiled(AGG))
    assert fates(diff) == [Fate.EMPTY, Fate.DROPPED] and diff.needs_permission
    assert "--allowNonRestoredState" in operators(diff)[1].why


@pytest.mark.parametrize(
    ("old", "new", "expected"), [("0 ms", "1 h", True), ("1 h", "0 ms", True), ("1 h", "2 h", False)]
)
def test_ttls(old: str, new: str, expected: bool) -> None:
    """They may change; to and from 0 since Flink 2.2."""
    text = compiled(AGG).to_json()
    plans = [CompiledPlan.from_json(text.replace('"ttl" : "0 ms"', f'"ttl" : "{ttl}"')) for ttl in (old, new)]
    (operator,) = operators(flink(*plans))
    assert (operator.fate, operator.verdict) == (Fate.RESTORED, Verdict.FULL)
    assert ("since 2.2" in operator.why) == expected


def test_positions_of_sources_are_state_of_their_numbers() -> None:
    plan = compiled(AGG)
    assert sources(flink(plan, plan)) == [("source t", Fate.RESTORED)]
    assert sources(flink(plan, shifted(plan))) == [("source t", Fate.EMPTY)]
    source_diff = flink(plan, compiled(AGG.replace("FROM t", "FROM v")))
    assert ("source v", Fate.OTHERS) in sources(source_diff) and source_diff.verdict is Verdict.INCOMPATIBLE
    joined = flink(compiled(JOIN), plan)
    assert ("source u", Fate.DROPPED) in sources(joined) and joined.needs_permission


def test_the_format_of_uids() -> None:
    plan = compiled(AGG)
    diff = flink(plan, shifted(plan), format="<type>-<version>-<transformation>")
    assert [(operator.uid, operator.fate) for operator in operators(diff)] == [
        ("stream-exec-group-aggregate-1-group-aggregate", Fate.RESTORED)
    ]
    assert not plan.node(1).TRANSFORMATION


def test_without_uids_nothing_is_known_of_another_plan() -> None:
    plan, changed = compiled(AGG), compiled(AGG.replace("SUM", "MAX"))
    assert flink(plan, changed, by="DISABLED").verdict is Verdict.UNKNOWN
    assert flink(plan, plan, by="DISABLED").verdict is Verdict.FULL
    assert fates(flink(plan, changed, by="ALWAYS")) == [Fate.RESTORED]


def test_text_of_the_comparison() -> None:
    diff = flink(compiled(JOIN), compiled(AGG))
    lines = [line.text for line in flink_lines(diff)]
    assert lines[0] == "in Flink, from a savepoint"
    assert any("left over" in line for line in lines) and any("--allowNonRestoredState" in line for line in lines)
    assert "| --- | --- | --- | --- |" in flink_markdown(diff)
    same = [line.text for line in flink_lines(flink(compiled(AGG), compiled(AGG)))]
    assert "    2 parts restored" in same and "  fully compatible" in same
    refused = flink(compiled(AGG), compiled(AGG.replace("COUNT(*)", "CAST(1 AS BIGINT)")))
    assert "incompatible: Flink refuses the savepoint" in flink_markdown(refused)
