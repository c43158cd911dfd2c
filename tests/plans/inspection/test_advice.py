"""Advised TTLs: rounding, shares, and the edits of a plan."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import CheckpointError, PlanError
from compiled_plan.plans.inspection.advice import Advice, AdviceReport, EntryAdvice, edits_of, readable, share_of
from compiled_plan.plans.inspection.entries import state_lines
from compiled_plan.plans.text.documents import to_json
from compiled_plan.plans.text.durations import format_duration

HOUR = 3_600_000
PROGRAM = """
SET 'table.exec.state.ttl' = '2 h';
CREATE TABLE a (k STRING, v INT) WITH ('connector' = 'datagen');
CREATE TABLE b (k STRING, w INT) WITH ('connector' = 'datagen');
CREATE TABLE s (k STRING, v INT, w INT) WITH ('connector' = 'print');
INSERT INTO s SELECT a.k, v, w FROM a JOIN b ON a.k = b.k;
"""
LINES = state_lines(TableEnvironment().compile_script(PROGRAM))
LEFT, RIGHT = (
    EntryAdvice(line.uid, line.node, "a join", line.entry, 2 * HOUR, HOUR, 9, 0, 4, 40, 2, 20) for line in LINES
)


def advice(*entries: EntryAdvice) -> str:
    return to_json(Advice(advice=AdviceReport("cp", 1, 3, 0, 0.999, entries, ())))


@pytest.mark.parametrize(
    ("age", "shown"),
    [(1, "1 s"), (19_999, "20 s"), (61_000, "61 s"), (1_500_001, "26 min"), (95 * HOUR, "95 h"), (121 * HOUR, "126 h")],
)
def test_durations_are_rounded_up_to_readable_ones(age: int, shown: str) -> None:
    assert format_duration(readable(age)) == shown


@given(st.integers(1000, 10**13))
def test_a_readable_duration_is_at_most_a_twentieth_longer(age: int) -> None:
    assert age <= readable(age) <= age * 1.05
    assert readable(readable(age)) == readable(age)


@pytest.mark.parametrize(("text", "share"), [("99.9%", "0.999"), ("0.95", "0.95"), ("100%", "1"), (" 1 ", "1")])
def test_shares(text: str, share: str) -> None:
    assert share_of(text) == Fraction(share)


@pytest.mark.parametrize("text", ["0", "101%", "-1%", "all", "99.9%%", "99.9% of it", "1/0"])
def test_other_shares_are_refused(text: str) -> None:
    with pytest.raises(CheckpointError, match="not a share of uses"):
        share_of(text)


def test_an_advice_sets_the_ttls_that_differ() -> None:
    edits = edits_of(advice(LEFT, replace(RIGHT, advised=2 * HOUR)), LINES, "advice.json")
    assert list(map(str, edits)) == [f"{LEFT.uid}.leftState=1 h"]
    assert edits_of(advice(replace(LEFT, advised=None)), LINES, "advice.json") == []


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"uid": "join-b-c-1"}, "the plan has no operator 'join-b-c-1' with a TTL: the advice is for another program"),
        ({"entry": "state"}, "has no state entry 'state'"),
        ({"ttl": HOUR}, "leftState has the TTL 2 h in the plan, and the advice is of uses under 1 h"),
    ],
)
def test_an_advice_that_does_not_fit_is_refused(changed: dict[str, Any], says: str) -> None:
    with pytest.raises(PlanError, match=r"at: advice\.json") as refused:
        edits_of(advice(replace(LEFT, **changed)), LINES, "advice.json")
    assert says in str(refused.value)


@pytest.mark.parametrize("text", ["", "{}", '{"version": 1, "state": {}}', '{"version": 2}'])
def test_other_documents_are_refused(text: str) -> None:
    with pytest.raises(PlanError, match="not an advice on TTLs"):
        edits_of(text, LINES, "advice.json")
