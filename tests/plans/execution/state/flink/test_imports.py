"""Outcomes of an import: states that are not converted, and state of no operator of the plan."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from compiled_plan import compile_sql
from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.execution.state.flink.imports import Import, ImportOptions, examined
from compiled_plan.plans.execution.state.flink.matching import candidate_uids
from compiled_plan.plans.execution.state.flink.report import ImportReport, Outcome
from compiled_plan.plans.execution.state.flink.savepoint.head import (
    KeyedState,
    OperatorList,
    SavepointHead,
    SavepointOperator,
)
from compiled_plan.plans.inspection.identity import with_uids
from compiled_plan.plans.plan import CompiledPlan

TABLES = """
    CREATE TABLE orders (item STRING, price INT, seen AS PROCTIME()) WITH ('connector' = 'datagen');
    CREATE TABLE totals (item STRING, total BIGINT) WITH ('connector' = 'blackhole');
"""
TOTALS = TABLES + "INSERT INTO totals SELECT item, COUNT(price) FROM orders GROUP BY item;"
RECENT = TABLES + (
    "INSERT INTO totals SELECT item, COUNT(*) OVER (PARTITION BY item ORDER BY seen "
    "RANGE BETWEEN INTERVAL '1' SECOND PRECEDING AND CURRENT ROW) FROM orders;"
)
TOP = TABLES + (
    "INSERT INTO totals SELECT item, price FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY item ORDER BY price) AS n "
    "FROM orders) WHERE n <= 3;"
)
WINDOWS = """
    CREATE TABLE moments (shop STRING, seen TIMESTAMP(3), WATERMARK FOR seen AS seen)
      WITH ('connector' = 'filesystem', 'path' = '/moments', 'format' = 'json');
    CREATE TABLE counts (shop STRING, n BIGINT) WITH ('connector' = 'blackhole');
    INSERT INTO counts SELECT shop, COUNT(*) FROM TABLE({window}) GROUP BY shop, window_start, window_end;
