"""RAW values as keys: grouped, joined and compared by their bytes, which equal objects share."""

from __future__ import annotations

import datetime as dt
import pickle
from typing import TYPE_CHECKING, Annotated, Any

import pytest

from compiled_plan import DataTypes, TableEnvironment, call, col
from compiled_plan.plans.errors import ProgramError, UnsupportedError
from compiled_plan.plans.functions import DataTypeHint, ScalarFunction, function_hint
from compiled_plan.plans.functions.pickles import pickled

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Tag:
    def __init__(self, text: str, again: str) -> None:
        self.text, self.again = text, again


class MakeTag(ScalarFunction):
    """Equal tags, whose texts are one object for some rows and two for others."""

    def eval(self, number: int, key: int) -> Annotated[Tag, DataTypeHint("RAW")]:
        text = f"tag {key}"
        return Tag(text, text if number % 2 else f"tag {key}")


class ReadTag(ScalarFunction):
    def eval(self, tag: Annotated[Tag, DataTypeHint("RAW")]) -> str:
        return tag.text


@pytest.fixture
def env() -> TableEnvironment:
    env = TableEnvironment()
    env.create_temporary_function("make", MakeTag)
    env.create_temporary_function("tag", ReadTag)
    rows = [(1, 0), (2, 0), (3, 1), (4, 1), (5, 1)]
    schema = DataTypes.ROW(
        DataTypes.FIELD("id", DataTypes.BIGINT().not_null()), DataTypes.FIELD("k", DataTypes.BIGINT().not_null())
    )
    table = env.from_values(rows, schema)
    env.create_temporary_view("t", table.select(col("id"), call("make", col("id"), col("k")).alias("r")))
    return env


QUERY = """
SELECT 'group' AS what, tag(r) AS a, CAST(n AS STRING) AS b FROM (SELECT r, COUNT(*) AS n FROM t GROUP BY r)
UNION ALL SELECT 'distinct', tag(r), '' FROM (SELECT DISTINCT r FROM t)
UNION ALL SELECT 'join', CAST(l.id AS STRING), CAST(m.id AS STRING) FROM t l JOIN t m ON l.r = m.r AND l.id < m.id
UNION ALL SELECT 'first', tag(r), CAST(id AS STRING) FROM
  (SELECT *, ROW_NUMBER() OVER (PARTITION BY r ORDER BY id) AS n FROM t) WHERE n = 1
UNION ALL SELECT 'in', CAST(id AS STRING), '' FROM t WHERE r IN (make(2, 1), make(7, 2))
"""


@pytest.mark.wide
def test_raw_in_group_by_distinct_and_joins(spark: SparkSession, env: TableEnvironment) -> None:
    """As in Flink, which uses the bytes of its serializer."""
    result: dict[str, set[tuple[str, str]]] = {}
    for what, a, b in env.sql_query(QUERY).to_pandas().itertuples(index=False):
        result.setdefault(what, set()).add((a, b))
    assert result == {
        "group": {("tag 0", "2"), ("tag 1", "3")},
        "distinct": {("tag 0", ""), ("tag 1", "")},
        "join": {("1", "2"), ("3", "4"), ("3", "5"), ("4", "5")},
        "first": {("tag 0", "1"), ("tag 1", "3")},
        "in": {("3", ""), ("4", ""), ("5", "")},
    }
    table = env.from_path("t").group_by(col("r")).select(call("tag", col("r")).alias("a"), col("id").max.alias("b"))
    assert sorted(table.to_pandas().values.tolist()) == [["tag 0", 2], ["tag 1", 5]]
    with pytest.raises(UnsupportedError, match=r"RAW\((.|\n)*column r"):
        env.from_path("t").execute().collect()


REFUSED = {
    "SELECT COUNT(DISTINCT r) FROM t": r"COUNT\(DISTINCT \.\.\.\) does not support the type RAW",
    "SELECT k FROM (SELECT 1 AS k, r, ROW_NUMBER() OVER (ORDER BY r) AS n FROM t) WHERE n = 1": "RAW.*has no order",
    "SELECT id FROM t ORDER BY r LIMIT 1": "RAW.*has no order",
    "SELECT MIN(r) FROM t": "cannot apply MIN to an argument of type RAW",
}


@pytest.mark.parametrize("query", REFUSED)
def test_operations_on_raw_that_flink_refuses(env: TableEnvironment, query: str) -> None:
    with pytest.raises(ProgramError, match=REFUSED[query]):
        env.explain_sql(query)


def test_raw_operations_are_refused_in_python_too(env: TableEnvironment) -> None:
    table = env.from_path("t")
    with pytest.raises(ProgramError, match="does not support the type RAW"):
        table.select(col("r").count.distinct)
    for sort in (lambda: table.order_by(col("r")), lambda: table.topn(1, [col("id")], [col("r").desc])):
        with pytest.raises(ProgramError, match="has no order"):
            sort()


def test_equal_objects_have_equal_bytes() -> None:
    one, two = "".join(["ab", "c"]), "".join(["a", "bc"])
    assert pickle.dumps((one, one)) != pickle.dumps((one, two)) and pickled((one, one)) == pickled((one, two))
    ring: list[Any] = [1]
    ring.append(ring)
    assert pickle.loads(pickled(ring))[0] == 1


class ZonedIn(ScalarFunction):
    def eval(self, at: Annotated[dt.datetime, DataTypeHint("TIMESTAMP(3) WITH TIME ZONE")]) -> str:
        return str(at)


class ZonedOut(ScalarFunction):
    def eval(self, at: str) -> Annotated[list[dt.datetime], DataTypeHint("ARRAY<TIMESTAMP WITH TIME ZONE>")]:
        return []


@function_hint(input=["STRING"], output=DataTypes.of("ROW<a INT, b TIMESTAMP(0) WITH TIME ZONE>"))
class ZonedHint(ScalarFunction):
    def eval(self, at: Any) -> Any:
        return at


@pytest.mark.parametrize("function", [ZonedIn, ZonedOut, ZonedHint])
def test_timestamps_with_a_time_zone_are_refused_by_name(env: TableEnvironment, function: Any) -> None:
    """Flink: "Type is not supported: TIMESTAMP_WITH_TIME_ZONE"."""
    for register in (
        lambda: env.create_temporary_function("zoned", function),
        lambda: env.execute_sql(f"CREATE FUNCTION zoned AS '{__name__}.{function.__name__}' LANGUAGE PYTHON"),
    ):
        with pytest.raises(
            ProgramError, match=r"TIMESTAMP\(\d\) WITH TIME ZONE is not a type(.|\n)*TIMESTAMP_LTZ\(\d\)"
        ):
            register()
