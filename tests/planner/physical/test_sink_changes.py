"""Sinks, conflict clauses and kinds of queries, with Flink's plans for each, recorded by `record_sinks.py`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compiled_plan.api.environment import TableEnvironment
from compiled_plan.plans.errors import ProgramError
from tests.planner.physical import sinks

FLINK = json.loads(Path(__file__).with_name("sinks.json").read_text(encoding="utf-8"))


def answer(program: sinks.Program) -> str:
    try:
        plan = TableEnvironment(program.options).compile_script(";\n".join((*program.setup, program.insert)))
    except ProgramError as refusal:
        return sinks.refused(str(refusal))
    return sinks.planned(json.loads(plan.to_json()), program.conflict)


@pytest.mark.parametrize("sink", sinks.SINKS)
def test_a_sink_is_planned_as_flink_does(sink: str) -> None:
    answers = sinks.table({program.name: answer(program) for program in sinks.programs(sink)})
    assert answers == FLINK[sink]
