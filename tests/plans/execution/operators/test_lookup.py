"""Lookup joins against a database in the same process (Derby, which comes with Spark)."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import ExecutionError, PlanError, UnsupportedError
from compiled_plan.plans.execution.kernel import use_suitable_java
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.execution.stages.prepared import prepare
from compiled_plan.running.plans import CompiledPlan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

URL = "jdbc:derby:memory:rates;create=true"


@pytest.fixture(scope="module")
def database(spark: SparkSession) -> Iterator[Any]:
    jvm: Any = spark._jvm
    connection = jvm.java.sql.DriverManager.getConnection(URL)
    statement = connection.createStatement()
    statement.execute("CREATE TABLE rates (cur VARCHAR(9), kind INT, rate DECIMAL(10, 4), since TIMESTAMP)")
    for row in ("'E', 1, 1.1, '2024-01-01 00:00:00'", "'E', 2, 1.2, NULL", "'G', 1, 1.3, NULL", "'Y', 1, NULL, NULL"):
        statement.execute(f"INSERT INTO rates VALUES ({row})")
    yield statement
    statement.execute("DROP TABLE rates")
    connection.close()


def program(folder: Path, query: str, **options: str) -> CompiledPlan:
    table_options = {"connector": "jdbc", "url": URL, "table-name": "rates", **options}
    text = ", ".join(f"'{name}' = '{value}'" for name, value in table_options.items())
    return TableEnvironment().compile_script(
        f"CREATE TABLE orders (id INT, cur STRING, p AS PROCTIME()) WITH ('connector' = 'filesystem', "
        f"'path' = '{folder / 'orders'}', 'format' = 'json');\n"
        f"CREATE TABLE rates (cur STRING, kind INT, rate DECIMAL(10, 4), since TIMESTAMP(3)) WITH ({text});\n"
        f"CREATE TABLE found (id INT, kind INT, rate DECIMAL(10, 2)) WITH ('connector' = 'filesystem', "
        f"'path' = '{folder / 'found'}', 'format' = 'json');\n"
        f"INSERT INTO found {query};"
    )


def run(spark: SparkSession, folder: Path, plan: CompiledPlan, *orders: tuple[int, str | None]) -> list[Any]:
    (folder / "orders").mkdir(exist_ok=True)
    lines = (json.dumps({"id": id_, "cur": cur}) for id_, cur in orders)
    (folder / "orders" / "1.json").write_text("\n".join(lines))
    Run(spark, plan, RunOptions()).execute()
    files = sorted((folder / "found").glob("part-*"))
    return sorted(
        (tuple(json.loads(line).values()) for file in files for line in file.read_text().splitlines()), key=repr
    )


JOIN = "JOIN rates FOR SYSTEM_TIME AS OF o.p AS r ON o.cur = r.cur"
ORDERS: tuple[tuple[int, str | None], ...] = ((1, "E"), (2, "G"), (3, "X"), (4, None), (5, "Y"))


@pytest.mark.wide
def test_an_inner_join_gives_all_rows_of_the_key(spark: SparkSession, database: Any, tmp_path: Path) -> None:
    plan = program(tmp_path, f"SELECT o.id, r.kind, CAST(r.rate AS DECIMAL(10, 2)) FROM orders AS o {JOIN}")
    assert run(spark, tmp_path, plan, *ORDERS) == [(1, 1, 1.1), (1, 2, 1.2), (2, 1, 1.3), (5, 1, None)]


def test_a_left_join_keeps_rows_without_a_match(spark: SparkSession, database: Any, tmp_path: Path) -> None:
    query = (
        f"SELECT o.id, r.kind, r.rate + 1 FROM orders AS o LEFT {JOIN} AND r.kind = 1 AND o.id < 5 AND r.rate < o.id"
    )
    plan = program(tmp_path, query, **{"lookup.cache": "PARTIAL", "lookup.partial-cache.max-rows": "2"})
    assert run(spark, tmp_path, plan, *ORDERS) == [
        (1, None, None),
        (2, 1, 2.3),
        (3, None, None),
        (4, None, None),
        (5, None, None),
    ]


@pytest.mark.parametrize("cache", [pytest.param("NONE", marks=pytest.mark.wide), "PARTIAL"])
def test_a_cache_answers_for_the_database(spark: SparkSession, database: Any, tmp_path: Path, cache: str) -> None:
    query = f"SELECT o.id, r.kind, r.rate FROM orders AS o {JOIN} AND r.cur <> 'E'"
    result = []
    for kind in (5, 6):
        database.execute(f"UPDATE rates SET kind = {kind} WHERE cur = 'G'")
        folder = tmp_path / str(kind)
        folder.mkdir()
        plan = program(folder, query, **{"lookup.cache": cache, "lookup.partial-cache.expire-after-write": "1 h"})
        result += run(spark, folder, plan, (1, "E"), (2, "G"), (3, "G"))
    database.execute("UPDATE rates SET kind = 1 WHERE cur = 'G'")
    later = 5 if cache == "PARTIAL" else 6
    assert result == [(2, 5, 1.3), (3, 5, 1.3), (2, later, 1.3), (3, later, 1.3)]


@pytest.mark.wide
def test_a_retraction_repeats_the_rows_that_were_looked_up(spark: SparkSession, database: Any, tmp_path: Path) -> None:
    resolving = "SET 'table.optimizer.non-deterministic-update.strategy' = 'TRY_RESOLVE';"
    files = "WITH ('connector' = 'filesystem', 'format' = 'debezium-json', 'path' ="
    plan = TableEnvironment().compile_script(
        f"{resolving} CREATE TABLE orders (id INT, cur STRING, p AS PROCTIME()) {files} '{tmp_path / 'orders'}');"
        f"CREATE TABLE rates (cur STRING, kind INT) WITH ('connector' = 'jdbc', 'url' = '{URL}', "
        "'table-name' = 'rates');"
        f"CREATE TABLE joined (id INT, kind INT) {files} '{tmp_path / 'joined'}');"
        f"INSERT INTO joined SELECT o.id, r.kind FROM orders AS o LEFT {JOIN};"
    )
    (tmp_path / "orders").mkdir()
    order = {"id": 1, "cur": "E"}
    for number, (before, after, op) in enumerate([(None, order, "c"), (order, None, "d")]):
        event = {"before": before, "after": after, "op": op}
        (tmp_path / "orders" / f"{number}.json").write_text(json.dumps(event))
        Run(spark, plan, RunOptions(checkpoint=str(tmp_path / "checkpoint"))).execute()
        database.execute("UPDATE rates SET kind = kind + 10 WHERE cur = 'E'")
    database.execute("UPDATE rates SET kind = kind - 20 WHERE cur = 'E'")
    lines = [line for file in (tmp_path / "joined").glob("part-*") for line in file.read_text().splitlines()]
    events = map(json.loads, lines)
    changes = sorted((event["op"], (event["after"] or event["before"])["kind"]) for event in events)
    assert changes == [("c", 1), ("c", 2), ("d", 1), ("d", 2)]


@pytest.mark.wide
def test_an_unavailable_database_ends_the_run(spark: SparkSession, tmp_path: Path) -> None:
    query = f"SELECT o.id, r.kind, r.rate FROM orders AS o {JOIN}"
    plan = program(tmp_path, query, url="jdbc:derby:memory:nowhere", **{"lookup.max-retries": "1"})
    with pytest.raises(ExecutionError, match="does not answer"):
        run(spark, tmp_path, plan, *ORDERS)


@pytest.mark.parametrize(
    ("options", "why"),
    [({"lookup.cache": "FULL"}, "lookup.cache"), ({"lookup.cash": "NONE"}, "no option .lookup.cash.")],
)
def test_options_that_are_refused(tmp_path: Path, options: dict[str, str], why: str) -> None:
    plan = program(tmp_path, f"SELECT o.id, r.kind, r.rate FROM orders AS o {JOIN}")
    data = plan.to_dict()
    node = next(node for node in data["nodes"] if node["type"] == "stream-exec-lookup-join_1")
    node["temporalTable"]["lookupTableSource"]["table"]["resolvedTable"]["options"] |= options
    with pytest.raises(PlanError, match=why):
        CompiledPlan.from_dict(data)


DRIVER = """
import java.sql.*;
import java.util.Properties;

