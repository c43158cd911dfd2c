"""`TableEnvironment` for the Table API: descriptors, views, plans, explanations, inline functions."""

from __future__ import annotations

from pathlib import Path

import pytest

from compiled_plan import CompiledPlan, PlanReference, Schema, TableDescriptor, TableEnvironment, call, col
from compiled_plan.plans.errors import PlanError, ProgramError
from tests.planner.table.functions_beside import Add, Letters, SpanOf, Twice
from tests.support.table_api import assert_same, environment, same, source

FULL = (
    Schema.new_builder()
    .column("id", "BIGINT NOT NULL", "the key")
    .column("ts", "TIMESTAMP(3)")
    .column("name", "STRING")
    .column_by_expression("upper name", "UPPER(name)")
    .column_by_expression("p", "PROCTIME()")
    .watermark("ts", "ts - INTERVAL '5' SECOND")
    .primary_key("id")
    .build()
)
FULL_SQL = """CREATE TEMPORARY TABLE `a table` (id BIGINT NOT NULL COMMENT 'the key', ts TIMESTAMP(3), name STRING,
  `upper name` AS UPPER(name), p AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND,
  PRIMARY KEY (id) NOT ENFORCED) COMMENT 'it''s full'
  WITH ('connector' = 'filesystem', 'path' = '/it''s', 'format' = 'debezium-json');"""


def test_a_descriptor_declares_the_table_of_create_table() -> None:
    env = environment()
    described = TableDescriptor.for_connector("filesystem").schema(FULL).comment("it's full").option("path", "/it's")
    env.create_temporary_table("`a table`", described.format("debezium-json").build())
    assert_same(
        env,
        env.from_path("`a table`").select("id", col("upper name"), col("ts")),
        "SELECT id, `upper name`, ts FROM `a table`",
        FULL_SQL,
    )
    with pytest.raises(ProgramError, match="already exists"):
        env.create_temporary_table("`a table`", described.format("json").build())
    assert env.drop_temporary_table("`a table`")
    assert not env.drop_temporary_table("`a table`")


def test_partitions_and_metadata() -> None:
    schema = Schema.new_builder().column("a", "INT").column("b", "STRING").build()
    env, sql_env = environment(), environment()
    descriptor = TableDescriptor.for_connector("filesystem").schema(schema).partitioned_by("b").option("path", "/p")
    env.create_table("p", descriptor.format("json").build())
    sql_env.execute_sql(
        """CREATE TABLE p (a INT, b STRING) PARTITIONED BY (b)
           WITH ('connector' = 'filesystem', 'path' = '/p', 'format' = 'json')"""
    )
    same(
        env.from_path("T").select("a", "c").insert_into("p").compile_plan().to_json(),
        sql_env.compile_plan_sql("INSERT INTO p SELECT a, c FROM T").to_json(),
    )
    schema = Schema.new_builder().column_by_metadata("at", "TIMESTAMP_LTZ(3)", "ingestion-timestamp", True).build()
    assert schema.lines == ("`at` TIMESTAMP(3) WITH LOCAL TIME ZONE METADATA FROM 'ingestion-timestamp' VIRTUAL",)


def test_an_unfinished_descriptor() -> None:
    builder = TableDescriptor.for_connector("filesystem").schema(FULL)
    with pytest.raises(ProgramError, match=r"finish it with \.build\(\)"):
        environment().create_temporary_table("t", builder)  # type: ignore[arg-type]


# --- plans


@pytest.fixture
def plan() -> CompiledPlan:
    env = environment(source("s", "a INT, n BIGINT", "debezium-json"))
    return env.from_path("T").group_by("a").select("a", col("b").count).insert_into("s").compile_plan()


