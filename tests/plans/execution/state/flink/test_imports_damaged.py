"""Damaged savepoints under a dry run: a report or an error, and nothing else."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.state.flink.imports import ImportOptions, examined
from compiled_plan.plans.execution.state.flink.matching import candidate_uids
from compiled_plan.plans.execution.state.flink.savepoint.head import SavepointHead
from compiled_plan.plans.execution.state.flink.savepoint.reading import read_savepoints
from compiled_plan.plans.inspection.identity import with_uids
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.text.documents import to_json
from tests.plans.execution.state.flink.savepoint import restore_tests
from tests.plans.execution.state.flink.savepoint.damaging import damaged

pytestmark = [pytest.mark.wide, pytest.mark.slow, pytest.mark.attack]

PROGRAMS = (
    "stream-exec-join_1/join-left-join",
    "stream-exec-window-aggregate_1/window-aggregate-tumble-event-time",
    "stream-exec-rank_1/rank-test-retract-strategy",
    "stream-exec-match_1/match-simple",
    "stream-exec-join_1/join-with-state-ttl-hint",
)


def test_a_dry_run_reports_or_refuses(tmp_path: Path) -> None:
    plans = {program: with_uids(CompiledPlan.from_json(restore_tests.plan(program))) for program in PROGRAMS}
    draw, pairs, programs = Random(11), [], {}
    for number, program in enumerate(PROGRAMS):
        (savepoint,) = restore_tests.unpack(tmp_path / "good", program)
        for copied in damaged(savepoint, tmp_path / str(number), 20, draw):
            to = tmp_path / "read" / f"{number}-{copied.name}"
            pairs.append((copied, to))
            programs[to] = program
    uids = sorted({uid for plan in plans.values() for uid in candidate_uids(plan)})
    outcomes = {"report": 0, "error": 0}
    for to, head in read_savepoints(pairs, uids=uids).items():
        try:
            if not isinstance(head, SavepointHead):
                raise head
            report = examined(plans[programs[to]], to, head, ImportOptions()).report
            assert to_json(report)
            outcomes["report"] += 1
        except CheckpointError as error:
            assert error.where and error.remedy
            assert not error.message.startswith("the process that reads"), error
            assert isinstance(head, SavepointHead) or not to.exists()
            outcomes["error"] += 1
    assert outcomes["report"] + outcomes["error"] == 100
    assert outcomes["error"] > 50
