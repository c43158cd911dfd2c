"""Refusals of late passes have the line of the expression or statement that they concern, also in a statement set."""

from __future__ import annotations

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import CompiledPlanError

TABLES = """
CREATE TABLE o (id BIGINT, c STRING, price DECIMAL(10, 2), ts TIMESTAMP(3), p AS PROCTIME(),
  WATERMARK FOR ts AS ts) WITH ('connector' = 'datagen');
CREATE TABLE u (id BIGINT, name STRING, ts TIMESTAMP(3), PRIMARY KEY (id) NOT ENFORCED, WATERMARK FOR ts AS ts) WITH (
  'connector' = 'upsert-kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'h:9092', 'key.format' = 'json',
  'value.format' = 'json');
CREATE TABLE k (a BIGINT, b BIGINT) WITH ('connector' = 'print');
CREATE TABLE w (a TIMESTAMP(3), b BIGINT) WITH ('connector' = 'print');
CREATE TABLE f (a STRING, b BIGINT) WITH ('connector' = 'filesystem', 'path' = '/none', 'format' = 'json');
"""
RANKED = "INSERT INTO k SELECT id, n FROM (\n  SELECT id, {} AS n FROM o)\n{}"
TOP = "ROW_NUMBER() OVER (PARTITION BY c ORDER BY price DESC)"
COUNTS = "SELECT c, COUNT(*) AS n, PROCTIME() AS p FROM o GROUP BY c"
OVER = "INSERT INTO k SELECT id,\n  {} FROM o"
MATCH = "PARTITION BY c ORDER BY {} MEASURES A.{} AS a PATTERN (A B) DEFINE A AS A.{} > 1"


@pytest.mark.parametrize(
    ("statement", "place", "cause", "remedy"),
    [
        (RANKED.format(TOP, "WHERE n <= 'three'"), "n <= 'three'", "does not limit the number of ROW_NUMBER", "number"),
        (RANKED.format(TOP, "WHERE n <= 2.5"), "n <= 2.5", "does not limit the number", "whole number"),
        (RANKED.format(TOP, "WHERE MOD(n, 2) = 0"), "MOD(n, 2) = 0", "does not limit the number", "WHERE rn <= 10"),
        (RANKED.format(TOP, ""), TOP, "is a top-n, and needs a condition", "WHERE rn <= 10"),
        (RANKED.format(TOP, "WHERE n >= 3"), "n >= 3", "must give it an upper end", "AND rn <= 10"),
        (RANKED.format(TOP.replace("ROW_NUMBER", "RANK"), ""), "RANK() OVER", "RANK() in this order", "WHERE"),
        (RANKED.format("NTILE(4) OVER (ORDER BY price)", "WHERE n < 3"), "NTILE(4)", "NTILE is not supported", "LAG"),
        (OVER.format("COUNT(*) OVER (ORDER BY ts DESC)"), "COUNT(*)", "in ASCENDING mode", "leave DESC out"),
        (OVER.format("COUNT(*) OVER (ORDER BY ts, id)"), "COUNT(*)", "by a single time column", "one time attribute"),
        (OVER.format("COUNT(*) OVER (PARTITION BY c)"), "COUNT(*)", "by a single time column", "one time attribute"),
        (OVER.format("COUNT(*) OVER (ORDER BY ts ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING)"), "COUNT(*)", "FOLLOWING",
         "PRECEDING AND CURRENT ROW"),
        ("INSERT INTO k SELECT COUNT(*) OVER (ORDER BY ts),\n  SUM(id) OVER (ORDER BY p) FROM o", "SUM(id)",
         "on the same window", "a subquery of its own"),
        (OVER.format("LAG(id, -1) OVER (ORDER BY ts)"), "LAG(id", "is below 0", "from 0 on"),
        (f"INSERT INTO k SELECT n,\n  COUNT(*) OVER (ORDER BY p) FROM ({COUNTS})", "COUNT(*) OVER", "update changes",
         "append-only"),
        ("INSERT INTO\n  f SELECT c, COUNT(*) FROM o GROUP BY c", "f SELECT", "update changes", "append-only"),
        ("INSERT INTO\n  f SELECT x.c, x.id FROM o x LEFT JOIN o y ON x.id = y.id", "f SELECT",
         "update and delete changes", "append-only"),
        ("INSERT INTO k SELECT o.id, 1 FROM o\nJOIN u FOR SYSTEM_TIME AS OF o.ts AS v ON o.c = v.name", "u FOR",
         "requires primary key", "compare all its columns in ON"),
        ("INSERT INTO k SELECT o.id, 1 FROM o\nJOIN u FOR SYSTEM_TIME AS OF o.ts AS v ON o.id > v.id", "u FOR",
         "the join key", "compare the primary key"),
        ("INSERT INTO k SELECT o.id, 1 FROM o\nJOIN u FOR SYSTEM_TIME AS OF o.p AS v ON o.id = v.id", "u FOR",
         "a processing-time temporal join", "as of a rowtime"),
        (f"INSERT INTO k SELECT a, 1 FROM o\nMATCH_RECOGNIZE ({MATCH.format('price', 'id', 'id')})", "MATCH_RECOGNIZE",
         "must be ordered by a rowtime or proctime", "ORDER BY with a time attribute"),
        (f"INSERT INTO k SELECT a, 1 FROM ({COUNTS})\nMATCH_RECOGNIZE ({MATCH.format('p', 'n', 'n')})",
         "MATCH_RECOGNIZE", "update changes", "append-only"),
        ("INSERT INTO w SELECT window_start, COUNT(*) FROM HOP(TABLE o, DESCRIPTOR(ts), INTERVAL '7' SECOND, "
         "INTERVAL '1' MINUTE)\nGROUP BY window_start, window_end", "GROUP BY window_start", "integral multiple",
         "a multiple of the slide"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("form", ["{};", "EXECUTE STATEMENT SET BEGIN\nINSERT INTO k SELECT id, 1 FROM o;\n{};\nEND;"])
def test_the_place_of_a_refusal(statement: str, place: str, cause: str, remedy: str, form: str) -> None:
    program = TABLES + form.format(statement)
    with pytest.raises(CompiledPlanError) as raised:
        TableEnvironment().compile_script(program)
    assert cause in raised.value.message and remedy in raised.value.remedy
    at = program.index(statement) + statement.index(place)
    line, column = program.count("\n", 0, at) + 1, at - program.rfind("\n", 0, at)
    assert raised.value.where.startswith(f"line {line}, column {column}\n")
