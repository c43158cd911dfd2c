from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.findings import Severity
from compiled_plan.plans.inspection.check import check
from compiled_plan.plans.inspection.lint import lint
from compiled_plan.plans.inspection.ttl import parse_edit, set_ttls
from compiled_plan.plans.plan import CompiledPlan
from tests.support.plan_files import CONFORMANCE, data_of, name_of

CASE = "join/state_ttl_hint_join"


def join(data: Any) -> dict[str, Any]:
    result: dict[str, Any] = next(node for node in data["nodes"] if node["type"] == "stream-exec-join_1")
    return result


@pytest.mark.sampled(2)
@pytest.mark.parametrize("path", CONFORMANCE[::6], ids=name_of)
def test_plans_of_flink_have_no_errors(path: Path) -> None:
    findings = check(path.read_text(encoding="utf-8"))
    assert [finding for finding in findings if finding.is_unreadable] == []


def test_a_schema_is_no_fault() -> None:
    data = data_of(CASE)
    assert check(json.dumps({"$schema": "plan.schema.json"} | data)) == check(json.dumps(data))


def test_not_json() -> None:
    (finding,) = check("{")
    assert finding.message == "not JSON: the text ends too early: the `{` of line 1 is not closed"
    assert (finding.to_dict()["line"], finding.to_dict()["column"]) == (1, 1)


def test_a_fault_is_told_once_in_the_words_of_the_reader() -> None:
    data = data_of(CASE)
    join(data)["joinSpec"]["joinType"] = "INNR"
    (finding,) = check(json.dumps(data))
    assert finding.pointer.endswith("/joinSpec/joinType")
    assert finding.remedy == "did you mean `INNER`?"
    assert finding.value == "INNR"


def test_faults_of_one_entry_together() -> None:
    data = data_of(CASE)
    join(data)["state"][0] |= {"name": "leftSate", "ttl": "3 sek"}
    findings = {finding.pointer.rpartition("/")[2]: finding for finding in check(json.dumps(data))}
    assert findings["name"].remedy == "did you mean `leftState`?"
    assert findings["ttl"].remedy == "did you mean `3 sec`?"


def with_ttls(upstream: str, downstream: str, kind: str = "LEFT") -> CompiledPlan:
    """Two joins, one after the other; both entries of each have the same TTL."""
    data = data_of("join/three_way_inner")
    joins = [node for node in data["nodes"] if node["type"] == "stream-exec-join_1"]
    joins[0]["joinSpec"]["joinType"] = kind
    for node, ttl in zip(joins, (upstream, downstream), strict=True):
        for entry in node["state"]:
            entry["ttl"] = ttl
    return CompiledPlan.from_dict(data)


@pytest.mark.parametrize(
    ("upstream", "downstream", "warned"),
    [("1 h", "1 h", False), ("1 h", "0 ms", False), ("1 h", "2 h", False), ("0 ms", "0 ms", False),
     ("2 h", "1 h", True), ("0 ms", "1 h", True), ("3601 s", "1 h", True)],
)  # fmt: skip
def test_a_shorter_ttl_downstream_is_a_warning(upstream: str, downstream: str, warned: bool) -> None:
    plan = with_ttls(upstream, downstream)
    findings = lint(plan)
    assert bool(findings) == warned
    for finding in findings:
        assert finding.severity is Severity.WARNING
        first, second = [node for node in plan.nodes if node.kind == "join"]
        assert f"(node {first.id})" in finding.message and f"(node {second.id})" in finding.message
        assert finding.pointer.startswith(f"/nodes/{plan.nodes.index(second)}/state/")


def test_a_shorter_ttl_is_no_fault_where_no_row_is_updated() -> None:
    """An inner join of rows that are only appended retracts none of them."""
    assert lint(with_ttls("2 h", "1 h", "INNER")) == ()


