"""INSERT: columns matched and cast, hints passed on, schemas shown on a mismatch."""

from __future__ import annotations

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.planner.algebra.explain import explain
from compiled_plan.planner.algebra.nodes import Aggregate, Join, Project, RelNode, Scan, Sink, Values
from compiled_plan.planner.algebra.traverse import nodes
from compiled_plan.planner.sql.scripts import bind_script
from compiled_plan.plans.errors import CompiledPlanError


def sink(env: TableEnvironment, text: str) -> Sink:
    (relation,), _ = bind_script(env.context, text)
    return relation


def first(rel: RelNode, kind: type[RelNode]) -> RelNode:
    return next(node for node in nodes([rel]) if isinstance(node, kind))


def test_columns_match_by_position(env: TableEnvironment) -> None:
    actual = sink(env, "INSERT INTO k SELECT n, b, a FROM t")
    assert (actual.target, actual.table.identifier.name) == (None, "k")
    assert actual.input.row_type.names == ("n", "b", "a")


def test_a_column_list_reorders_and_fills_up(env: TableEnvironment) -> None:
    actual = sink(env, "INSERT INTO k (c, a) SELECT n, a FROM t")
    assert actual.target == (2, 0)
    assert explain(actual).splitlines()[1] == "  Project(a=$1, EXPR$1=None, n=$0)"
    assert [str(type_) for type_ in actual.input.row_type.types] == ["INT", "VARCHAR(2147483647)", "INT NOT NULL"]


def test_types_are_cast_to_the_table(env: TableEnvironment) -> None:
    actual = sink(env, "INSERT INTO wide SELECT a, b FROM t")
    assert isinstance(actual.input, Project)
    assert explain(actual).splitlines()[1] == "  Project(a=CAST($0 AS BIGINT), b=$1)"


def test_values(env: TableEnvironment) -> None:
    actual = sink(env, "INSERT INTO k VALUES (1, 'x', 2)")
    assert isinstance(first(actual, Values), Values)


def test_static_partitions(env: TableEnvironment) -> None:
    env.execute_sql(
        "CREATE TABLE p (a INT, dt STRING, h INT) PARTITIONED BY (dt, h) "
        "WITH ('connector' = 'filesystem', 'path' = '/p', 'format' = 'json')"
    )
    assert explain(sink(env, "INSERT INTO p PARTITION (dt = '2020') SELECT a, n FROM t")).splitlines()[1] in (
        "  Project(a=$0, EXPR$1='2020', n=$1)",
        "  Project(a=$0, EXPR$1=CAST('2020' AS VARCHAR(2147483647) NOT NULL), n=$1)",
    )


SCHEMAS = "query schema: [a: INT, b: STRING]\n  sink schema:  [a: INT, b: STRING, c: INT NOT NULL]"


@pytest.mark.parametrize(
    ("text", "message", "where"),
    [
        ("INSERT INTO k SELECT a, b FROM t", "different number of columns\n  " + SCHEMAS, "line 1, column 13"),
        ("INSERT INTO k SELECT a, a, n FROM t", "sink column 'b' at position 2", "line 1, column 13"),
        ("INSERT INTO k (zz) SELECT a FROM t", "unknown target column 'zz'", "line 1, column 16"),
        ("INSERT INTO k (a, a) SELECT a, n FROM t", "assigned more than once", "line 1, column 19"),
        ("INSERT INTO k (a) SELECT a FROM t", "column 'c' has no default value", "line 1, column 13"),
        ("INSERT INTO nope SELECT 1", "not found", "line 1, column 13"),
        ("INSERT OVERWRITE k SELECT a, b, n FROM t", "INSERT OVERWRITE", "line 1, column 1"),
        ("INSERT INTO t SELECT * FROM t", "can only be read", "line 1, column 13"),
        ("SELECT 1", "a SELECT by itself", "line 1, column 1"),
        ("EXECUTE PLAN '/p'", "runs a plan", "line 1, column 1"),
        ("INSERT INTO k SELECT 1, 'x', 2; INSERT INTO k SELECT 1, 'x', 2", "more than one", "line 1, column 33"),
    ],
)
def test_refused(env: TableEnvironment, text: str, message: str, where: str) -> None:
    with pytest.raises(CompiledPlanError) as caught:
        bind_script(env.context, text)
    assert message in caught.value.message
    assert caught.value.where.startswith(where)


def test_a_script_without_an_insert_is_refused(env: TableEnvironment) -> None:
    with pytest.raises(CompiledPlanError, match="nothing to compile"):
        bind_script(env.context, "SET 'a' = 'b'")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("'a' = 'b'", "has no connector"),
        ("'connector' = 'filesystm'", "no connector is named 'filesystm'"),
        ("'connector' = 'kinesis'", "connector 'kinesis' is not supported"),
        ("'connector' = 'filesystem'", "lacks the option 'path'"),
        ("'connector' = 'filesystem', 'path' = 'p'", "has no format"),
        ("'connector' = 'filesystem', 'path' = 'p', 'format' = 'jsn'", "no format is named 'jsn'"),
        (
            "'connector' = 'filesystem', 'path' = 'p', 'format' = 'protobuf'",
            "format 'protobuf' is not supported by connector",
        ),
        ("'connector' = 'print'", "can only be written"),
    ],
)
def test_connectors_are_looked_up_when_a_table_is_used(env: TableEnvironment, options: str, message: str) -> None:
    env.execute_sql(f"CREATE TABLE bad (a INT) WITH ({options})")
    env.execute_sql("CREATE TABLE single (a INT) WITH ('connector' = 'blackhole')")
    with pytest.raises(CompiledPlanError) as caught:
        bind_script(env.context, "INSERT INTO single SELECT a FROM bad")
    assert message in caught.value.message


