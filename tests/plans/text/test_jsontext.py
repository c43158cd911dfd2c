"""JSON as Flink prints it, at any depth."""

from __future__ import annotations

import json
from typing import Any

import pytest

from compiled_plan.plans.errors import PlanError
from compiled_plan.plans.text import jsontext


def nested(levels: int) -> Any:
    value: Any = "in"
    for _ in range(levels):
        value = {"operands": [1, value], "type": "INT"}
    return value


def test_each_level_is_indented_as_flink_does() -> None:
    assert jsontext.dumps(nested(2)) == (
        '{\n  "operands" : [ 1, {\n    "operands" : [ 1, "in" ],\n    "type" : "INT"\n  } ],\n  "type" : "INT"\n}'
    )


@pytest.mark.parametrize("levels", [1, 300, 499, 500, 501, 502, 3_000])
def test_json_survives_a_round_trip(levels: int) -> None:
    text = jsontext.dumps(nested(levels))
    assert jsontext.dumps(jsontext.loads(text)) == text
    document = jsontext.loads(text)
    for _ in range(levels):
        assert document["type"] == "INT"
        document = document["operands"][1]
    assert document == "in"
    lines = text.splitlines()
    margins = [len(line) - len(line.lstrip()) for line in lines[: levels + 1]]
    assert margins == [2 * at if at <= 500 else 0 for at in range(levels + 1)]
    closing = [len(line) - len(line.lstrip()) for line in lines if line.endswith('"type" : "INT"')]
    assert closing == margins[:0:-1]


@pytest.mark.wide
def test_the_text_grows_as_the_depth_does() -> None:
    assert len(jsontext.dumps(nested(40_000))) < 3 * len(jsontext.dumps(nested(10_000)))


def test_deeply_nested_text_is_no_plan() -> None:
    with pytest.raises(PlanError, match="nested too deeply"):
        jsontext.loads("[" * 1_000_000 + "]" * 1_000_000)
    assert json.loads(jsontext.dumps(nested(10))) == nested(10)


@pytest.mark.parametrize("half", [r"\ud800", r"\uDFFF", r"\ude00\ud83d", r"\ud83d\u0041", r"\\\udabc"])
def test_half_of_a_surrogate_pair_is_no_text(half: str) -> None:
    with pytest.raises(PlanError, match="half of a surrogate pair") as raised:
        jsontext.loads(f'{{\n  "a" : "{half}"\n}}', "plan.json")
    assert raised.value.where.startswith("plan.json, line 2, column ")


def test_pairs_and_backslashes_are_text() -> None:
    assert jsontext.loads(r'["\ud83d\ude00", "\\ud800", "\u0041"]') == ["\U0001f600", r"\ud800", "A"]
