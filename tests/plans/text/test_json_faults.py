"""JSON broken by hand: each error has its cause, file, line, column, the line with carets, the pointer and a remedy."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest

from compiled_plan.plans.errors import PlanError
from compiled_plan.plans.findings import located
from compiled_plan.plans.inspection.check import check
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.text import jsontext
from compiled_plan.plans.text.json_faults import JsonError
from compiled_plan.plans.text.spans import nearest
from tests.support.commands import called
from tests.support.plan_files import text_of

#: The character » marks where the carets of the message begin, and is no part of the text.
TEXT = '{\n  "nodes" : [ {\n    "id" : 1,\n    "ttl" : "0 ms",\n    "name" : "left"\n  } ]\n}\n'


def edited(old: str, new: str) -> str:
    assert TEXT.count(old) == 1
    return TEXT.replace(old, new)


@pytest.mark.parametrize(
    ("text", "message", "pointer", "remedy"),
    [
        (edited('"left"', '"left"»,'), "a comma before `}`", "/nodes/0", "remove the comma"),
        ("»]", "a `]` that closes nothing", "", "remove it"),
        ('{"a": {"b": 1, "b": 2}», ]', "a comma before `]`", "", "remove the comma"),
        (edited("} ]", "}», ]"), "a comma before `]`", "/nodes", "remove the comma"),
        (edited('"name"', '»// the left\n    "name"'), "a comment", "/nodes/0", "remove it"),
        (edited('"name"', '»/* left */ "name"'), "a comment", "/nodes/0", "remove it"),
        (edited('"name"', '»# left\n    "name"'), "a comment", "/nodes/0", "remove it"),
        (edited('"0 ms"', "»'1 h'"), "`'` where a double quote belongs", "/nodes/0/ttl", 'write `"1 h"`'),
        (edited('"ttl"', "»'ttl'"), "`'` where a double quote belongs", "/nodes/0", 'write `"ttl"`'),
        (edited('"0 ms"', "»\u201c1 h\u201d"), "where a double quote belongs", "/nodes/0/ttl", 'write `"1 h"`'),
        (
            edited('    "ttl"', '»<<<<<<< HEAD\n    "ttl" : "1 h",\n=======\n    "ttl"'),
            "a merge conflict that is not resolved",
            "/nodes/0",
            "keep one of the two sides",
        ),
        (edited('    "name"', '»>>>>>>> other\n    "name"'), "a merge conflict", "/nodes/0", "keep one"),
        (edited('"0 ms",', '"0 ms"»'), "a comma is missing", "/nodes/0/name", "write `,`"),
        (edited("1,", "1»"), "a comma is missing", "/nodes/0/ttl", "write `,`"),
        (edited('"0 ms"', '»"1 h'), "a text without a closing quote", "/nodes/0/ttl", 'end the text with `"`'),
        (edited('"0 ms"', '"0»\tms"'), "a control character within a text", "/nodes/0/ttl", r"write `\t`"),
        (edited('"0 ms"', '"0»\\ ms"'), r"an unknown escape `\ ` in a text", "/nodes/0/ttl", "write `\\\\`"),
        (edited('"left"', '"the »"left" one"'), "a double quote within a text", "/nodes/0", r"write `\"`"),
        (edited('"0 ms"', "»1 h"), "`1 h` is no value of JSON", "/nodes/0", 'write `"1 h"`'),
        (edited('"0 ms"', "»never"), "a text without quotes", "/nodes/0/ttl", 'write `"never"`'),
        (edited('"0 ms"', "»None"), "`None` is no value of JSON", "/nodes/0/ttl", "write `null`"),
        (edited("1,", "»True,"), "`True` is no value of JSON", "/nodes/0/id", "write `true`"),
        (edited("1,", "»,"), "a value is missing", "/nodes/0/id", "write one after the `:`"),
        (edited("1,", "1,»,"), "a comma too many", "/nodes/0", "remove the comma"),
        (edited('"ttl"', "»ttl"), "a key without quotes", "/nodes/0", 'write `"ttl"`'),
        (edited('"ttl" :', '"ttl" »='), "a `:` is missing after a key", "/nodes/0/ttl", "write `:`"),
        (edited("} ]", "} »}"), "`}` where the `[` of line 2 needs `]`", "/nodes", "close it with `]`"),
        (edited("} ]\n}", "} ]\n} »}"), "one `}` too many", "", "remove it"),
        (f"{TEXT}»x", "text after the end of the plan", "", "remove it"),
        (TEXT.rstrip()[:-1].rstrip()[:-1] + "»]", "the text ends too early: the `{` of line 1", "", "restore the file"),
        (TEXT[:60].rstrip()[:-1] + "»,", "the text ends too early: the `{` of line 2", "/nodes/0", "compile the plan"),
        ("»source: mysql", "the text begins with `source`", "", "compile-plan PROGRAM"),
    ],
)
def test_text_that_is_no_json(text: str, message: str, pointer: str, remedy: str) -> None:
    at = text.index("»")
    text = text.replace("»", "")
    with pytest.raises(JsonError) as raised:
        jsontext.loads(text, "'/data/plan.json'")
    fault = raised.value
    assert fault.message.startswith("not JSON: ") and message in fault.message
    assert remedy in fault.remedy
    line, begin = text.count("\n", 0, at) + 1, text.rfind("\n", 0, at) + 1
    place, shown, carets = fault.where.split("\n")
    assert place == f"/data/plan.json:{line}:{at - begin + 1}" + (f", {pointer}" if pointer else "")
    assert shown == f"    {text[begin:].splitlines()[0]}"
    assert re.fullmatch(r"\s+\^+", carets) and len(carets.rstrip("^")) == at - begin + 4


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize(
    ("text", "pointer", "lines"),
    [
        (edited('"name"', '"ttl" : "1 h",\n    "name"'), "/nodes/0/ttl", (4, 5)),
        (edited("1,", '1, "id" : 1,'), "/nodes/0/id", (3, 3)),
        (edited("} ]", '}, {"a": [[{"b": 1,\n"c": 2, "b": 3}]]} ]'), "/nodes/1/a/0/0/b", (6, 7)),
        (TEXT.rstrip()[:-1] + ', "nodes" : []}', "/nodes", (2, 7)),
        (edited("1,", '{"a/b": 1, "a/b": 2},'), "/nodes/0/id/a~1b", (3, 3)),
    ],
)
def test_a_key_that_is_there_twice(text: str, pointer: str, lines: tuple[int, int], mark: str) -> None:
    json.loads(text)
    with pytest.raises(JsonError) as raised:
        jsontext.loads(mark + text, "'/data/plan.json'")
    first, second = lines
    assert raised.value.message.endswith(f"is there twice in one object: in line {first} and in line {second}")
    place, shown, _, also, carets = raised.value.where.split("\n")
    assert re.fullmatch(rf"/data/plan\.json:{second}:\d+, {re.escape(pointer)}", place)
    assert (shown, also) == tuple(f"    {text.splitlines()[line - 1]}" for line in lines)
    assert set(carets.strip()) == {"^"}


@pytest.mark.parametrize("command", ["edit_plan", "edit_plan --check", "execute_plan", "diff_plan"])
@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ('"ttl" : "1 d"', '"ttl" : "3 sek"', '      "ttl" : "3 sek",'),
        ('"joinType" : "INNER"', '"joinType" : "INNR"', '      "joinType" : "INNR",'),
        ('"ttl" : "1 d"', '"ttl" : "1 d", "ttl" : "1 h"', '      "ttl" : "1 d", "ttl" : "1 h",'),
        ('"ttl" : "1 d",', '"ttl" : "1 d"', '      "ttl" : "1 d"'),
        ('"joinType" : "INNER",', "", '    "joinSpec" : {'),
    ],
)
def test_commands_show_the_line(old: str, new: str, line: str, command: str, tmp_path: Path) -> None:
    text = CompiledPlan.from_json(text_of("join/state_ttl_hint_join")).to_json()
    assert old in text
    path = tmp_path / "plan.json"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    name, *options = command.split()
    done = called(name, str(path), *options, *([str(path)] if name == "diff_plan" else ()))
    assert done.returncode == 1
    said = done.stdout + done.stderr
    number = path.read_text(encoding="utf-8").split("\n").index(line) + 1
    assert re.search(rf"  at: {re.escape(str(path))}:{number}:\d+, .*/nodes/\d+/.*\n    {re.escape(line)}\n +\^", said)


@pytest.mark.parametrize("seed", range(20))
def test_every_edit_of_a_plan_is_read_or_refused_with_its_place(seed: int) -> None:
    choose = random.Random(seed)
    for _ in range(100):
        signs = list(TEXT)
        for at in choose.sample(range(len(signs)), 3):
            signs[at] = choose.choice(("", *"{}[]\",:'\\#0-\n\u2019", "// ", "<<<<<<< ours\n", '"id" : 2, '))
        text = "".join(signs)[: choose.choice((len(TEXT) // 2, None))]
        try:
            jsontext.loads(text, "plan")
        except PlanError as fault:
            assert fault.where.startswith("plan"), text


def test_secrets_in_the_line_are_hidden() -> None:
    text = '{"nodes": [{"password": "hunter2", "url": "ftp://u:hunter2@h" "x": 1}]}'
    with pytest.raises(PlanError) as raised:
        jsontext.loads(text)
    assert "hunter2" not in str(raised.value) and '"password": "*******"' in str(raised.value)


def test_a_long_line_is_shown_in_part() -> None:
    text = json.dumps({"nodes": list(range(100_000))})[:-1] + ",}"
    with pytest.raises(PlanError) as raised:
        jsontext.loads(text)
    assert len(str(raised.value)) < 700 and "    ... " in str(raised.value)


def test_positions_of_many_findings_take_one_pass() -> None:
    """Every pointer has its own place; one that is missing has that of its nearest parent."""
    text = json.dumps({"a": [{"b": number} for number in range(2_000)]}, indent=1)
    pointers = [f"/a/{number}/b" for number in range(2_000)]
    places = nearest(text, [*pointers, "/a/5/c/d", "/x", ""])
    assert [text[slice(*places[pointer])] for pointer in pointers] == [f'"b": {number}' for number in range(2_000)]
    assert text[slice(*places["/a/5/c/d"])] == "{" and places["/x"] == places[""] == (0, 1)
    assert text.count("\n", 0, places["/a/5/c/d"][0]) == 17


def test_a_plan_nested_too_deeply_for_positions_keeps_its_findings() -> None:
    deep = '{"flinkVersion": 1, "nodes": [' + "[" * 20_000 + "]" * 20_000 + '], "edges": []}'
    assert located((), deep) == []
    with pytest.raises(PlanError):
        CompiledPlan.from_json(deep)
    assert all(finding.is_error for finding in check(deep))
