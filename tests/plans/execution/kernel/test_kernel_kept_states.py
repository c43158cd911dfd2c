"""State written by any release is readable, has the same meaning, and the same description.

The harness checks `encode(decode(bytes)) == bytes` for every state that any
test of an operator creates, those of random rows among them; and that its timer is set in time.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.plans.execution.kernel.kept_states import CASES, FOLDER, written
from tests.support.kernel.harness import Change, Harness, OperatorError, Step

FILES = sorted(FOLDER.glob("*.json"))
WITHOUT_TIMER = b"\x02"


def state_file(name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return document


@pytest.mark.parametrize("name", [path.stem for path in FILES])
def test_a_recorded_state_is_read_as_written(name: str, harness: Harness) -> None:
    file = state_file(name)
    states = {key: bytes.fromhex(state["bytes"]) + WITHOUT_TIMER for key, state in file["states"].items()}
    answer = harness.states(file["spec"], [], states)
    assert answer["states"] == file["states"]
    assert answer["format"] == file["format"]


@pytest.mark.parametrize("name", CASES)
def test_current_formats_are_recorded(name: str, harness: Harness) -> None:
    now = json.loads(json.dumps(written(harness, CASES[name])))
    assert now == state_file(f"{name}-v{now['format']['version']}"), "another format is another version, see StateKind"


def test_every_format_and_every_form_is_recorded(harness: Harness) -> None:
    kinds, forms = harness.forms()
    files = [state_file(path.stem) for path in FILES]
    assert {(file["format"]["kind"], file["format"]["version"]) for file in files} >= {
        item for item in kinds.items() if item[0] != "nothing"
    }
    seen: set[tuple[str, int]] = set()
    for file in files:
        _forms(file["format"], seen)
    assert seen == set(forms.items())


def _forms(node: Any, seen: set[tuple[str, int]]) -> None:
    if isinstance(node, dict):
        if "form" in node:
            seen.add((node["form"], node["version"]))
        for value in node.values():
            _forms(value, seen)
    elif isinstance(node, list):
        for value in node:
            _forms(value, seen)


def test_state_of_another_version_is_refused_by_name(harness: Harness) -> None:
    spec = CASES["rank"].spec
    state = bytes.fromhex(state_file("rank-v1")["states"]["a"]["bytes"]) + WITHOUT_TIMER
    step = Step(0, [Change("+I", ("a", 1, 2), 0, "a")])
    with pytest.raises(OperatorError, match=r"operator rank .* format rank in version 7, known here is version 1; run"):
        harness.run(spec, [step], {"a": b"\x07" + state[1:]})
    with pytest.raises(OperatorError, match=r"operator rank: .* the unknown timer tag 1, known are 2 and 3; run"):
        harness.run(spec, [step], {"a": state[:-1] + b"\x01"})


def test_an_accumulator_of_another_form_is_refused_by_name(harness: Harness) -> None:
    spec = CASES["group-aggregate-python"].spec
    state = bytes.fromhex(state_file("group-aggregate-python-v1")["states"]["a"]["bytes"]) + WITHOUT_TIMER
    counted = {**spec, "aggs": [{"function": "$COUNT$1", "args": []}], "outputTypes": ["STRING", "BIGINT"]}
    with pytest.raises(OperatorError, match=r"aggregate 0: the state holds form 23 in version 1 where count"):
        harness.states(counted, [], {"a": state})


@pytest.mark.parametrize(
    "name",
    [
        *("group-aggregate", "deduplicate-first", "keep-first-in-order-given-out", "over-rowtime", "over-proctime"),
        *("window-aggregate", "session-aggregate", "count-window-aggregate"),
    ],
)
def test_without_a_stored_row_the_key_values_are_stored(name: str) -> None:
    file = state_file(f"{name}-v1")
    field = "row" if name == "deduplicate-first" else "key"
    assert file["states"]["a"]["means"][field] == ["a"]
    described = next(item for item in file["format"]["fields"] if item["name"] == field)
    assert described["columns"] == [{"type": "STRING", "input": 0, "column": 0}]