def test_a_plan_is_written_once_and_loaded(plan: CompiledPlan, tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    plan.write_to_file(path)
    assert path.read_text() == plan.as_json_string()
    env = TableEnvironment()
    assert env.load_plan(PlanReference.from_file(path)) == plan
    assert env.load_plan(PlanReference.from_json_string(plan.as_json_string())) == plan
    with pytest.raises(PlanError, match="cannot overwrite"):
        plan.write_to_file(path)
    path.write_text("mine")
    plan.write_to_file(path, ignore_if_exists=True)
    assert path.read_text() == "mine"


def test_a_plan_explains_itself(plan: CompiledPlan) -> None:
    assert plan.explain().splitlines() == [
        "[4] Sink(table=[default_catalog.default_database.s], fields=[a, EXPR$1])",
        "+- [3] GroupAggregate(groupBy=[a], select=[a, COUNT(b) AS EXPR$1])",
        "      state: groupAggregateState, ttl 0 ms",
        "   +- [2] Exchange(distribution=[hash[a]])",
        "      +- [1] TableSourceScan(table=[[default_catalog, default_database, T, project=[a, b], metadata=[]]], "
        "fields=[a, b])",
    ]


def test_shared_operators_are_explained_once() -> None:
    env = environment(source("s", "a INT, b INT"))
    table = env.from_path("T").group_by("a").select("a", col("b").max.alias("m"))
    joined = table.join(table.alias("x", "y"), col("a") == col("y")).select("a", "x")
    lines = joined.explain().splitlines()
    assert sum("GroupAggregate" in line for line in lines) == 1
    assert sum(line.endswith("again") for line in lines) == 1


def test_tables_and_statements_explain_themselves() -> None:
    env = environment(source("s", "a INT, n BIGINT", "debezium-json"))
    query = "SELECT a, COUNT(b) FROM T GROUP BY a"
    mine = env.from_path("T").group_by("a").select("a", col("b").count).explain()
    assert mine.splitlines()[:2] == [
        "[3] GroupAggregate(groupBy=[a], select=[a, COUNT(b) AS EXPR$1])",
        "   state: groupAggregateState, ttl 0 ms",
    ]
    assert env.explain_sql(query) == mine
    assert env.explain_sql(f"EXPLAIN {query}") == mine
    assert env.explain_sql(f"INSERT INTO s {query}").splitlines()[1].removeprefix("+- ") == mine.splitlines()[0]
    assert "[4] Sink" in env.explain_sql(f"EXECUTE STATEMENT SET BEGIN INSERT INTO s {query}; END")
    with pytest.raises(ProgramError, match="one query, INSERT or statement set can be explained"):
        env.explain_sql("DROP TABLE T")


# --- statements that return rows


def test_describe_in_sql_equals_that_of_the_table_api() -> None:
    env = environment("CREATE VIEW v AS SELECT order_time AS t, price FROM orders;")
    for name in ("orders", "v"):
        in_sql = env.execute_sql(f"DESCRIBE {name}")
        assert [tuple(row) for row in in_sql.collect()] == [
            tuple(row) for row in env.from_path(name).describe().collect()
        ]
    assert [tuple(row) for row in env.from_path("v").describe().collect()] == [
        ("t", "TIMESTAMP(3) *ROWTIME*", True, None, None, None),
        ("price", "DECIMAL(32, 2)", True, None, None, None),
    ]
    with pytest.raises(ProgramError, match="did you mean 'orders'"):
        env.execute_sql("DESCRIBE order_")


def test_show_and_explain_in_sql(capsys: pytest.CaptureFixture[str]) -> None:
    env = environment("CREATE VIEW v AS SELECT a FROM T;")
    assert [row[0] for row in env.execute_sql("SHOW TABLES").collect()] == env.list_tables()
    assert [row[0] for row in env.execute_sql("SHOW VIEWS").collect()] == ["v"]
    assert [row[0] for row in env.execute_sql("SHOW CURRENT DATABASE").collect()] == ["default_database"]
    env.execute_sql("EXPLAIN SELECT a FROM T").print()
    assert capsys.readouterr().out == env.explain_sql("SELECT a FROM T") + "\n"
    assert list(env.execute_sql("SHOW MODULES").collect()) == [("core",)]


def test_catalogs_and_databases() -> None:
    env = environment("CREATE VIEW v AS SELECT a FROM T; CREATE DATABASE other;")
    env.create_temporary_view("w", env.from_path("v"))
    assert (env.list_views(), env.list_temporary_views(), env.list_temporary_tables()) == (["v", "w"], ["w"], ["w"])
    assert env.list_databases() == ["default_database", "other"]
    env.use_database("other")
    assert (env.get_current_catalog(), env.get_current_database()) == ("default_catalog", "other")
    assert (env.list_catalogs(), env.list_tables()) == (["default_catalog"], [])
    assert env.from_path("default_database.v").columns == ["a"]
    assert [row[0] for row in env.execute_sql("SHOW DATABASES").collect()] == env.list_databases()
    with pytest.raises(ProgramError, match="there is no database 'none'"):
        env.use_database("none")


# --- inline functions


def test_an_inline_function_is_that_of_the_catalog() -> None:
    sink = source("s", "a BIGINT, b BIGINT")
    env, second_env = environment(sink), environment(sink)
    second_env.create_temporary_system_function("twice", Twice)
    second_env.create_temporary_system_function("plus", Add(5))
    pipeline = env.from_path("T").select(call(Twice, col("a")), call(Add(5), col("b"))).insert_into("s")
    mine = pipeline.compile_plan().to_json()
    for class_, name in (("Twice", "twice"), ("Add", "plus")):
        mine = mine.replace(f"tests.planner.table.functions_beside.{class_}", name)
    same(mine, second_env.compile_plan_sql("INSERT INTO s SELECT twice(a), plus(b) FROM T").to_json())


def test_an_inline_table_function() -> None:
    env = environment()
    table = env.from_path("T").join_lateral(call(Letters, col("c")).alias("letter")).select("a", "letter")
    assert table.columns == ["a", "letter"]
    assert "Letters" in table.explain()


def test_instances_of_one_function_class_are_distinguished() -> None:
    env = environment()
    one, two = Add(1), Add(2)
    table = env.from_path("T").select(*(call(item, col("a")) for item in (one, two, one)))
    text = table.explain()
    assert text.count("Add(CAST") == 2
    assert text.count("Add#2(CAST") == 1
    assert repr(call(Add, col("a"))) == "call(Add, col('a'))"


def test_a_named_argument() -> None:
    env = environment()
    positional, by_name = (
        env.from_path("T").select(item).explain() for item in (call(Twice, col("a")), call(Twice, number=col("a")))
    )
    assert positional == by_name


def test_non_functions_are_refused() -> None:
    with pytest.raises(ProgramError, match="class dict is no function class"):
        environment().from_path("T").select(call(dict, col("a")))


def test_an_aggregate_function_of_several_columns() -> None:
    env = environment()
    grouped = env.from_path("T").group_by(col("c"), (col("a") % 2).alias("odd"))
    table = grouped.aggregate(call(SpanOf, col("b")).alias("low", "high")).select(
        "odd", "c", (col("high") - col("low"))
    )
    second_env = environment()
    second_env.create_temporary_system_function("span", SpanOf)
    query = """SELECT odd, c, s.high - s.low FROM (
                 SELECT c, a % 2 AS odd, span(b) FROM T GROUP BY c, a % 2) AS g"""
    assert table.explain().replace("tests.planner.table.functions_beside.SpanOf", "span") == second_env.explain_sql(
        query.replace("s.high - s.low", "g.`EXPR$2`.high - g.`EXPR$2`.low")
    )
    assert grouped.aggregate(call(SpanOf, col("b"))).select(col("*")).columns == ["c", "odd", "low", "high"]
    with pytest.raises(ProgramError, match=r"gives 2 column\(s\), the alias names 3"):
        grouped.aggregate(call(SpanOf, col("b")).alias("x", "y", "z"))
