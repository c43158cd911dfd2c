"""Uids and edited TTLs that a recompiled plan keeps from its predecessor."""

from __future__ import annotations

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.inspection.recompile import Recompiled, notes, recompile, with_record
from compiled_plan.plans.inspection.ttl import parse_edit, set_ttls
from compiled_plan.plans.plan import CompiledPlan

TABLES = """
CREATE TABLE a (id INT, k STRING, x BIGINT) WITH ('connector' = 'filesystem', 'path' = '/a', 'format' = 'json');
CREATE TABLE b (id INT, k STRING, y BIGINT) WITH ('connector' = 'filesystem', 'path' = '/b', 'format' = 'json');
CREATE TABLE c (id INT, k STRING, z BIGINT) WITH ('connector' = 'filesystem', 'path' = '/c', 'format' = 'json');
CREATE TABLE s (k STRING, t BIGINT) WITH ('connector' = 'blackhole');
"""
JOIN = "INSERT INTO s SELECT a.k, b.y FROM a JOIN b ON a.id = b.id"
BOTH = "INSERT INTO s SELECT k, SUM(x) FROM (SELECT a.k, a.x FROM a JOIN b ON a.id = b.id) GROUP BY k"
SUM = "INSERT INTO s SELECT k, SUM(x) FROM a GROUP BY k"


def compiled(statement: str, ttl: str = "") -> CompiledPlan:
    return TableEnvironment({"table.exec.state.ttl": ttl} if ttl else {}).compile_script(TABLES + statement)


def edited(plan: CompiledPlan, **ttls: str) -> CompiledPlan:
    """The plan with TTLs edited in its text, by entry name."""
    nodes = {entry.name: node.id for node in plan.nodes for entry in node.ttl_entries}
    edits = [parse_edit(f"{nodes[name]}.{name}={ttl}") for name, ttl in ttls.items()]
    return CompiledPlan.from_json(set_ttls(plan.to_json(), edits)[0])


def ttls(plan: CompiledPlan) -> dict[str, str]:
    return {entry.name: entry.ttl for node in plan.nodes for entry in node.ttl_entries}


def lines(recompiled: Recompiled) -> str:
    return "\n".join(notes(recompiled, "plan.json"))


def test_the_planner_records_compiled_ttls() -> None:
    plan = compiled(BOTH, "1 h")
    records = [node.ttl_as_compiled for node in plan.nodes if node.ttl_entries]
    assert records == [{"leftState": "1 h", "rightState": "1 h"}, {"groupAggregateState": "1 h"}]
    assert all(node.ttl_as_compiled is None for node in plan.nodes if not node.ttl_entries)
    again = CompiledPlan.from_json(plan.to_json())
    assert again == plan and '"ttlAsCompiled"' in plan.to_json()


def test_an_edit_is_kept_and_the_rest_follows_the_program() -> None:
    recompiled = recompile(compiled(BOTH, "2 h"), edited(compiled(BOTH, "1 h"), leftState="3s"))
    assert ttls(recompiled.plan) == {"leftState": "3 s", "rightState": "2 h", "groupAggregateState": "2 h"}
    (entry,) = recompiled.kept_ttls
    assert (entry.entry, entry.ttl, entry.compiled, entry.recorded) == ("leftState", "3 s", "2 h", "1 h")
    assert "3 s is kept as edited, though the program went from 1 h to 2 h" in lines(recompiled)
    assert "--program-ttls" in lines(recompiled)


def test_an_edit_stays_an_edit_from_compile_to_compile() -> None:
    plan = edited(compiled(BOTH, "1 h"), leftState="3s")
    for ttl in ("1 h", "5 h", "1 h"):
        plan = recompile(compiled(BOTH, ttl), plan).plan
        assert ttls(plan) == {"leftState": "3 s", "rightState": ttl, "groupAggregateState": ttl}


def test_an_edit_that_the_program_adopts_is_no_edit_any_more() -> None:
    plan = recompile(compiled(SUM, "3 s"), edited(compiled(SUM, "1 h"), groupAggregateState="3s"))
    assert plan.kept_ttls == () and lines(plan) == ""
    assert ttls(recompile(compiled(SUM, "9 h"), plan.plan).plan) == {"groupAggregateState": "9 h"}


def test_an_edit_back_to_what_was_compiled_is_none() -> None:
    old = edited(edited(compiled(SUM, "1 h"), groupAggregateState="3s"), groupAggregateState="60 min")
    assert ttls(recompile(compiled(SUM, "2 h"), old).plan) == {"groupAggregateState": "2 h"}


@pytest.mark.parametrize("ttl", ["0", "0 ms", "7200000", "PT2H"])
def test_edits_of_any_spelling(ttl: str) -> None:
    """Also of the text itself, without edit-plan."""
    old = CompiledPlan.from_json(compiled(SUM, "1 h").to_json().replace('"ttl" : "1 h"', f'"ttl" : "{ttl}"'))
    assert ttls(recompile(compiled(SUM, "3 h"), old).plan) == {"groupAggregateState": ttl}
    same = CompiledPlan.from_json(compiled(SUM, "1 h").to_json().replace('"ttl" : "1 h"', '"ttl" : "PT60M"'))
    assert ttls(recompile(compiled(SUM, "3 h"), same).plan) == {"groupAggregateState": "3 h"}


