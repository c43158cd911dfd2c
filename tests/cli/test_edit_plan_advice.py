"""`edit-plan --ttl-from`: TTLs of an advice."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import called
from tests.support.plan_files import text_of

edit_plan = partial(called, "edit_plan")


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    path = tmp_path / "plan.json"
    path.write_text(text_of("join/state_ttl_hint_join"), encoding="utf-8")
    return path


@pytest.fixture
def advice(plan: Path) -> Path:
    """An advice of a minute for the left input, and of none for the right one."""
    lines = json.loads(edit_plan(plan, "--json").stdout)["state"]
    figures = {"uses": 5, "since": 0, "entries": 3, "bytes": 30, "savedEntries": 1, "savedBytes": 10, "words": "a join"}
    entries = [
        {"uid": line["uid"], "node": line["node"], "entry": line["entry"], "ttl": line["ttl_ms"], **figures}
        | {"advised": 60_000 if line["entry"] == "leftState" else None}
        for line in lines
    ]
    report = {"checkpoint": "cp", "generation": 1, "batch": 3, "at": 0, "keep": 0.999, "growth": [], "entries": entries}
    path = plan.with_name("advice.json")
    path.write_text(json.dumps({"version": 1, "advice": report}), encoding="utf-8")
    return path


def ttls(plan: Path) -> list[str]:
    return [line["ttl"] for line in json.loads(edit_plan(plan, "--json").stdout)["state"]]


def test_an_advice_changes_nothing_but_its_ttls(plan: Path, advice: Path) -> None:
    before, (left, right) = plan.read_text(encoding="utf-8"), ttls(plan)
    done = edit_plan(plan, "--ttl-from", advice)
    assert done.returncode == 0, done.stderr
    assert f"leftState: {left} -> 1 min" in done.stderr
    assert ttls(plan) == ["1 min", right]
    assert plan.read_text(encoding="utf-8") == before.replace(f'"{left}"', '"1 min"', 1)


def test_a_ttl_of_the_command_has_priority(plan: Path, advice: Path, tmp_path: Path) -> None:
    before = plan.read_text(encoding="utf-8")
    (node, *_) = {line["node"] for line in json.loads(edit_plan(plan, "--json").stdout)["state"]}
    done = edit_plan(plan, "--ttl-from", advice, "--ttl", f"{node}.leftState=5 min", "-o", tmp_path / "out.json")
    assert done.returncode == 0, done.stderr
    assert ttls(tmp_path / "out.json")[0] == "5 min"
    assert plan.read_text(encoding="utf-8") == before


def test_an_advice_for_another_program_is_refused(plan: Path, advice: Path) -> None:
    before, document = plan.read_bytes(), json.loads(advice.read_text(encoding="utf-8"))
    document["advice"]["entries"][1]["uid"] = "rank-orders-1"
    advice.write_text(json.dumps(document), encoding="utf-8")
    done = edit_plan(plan, "--ttl-from", advice)
    assert done.returncode == 1
    assert "the plan has no operator 'rank-orders-1' with a TTL" in done.stderr
    assert plan.read_bytes() == before


@pytest.mark.parametrize("options", [["--graph", "dot"]])
def test_a_drawing_edits_nothing(plan: Path, advice: Path, options: list[Any]) -> None:
    assert edit_plan(plan, "--ttl-from", advice, *options).returncode == 2