def test_metadata_must_exist_and_be_virtual_in_sinks(env: TableEnvironment) -> None:
    env.execute_sql(
        "CREATE TABLE f (a INT, x STRING METADATA) WITH ('connector' = 'filesystem', 'path' = 'p', 'format' = 'json');"
        "CREATE TABLE g (a INT, x STRING METADATA FROM 'file.path') "
        "WITH ('connector' = 'filesystem', 'path' = 'p', 'format' = 'json')"
    )
    with pytest.raises(CompiledPlanError, match="invalid metadata key 'x'"):
        bind_script(env.context, "INSERT INTO k SELECT a, x, a FROM f")
    with pytest.raises(CompiledPlanError, match="declare it VIRTUAL"):
        bind_script(env.context, "INSERT INTO g SELECT a, b FROM t")
    assert sink(env, "INSERT INTO k SELECT a, x, a FROM g").table.identifier.name == "k"


# --- hints ----------------------------------------------------------------------------------------------------------


def test_options_are_merged_into_the_table(env: TableEnvironment) -> None:
    actual = sink(
        env,
        "INSERT INTO k /*+ OPTIONS('property-version'='1') */ "
        "SELECT a, d, a FROM u /*+ OPTIONS('number-of-rows'='3') */",
    )
    scan = first(actual, Scan)
    assert isinstance(scan, Scan)
    assert dict(scan.table.options) == {"connector": "datagen", "number-of-rows": "3"}
    assert actual.table.option("property-version") == "1"


def test_state_ttl_reaches_joins_with_the_names_of_their_sides(env: TableEnvironment) -> None:
    text = "INSERT INTO k SELECT /*+ STATE_TTL('x' = '1d', 'w' = '2h') */ x.a, d, x.a FROM u x JOIN w ON x.a = w.a"
    join = first(sink(env, text), Join)
    assert isinstance(join, Join)
    assert join.hints[0].options == (("x", "1d"), ("w", "2h"))
    assert (join.left_aliases, join.right_aliases) == (("x",), ("w",))


def test_hints_in_nested_joins_name_single_tables_only(env: TableEnvironment) -> None:
    text = (
        "INSERT INTO k SELECT /*+ STATE_TTL('t' = '1d', 'w' = '2h') */ t.a, d, t.a FROM t "
        "JOIN u ON t.a = u.a JOIN w ON t.a = w.a"
    )
    joins = [node for node in nodes([sink(env, text)]) if isinstance(node, Join)]
    assert [(join.left_aliases, join.right_aliases) for join in joins] == [(("t",), ("u",)), ((), ("w",))]


def test_state_ttl_reaches_the_aggregate_of_a_block_without_join(env: TableEnvironment) -> None:
    text = "INSERT INTO wide SELECT /*+ STATE_TTL('u' = '1d') */ COUNT(*), d FROM u GROUP BY d"
    aggregate = first(sink(env, text), Aggregate)
    assert isinstance(aggregate, Aggregate) and aggregate.hints[0].options == (("u", "1d"),)
    text = "INSERT INTO wide SELECT /*+ STATE_TTL('u' = '1d') */ COUNT(*), d FROM u JOIN w ON u.a = w.a GROUP BY d"
    aggregate = first(sink(env, text), Aggregate)
    assert isinstance(aggregate, Aggregate) and aggregate.hints == ()


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT /*+ STATE_TTL('nope' = '1d') */ u.a FROM u JOIN w ON u.a = w.a", "names 'nope'"),
        ("SELECT /*+ STATE_TTL('u' = '1d') */ x.a FROM u x JOIN w ON x.a = w.a", "names 'u'"),
        ("SELECT /*+ STATE_TTL('nope' = '1d') */ COUNT(*) FROM u GROUP BY d", "names 'nope'"),
        ("SELECT /*+ STATE_TTL('u' = '1 parsec') */ a FROM u", "parsec"),
        ("SELECT /*+ STATE_TTL('u') */ a FROM u", "keys and values"),
        ("SELECT /*+ STAT_TTL('u' = '1d') */ a FROM u", "no hint is named 'STAT_TTL'"),
    ],
)
def test_refused_hints(env: TableEnvironment, query: str, message: str) -> None:
    env.execute_sql("CREATE TABLE single (a BIGINT) WITH ('connector' = 'blackhole')")
    with pytest.raises(CompiledPlanError) as caught:
        bind_script(env.context, f"INSERT INTO single {query}")
    assert message in caught.value.message


def test_a_hint_without_join_or_aggregate_has_no_effect(env: TableEnvironment) -> None:
    hinted = sink(env, "INSERT INTO wide SELECT /*+ STATE_TTL('nope' = '1d') */ a, d FROM u")
    assert hinted == sink(env, "INSERT INTO wide SELECT a, d FROM u")
