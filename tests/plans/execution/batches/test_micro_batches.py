"""The interval of micro-batches, from the options and the freshness of materialized tables."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from compiled_plan.api.environment import TableEnvironment
from compiled_plan.plans.execution.batches.micro_batches import MicroBatches
from compiled_plan.plans.execution.session.options import RunOptions

PROGRAM = """
CREATE TABLE o (id INT) WITH ('connector' = 'datagen');
CREATE MATERIALIZED TABLE m WITH ('connector' = 'print') FRESHNESS = INTERVAL '2' MINUTE AS SELECT id FROM o;
"""


@pytest.mark.parametrize(
    ("program", "bounded", "options", "milliseconds"),
    [
        (PROGRAM, False, {}, 120_000),
        (PROGRAM, False, {"trigger": "5s"}, 5_000),
        (PROGRAM, False, {"available_now": True}, None),
        (PROGRAM, True, {}, None),
        (PROGRAM.replace("FRESHNESS = INTERVAL '2' MINUTE", ""), False, {}, None),
    ],
)
def test_a_continuous_run_is_as_fresh_as_its_materialized_table(program, bounded, options, milliseconds):
    plan = TableEnvironment().compile_script(program)
    prepared = SimpleNamespace(plan=plan, emits_by_processing_time=False, event_time=False)
    run = MicroBatches(None, prepared, None, RunOptions(**options), bounded, lambda: None, None)  # type: ignore[arg-type]
    assert run.interval_ms == milliseconds
