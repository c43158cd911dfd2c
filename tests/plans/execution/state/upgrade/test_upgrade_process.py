"""A migration is the first thing that a process does with Spark."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compiled_plan.environment import TableEnvironment
from tests.older_spark import EVERY_OPERATOR
from tests.support.commands import process

#: Older versions read and write the logs of a checkpoint in other ways.
pytestmark = [] if EVERY_OPERATOR else pytest.mark.wide
TABLES = (
    "CREATE TABLE t (k STRING, n INT) WITH ('connector' = 'filesystem', 'path' = '{}/in', 'format' = 'json');\n"
    "CREATE TABLE p (k STRING, n BIGINT, m BIGINT) WITH ('connector' = 'print');\n"
)


@pytest.mark.spark
def test_state_is_read_before_the_first_query(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for at, aggregate in enumerate(("COUNT(*)", "COUNT(DISTINCT n)")):
        query = f"INSERT INTO p SELECT k, SUM(CAST(n AS BIGINT)), {aggregate} FROM t GROUP BY k;"
        (tmp_path / "plan.json").write_text(
            TableEnvironment().compile_script(TABLES.format(tmp_path) + query).to_json()
        )
        (tmp_path / f"in/{at}.json").write_text(json.dumps({"k": "a", "n": at}))
        options = ("--available-now", "--quiet", "--upgrade", "migrate-partial", "--checkpoint", tmp_path / "c")
        said = process("execute_plan", tmp_path / "plan.json", *options)
        assert said.returncode == 0, said.stderr
    assert said.stdout.splitlines() == ["-U[a, 0, 0]", "+U[a, 1, 1]"]
