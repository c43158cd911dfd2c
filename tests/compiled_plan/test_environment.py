"""TableEnvironment: scripts to plans."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.planner.algebra.nodes import Join
from compiled_plan.planner.sql.scripts import bind_script
from compiled_plan.plans.errors import CompiledPlanError, ProgramError
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.results.table_result import DONE, TableResult
from compiled_plan.running import embedded

TABLES = """
CREATE TABLE orders (id INT, item STRING) WITH ('connector' = 'filesystem', 'path' = '/o', 'format' = 'json');
CREATE TABLE shipments (id INT, day_ STRING) WITH ('connector' = 'filesystem', 'path' = '/s', 'format' = 'json');
CREATE TABLE joined (id INT, item STRING, day_ STRING)
  WITH ('connector' = 'filesystem', 'path' = '/j', 'format' = 'json');
CREATE TABLE copied (id INT) WITH ('connector' = 'print');
"""
JOIN = "INSERT INTO joined SELECT o.id, item, day_ FROM orders o JOIN shipments s ON o.id = s.id"


def types(plan: CompiledPlan) -> list[str]:
    return [str(node["type"]) for node in plan.to_dict()["nodes"]]


def test_a_script_becomes_a_plan() -> None:
    plan = TableEnvironment().compile_script(f"{TABLES}{JOIN};")
    assert types(plan).count("stream-exec-table-source-scan_2") == 2
    assert types(plan)[-1] == "stream-exec-sink_2"
    (join,) = (node for node in plan.to_dict()["nodes"] if node["type"] == "stream-exec-join_1")
    assert [entry["ttl"] for entry in join["state"]] == ["0 ms", "0 ms"]


def test_set_in_a_script_and_in_python() -> None:
    env = TableEnvironment({"table.exec.state.ttl": "1 h"})
    env.execute_sql(TABLES)
    assert '"ttl" : "1 h"' in env.compile_plan_sql(JOIN).to_json()
    env.set("table.exec.state.ttl", "2 h")
    assert '"ttl" : "2 h"' in env.compile_plan_sql(JOIN).to_json()
    assert '"ttl" : "3 h"' in env.compile_script(f"SET 'table.exec.state.ttl' = '3 h'; {JOIN}").to_json()
    env.execute_sql("RESET 'table.exec.state.ttl'")
    assert '"ttl" : "0 ms"' in env.compile_plan_sql(JOIN).to_json()


def test_a_statement_set_has_all_its_sinks() -> None:
    copy = "INSERT INTO copied SELECT id FROM orders"
    plan = TableEnvironment().compile_script(f"{TABLES} EXECUTE STATEMENT SET BEGIN {JOIN}; {copy}; END;")
    assert types(plan).count("stream-exec-sink_2") == 2


def test_compile_plan_names_the_file_of_the_plan() -> None:
    statement = TableEnvironment().compile_statements(f"{TABLES} COMPILE PLAN '/p.json' IF NOT EXISTS FOR {JOIN}")
    assert (statement.path, statement.if_not_exists) == ("/p.json", True)
    assert TableEnvironment().compile_statements(f"{TABLES} {JOIN}").path is None


def test_a_view_is_bound_once_and_again_after_a_change() -> None:
    env = TableEnvironment()
    env.execute_sql(TABLES + "CREATE VIEW v AS SELECT id FROM orders WHERE item = 'x'")
    query = "INSERT INTO copied SELECT l.id FROM v l JOIN v r ON l.id = r.id"
    (sink,), _ = bind_script(env.context, query)
    (join,) = sink.input.inputs
    assert isinstance(join, Join)
    assert join.left is join.right
    env.execute_sql(
        "DROP TABLE orders; CREATE TABLE orders (item STRING, id INT) "
        "WITH ('connector' = 'filesystem', 'path' = '/o', 'format' = 'json')"
    )
    (again,), _ = bind_script(env.context, query)
    assert again.input.inputs[0].inputs[0] is not join.left


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (f"{TABLES}{JOIN}; INSERT INTO copied SELECT id FROM orders", "more than one statement"),
        (TABLES, "no INSERT"),
        (f"{TABLES} SELECT id FROM orders", "a SELECT by itself"),
        (f"{TABLES} EXECUTE PLAN '/p.json'", "runs a plan"),
        ("SELEC 1", ""),
    ],
)
def test_statements_that_cannot_be_compiled(script: str, message: str) -> None:
    with pytest.raises(CompiledPlanError) as caught:
        TableEnvironment().compile_script(script)
    assert message in caught.value.message


def test_planning_errors_have_a_position() -> None:
    script = (
        f"{TABLES} CREATE TABLE counts (n BIGINT) "
        "WITH ('connector' = 'filesystem', 'path' = '/c', 'format' = 'json');\n"
        "INSERT INTO counts SELECT COUNT(*) FROM orders"
    )
    with pytest.raises(CompiledPlanError) as caught:
        TableEnvironment().compile_script(script)
    assert caught.value.where


def test_compile_plan_replaces_a_file_only_where_an_option_says_so(tmp_path: Path) -> None:
    """As in Flink; uids and edited TTLs of the old plan are kept."""
    path = tmp_path / "p.json"
    env = TableEnvironment()
    env.execute_sql(TABLES)
    statement = f"COMPILE PLAN '{path}' FOR {JOIN}"
    env.execute_sql(statement)
    first = path.read_text(encoding="utf-8")
    path.write_text(first.replace('"ttl" : "0 ms"', '"ttl" : "3 s"', 1), encoding="utf-8")
    with pytest.raises(ProgramError, match="is there already") as caught:
        env.execute_sql(statement)
    assert "table.plan.force-recompile" in caught.value.remedy
    env.execute_sql("SET 'table.plan.force-recompile' = 'true'")
    env.execute_sql("SET 'table.exec.state.ttl' = '1 h'")
    env.execute_sql(f"COMPILE PLAN '{path}' IF NOT EXISTS FOR {JOIN}")
    assert '"1 h"' not in path.read_text(encoding="utf-8")
    env.execute_sql(statement)
    ttls = re.findall(r'"ttl" : "([^"]+)"', path.read_text(encoding="utf-8"))
    assert ttls == ["3 s", "1 h"]


def test_job_parameters_of_the_session_reach_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[Sequence[str]] = []

    def execute(plan: CompiledPlan, options: RunOptions, display: object) -> TableResult:
        runs.append(options.job_parameter)
        return DONE

    monkeypatch.setattr(embedded, "execute", execute)
    env = TableEnvironment({"pipeline.global-job-parameters": "limit:5, url:http://a, empty:"})
    env.execute_sql("CREATE TABLE s (a INT) WITH ('connector' = 'print'); INSERT INTO s VALUES (1)")
    assert runs == [("limit=5", "url=http://a", "empty=")]
    env.execute_sql("SET 'pipeline.global-job-parameters' = 'limit'")
    with pytest.raises(ProgramError, match="'limit' is no list of pairs"):
        env.execute_sql("INSERT INTO s VALUES (1)")
