"""The interval of micro-batches and its origin, from the options and the freshness of materialized tables."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import ExecutionError, PlanError
from compiled_plan.plans.execution.batches.micro_batches import MicroBatches
from compiled_plan.plans.execution.explain import stages_of, stages_text
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.inspection.checked_plans import plan_from_json
from compiled_plan.plans.nodes.configuration import FRESHNESS, freshness_of

PROGRAM = """
CREATE TABLE o (id INT) WITH ('connector' = 'datagen');
CREATE MATERIALIZED TABLE m WITH ('connector' = 'print') FRESHNESS = INTERVAL '2' MINUTE AS SELECT id FROM o;
"""


@pytest.mark.parametrize(
    ("program", "bounded", "options", "milliseconds"),
    [
        (PROGRAM, False, {}, 120_000),
        (PROGRAM, False, {"trigger": "5s"}, 5_000),
        (PROGRAM, False, {"trigger": "0s"}, None),
        (PROGRAM, False, {"available_now": True}, None),
        (PROGRAM, True, {}, None),
        (PROGRAM.replace("FRESHNESS = INTERVAL '2' MINUTE", ""), False, {}, 180_000),
        (PROGRAM.replace("MATERIALIZED ", "").replace("FRESHNESS = INTERVAL '2' MINUTE", ""), False, {}, None),
    ],
)
def test_a_continuous_run_is_as_fresh_as_its_materialized_table(program, bounded, options, milliseconds):
    assert _run(program, bounded, options).interval_ms == milliseconds


def _run(program: str, bounded: bool, options: dict[str, Any]) -> MicroBatches:
    plan = TableEnvironment().compile_script(program)
    prepared = SimpleNamespace(sinks=plan.sinks, emits_by_processing_time=False, event_time=False)
    return MicroBatches(None, prepared, None, RunOptions(**options), bounded, lambda: None, None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "batches"),
    [
        ({}, None),
        ({"retain_batches": 7}, 7),
        ({"retain_for": "1h"}, 31),
        ({"retain_for": "1h", "trigger": "7s"}, 516),
        ({"retain_for": "1s"}, 2),
    ],
)
def test_retention_by_time_is_one_by_number(options, batches):
    assert _run(PROGRAM, bounded=False, options=options).retained == batches


@pytest.mark.parametrize(
    ("bounded", "options"), [(True, {}), (False, {"trigger": "0s"}), (False, {"available_now": True})]
)
def test_retention_by_time_needs_a_time_between_micro_batches(bounded, options):
    with pytest.raises(ExecutionError, match="--retain-for needs a time between micro-batches") as refused:
        _run(PROGRAM, bounded, {"retain_for": "7d", **options})
    assert "--trigger 10s" in str(refused.value)


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({}, "micro-batches of a continuous run every 2 min, from the freshness in the plan"),
        (
            {"trigger": "5s"},
            "micro-batches of a continuous run every 5 s, from --trigger; the freshness in the plan is 2 min",
        ),
        ({"trigger": "real-time"}, ""),
        ({"available_now": True}, ""),
    ],
)
def test_a_dry_run_shows_the_interval_and_its_origin(options, line):
    plan = TableEnvironment().compile_script(PROGRAM)
    lines = stages_text(stages_of(plan, RunOptions(**options))).splitlines()
    assert [text for text in lines if text.startswith("micro-batches")] == ([line] if line else [])


def test_the_shortest_freshness_counts_and_must_be_a_duration():
    text = TableEnvironment().compile_script(PROGRAM).to_json()
    assert freshness_of([{FRESHNESS: "1 h"}, {}, {FRESHNESS: "90 s"}]) == "90 s"
    with pytest.raises(PlanError, match="invalid value 'soon'"):
        plan_from_json(text.replace("2 min", "soon"))
