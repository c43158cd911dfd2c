"""Materialized tables: their plans, changes of their definition, and refusals."""

from __future__ import annotations

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.inspection.diff.build import diff_plans
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from compiled_plan.plans.nodes.configuration import FRESHNESS

SOURCE = "CREATE TABLE o (id INT NOT NULL, k STRING, v BIGINT) WITH ('connector' = 'datagen');"
WITH = "WITH ('connector' = 'print')"
CREATE = f"CREATE MATERIALIZED TABLE m {WITH} FRESHNESS = INTERVAL '2' MINUTE AS SELECT id, k FROM o"


def compiled(*statements):
    plan = TableEnvironment().compile_script(";".join((SOURCE, *statements)))
    (sink,) = plan.sinks
    return sink


@pytest.mark.parametrize(
    ("statements", "columns", "freshness"),
    [
        ([CREATE], ["id", "k"], "2 min"),
        ([CREATE.replace("FRESHNESS = INTERVAL '2' MINUTE", "")], ["id", "k"], "3 min"),
        ([CREATE.replace("m WITH", "m (k, id) WITH")], ["k", "id"], "2 min"),
        (
            [
                CREATE.replace("FRESHNESS", "START_MODE = FROM_BEGINNING FRESHNESS").replace(
                    "AS SELECT", "REFRESH_MODE = CONTINUOUS AS SELECT"
                )
            ],
            ["id", "k"],
            "2 min",
        ),
        ([CREATE, "ALTER MATERIALIZED TABLE m AS SELECT id, k, v FROM o"], ["id", "k", "v"], "2 min"),
        ([CREATE, "ALTER MATERIALIZED TABLE m SET FRESHNESS = INTERVAL '1' DAY"], ["id", "k"], "1 d"),
        ([CREATE, "ALTER MATERIALIZED TABLE m SET REFRESH_MODE = CONTINUOUS"], ["id", "k"], "2 min"),
        (
            [CREATE, CREATE.replace("CREATE", "CREATE OR ALTER").replace("k FROM", "k, v FROM")],
            ["id", "k", "v"],
            "2 min",
        ),
        ([CREATE.replace("CREATE", "CREATE OR ALTER")], ["id", "k"], "2 min"),
        ([CREATE, "ALTER MATERIALIZED TABLE m MODIFY id BIGINT NOT NULL COMMENT 'x'"], ["id", "k"], "2 min"),
        ([CREATE, "ALTER MATERIALIZED TABLE m MODIFY k STRING FIRST"], ["k", "id"], "2 min"),
        ([CREATE, "ALTER MATERIALIZED TABLE m ADD twice AS id * 2"], ["id", "k", "twice"], "2 min"),
    ],
)
def test_the_last_definition_is_compiled_with_its_freshness(statements, columns, freshness):
    sink = compiled(*statements)
    table = sink.dynamic_table_sink.table.resolved_table
    assert [column.name for column in table.table_schema.columns] == columns
    assert sink.configuration.get(FRESHNESS) == freshness


def test_an_alteration_compiles_the_table_of_an_init_file(tmp_path):
    init = tmp_path / "tables.sql"
    init.write_text(f"{SOURCE} {CREATE};")
    env = TableEnvironment(init=[init])
    plan = env.compile_script("ALTER MATERIALIZED TABLE m AS SELECT id, UPPER(k) AS k FROM o")
    assert "UPPER(k)" in plan.explain()


def test_a_table_of_the_same_name_in_another_database_is_another_table():
    env = TableEnvironment()
    env.compile_script(f"{SOURCE}{CREATE}")
    env.execute_sql("CREATE DATABASE d")
    with pytest.raises(CompiledPlanError, match="more than one statement"):
        env.compile_script(
            f"{CREATE.replace('TABLE m', 'TABLE d.m')}; ALTER MATERIALIZED TABLE m SET FRESHNESS = INTERVAL '1' HOUR"
        )


