"""Plans of time-based operators, compared with those that Flink 2.3 compiled for the same programs."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.planner.catalog import connectors
from compiled_plan.plans.connectors.specs.jdbc import SPEC as JDBC
from compiled_plan.plans.errors import CompiledPlanError

_HERE = Path(__file__).parent
_PLANS = json.loads((_HERE / "timed_plans.json").read_text())
#: Compared fields of a node, beside its kind: all of its own except generated names.
_FIELDS = {
    "local-group-aggregate": ("grouping", "aggCallNeedRetractions", "needRetraction"),
    "global-group-aggregate": ("grouping", "aggCallNeedRetractions", "needRetraction", "generateUpdateBefore"),
}
_COMPARED = (
    "over-aggregate interval-join temporal-join temporal-sort match lookup-join mini-batch-assigner "
    "local-group-aggregate global-group-aggregate incremental-group-aggregate expand"
).split()
_COMMON = "id type uid ttlAsCompiled description inputProperties outputType state configuration temporalTable".split()


@cache
def programs() -> dict[str, str]:
    """The programs by name, each with its tables and its sink."""
    setup, *blocks = re.split(r"(?m)^--- ", (_HERE / "timed_programs.sql").read_text())
    texts: dict[str, str] = {}
    for block in blocks:
        head, body = block.split("\n", 1)
        name, _, columns = head.partition(" ")
        statements = body.strip().rstrip(";")
        before, _, query = statements.rpartition(";")
        if not columns and query.strip().startswith(("SELECT", "WITH")):
            # Flink refused the query before it had columns.
            columns, query = "(n BIGINT)", f"SELECT COUNT(*) FROM ({query}) AS q"
        if columns:
            sink = f"CREATE TABLE sink_auto {columns} WITH ({_SINK});\nINSERT INTO sink_auto {query}"
            statements = f"{before};\n{sink}" if before.strip() else sink
        texts[name] = with_declarations(setup, f"{statements};")
    return texts


def with_declarations(setup: str, text: str) -> str:
    """The program after those declarations that it uses: binding all of them takes longer than the program."""
    for declaration in reversed(re.split(r";\n", setup.strip().rstrip(";"))):
        name = re.search(r"CREATE (?:TABLE|VIEW) (\w+)", declaration)
        if name is None or re.search(rf"\b{name[1]}\b", text):
            text = f"{declaration};\n{text}"
    return text


_SINK = "'connector' = 'filesystem', 'path' = '/data/out', 'format' = 'debezium-json'"


def bare(value: Any) -> Any:
    """The JSON of a node without column names, and without Flink's type of LAG with a default.

    Flink declares it NOT NULL, and the null of a previous row becomes -1; here the type is nullable.
    """
    if isinstance(value, dict):
        left = "type" if value.get("internalName") == "$LAG$1" and len(value["argList"]) == 3 else ""
        return {
            key: bare(item)
            for key, item in value.items()
            if key != left and not (key == "name" and "fieldType" in value)
        }
    if isinstance(value, list):
        return [bare(item) for item in value]
    return re.sub(r"`[^`]*` ", "", value) if isinstance(value, str) and value.startswith("ROW<") else value


def own(node: dict[str, Any]) -> dict[str, Any]:
    """The compared fields of a node."""
    kind = kind_of(node)
    fields = _FIELDS.get(kind)
    own_fields = {key: item for key, item in node.items() if key not in _COMMON and (fields is None or key in fields)}
    return {kind: bare(own_fields) | ({"output": bare(node["outputType"])} if fields else {})}


def kind_of(node: dict[str, Any]) -> str:
    return str(node["type"])[len("stream-exec-") : -len("_1")]


#: Flink compiles it; here it is refused by name.
_REFUSED_HERE = {"x_lag_neg"}


_COMPILED = [name for name, answer in _PLANS.items() if "nodes" in answer and name not in _REFUSED_HERE]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", _COMPILED)
def test_the_plan_is_that_of_flink(name: str) -> None:
    nodes = TableEnvironment().compile_script(programs()[name]).to_dict()["nodes"]
    assert " ".join(map(kind_of, nodes)) == _PLANS[name]["nodes"]
    assert [own(node) for node in nodes if kind_of(node) in _COMPARED] == [
        {kind: bare(fields) for kind, fields in item.items()} for item in _PLANS[name]["own"]
    ]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", [name for name, answer in _PLANS.items() if "refused" in answer])
def test_programs_that_flink_cannot_run_are_refused(name: str) -> None:
    with pytest.raises(CompiledPlanError) as caught:
        TableEnvironment().compile_script(programs()[name])
    assert caught.value.remedy or caught.value.where


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("over_two_windows", "same window"),
        ("over_following", "FOLLOWING"),
        ("over_lead", "LEAD is not supported"),
        ("over_order_desc", "ASCENDING"),
        ("nt_bounded_rows", "bounded OVER window"),
        ("over_topn_nontop", "upper end"),
        ("over_retract", "OverAggregate doesn't support consuming update and delete changes"),
        ("ij_retract", "IntervalJoin doesn't support consuming update and delete changes"),
        ("tj_part_keys", "requires primary key in versioned table"),
        ("tj_nowm", "no row time attribute"),
        ("tj_no_key", "join key in a temporal table join cannot be empty"),
        ("tj_right", "cannot be a RIGHT JOIN"),
        ("tj_nontime", "time attribute of the left table"),
        ("tj_const", "time travel"),
        ("tj_proc", "processing-time temporal join"),
        ("tj_view_sub", "filter is not allowed"),
        ("t4_ltz_mismatch", "same rowtime type"),
        ("lk_or", "requires an equality condition"),
        ("m_all_rows", "ALL ROWS PER MATCH"),
        ("m_greedy_last", "greedy quantifier"),
        ("m_next", "physical offset"),
        ("m_skip_var_missing", "unknown pattern variable 'D'"),
        ("so_offset", "OFFSET without LIMIT"),
        ("x_lag_neg", "the offset -1 of LAG is below 0"),
    ],
)
def test_a_refusal_says_why(name: str, message: str) -> None:
    with pytest.raises(CompiledPlanError, match=re.escape(message)):
        TableEnvironment().compile_script(programs()[name])


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("cf2_key_superset", ["INSERT", "UPDATE_BEFORE", "UPDATE_AFTER"]),
        ("cf2_force", ["INSERT", "UPDATE_AFTER"]),
        ("nt_retract", ["INSERT", "UPDATE_BEFORE", "UPDATE_AFTER", "DELETE"]),
        ("over_rows_unb", ["INSERT"]),
        ("lk_cdc_pk", ["INSERT", "UPDATE_AFTER", "DELETE"]),
    ],
)
def test_changes_reach_the_sink_as_in_flink(name: str, kinds: list[str]) -> None:
    sink = TableEnvironment().compile_script(programs()[name]).to_dict()["nodes"][-1]
    assert sink["inputChangelogMode"] == kinds


def test_a_lookup_table_is_not_scanned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connectors, "connector_spec", lambda name: replace(JDBC, source=None))
    setup = programs()["lk_inner"].split("CREATE TABLE sink_auto")[0]
    sink = f"CREATE TABLE names (name STRING) WITH ({_SINK});"
    with pytest.raises(CompiledPlanError, match="can only be looked up"):
        TableEnvironment().compile_script(f"{setup}{sink}INSERT INTO names SELECT name FROM dim;")


def test_a_window_that_several_inserts_read_is_computed_once() -> None:
    setup = programs()["over_rows_unb"].split("CREATE TABLE sink_auto")[0]
    script = f"""{setup}
    CREATE TABLE sums (k STRING, s INT) WITH ({_SINK});
    CREATE TABLE counts (k STRING, n BIGINT) WITH ({_SINK});
    CREATE VIEW both_of AS SELECT k, SUM(v) OVER w AS s, COUNT(*) OVER w AS n
    FROM ev WINDOW w AS (PARTITION BY k ORDER BY ts);
    EXECUTE STATEMENT SET BEGIN
    INSERT INTO sums SELECT k, s FROM both_of; INSERT INTO counts SELECT k, n FROM both_of; END;"""
    nodes = TableEnvironment().compile_script(script).to_dict()["nodes"]
    assert [kind_of(node) for node in nodes].count("over-aggregate") == 1