"""


def state(name: str, entries: int = 3) -> KeyedState:
    kind = "TIMERS" if name.startswith("_timer_state/") else "VALUE"
    return KeyedState(name, kind, {"row": ["STRING"]}, None, None, {"row": ["BIGINT"]}, ttl=False, entries=entries)  # type: ignore[arg-type]


def operator(uid: str, *states: KeyedState, lists: tuple[OperatorList, ...] = ()) -> SavepointOperator:
    return SavepointOperator(
        id=f"{len(uid):032}",
        uid=uid,
        name=None,
        parallelism=1,
        max_parallelism=128,
        states=states,
        lists=lists,
        coordinator=None,
        files=("entries/one.jsonl",),
        entries=sum(stored.entries for stored in states),
        bytes=100,
    )


def compiled(program: str) -> CompiledPlan:
    return with_uids(CompiledPlan.from_json(compile_sql(program).as_json_string()))


def uid_of(plan: CompiledPlan, transformation: str) -> str:
    (uid,) = (uid for uid in candidate_uids(plan) if uid.endswith(f"_{transformation}"))
    return uid


def imported(plan: CompiledPlan, *operators: SavepointOperator, start: str = "orders", allow: bool = False) -> Import:
    head = SavepointHead(1, "file:///savepoint-1/", 1, "CANONICAL", 0, operators)
    options = ImportOptions(starts={start: "earliest"}, allow_non_restored_state=allow)
    return examined(plan, Path("form"), head, options)


def report(plan: CompiledPlan, *states: KeyedState, transformation: str = "group-aggregate") -> ImportReport:
    return imported(plan, operator(uid_of(plan, transformation), *states)).report


def test_known_states_and_timers_are_taken_over() -> None:
    taken = report(compiled(TOTALS), state("accState"), state("_timer_state/processing_user-timers"))
    assert [part.outcome for part in taken.operators] == [Outcome.TAKEN]


def test_a_state_that_is_not_converted_is_refused() -> None:
    (part,) = report(compiled(TOTALS), state("accState"), state("accStateOfTomorrow")).operators
    assert part.outcome is Outcome.REFUSED
    assert part.why.startswith("Flink's state accStateOfTomorrow of it is not converted, only accState, ")


def test_the_state_of_a_rank_depends_on_its_strategy() -> None:
    plan = compiled(TOP)
    taken = report(plan, state("data-state-with-append"), transformation="rank")
    refused = report(plan, state("data-state"), transformation="rank")
    assert [part.outcome for part in (*taken.operators, *refused.operators)] == [Outcome.COMPUTED, Outcome.REFUSED]


@pytest.mark.parametrize(
    ("window", "timers", "outcome"),
    [
        ("HOP(TABLE moments, DESCRIPTOR(seen), INTERVAL '1' HOUR, INTERVAL '2' HOUR)", 0, Outcome.REFUSED),
        ("HOP(TABLE moments, DESCRIPTOR(seen), INTERVAL '1' HOUR, INTERVAL '2' HOUR)", 1, Outcome.COMPUTED),
        ("CUMULATE(TABLE moments, DESCRIPTOR(seen), INTERVAL '1' HOUR, INTERVAL '2' HOUR)", 0, Outcome.REFUSED),
        ("TUMBLE(TABLE moments, DESCRIPTOR(seen), INTERVAL '1' HOUR)", 0, Outcome.TAKEN),
    ],
)
def test_windows_that_share_slices_need_their_timers(window: str, timers: int, outcome: Outcome) -> None:
    plan = compiled(WINDOWS.replace("{window}", window))
    states = (state("window-aggs"), *[state("_timer_state/event_window-timers")] * timers)
    taken = imported(plan, operator(uid_of(plan, "global-window-aggregate"), *states), start="moments")
    (part,) = taken.report.operators
    assert part.outcome is outcome, part.why
    assert ("none of its timers" in part.why) == (outcome is Outcome.REFUSED)


def test_a_state_without_entries_is_no_reason_to_refuse() -> None:
    (part,) = report(compiled(TOTALS), state("accState"), state("accStateOfTomorrow", 0)).operators
    assert part.outcome is Outcome.TAKEN


@pytest.mark.parametrize(("view", "outcome"), [("agg0$list", Outcome.REFUSED), ("agg1$map", Outcome.TAKEN)])
def test_a_view_of_a_java_function_is_refused(view: str, outcome: Outcome) -> None:
    plan = compiled(TOTALS)
    (node,) = (node for node in plan.nodes if node.kind == "group-aggregate")
    (call,) = node.agg_calls  # type: ignore[attr-defined]
    java = call.model_copy(update={"internal_name": None, "function_class": "org.example.Weighted"})
    changed = node.model_copy(update={"agg_calls": (java, call)})
    plan = replace(plan, nodes=tuple(changed if part is node else part for part in plan.nodes))
    (part,) = report(plan, state("accState"), state(view)).operators
    assert part.outcome is outcome
    if outcome is Outcome.REFUSED:
        assert part.why == (
            "a view in the accumulator of the Java function org.example.Weighted is not converted: its state agg0$list"
        )


def test_forms_that_only_entries_show_are_announced() -> None:
    (part,) = report(compiled(RECENT), state("inputState"), transformation="over-aggregate").operators
    assert part.outcome is Outcome.COMPUTED
    assert part.why.endswith("refused by the import if rows arrived in the last millisecond before the savepoint")


def test_state_of_no_operator_of_the_plan_is_refused() -> None:
    plan = compiled(TOTALS)
    operators = operator(uid_of(plan, "group-aggregate"), state("accState")), operator("99_join", state("left-records"))
    refused = imported(plan, *operators)
    (left,) = refused.report.left
    assert (left.name, left.outcome, left.entries, left.bytes) == ("99_join", Outcome.REFUSED, 3, 100)
    with pytest.raises(
        CheckpointError, match="operator 99_join of the savepoint: no operator of the plan has"
    ) as error:
        refused.check(RunOptions())
    assert "--allow-non-restored-state" in error.value.remedy
    allowed = imported(plan, *operators, allow=True)
    assert [part.outcome for part in allowed.report.left] == [Outcome.NOT_RESTORED]
    allowed.check(RunOptions())


def test_positions_of_a_source_of_no_table_are_refused() -> None:
    plan = compiled(TOTALS)
    splits = OperatorList("SourceReaderState", "SPLIT_DISTRIBUTE", "BYTES", (("AAAA",),))
    others = OperatorList("writer-state", "SPLIT_DISTRIBUTE", "BYTES", (("AAAA",),))
    aggregate = operator(uid_of(plan, "group-aggregate"), state("accState"))
    left = imported(plan, aggregate, operator("9_source", lists=(splits,)), operator("8_writer", lists=(others,)))
    assert [(part.name, part.entries) for part in left.report.left] == [("9_source", 0)]


def test_rows_in_flight_are_refused() -> None:
    plan = compiled(TOTALS)
    waiting = OperatorList("_async_wait_operator_state_", "SPLIT_DISTRIBUTE", {"raw": "Row"}, (("AAAA",),))
    aggregate = operator(uid_of(plan, "group-aggregate"), state("accState"))
    (left,) = imported(plan, aggregate, operator("3_async-calc", lists=(waiting,))).report.left
    assert left.why == "it has 1 row in flight, which Flink would compute again"