@pytest.mark.parametrize(
    ("change", "verdict"),
    [
        ("AS SELECT id, COUNT(*) AS n, MAX(v) AS most FROM o GROUP BY id", Verdict.PARTIAL),
        ("AS SELECT id, COUNT(*) AS n FROM (SELECT v, id FROM o) GROUP BY id", Verdict.FULL),
        ("AS SELECT id, COUNT(*) AS n FROM o WHERE v > 0 GROUP BY id", Verdict.PARTIAL),
        ("SET FRESHNESS = INTERVAL '1' HOUR", Verdict.FULL),
    ],
)
def test_another_query_is_an_upgrade_of_the_state(change, verdict):
    create = CREATE.replace("SELECT id, k FROM o", "SELECT id, COUNT(*) AS n FROM o GROUP BY id")
    create = create.replace("m WITH", "m (PRIMARY KEY (id) NOT ENFORCED) WITH")
    env, altered = TableEnvironment(), TableEnvironment()
    before = env.compile_script(f"{SOURCE}{create}")
    after = altered.compile_script(f"{SOURCE}{create};ALTER MATERIALIZED TABLE m {change}")
    diff = diff_plans(before, after)
    assert diff.verdict is verdict
    (sink,) = diff.sinks
    edits = [(edit.old, edit.new) for edit in sink.edits if edit.property == "freshness"]
    assert edits == ([("2 min", "1 h")] if "FRESHNESS" in change else [])


def test_options_of_an_altered_table_reach_the_plan():
    sink = compiled(CREATE, "ALTER MATERIALIZED TABLE m SET ('print-identifier' = 'x')")
    assert sink.dynamic_table_sink.table.options == {"connector": "print", "print-identifier": "x"}


@pytest.mark.parametrize(
    ("statements", "message"),
    [
        ([CREATE.replace("AS SELECT", "REFRESH_MODE = FULL AS SELECT")], "REFRESH_MODE = FULL is not supported"),
        ([CREATE.replace("FRESHNESS", "START_MODE = FROM_NOW FRESHNESS")], "START_MODE = FROM_NOW is not supported"),
        ([CREATE.replace("AS SELECT", "START_MODE = FROM_NOW AS SELECT")], "expected AS"),
        ([CREATE.replace("'2' MINUTE", "'1' MONTH")], "FRESHNESS is a positive whole number"),
        ([CREATE.replace("'2' MINUTE", "'0' MINUTE")], "FRESHNESS is a positive whole number"),
        ([CREATE.replace("INTERVAL '2' MINUTE", "5")], "FRESHNESS is an interval"),
        ([CREATE, CREATE], "more than one statement"),
        ([CREATE, "ALTER MATERIALIZED TABLE m AS SELECT k, id FROM o"], "column 1 of"),
        ([CREATE, "ALTER MATERIALIZED TABLE m AS SELECT id, k, 1 AS n FROM o"], "new column 'n'"),
        ([CREATE, "ALTER MATERIALIZED TABLE m MODIFY id BOOLEAN"], "BOOLEAN"),
        ([CREATE, "ALTER MATERIALIZED TABLE m DROP k"], "'k'"),
        ([CREATE, "ALTER MATERIALIZED TABLE m SUSPEND"], "SUSPEND of a materialized table"),
        (
            [CREATE, "ALTER MATERIALIZED TABLE m RESUME WITH ('a' = 'b')"],
            "RESUME of a materialized table",
        ),
        (
            [CREATE, "ALTER MATERIALIZED TABLE m REFRESH PARTITION (k = 'a')"],
            "REFRESH of a materialized table",
        ),
        ([CREATE, "ALTER MATERIALIZED TABLE m ADD z INT"], "has no column 'z'"),
        (["ALTER MATERIALIZED TABLE o AS SELECT 1 AS a"], "is no materialized table"),
        ([CREATE, "ALTER TABLE m SET ('a' = 'b')"], "is a materialized table"),
        ([CREATE, "DROP TABLE m"], "is a materialized table"),
        (["DROP MATERIALIZED TABLE o"], "there is no materialized table"),
        (["CREATE TEMPORARY MATERIALIZED TABLE m AS SELECT 1 AS a"], "expected"),
    ],
)
def test_other_definitions_are_refused(statements, message):
    with pytest.raises(CompiledPlanError, match=message) as caught:
        compiled(*statements)
    assert caught.value.where.startswith("line 1, column ")
