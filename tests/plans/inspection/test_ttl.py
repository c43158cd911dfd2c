from __future__ import annotations

import difflib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import PlanError
from compiled_plan.plans.inspection.entries import state_lines
from compiled_plan.plans.inspection.identity import derived_uids
from compiled_plan.plans.inspection.ttl import TtlEdit, parse_edit, set_ttls
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.text import spans
from compiled_plan.plans.text.durations import format_duration
from compiled_plan.plans.text.spans import find
from tests.support.plan_files import ALL, name_of, text_of

CASE = "join/state_ttl_hint_join"


def join_id(text: str) -> int:
    return next(node.id for node in CompiledPlan.from_json(text).nodes if node.kind == "join")


def ttls(text: str) -> dict[str, str]:
    return {line.entry: line.ttl for line in state_lines(CompiledPlan.from_json(text))}


def test_changes_the_ttl_and_not_one_character_more() -> None:
    text = json.dumps(json.loads(text_of(CASE)), indent=1)
    edited, changes = set_ttls(text, [parse_edit(f"{join_id(text)}.leftState=12345 ms")])
    removed = [line for line in difflib.ndiff(text.splitlines(), edited.splitlines()) if line[0] in "+-"]
    assert len(removed) == 2
    assert removed[1].strip("+ ,") == '"ttl": "12345 ms"'
    assert [(change.entry, change.new) for change in changes] == [("leftState", "12345 ms")]


@pytest.mark.parametrize("path", ALL[::9], ids=name_of)
def test_every_entry_of_every_plan_can_be_set(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    lines = state_lines(CompiledPlan.from_json(text))
    edits = [TtlEdit(str(line.node), line.entry, f"{number + 1} h") for number, line in enumerate(lines)]
    edited, changes = set_ttls(text, edits)
    assert len(changes) == len(lines)
    after = state_lines(CompiledPlan.from_json(edited))
    assert [line.ttl for line in after] == [format_duration((n + 1) * 3_600_000) for n in range(len(lines))]
    assert [line.uid for line in after] == [line.uid for line in lines]


def test_formatting_of_a_person_is_kept() -> None:
    text = "\ufeff" + json.dumps(json.loads(text_of(CASE)), separators=(",", " :\t")).replace("[{", "[\r\n {")
    edited, _ = set_ttls(text, [parse_edit(f"{join_id(text)}.rightState=0")])
    assert ttls(edited)["rightState"] == "0 ms"
    start, end = find(text, ("nodes", _position(text), "state", 1, "ttl"))
    assert edited == text[:start] + '"0 ms"' + text[end:]


def _position(text: str) -> int:
    plan = CompiledPlan.from_json(text)
    return next(number for number, node in enumerate(plan.nodes) if node.kind == "join")


def test_by_uid_of_the_file_and_by_derived_uid() -> None:
    text = text_of(CASE)
    uid = derived_uids(CompiledPlan.from_json(text))[join_id(text)]
    assert ttls(set_ttls(text, [parse_edit(f"{uid}.leftState=3s")])[0])["leftState"] == "3 s"
    data = json.loads(text)
    data["nodes"][_position(text)]["uid"] = "my.join"
    assert ttls(set_ttls(json.dumps(data), [parse_edit("my.join.leftState=3s")])[0])["leftState"] == "3 s"


def test_the_last_edit_of_an_entry_counts() -> None:
    text = text_of(CASE)
    node = join_id(text)
    edited, changes = set_ttls(text, [parse_edit(f"{node}.leftState={ttl}") for ttl in ("3 s", "4 s")])
    assert ttls(edited)["leftState"] == "4 s"
    assert len(changes) == 1


@pytest.mark.parametrize(
    ("edit", "message", "remedy"),
    [
        ("{join}.leftSate=3s", "has no state entry 'leftSate'", "did you mean `leftState`?"),
        ("{source}.leftState=3s", "it keeps no state", ""),
        ("99999999.leftState=3s", "no node '99999999'", "operators with state: `join-"),
        ("join-oders.leftState=3s", "no node 'join-oders'", ""),
        ("{join}=3s", "has 2 state entries", "name one: `{join}.leftState=3s` or `{join}.rightState=3s`"),
        ("{source}=3s", "it keeps no state", ""),
        ("rightState=3s", "no node 'rightState'", "name the node, too: `{join}.rightState=3s`"),
    ],
)
def test_unknown_nodes_and_entries_are_named(edit: str, message: str, remedy: str) -> None:
    text = text_of(CASE)
    source = CompiledPlan.from_json(text).sources[0].id
    with pytest.raises(PlanError) as raised:
        set_ttls(text, [parse_edit(edit.format(join=join_id(text), source=source))])
    assert message in raised.value.message
    assert remedy.format(join=join_id(text)) in raised.value.remedy


@pytest.mark.parametrize("uid", ["sum", "sum.of.amounts"])
def test_the_only_entry_of_a_node_needs_no_name(uid: str) -> None:
    data = json.loads(over())
    node = next(node for node in data["nodes"] if node["type"].startswith("stream-exec-over"))
    node["uid"] = uid
    for target in (str(node["id"]), uid):
        edited, (change,) = set_ttls(json.dumps(data), [parse_edit(f"{target}=3s")])
        assert (change.node, change.new) == (node["id"], "3 s")
        assert ttls(edited)[change.entry] == "3 s"


def test_a_window_says_why_it_has_no_ttl() -> None:
    text = text_of("cumulate")
    window = next(node for node in CompiledPlan.from_json(text).nodes if node.kind == "global-window-aggregate")
    with pytest.raises(PlanError, match=r"watermarks \(or the clock\) end windows"):
        set_ttls(text, [TtlEdit(str(window.id), "state", "3 s")])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("5.leftState", "not a TTL to set"),
        ("=3s", "not a TTL to set"),
        ("5.=3s", "not a TTL to set"),
        ("5.leftState=", "must not be empty"),
        ("5.leftState=-3s", "must not be negative"),
        ("5.leftState=3 parsec", "unknown unit 'parsec'"),
        ("5.leftState=5 µs", "less than a millisecond"),
        ("5.leftState=300000000000 d", "must fit"),
    ],
)
def test_invalid_edits(text: str, message: str) -> None:
    with pytest.raises(PlanError, match=message):
        parse_edit(text)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.wide
