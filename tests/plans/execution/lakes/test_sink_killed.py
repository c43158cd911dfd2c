"""A run that merges into a Delta table and is killed again and again: every key is right in the end."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.environment import TableEnvironment
from tests.support.lakes import delta, needs_delta, rows_of
from tests.support.waiting import wait_until

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [needs_delta, pytest.mark.usefixtures("lakes"), pytest.mark.deep]
KILLS = int(os.environ.get("KILLS", "20"))
#: A kill waits for at most two commits of the four that two files bring.
FILES, ROWS, KEYS = 2 * KILLS, 40, 30


class Job:
    """Appended rows and a merged aggregate, from one stream; in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "in").mkdir()
        chance = random.Random(1)
        self.rows = [(at, chance.randrange(KEYS)) for at in range(FILES * ROWS)]
        for number in range(FILES):
            part = self.rows[number * ROWS : (number + 1) * ROWS]
            text = "\n".join(json.dumps({"id": id_, "k": k}) for id_, k in part)
            (folder / "in" / f"{number}.json").write_text(text)
        created = {"sink__create_table": "true"}
        text = (
            f"CREATE TABLE origin (id INT, k INT) WITH ('connector' = 'filesystem', 'path' = '{folder / 'in'}', "
            "'format' = 'json');\n"
            + delta("seen", "id INT, k INT", folder / "seen", **created)
            + delta("sums", "k INT PRIMARY KEY NOT ENFORCED, c BIGINT, s BIGINT", folder / "sums", **created)
            + "EXECUTE STATEMENT SET BEGIN INSERT INTO seen SELECT * FROM origin; INSERT INTO sums "
            "SELECT k, COUNT(*), SUM(CAST(id AS BIGINT)) FROM origin GROUP BY k HAVING COUNT(*) % 7 <> 0; END;"
        )
        self.plan = folder / "plan.json"
        self.plan.write_text(TableEnvironment().compile_script(text).to_json())

    def start(self) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "compiled_plan.cli.execute_plan", str(self.plan), "--quiet"]
        command += ["--max-files-per-batch", "1", "--master", "local[1]", "--conf", "spark.driver.memory=1g"]
        command += ["--checkpoint", str(self.folder / "checkpoint")]
        return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)

    def commits(self) -> int:
        return sum(1 for _ in self.folder.glob("s*/_delta_log/*.json"))

    def killed(self, chance: random.Random) -> bool:
        """Kill a run shortly after a commit of either table; return False if it ended before."""
        before, process = self.commits(), self.start()
        wanted = before + chance.randrange(1, 3)
        try:
            wait_until(lambda: self.commits() >= wanted or process.poll() is not None)
            time.sleep(chance.random() * 0.6)
            return process.poll() is None
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(60)

    def expected(self) -> list[tuple[int, int, int]]:
        counts, totals = Counter(k for _, k in self.rows), Counter[int]()
        for id_, k in self.rows:
            totals[k] += id_
        return sorted(((k, counts[k], totals[k]) for k in counts if counts[k] % 7), key=repr)


def test_every_key_is_right_after_many_kills(spark: SparkSession, tmp_path: Path) -> None:
    """`KILLS` in the environment sets their number."""
    job, chance = Job(tmp_path), random.Random(7)
    killed = sum(job.killed(chance) for _ in range(KILLS))
    said = job.start().communicate(timeout=300)
    assert said == (None, ""), said[1]
    assert rows_of(spark, tmp_path / "seen") == sorted(job.rows, key=repr)
    assert rows_of(spark, tmp_path / "sums") == job.expected()
    assert killed >= KILLS * 0.9, "a run ended before its kill"
