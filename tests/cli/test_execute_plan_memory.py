"""Runs whose JVM is out of memory: they end with a message, and the plans after them run or are named."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from compiled_plan.environment import TableEnvironment
from tests.cli.test_execute_plan import COMMAND, SMALL

#: The least memory that Spark starts with.
TINY = ("--conf", "spark.driver.memory=512m")
SOURCE = "CREATE TABLE g (id BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '50');\n"
SINK = "CREATE TABLE o (n BIGINT) WITH ('connector' = 'print');\n"
#: One text larger than the heap; the state of one key that grows beyond it; that of many keys together.
HOARDS = {
    "a-value": "SELECT CAST(CHAR_LENGTH(REPEAT('a', 1500000000)) AS BIGINT) FROM g",
    "a-state": "SELECT CAST(CHAR_LENGTH(LISTAGG(REPEAT(CAST(id AS STRING), 200000))) AS BIGINT) FROM g",
    "many-keys": "SELECT CAST(CHAR_LENGTH(MAX(REPEAT(CAST(id AS STRING), 20000000))) AS BIGINT) FROM g GROUP BY id",
}


@pytest.mark.spark
@pytest.mark.deep
@pytest.mark.parametrize("hoard", HOARDS)
def test_a_run_without_memory_says_so(hoard: str, tmp_path: Path) -> None:
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    first.write_text(TableEnvironment().compile_script(f"{SOURCE}{SINK}INSERT INTO o {HOARDS[hoard]};").to_json())
    second.write_text(TableEnvironment().compile_script(f"{SINK}INSERT INTO o VALUES (7);").to_json())
    command = [*COMMAND, *SMALL, *TINY, "--keep-going", str(first), str(second)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 1, done.stderr
    (error_line,) = (line for line in done.stderr.splitlines() if line.startswith(f"error: {first}:"))
    assert "no memory left" in error_line
    assert "spark.driver.memory" in done.stderr
    assert ("not run: the JVM ended" in done.stderr) != ("+I[7]" in done.stdout)
    assert "Traceback" not in done.stderr
