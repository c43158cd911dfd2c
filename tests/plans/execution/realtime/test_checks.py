"""Plans unsupported in real-time mode are refused by name, before anything starts."""

from __future__ import annotations

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import ExecutionError, UnsupportedError
from compiled_plan.plans.execution.explain import stages_of, stages_text
from compiled_plan.plans.execution.realtime.checks import REASONS, check
from compiled_plan.plans.execution.realtime.query import in_real_time
from compiled_plan.plans.execution.session.options import GROUPS, TRANSFORM, RunOptions
from compiled_plan.plans.execution.stages.prepared import PreparedPlan, prepare
from compiled_plan.plans.functions import ScalarFunction
from compiled_plan.plans.plan import CompiledPlan

NUMBERS = "CREATE TABLE numbers (id BIGINT, k INT) WITH ('connector' = 'datagen');\n"
TOPIC = (
    "CREATE TABLE topic (id BIGINT, k INT) WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'json',"
    " 'properties.bootstrap.servers' = 'localhost:1', 'scan.startup.mode' = 'earliest-offset'{more});\n"
)
EVENTS = (
    "CREATE TABLE topic (id BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ("
    "'connector' = 'kafka', 'topic' = 't', 'format' = 'json', 'properties.bootstrap.servers' = 'localhost:1',"
    " 'scan.startup.mode' = 'earliest-offset'{more});\n"
)
WINDOWS = (
    "INSERT INTO sink SELECT CAST(COUNT(*) AS INT), COUNT(*) FROM "
    "TUMBLE(TABLE topic, DESCRIPTOR(ts), INTERVAL '1' SECOND) GROUP BY window_start, window_end;"
)
OUT = "CREATE TABLE sink (k INT, n BIGINT) WITH ('connector' = 'print');\n"
COUNTS = "INSERT INTO sink SELECT k, COUNT(*) FROM {source} GROUP BY k;\n"


def sink(options: str, key: str = "", columns: str = "k INT, n BIGINT", behind: str = "") -> str:
    return f"CREATE TABLE sink ({columns}{key}) {behind} WITH ({options});\n"


def compiled(sql: str) -> CompiledPlan:
    return TableEnvironment().compile_script(sql)


def program(sql: str) -> PreparedPlan:
    return prepare(compiled(sql))


def program_of(plan: str) -> PreparedPlan:
    return prepare(CompiledPlan.from_json(plan))


REFUSED = {
    "CURRENT_WATERMARK": (
        EVENTS.format(more="")
        + "CREATE TABLE sink (ts TIMESTAMP(3)) WITH ('connector' = 'print');\n"
        + "INSERT INTO sink SELECT CURRENT_WATERMARK(ts) FROM topic;",
        "CURRENT_WATERMARK is available only in micro-batches",
    ),
    "the end of event time": (
        "CREATE TABLE topic (id BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'datagen',"
        " 'number-of-rows' = '9');\n" + OUT + WINDOWS,
        "no end in event time",
    ),
    "lookups in Delta and Iceberg tables": (
        NUMBERS.replace("k INT", "k INT, p AS PROCTIME()")
        + "CREATE TABLE names (k INT, n BIGINT) WITH ('connector' = 'delta', 'path' = '/nowhere');\n"
        + OUT
        + "INSERT INTO sink SELECT o.k, r.n FROM numbers AS o JOIN names FOR SYSTEM_TIME AS OF o.p AS r ON o.k = r.k;",
        "a lookup in a table of a lake in real-time mode",
    ),
    "constant rows": (
        OUT + "INSERT INTO sink SELECT k, COUNT(*) FROM (VALUES (1), (2)) AS v (k) GROUP BY k;",
        "constant rows in real-time mode",
    ),
    "sources": (
        "CREATE TABLE files (k INT) WITH ('connector' = 'filesystem', 'path' = '/nowhere', 'format' = 'json');\n"
        + OUT
        + COUNTS.format(source="files"),
        "the connector 'filesystem' does not emit single rows",
    ),
    "bounded topics": (
        TOPIC.format(more=", 'scan.bounded.mode' = 'latest-offset'") + OUT + COUNTS.format(source="topic"),
        "a topic has no end here",
    ),
    "dead letters": (
        TOPIC.format(more=", 'dead-letter.path' = '/nowhere'") + OUT + COUNTS.format(source="topic"),
        "dead letters are not supported",
    ),
    "late rows": (
        "CREATE TABLE late (id BIGINT) WITH ('connector' = 'print');\n"
        + EVENTS.format(more=", 'late.table' = 'late'")
        + OUT
        + WINDOWS,
        "tables for late rows are not supported",
    ),
    "transactions": (
        NUMBERS
        + sink(
            "'connector' = 'upsert-kafka', 'topic' = 't', 'key.format' = 'json', 'value.format' = 'json',"
            " 'properties.bootstrap.servers' = 'localhost:1', 'sink.delivery-guarantee' = 'exactly-once',"
            " 'sink.transactional-id-prefix' = 'p'",
            ", PRIMARY KEY (k) NOT ENFORCED",
        )
        + COUNTS.format(source="numbers"),
        "a transaction would show its messages when the batch ends",
    ),
    "tables without a key": (
        NUMBERS
        + sink("'connector' = 'jdbc', 'url' = 'jdbc:sqlite:/nowhere', 'table-name' = 't'")
        + "INSERT INTO sink SELECT k, id FROM numbers;",
        "a database cannot tell which it has",
    ),
    "whole files": (
        NUMBERS
        + sink("'connector' = 'filesystem', 'path' = '/nowhere', 'format' = 'parquet'")
        + "INSERT INTO sink SELECT k, id FROM numbers;",
        "'parquet' is written as a whole",
    ),
    "folders": (
        NUMBERS
        + sink("'connector' = 'filesystem', 'path' = '/nowhere', 'format' = 'json'", behind="PARTITIONED BY (k)")
        + "INSERT INTO sink SELECT k, id FROM numbers;",
        "PARTITIONED BY",
    ),
}
#: Shown elsewhere, or by no program of the planner.
ELSEWHERE = {"Python functions", "one source twice", "sinks"}