@given(JSON, st.sampled_from([None, 1, 3]), st.data())
def test_spans_point_at_the_value(value: object, indent: int | None, data: st.DataObject) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    path: list[str | int] = []
    here = value
    while isinstance(here, dict | list) and here and data.draw(st.booleans()):
        part = data.draw(st.sampled_from(list(here) if isinstance(here, dict) else list(range(len(here)))))
        path.append(part)
        here = here[part]
    start, end = find(text, tuple(path))
    assert json.loads(text[start:end]) == here


OVER = """
CREATE TABLE t (id INT, v INT, p AS PROCTIME()) WITH ('connector' = 'datagen');
CREATE TABLE o (id INT, v INT) WITH ('connector' = 'print');
INSERT INTO o SELECT id, SUM(v) OVER (PARTITION BY id ORDER BY p {frame}) FROM t;
"""
LAST_HOUR = "RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW"


def over(frame: str = "", **options: str) -> str:
    environment = TableEnvironment({key.replace("_", "."): value for key, value in options.items()})
    return environment.compile_script(OVER.format(frame=frame)).to_json()


@pytest.mark.parametrize("options", [{}, {"table_exec_state_ttl": "1 h"}])
@pytest.mark.parametrize("indent", [2, None])
def test_the_ttl_of_idle_keys_of_an_over_aggregate(options: dict[str, str], indent: int | None) -> None:
    """Flink has no `state` array there: the option is in the node's configuration, where Flink reads it."""
    text = over(**options)
    assert ttls(text) == {"idleState": options.get("table_exec_state_ttl", "0 ms")}
    text = text if indent else json.dumps(json.loads(text))
    node = next(node for node in CompiledPlan.from_json(text).nodes if node.kind == "over-aggregate")
    edited, (change,) = set_ttls(text, [parse_edit(f"{node.id}.idleState=3s")])
    assert (change.entry, change.old, change.new) == ("idleState", ttls(text)["idleState"], "3 s")
    assert ttls(edited) == {"idleState": "3 s"}
    before, after = CompiledPlan.from_json(text), CompiledPlan.from_json(edited)
    assert after.node(node.id).configuration == {"table.exec.state.ttl": "3 s"}
    same = after.node(node.id).model_copy(update={"configuration": node.configuration})
    assert before.with_nodes([same if candidate.id == node.id else candidate for candidate in after.nodes]) == before
    again, _ = set_ttls(edited, [parse_edit(f"{node.id}.idleState=0")])
    assert ttls(again) == {"idleState": "0 ms"}


def test_a_window_of_the_last_hour_has_no_ttl() -> None:
    text = over(LAST_HOUR, table_exec_state_ttl="1 h")
    assert ttls(text) == {}
    assert "table.exec.state.ttl" not in text


def test_members_are_put_into_objects_of_any_form() -> None:
    for text in ('{"type": 1, "c": {}}', '{"type": 1, "c": {"a": 1}}', '{"type": 1}', '{"c": {"k": 2}, "type": 1}'):
        assert json.loads(spans.put(text, ("c",), "k", "3", after="type"))["c"]["k"] == 3
