"""Warnings about plans, for all front ends."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import pytest

from compiled_plan import TableEnvironment
from compiled_plan.plans.errors import ProgramWarning

TABLES = (
    "CREATE TABLE a (x INT) WITH ('connector' = 'datagen')",
    "CREATE TABLE b (x INT) WITH ('connector' = 'jdbc', 'url' = 'jdbc:mysql://h/d', 'table-name' = 't', "
    "'username' = 'me', 'password' = '{password}')",
)
INSERT = "INSERT INTO b SELECT x FROM a"
#: Ways to compile the INSERT.
COMPILE: dict[str, Callable[[TableEnvironment], object]] = {
    "script": lambda env: env.compile_script(INSERT),
    "statement": lambda env: env.compile_plan_sql(INSERT),
    "set": lambda env: env.create_statement_set().add_insert_sql(INSERT).compile_plan(),
    "table": lambda env: env.from_path("a").insert_into("b").compile_plan(),
    "explain": lambda env: env.explain_sql(INSERT),
}


@pytest.mark.parametrize("how", sorted(COMPILE))
@pytest.mark.parametrize(("password", "warns"), [("S3CRET", True), ("${secret:PASS}", False)])
def test_a_secret_in_clear_is_named(how: str, password: str, warns: bool) -> None:
    env = TableEnvironment()
    for table in TABLES:
        env.execute_sql(table.format(password=password))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        COMPILE[how](env)
    (said,) = [str(one.message) for one in caught if issubclass(one.category, ProgramWarning)] or [""]
    assert said.startswith("the option 'password' of table default_catalog.default_database.b holds") == warns
    assert "S3CRET" not in said
