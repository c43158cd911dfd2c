"""Plans of a newer Flink in the service: the same answers as those of the commands."""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

import pytest

from compiled_plan.plans.inspection.check import report
from tests.support.plan_files import data_of

stored: Any = import_module("compiled_plan.service.workers.tasks.stored")
submitted: Any = import_module("compiled_plan.service.workers.tasks.submitted")


@pytest.fixture
def plan() -> dict[str, Any]:
    """A plan with a join of a version to come, and a secret in a table that is unknown, too."""
    data = data_of("join/state_ttl_hint_join")
    data["flinkVersion"] = "2.4"
    for node in data["nodes"]:
        name, _, _ = node["type"].rpartition("_")
        if name in ("stream-exec-join", "stream-exec-table-source-scan"):
            node["type"] = f"{name}_99"
        if "scanTableSource" in node:
            node["scanTableSource"]["table"]["resolvedTable"]["options"]["password"] = "hunter2"
    return data


def test_checked_drawn_edited_and_compared(plan: dict[str, Any]) -> None:
    text = json.dumps(plan)
    assert submitted.check(text) == report(text).to_dict("")
    (join,) = (node for node in plan["nodes"] if node["type"] == "stream-exec-join_99")
    (drawn,) = (node for node in stored.graph(text)["nodes"] if node["id"] == join["id"])
    (problem,) = drawn["problems"]
    assert "a newer version of the node type 'stream-exec-join'" in problem
    edited = stored.ttl(text, [{"node": join["id"], "state": "leftState", "ttl": "5 h"}])
    assert [(change["entry"], change["new"]) for change in edited["changes"]] == [("leftState", "5 h")]
    difference = stored.diff(text, edited["plan"], "old", "new")
    assert [operator["change"] for operator in difference["operators"]] == ["ttlChanged"]
    refusals = difference["new"]["refusals"]
    assert "the plan is of Flink 2.4" in refusals[0]["message"]
    assert any("a newer version of the node type 'stream-exec-join'" in refusal["message"] for refusal in refusals)


def test_secrets_of_unknown_nodes_stay_hidden(plan: dict[str, Any]) -> None:
    text = json.dumps(plan)
    documents = [
        stored.graph(text),
        stored.tables(text),
        stored.diff(text, text, "old", "new"),
        submitted.check(text),
    ]
    assert "hunter2" in text
    assert not any("hunter2" in json.dumps(document) for document in documents)
    assert "hunter2" not in stored.shown_plan(text)