public final class Probe implements Driver {
  static {
    try {
      DriverManager.registerDriver(new Probe());
    } catch (SQLException error) {
      throw new IllegalStateException(error);
    }
  }
  public Connection connect(String url, Properties given) throws SQLException {
    return acceptsURL(url) ? DriverManager.getConnection("%s", given) : null;
  }
  public boolean acceptsURL(String url) { return url.startsWith("jdbc:probe:"); }
  public DriverPropertyInfo[] getPropertyInfo(String url, Properties given) { return new DriverPropertyInfo[0]; }
  public int getMajorVersion() { return 1; }
  public int getMinorVersion() { return 0; }
  public boolean jdbcCompliant() { return false; }
  public java.util.logging.Logger getParentLogger() { return null; }
}
"""


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a compiled driver, like a jar of the user's."""
    folder = tmp_path_factory.mktemp("probe")
    (folder / "Probe.java").write_text(DRIVER % URL)
    services = folder / "META-INF" / "services"
    services.mkdir(parents=True)
    (services / "java.sql.Driver").write_text("Probe\n")
    subprocess.run([use_suitable_java() / "bin" / "javac", "Probe.java"], cwd=folder, check=True)
    return folder


@pytest.mark.wide
@pytest.mark.parametrize("named", [True, False])
def test_a_driver_in_a_jar_of_the_users(spark: SparkSession, database: Any, probe: Path, named: bool) -> None:
    """`spark.jars` are in a class loader below the kernel's, the context of Spark's tasks."""
    jvm: Any = spark._jvm
    gateway: Any = spark.sparkContext._gateway
    urls = gateway.new_array(jvm.java.net.URL, 1)
    urls[0] = jvm.java.net.URL(f"{probe.as_uri()}/")
    key = gateway.new_array(jvm.java.lang.Object, 1)
    key[0] = "G"
    spec = {
        "url": f"jdbc:probe:{named}",
        "query": "SELECT kind FROM rates WHERE cur = ?",
        "types": ["int"],
        "retries": 0,
    }
    table = jvm.org.compiledplan.kernel.lookup.LookupTable.of(json.dumps(spec | ({"driver": "Probe"} if named else {})))
    thread = jvm.java.lang.Thread.currentThread()
    before = thread.getContextClassLoader()
    thread.setContextClassLoader(jvm.java.net.URLClassLoader(urls, before))
    try:
        rows = table.rows(jvm.org.apache.spark.sql.RowFactory.create(key))
        assert [row.getInt(0) for row in rows] == [1]
    finally:
        thread.setContextClassLoader(before)


