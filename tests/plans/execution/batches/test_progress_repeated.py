"""Figures of a run whose tasks are repeated, since their output was lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from compiled_plan.environment import TableEnvironment

FILES, ROWS, KEYS = 3, 100, 20
#: A function in the last stage: its first call removes what the earlier stages left for the tasks that follow.
LOSING = """
import os
from pathlib import Path

from compiled_plan.plans.functions import ScalarFunction


class Lose(ScalarFunction):
    def eval(self, rows: int) -> int:
        local = Path(os.environ["LOSES_FILES_OF"])
        if not (local / "lost").exists():
            (local / "lost").touch()
            for path in local.rglob("shuffle_*"):
                path.unlink()
        return rows
"""


@pytest.mark.wide
@pytest.mark.spark
def test_repeated_tasks_count_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "losing.py").write_text(LOSING)
    (tmp_path / "local").mkdir()
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        for file in range(FILES):
            lines = (json.dumps({"k": row % KEYS, "v": row}) + "\n" for row in range(ROWS))
            (tmp_path / name / f"{file}.json").write_text("".join(lines))
    tables = "".join(
        f"CREATE TABLE {name} ({columns}) WITH ('connector' = 'filesystem', 'path' = '{tmp_path / name}', "
        f"'format' = '{format_}');\n"
        for name, columns, format_ in (
            ("a", "k INT, v INT", "json"),
            ("b", "k INT, v INT", "json"),
            ("c", "n BIGINT, ks BIGINT", "debezium-json"),
        )
    )
    program = f"""{tables}
    CREATE FUNCTION lose AS 'losing.Lose' LANGUAGE PYTHON;
    CREATE VIEW both_tables AS SELECT * FROM a UNION ALL SELECT * FROM b;
    INSERT INTO c SELECT lose(n), COUNT(*) FROM (SELECT k, COUNT(*) n FROM both_tables GROUP BY k) GROUP BY n, k;
    """
    plan = tmp_path / "plan.json"
    plan.write_text(TableEnvironment().compile_script(program).to_json())
    command = [sys.executable, "-m", "compiled_plan.cli.execute_plan", "--json", "--available-now"]
    command += ["--functions-from", "losing", "--master", "local[1]", "--conf", "spark.sql.shuffle.partitions=6"]
    environment = {
        **os.environ,
        "PYTHONPATH": str(tmp_path),
        **dict.fromkeys(("SPARK_LOCAL_DIRS", "LOSES_FILES_OF"), str(tmp_path / "local")),
    }
    done = subprocess.run([*command, str(plan)], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "local" / "lost").exists()
    messages = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    (batch,) = (message for message in messages if message["event"] == "batch" and message["rowsIn"])
    assert batch["rowsIn"] == 2 * FILES * ROWS
    assert [source["rows"] for source in batch["sources"]] == [FILES * ROWS] * 2
    first, second = batch["operators"]
    assert (first["rowsIn"], first["rowsInByInput"], first["stateRows"]) == (2 * FILES * ROWS, [2 * FILES * ROWS], KEYS)
    assert (second["rowsIn"], second["stateRows"]) == (first["rowsOut"], KEYS)
