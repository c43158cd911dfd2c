"""Outcomes of operators, by the head of a savepoint."""

from __future__ import annotations

from pathlib import Path

import pytest

from compiled_plan.api.environment import TableEnvironment
from compiled_plan.plans.execution.importing.imports import ImportOptions, _Examined
from compiled_plan.plans.execution.importing.matching import candidate_uids
from compiled_plan.plans.execution.importing.model import Outcome
from compiled_plan.plans.execution.savepoint.head import KeyedState, SavepointHead, SavepointOperator
from compiled_plan.plans.inspection.identity import with_uids

PROGRAM = """
CREATE TABLE moments (shop STRING, seen TIMESTAMP(3), WATERMARK FOR seen AS seen)
  WITH ('connector' = 'filesystem', 'path' = '/moments', 'format' = 'json');
CREATE TABLE counts (shop STRING, n BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO counts SELECT shop, COUNT(*) FROM TABLE({window}) GROUP BY shop, window_start, window_end;
"""
STATE = KeyedState("window-aggs", "VALUE", "STRING", "LONG", None, {"row": ["BIGINT"]}, ttl=False)
TIMERS = KeyedState("_timer_state/event_window-timers", "TIMERS", "STRING", "LONG", None, None, ttl=False)


@pytest.mark.parametrize(
    ("window", "states", "outcome"),
    [
        ("HOP(TABLE moments, DESCRIPTOR(seen), INTERVAL '1' HOUR, INTERVAL '2' HOUR)", (STATE,), Outcome.REFUSED),
        (
            "HOP(TABLE moments, DESCRIPTOR(seen), INTERVAL '1' HOUR, INTERVAL '2' HOUR)",
            (STATE, TIMERS),
            Outcome.COMPUTED,
        ),
        ("CUMULATE(TABLE moments, DESCRIPTOR(seen), INTERVAL '1' HOUR, INTERVAL '2' HOUR)", (STATE,), Outcome.REFUSED),
        ("TUMBLE(TABLE moments, DESCRIPTOR(seen), INTERVAL '1' HOUR)", (STATE,), Outcome.TAKEN),
    ],
)
def test_windows_that_share_slices_need_their_timers(
    window: str, states: tuple[KeyedState, ...], outcome: Outcome
) -> None:
    plan = with_uids(TableEnvironment().compile_script(PROGRAM.replace("{window}", window)))
    aggregate = next(node for node in plan.nodes if node.kind == "global-window-aggregate")
    uid = next(uid for uid, node in candidate_uids(plan).items() if node == aggregate.id)
    operator = SavepointOperator("0" * 32, uid, None, 1, 128, states, (), None, (), 1, 1)
    head = SavepointHead(1, "file:/savepoint", 1, "NATIVE", 0, (operator,))
    report = _Examined(plan, Path(), head, ImportOptions(starts={"moments": "earliest"})).imported().report
    (operator_import,) = report.operators
    assert operator_import.outcome is outcome, operator_import.why
    assert ("none of its timers" in operator_import.why) == (outcome is Outcome.REFUSED)