def pushed(plan: CompiledPlan, *abilities: dict[str, Any], **changes: Any) -> CompiledPlan:
    """The plan with these abilities of its lookup source, and other fields of the join, as Flink may write them."""
    data = plan.to_dict()
    (join,) = (node for node in data["nodes"] if node["type"].startswith("stream-exec-lookup-join"))
    join["temporalTable"]["lookupTableSource"]["abilities"] = list(abilities)
    return CompiledPlan.from_dict(
        data | {"nodes": [node | changes if node is join else node for node in data["nodes"]]}
    )


def abilities_of(plan: CompiledPlan) -> list[dict[str, Any]]:
    """The abilities of the lookup source of a plan."""
    (join,) = (node for node in plan.to_dict()["nodes"] if node["type"].startswith("stream-exec-lookup-join"))
    return list(join["temporalTable"]["lookupTableSource"].get("abilities", []))


def kind_is(value: int, at: int = 1) -> dict[str, Any]:
    """A predicate over the column `kind` of the table."""
    column = {"kind": "INPUT_REF", "inputIndex": at, "type": "INT"}
    constant = {"kind": "LITERAL", "value": value, "type": "INT NOT NULL"}
    operands = [column, constant]
    return {"kind": "CALL", "syntax": "BINARY", "internalName": "$=$1", "operands": operands, "type": "BOOLEAN"}


def test_pushed_down_predicates_are_applied(spark: SparkSession, database: Any, tmp_path: Path) -> None:
    plan = program(tmp_path, f"SELECT o.id, 1, CAST(r.rate AS DECIMAL(10, 2)) FROM orders AS o LEFT {JOIN}")
    (projection,) = abilities_of(plan)
    no_metadata = {"type": "ReadingMetadata", "metadataKeys": [], "producedType": projection["producedType"]}
    # The filter reads a column outside the projection.
    filtered = pushed(plan, {"type": "FilterPushDown", "predicates": [kind_is(1)]}, projection, no_metadata)
    assert run(spark, tmp_path, filtered, *ORDERS[:3]) == [(1, 1, 1.1), (2, 1, 1.3), (3, 1, None)]


@pytest.mark.wide
def test_a_lookup_without_rows_is_retried_as_the_hint_says(spark: SparkSession, database: Any, tmp_path: Path) -> None:
    plan = program(tmp_path, f"SELECT o.id, r.kind, CAST(r.rate AS DECIMAL(10, 2)) FROM orders AS o {JOIN}")
    retry = {"retry-predicate": "lookup_miss", "retry-strategy": "FIXED_DELAY", "fixed-delay": 200, "max-attempts": 200}
    retried = pushed(plan, *abilities_of(plan), retryOptions=retry)

    def appears() -> None:
        database.execute("INSERT INTO rates VALUES ('Z', 9, 9.5, NULL)")

    timer = threading.Timer(2, appears)
    timer.start()
    assert run(spark, tmp_path, retried, (1, "Z")) == [(1, 9, 9.5)]
    timer.join()


def test_an_unsupported_ability_is_refused_by_name(tmp_path: Path) -> None:
    plan = program(tmp_path, f"SELECT o.id, r.kind, r.rate FROM orders AS o {JOIN}")
    with pytest.raises(UnsupportedError, match="LimitPushDown"):
        prepare(pushed(plan, *abilities_of(plan), {"type": "LimitPushDown", "limit": 1}))
