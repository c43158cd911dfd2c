"""Statements on models, with the results of Flink 2.3."""

from __future__ import annotations

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import CompiledPlanError

CREATE = """
CREATE MODEL n1 INPUT (i INT COMMENT 'ci', s STRING NOT NULL) OUTPUT (o STRING) COMMENT 'k'
  WITH ('provider' = 'x', 'task' = 'y');
CREATE MODEL keyed INPUT (i INT UNIQUE NOT ENFORCED, PRIMARY KEY (i) NOT ENFORCED) OUTPUT (o INT UNIQUE)
  WITH ('provider' = 'x');
DROP MODEL keyed;
CREATE MODEL bare WITH ('provider' = 'x');
CREATE TEMPORARY MODEL IF NOT EXISTS passing INPUT (i INT) OUTPUT (o STRING) WITH ('provider' = 'x');
"""


def shown(env: TableEnvironment, sql: str) -> list[tuple[object, ...]]:
    return [tuple(row) for row in env.execute_sql(sql).collect()]


def test_models_are_shown_as_in_flink() -> None:
    env = TableEnvironment()
    env.execute_sql(CREATE)
    assert shown(env, "SHOW MODELS") == [("bare",), ("n1",), ("passing",)]
    result = env.execute_sql("DESC MODEL EXTENDED n1")
    assert result.column_names == ("name", "type", "null", "is input", "comment")
    assert [tuple(row) for row in result.collect()] == [
        ("i", "INT", True, True, "ci"),
        ("s", "STRING", False, True, None),
        ("o", "STRING", True, False, None),
    ]
    assert shown(env, "DESCRIBE MODEL bare") == []
    env.execute_sql("ALTER MODEL n1 SET ('task' = 'q', 'c' = 'd'); ALTER MODEL n1 RESET ('c', 'none')")
    env.execute_sql("ALTER MODEL n1 RENAME TO n2; ALTER MODEL IF EXISTS n9 RENAME TO n3")
    options = "WITH (\n  'provider' = 'x'"
    assert shown(env, "SHOW CREATE MODEL n2") == [
        (
            "CREATE MODEL `default_catalog`.`default_database`.`n2`\n"
            "INPUT (`i` INT COMMENT 'ci', `s` VARCHAR(2147483647) NOT NULL)\nOUTPUT (`o` VARCHAR(2147483647))\n"
            f"COMMENT 'k'\n{options},\n  'task' = 'q'\n)\n",
        )
    ]
    assert shown(env, "SHOW CREATE MODEL passing") == [
        (
            "CREATE TEMPORARY MODEL `default_catalog`.`default_database`.`passing`\n"
            f"INPUT (`i` INT)\nOUTPUT (`o` VARCHAR(2147483647))\n{options}\n)\n",
        )
    ]
    env.execute_sql("DROP MODEL n2; DROP MODEL IF EXISTS n2; DROP TEMPORARY MODEL passing")
    assert (env.list_models(), env.drop_model("bare"), env.drop_model("bare")) == (["bare"], True, False)


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("CREATE MODEL n1 WITH ('provider' = 'x')", "a model .* already exists"),
        ("CREATE MODEL m INPUT (i INT) WITH ('provider' = 'x')", "has OUTPUT columns"),
        ("CREATE MODEL m OUTPUT (i INT) WITH ('provider' = 'x')", "has INPUT columns"),
        ("CREATE MODEL m", "a model has options"),
        ("CREATE MODEL m INPUT (i AS 1) OUTPUT (o INT) WITH ('provider' = 'x')", "'i' of a model is not physical"),
        ("CREATE MODEL nope.m WITH ('provider' = 'x')", "there is no database 'nope'"),
        ("ALTER MODEL m RENAME TO n", "there is no model"),
        ("ALTER MODEL n1 RENAME TO bare", "already exists"),
        ("ALTER MODEL n1 SET ()", "names no option"),
        ("ALTER MODEL passing SET ('a' = 'b')", "is temporary"),
        ("ALTER MODEL n1 ADD a INT", "expected RENAME TO, SET or RESET"),
        ("DROP MODEL m", "there is no model"),
        ("DROP MODEL passing", "a temporary model"),
        ("DESCRIBE MODEL m", "there is no model"),
        ("SHOW CREATE MODEL m", "there is no model"),
        ("SELECT * FROM ML_PREDICT(TABLE t, MODEL n1, DESCRIPTOR(i))", "call the model in a Python function"),
    ],
)
def test_errors(sql: str, message: str) -> None:
    env = TableEnvironment()
    env.execute_sql(CREATE)
    with pytest.raises(CompiledPlanError, match=message) as caught:
        env.execute_sql(sql)
    assert "line 1, column" in str(caught.value)