KEEP_FIRST = """
CREATE TABLE orders (id INT, shop STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'datagen');
CREATE TABLE counts (shop STRING, n BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO counts SELECT shop, COUNT(*) FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY ts {}) AS r FROM orders) WHERE r = 1 GROUP BY shop;
"""


@pytest.mark.parametrize(("order", "warned"), [("ASC", False), ("DESC", True)])
def test_only_a_deduplication_that_updates_rows_warns_of_a_shorter_ttl(order: str, warned: bool) -> None:
    plan = TableEnvironment().compile_script(KEEP_FIRST.format(order))
    uid = next(node.uid for node in plan.nodes if node.kind == "group-aggregate")
    text, _ = set_ttls(plan.to_json(), [parse_edit(f"{uid}=1 h")])
    assert ["updates will meet" in finding.message for finding in lint(CompiledPlan.from_json(text))] == [True] * warned


def test_only_the_entry_of_that_input_is_warned_about() -> None:
    """The second input of the second join is a source: nothing upstream of it keeps state."""
    findings = lint(with_ttls("2 h", "1 h"))
    assert len(findings) == 1


def test_a_node_that_cannot_run_is_an_error_and_can_be_edited() -> None:
    data = data_of("match_recognize")
    node = next(node for node in data["nodes"] if node["type"] == "stream-exec-match_1")
    node["type"] = "stream-exec-ml-predict-table-function_1"
    findings = check(json.dumps(data))
    assert [(finding.value, finding.is_unreadable) for finding in findings] == [
        ("stream-exec-ml-predict-table-function_1", False)
    ]
    assert CompiledPlan.from_dict(data)


def test_an_option_that_its_format_does_not_have_is_a_warning() -> None:
    data = data_of("join/three_way_inner")
    position = next(at for at, node in enumerate(data["nodes"]) if "scanTableSource" in node)
    options = data["nodes"][position]["scanTableSource"]["table"]["resolvedTable"]["options"]
    options["json.ignore-parse-error"] = "true"
    (finding,) = lint(CompiledPlan.from_dict(data))
    assert finding.severity is Severity.WARNING
    place = f"/nodes/{position}/scanTableSource/table/resolvedTable/options/json.ignore-parse-error"
    assert finding.pointer == place
    assert "did you mean 'json.ignore-parse-errors'" in finding.remedy


TABLES = """
CREATE TABLE a (k INT, v INT) WITH ('connector' = 'filesystem', 'path' = '/a', 'format' = 'json');
CREATE TABLE b (k INT, v INT) WITH ('connector' = 'filesystem', 'path' = '/b', 'format' = 'json');
CREATE TABLE o (x INT, y INT) WITH ('connector' = 'blackhole');
"""


@pytest.mark.parametrize(
    ("query", "warned"),
    [
        ("SELECT a.v, b.v FROM a, b", True),
        ("SELECT a.v, b.v FROM a JOIN b ON a.v > b.v", True),
        ("SELECT a.v, b.v FROM a LEFT JOIN b ON a.k = b.k OR a.v = b.v", True),
        ("SELECT a.v, b.v FROM a, b WHERE a.k = b.k", False),
        ("SELECT a.v, b.v FROM a, b WHERE (a.k = b.k AND a.v > 1) OR (a.k = b.k AND b.v > 1)", False),
        ("SELECT a.v, a.k FROM a WHERE a.v > (SELECT AVG(v) FROM b)", False),
        ("SELECT a.v, b.n FROM a, (SELECT v, COUNT(*) AS m, MAX(k) AS n FROM b GROUP BY v) AS b", True),
    ],
)
def test_a_join_without_a_key_is_warned_of_unless_one_side_is_one_row(query: str, warned: bool) -> None:
    plan = TableEnvironment().compile_script(f"{TABLES}INSERT INTO o {query};")
    findings = [finding for finding in lint(plan) if finding.pointer.endswith("/joinSpec/leftKeys")]
    assert [finding.severity for finding in findings] == [Severity.WARNING] * warned
    assert all("no key" in finding.message and "equality" in finding.remedy for finding in findings)