class Twice(ScalarFunction):
    """A function in Python."""

    def eval(self, value: int) -> int:
        return 2 * value


@pytest.mark.parametrize("reason", REFUSED)
def test_unsupported_plans_are_refused_by_name(reason: str) -> None:
    sql, said = REFUSED[reason]
    with pytest.raises(UnsupportedError, match="real-time mode") as refused:
        check(program(sql), TRANSFORM)
    assert said in str(refused.value)
    assert refused.value.remedy


def test_each_reason_has_a_program_that_it_refuses() -> None:
    assert {reason.name for reason in REASONS} == REFUSED.keys() | ELSEWHERE


def test_dead_letters_in_a_table_are_refused_too() -> None:
    letters = "CREATE TABLE letters (reason STRING) WITH ('connector' = 'print');\n"
    source = TOPIC.format(more=", 'dead-letter.table' = 'letters'")
    with pytest.raises(UnsupportedError, match=r"real-time mode: dead letters are not supported"):
        check(program(letters + source + OUT + COUNTS.format(source="topic")), TRANSFORM)


def test_two_tables_over_one_topic_are_refused() -> None:
    second_table = TOPIC.replace("TABLE topic", "TABLE other")
    sql = (
        TOPIC.format(more="")
        + second_table.format(more="")
        + OUT
        + "INSERT INTO sink SELECT k, COUNT(*) FROM (SELECT k FROM topic UNION ALL SELECT k FROM other) GROUP BY k;"
    )
    with pytest.raises(UnsupportedError, match=r"it is read as .*topic, too"):
        check(program(sql), TRANSFORM)


def test_a_scalar_function_in_python_is_refused() -> None:
    env = TableEnvironment()
    env.create_temporary_function("twice", Twice)
    env.execute_sql(NUMBERS + OUT)
    plan = env.compile_plan_sql("INSERT INTO sink SELECT CAST(twice(k) AS INT), id FROM numbers")
    with pytest.raises(UnsupportedError, match="a Python function in real-time mode"):
        check(program_of(plan.to_json()), TRANSFORM)


def test_functions_in_java_run() -> None:
    functions = (
        "CREATE FUNCTION twice AS 'com.shop.Twice' WITH ('signature' = '(INT) -> INT');"
        "CREATE FUNCTION mean AS 'com.shop.Mean' WITH ('signature' = '(INT) -> INT', 'kind' = 'AGGREGATE');"
        "CREATE FUNCTION parts AS 'com.shop.Parts' WITH ('signature' = '(INT) -> INT', 'kind' = 'TABLE');"
    )
    query = "SELECT twice(k), mean(p) FROM numbers, LATERAL TABLE(parts(k)) AS x(p) GROUP BY k"
    prepared = program(f"{functions}{NUMBERS}{OUT}INSERT INTO sink {query};")
    assert [reason.name for reason in REASONS if any(reason.find(prepared, reason))] == []


def test_another_host_is_refused() -> None:
    with pytest.raises(UnsupportedError, match=GROUPS):
        check(program(NUMBERS + OUT + COUNTS.format(source="numbers")), GROUPS)


def test_all_sources_enter_in_front_of_the_first_stage() -> None:
    sql = (
        NUMBERS
        + NUMBERS.replace("numbers", "others")
        + OUT
        + "INSERT INTO sink SELECT c.k, o.id FROM (SELECT k, COUNT(*) AS n FROM numbers GROUP BY k) c "
        "JOIN others o ON c.n = o.id;"
    )
    plain = program(sql)
    assert len(set(plain.layout.entries.values())) == 2
    assert set(in_real_time(plain, TRANSFORM).layout.entries.values()) == {1}


def test_a_dry_run_refuses_and_shows_what_runs_in_the_mode() -> None:
    plan = compiled(REFUSED["sources"][0])
    assert "sources" in stages_text(stages_of(plan))
    with pytest.raises(UnsupportedError, match="real-time mode"):
        stages_of(plan, RunOptions(trigger="real-time"))
    assert "joins before stage 1" in stages_text(
        stages_of(compiled(NUMBERS + OUT + COUNTS.format(source="numbers")), RunOptions(trigger="real-time"))
    )


def test_a_trigger_names_the_mode_and_the_time_between_checkpoints() -> None:
    options = [RunOptions(trigger=text) for text in ("real-time", "real-time=5s", " real-time = 2 min ", "2s", "")]
    assert [item.real_time_ms for item in options] == [60_000, 5_000, 120_000, None, None]
    assert [item.trigger_ms for item in options] == [None, None, None, 2_000, None]
    with pytest.raises(ExecutionError, match="no time between checkpoints"):
        RunOptions(trigger="real-time=0s")


def test_the_mode_excludes_other_triggers() -> None:
    with pytest.raises(ExecutionError, match="excludes other triggers"):
        RunOptions(trigger="real-time=5s", available_now=True)