def test_a_new_hint_of_the_program_does_not_win_over_an_edit() -> None:
    hinted = JOIN.replace("SELECT", "SELECT /*+ STATE_TTL('a' = '8 h', 'b' = '9 h') */")
    recompiled = recompile(compiled(hinted), edited(compiled(JOIN), leftState="3s"))
    assert ttls(recompiled.plan) == {"leftState": "3 s", "rightState": "9 h"}
    assert "warning: " in lines(recompiled) and "went from 0 ms to 8 h" in lines(recompiled)


def test_all_ttls_may_be_reset_to_the_program() -> None:
    recompiled = recompile(compiled(BOTH, "2 h"), edited(compiled(BOTH, "1 h"), leftState="3s"), edits=False)
    assert set(ttls(recompiled.plan).values()) == {"2 h"} and recompiled.kept_ttls == ()


def test_edits_follow_their_operator_through_changes_around_it() -> None:
    old = edited(compiled(SUM), groupAggregateState="3s")
    recompiled = recompile(compiled(SUM.replace("FROM a", "FROM (SELECT DISTINCT * FROM a)")), old)
    assert sorted(ttl for node in recompiled.plan.nodes for ttl in [e.ttl for e in node.ttl_entries]) == ["0 ms", "3 s"]
    assert [entry.entry for entry in recompiled.kept_ttls] == ["groupAggregateState"]


def test_one_phase_and_two_phases_are_the_same_entry() -> None:
    two = {
        "table.exec.mini-batch.enabled": "true",
        "table.exec.mini-batch.allow-latency": "1 s",
        "table.exec.mini-batch.size": "10",
        "table.optimizer.agg-phase-strategy": "TWO_PHASE",
    }
    new = TableEnvironment(two).compile_script(TABLES + SUM)
    assert set(ttls(new)) == {"globalGroupAggregateState"}
    recompiled = recompile(new, edited(compiled(SUM), groupAggregateState="3s"))
    assert ttls(recompiled.plan) == {"globalGroupAggregateState": "3 s"}


def test_inputs_of_a_join_in_another_order() -> None:
    """An edit never changes sides: it is another operator then."""
    hint = "/*+ MULTI_JOIN(a, b, c) */"
    text = f"INSERT INTO s SELECT {hint} a.k, b.y + c.z FROM a JOIN b ON a.id = b.id JOIN c ON a.id = c.id"
    swapped = f"INSERT INTO s SELECT {hint} a.k, b.y + c.z FROM a JOIN c ON a.id = c.id JOIN b ON a.id = b.id"
    options = {"table.optimizer.multi-join.enabled": "true"}
    old, new = (TableEnvironment(options).compile_script(TABLES + program) for program in (text, swapped))
    assert "input-state-2" in ttls(old)
    recompiled = recompile(new, edited(old, **{"input-state-1": "3s"}))
    assert set(ttls(recompiled.plan).values()) == {"0 ms"}
    assert [(lost.entry, lost.why) for lost in recompiled.lost_ttls] == [("input-state-1", "the operator is gone")]


def test_idle_keys() -> None:
    over = (
        "INSERT INTO s SELECT k, SUM(x) OVER (PARTITION BY k ORDER BY p ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)"
        " FROM (SELECT *, PROCTIME() AS p FROM a)"
    )
    old = edited(compiled(over, "1 h"), idleState="3s")
    recompiled = recompile(compiled(over, "2 h"), old)
    assert ttls(recompiled.plan) == {"idleState": "3 s"}
    assert [node.ttl_as_compiled for node in recompiled.plan.nodes if node.ttl_entries] == [{"idleState": "2 h"}]


def test_operators_and_entries_that_are_gone() -> None:
    old = edited(compiled(BOTH, "1 h"), leftState="3s", groupAggregateState="4s")
    recompiled = recompile(compiled(JOIN.replace("b.y", "a.x"), "1 h"), old)
    assert [(entry.entry, entry.why) for entry in recompiled.lost_ttls] == [
        ("groupAggregateState", "the operator is gone")
    ]
    assert "the edited TTL 4 s is lost: the operator is gone" in lines(recompiled)


@pytest.mark.parametrize("record", [None, {}, {"groupAggregateState": "soon"}])
def test_a_plan_without_a_record(record: dict[str, str] | None) -> None:
    """Of Flink or of an earlier release: differences count as edited, and are reported."""
    old = compiled(SUM, "1 h")
    old = old.with_nodes([node.model_copy(update={"ttl_as_compiled": record}) for node in old.nodes])
    recompiled = recompile(compiled(SUM, "2 h"), old)
    assert ttls(recompiled.plan) == {"groupAggregateState": "1 h"}
    if not record:
        assert "plan.json does not record which TTLs were edited" in lines(recompiled)
    assert recompile(compiled(SUM, "1 h"), old).kept_ttls == ()
    # From now on there is a record.
    assert ttls(recompile(compiled(SUM, "9 h"), recompiled.plan).plan) == {"groupAggregateState": "1 h"}


def test_a_record_has_compiled_ttls_not_effective_ones() -> None:
    old = edited(compiled(SUM, "1 h"), groupAggregateState="3s")
    assert [n.ttl_as_compiled for n in with_record(old).nodes if n.ttl_entries] == [{"groupAggregateState": "3 s"}]
    plan = recompile(compiled(SUM, "1 h"), old).plan
    assert [n.ttl_as_compiled for n in plan.nodes if n.ttl_entries] == [{"groupAggregateState": "1 h"}]
