"""Sinks, conflict clauses and kinds of queries, with Flink's plans for each, recorded by `record_sinks.py`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import ProgramError
from tests.planner.physical import sinks
from tests.support.tables import failures

FLINK = json.loads(Path(__file__).with_name("sinks.json").read_text(encoding="utf-8"))


def answer(program: sinks.Program) -> str:
    try:
        plan = TableEnvironment(program.options).compile_script(";\n".join((*program.setup, program.insert)))
    except ProgramError as refusal:
        return sinks.refused(str(refusal))
    return sinks.planned(json.loads(plan.to_json()), program.conflict)


def expected(sink: str, program: sinks.Program) -> str:
    """Flink's recorded answer: answers that no clause or option changes are recorded once."""
    recorded: Any = FLINK[sink][program.query]
    for part, parts in ((program.conflict, sinks.CONFLICTS), (program.option, tuple(sinks.OPTIONS))):
        if isinstance(recorded, dict) and tuple(recorded) == parts:
            recorded = recorded[part]
    return str(recorded)


def without_clauses(sink: str) -> Iterator[sinks.Program]:
    """For each query, the program without clauses and options."""
    yield from {program.query: program for program in reversed(list(sinks.programs(sink)))}.values()


def distinct(sink: str) -> Iterator[sinks.Program]:
    """For each query and answer, the last program with a clause and the last without."""
    classes = {
        (program.query, expected(sink, program), bool(program.conflict)): program for program in sinks.programs(sink)
    }
    yield from classes.values()


def check_planned_as_in_flink(sink: str, program: sinks.Program) -> None:
    assert answer(program) == expected(sink, program)


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize(
    "programs",
    [
        without_clauses,
        pytest.param(distinct, marks=pytest.mark.wide),
        pytest.param(sinks.programs, marks=pytest.mark.deep),
    ],
)
@pytest.mark.parametrize("sink", sinks.SINKS)
def test_a_sink_is_planned_as_in_flink(sink: str, programs: Any) -> None:
    assert failures(check_planned_as_in_flink, ((sink, program) for program in programs(sink))) == {}
