"""A run into two tables of a lake, in a process that tests kill: appended rows, and a merged aggregate."""

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

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.connectors.lakes import DELTA, ICEBERG
from compiled_plan.plans.execution.spark.storage import folder_of
from tests.support.lakes import rows_of
from tests.support.waiting import wait_until

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: By format: the options of a table, and the folder of the files of which a commit writes one, with their suffix.
_FORMATS = {
    DELTA.name: ("'path' = '{place}/shop/{name}'", "_delta_log", ".json"),
    ICEBERG.name: (
        "'catalog-name' = 'lake', 'catalog-type' = 'hadoop', 'warehouse' = '{place}', 'catalog-database' = 'shop', "
        "'catalog-table' = '{name}'",
        "metadata",
        ".metadata.json",
    ),
}
_ROWS, _KEYS = 40, 30
_SEEN, _SUMS = "seen", "sums"


class LakeJob:
    """One run, and the results that it must have; a micro-batch commits to each table once.

    Args:
        spark: reads the tables.
        folder: for the plan and its input.
        place: the path or URI of a folder for the tables and the checkpoint.
        connector: the format of the tables.
        files: number of input files.
        options: further ones of `execute-plan`.
    """

    def __init__(
        self, spark: SparkSession, folder: Path, place: str, connector: str, files: int, options: list[str]
    ) -> None:
        self.place, self.connector, self.spark, self.options = place, connector, spark, options
        self.plan, self.log = folder / "plan.json", folder / "stderr.txt"
        self.lake = folder_of(spark, place)
        chance = random.Random(1)
        self.rows = [(at, chance.randrange(_KEYS)) for at in range(files * _ROWS)]
        (folder / "in").mkdir()
        for number in range(files):
            part = self.rows[number * _ROWS : (number + 1) * _ROWS]
            (folder / "in" / f"{number}.json").write_text("\n".join(json.dumps({"id": id_, "k": k}) for id_, k in part))
        text = (
            f"CREATE TABLE origin (id INT, k INT) WITH ('connector' = 'filesystem', 'path' = '{folder / 'in'}', "
            "'format' = 'json');\n"
            + self._table(_SEEN, "id INT, k INT")
            + self._table(_SUMS, "k INT PRIMARY KEY NOT ENFORCED, c BIGINT, s BIGINT")
            + f"EXECUTE STATEMENT SET BEGIN INSERT INTO {_SEEN} SELECT * FROM origin; INSERT INTO {_SUMS} "
            "SELECT k, COUNT(*), SUM(CAST(id AS BIGINT)) FROM origin GROUP BY k HAVING COUNT(*) % 7 <> 0; END;"
        )
        self.plan.write_text(TableEnvironment().compile_script(text).to_json())

    def _table(self, name: str, columns: str) -> str:
        options = _FORMATS[self.connector][0].format(place=self.place, name=name)
        return (
            f"CREATE TABLE {name} ({columns}) WITH ('connector' = '{self.connector}', 'sink.create-table' = 'true', "
            f"{options});\n"
        )

    def start(self, files_per_batch: int = 1) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "compiled_plan.cli.execute_plan", str(self.plan), "--quiet"]
        command += ["--max-files-per-batch", str(files_per_batch), "--checkpoint", f"{self.place}/checkpoint"]
        command += ["--conf", "spark.driver.memory=1g", *self.options]
        with self.log.open("ab") as log:
            return subprocess.Popen(command, stderr=log, start_new_session=True)

    def commits(self) -> int:
        """The number of commits of both tables, their creation among them."""
        _, folder, suffix = _FORMATS[self.connector]
        names = (name for table in (_SEEN, _SUMS) for name in self.lake.names(f"shop/{table}/{folder}"))
        return sum(name.endswith(suffix) and not name.startswith(".") for name in names)

    def follow(self, process: subprocess.Popen[bytes], commits: int, delay: float, interval: float = 0.05) -> bool:
        """Wait for further commits of a run, and for some time behind them; return False if it ends before.

        Args:
            process: the run.
            commits: their number.
            delay: seconds behind them.
            interval: seconds between two looks at the tables.
        """
        awaited = self.commits() + commits
        wait_until(
            lambda: self.commits() >= awaited or process.poll() is not None, "a commit", seconds=300, interval=interval
        )
        time.sleep(delay)
        return process.poll() is None

    def check(self) -> None:
        """Compare both tables with the right ones."""
        counts, totals = Counter(k for _, k in self.rows), Counter[int]()
        for id_, k in self.rows:
            totals[k] += id_
        sums = sorted(((k, counts[k], totals[k]) for k in counts if counts[k] % 7), key=repr)
        assert self._rows(_SEEN) == sorted(self.rows, key=repr)
        assert self._rows(_SUMS) == sums

    def _rows(self, name: str) -> list[tuple[int, ...]]:
        return rows_of(self.spark, f"{self.place}/shop/{name}", self.connector)


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a run with its JVM."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(60)
