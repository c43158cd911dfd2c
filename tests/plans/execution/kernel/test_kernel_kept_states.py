"""State that any release wrote is read, means what it meant, and is described alike.

That a state is what it means, `encode(decode(bytes)) == bytes`, is checked by the harness for every state that any
test of an operator makes, those of random rows among them; so is that its timer is set in time.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.plans.execution.kernel.kept_states import CASES, FOLDER, written
from tests.support.kernel.harness import Change, Harness, OperatorError, Step

FILES = sorted(FOLDER.glob("*.json"))
WITHOUT_TIMER = b"\x02"


def kept(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("name", [path.stem for path in FILES])
def test_a_kept_state_is_read_as_it_was_written(name: str, harness: Harness) -> None:
    file = kept(name)
    states = {key: bytes.fromhex(state["bytes"]) + WITHOUT_TIMER for key, state in file["states"].items()}
    found = harness.states(file["spec"], [], states)
    assert found["states"] == file["states"]
    assert found["format"] == file["format"]


@pytest.mark.parametrize("name", CASES)
def test_what_is_written_now_is_kept(name: str, harness: Harness) -> None:
    now = json.loads(json.dumps(written(harness, CASES[name])))
    assert now == kept(f"{name}-v{now['format']['version']}"), "another format is another version, see StateKind"


def test_every_format_and_every_form_is_kept(harness: Harness) -> None:
    kinds, forms = harness.forms()
    files = [kept(path.stem) for path in FILES]
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
    state = bytes.fromhex(kept("rank-v1")["states"]["a"]["bytes"]) + WITHOUT_TIMER
    step = Step(0, [Change("+I", ("a", 1, 2), 0, "a")])
    with pytest.raises(OperatorError, match=r"operator rank .* format rank in version 7, known here is version 1; run"):
        harness.run(spec, [step], {"a": b"\x07" + state[1:]})
    with pytest.raises(OperatorError, match=r"operator rank: .* the unknown timer tag 1, known are 2 and 3; run"):
        harness.run(spec, [step], {"a": state[:-1] + b"\x01"})


def test_an_accumulator_of_another_form_is_refused_by_name(harness: Harness) -> None:
    spec = CASES["group-aggregate-python"].spec
    state = bytes.fromhex(kept("group-aggregate-python-v1")["states"]["a"]["bytes"]) + WITHOUT_TIMER
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
def test_where_no_row_is_kept_the_values_of_the_key_are(name: str) -> None:
    file = kept(f"{name}-v1")
    field = "row" if name == "deduplicate-first" else "key"
    assert file["states"]["a"]["means"][field] == ["a"]
    described = next(item for item in file["format"]["fields"] if item["name"] == field)
    assert described["columns"] == [{"type": "STRING", "input": 0, "column": 0}]
