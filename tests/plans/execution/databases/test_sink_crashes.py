"""A run that is killed around the database commit, and restarted: every row is there once."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.execution.files.sink import FileSink
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.plan import CompiledPlan
from tests.support.waiting import wait_until
from tools.maven import POSTGRES_DRIVER, fetched
from tools.services.postgres import psql
from tools.services.server import Server

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark
ROWS = 50


class Job:
    """Appended rows, upserted rows, and files, from one stream; in a process of its own."""

    def __init__(self, folder: Path, server: Server, name: str, files: int = 4) -> None:
        self.folder, self.server, self.name, self.rows = folder, server, name, files * ROWS
        psql(server.port, f"CREATE TABLE {name}_seen (id INT, n INT)")
        psql(server.port, f"CREATE TABLE {name}_sums (n INT PRIMARY KEY, s BIGINT, c BIGINT)")
        (folder / "in").mkdir(parents=True)
        for number in range(files):
            rows = ({"id": number * ROWS + at, "n": at % 7} for at in range(ROWS))
            (folder / "in" / f"{number}.json").write_text("\n".join(map(json.dumps, rows)))
        files = "'connector' = 'filesystem', 'format' = 'json', 'path' = "
        base = f"'connector' = 'jdbc', 'url' = '{server.address}', 'table-name' = '{name}_"
        text = (
            f"CREATE TABLE origin (id INT, n INT) WITH ({files}'{folder / 'in'}');\n"
            f"CREATE TABLE seen (id INT, n INT) WITH ({base}seen');\n"
            f"CREATE TABLE sums (n INT PRIMARY KEY NOT ENFORCED, s BIGINT, c BIGINT) WITH ({base}sums');\n"
            f"CREATE TABLE files (id INT) WITH ({files}'{folder / 'out'}');\n"
            "EXECUTE STATEMENT SET BEGIN\n"
            "INSERT INTO seen SELECT * FROM origin;\n"
            "INSERT INTO sums SELECT n, SUM(CAST(id AS BIGINT)), COUNT(*) FROM origin GROUP BY n;\n"
            "INSERT INTO files SELECT id FROM origin;\n"
            "END;"
        )
        self.plan = folder / "plan.json"
        self.plan.write_text(TableEnvironment().compile_script(text).to_json())

    def start(self) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "compiled_plan.cli.execute_plan", str(self.plan), "--quiet"]
        command += ["--max-files-per-batch", "1", "--master", "local[1]", "--conf", "spark.driver.memory=1g"]
        command += ["--conf", f"spark.jars={fetched(POSTGRES_DRIVER).as_uri()}"]
        command += ["--checkpoint", str(self.folder / "checkpoint")]
        return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)

    def finish(self) -> None:
        said = self.start().communicate(timeout=180)
        assert said == (None, ""), said[1]

    @contextmanager
    def killed(self, locked: str) -> Iterator[None]:
        """A run that is killed when it waits to write a table; the body of the block runs before."""
        with self._locked(f"{self.name}_{locked}"):
            process = self.start()
            try:
                wait_until(lambda: self._waiting() or process.poll() is not None)
                assert process.poll() is None, process.communicate()[1]
                yield
            finally:
                kill(process)

    def _waiting(self) -> bool:
        return psql(self.server.port, "SELECT COUNT(*) FROM pg_locks WHERE NOT granted") != [["0"]]

    @contextmanager
    def _locked(self, table: str) -> Iterator[None]:
        """Lock the table against all writers."""
        from tools.services.postgres import DATABASE, USER, programs

        text = f"BEGIN; LOCK TABLE {table} IN SHARE ROW EXCLUSIVE MODE; SELECT pg_sleep(600)"
        place = ["-h", "127.0.0.1", "-p", str(self.server.port), "-U", USER, "-d", DATABASE]
        holder = subprocess.Popen([str(programs() / "psql"), "-q", *place, "-c", text], stderr=subprocess.DEVNULL)
        held = "SELECT COUNT(*) FROM pg_locks WHERE mode = 'ShareRowExclusiveLock' AND granted"
        try:
            wait_until(lambda: psql(self.server.port, held) == [["1"]])
            yield
        finally:
            own = "pid <> pg_backend_pid() AND query LIKE '%pg_sleep(600)%'"
            psql(self.server.port, f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {own}")
            holder.wait(20)

    def count(self) -> int:
        return int(psql(self.server.port, f"SELECT COUNT(*) FROM {self.name}_seen")[0][0])

    def check(self) -> None:
        every = [(at, at % ROWS % 7) for at in range(self.rows)]
        seen = psql(self.server.port, f"SELECT id, n FROM {self.name}_seen ORDER BY id")
        assert seen == [[str(id_), str(n)] for id_, n in every]
        by_key = [[id_ for id_, n in every if n == key] for key in range(7)]
        assert psql(self.server.port, f"SELECT n, s, c FROM {self.name}_sums ORDER BY n") == [
            [str(key), str(sum(ids)), str(len(ids))] for key, ids in enumerate(by_key)
        ]
        lines = [line for file in (self.folder / "out").glob("part-*") for line in file.read_text().splitlines()]
        assert sorted(json.loads(line)["id"] for line in lines) == list(range(self.rows))


def kill(process: subprocess.Popen[str]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(60)


@pytest.mark.wide
def test_failed_between_a_transaction_and_sparks_commit(
    spark: SparkSession, postgres: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = Job(tmp_path, postgres, "failed", files=2)
    plan = CompiledPlan.from_json(job.plan.read_text())
    options = RunOptions(checkpoint=str(tmp_path / "checkpoint"), max_files_per_batch=1)
    run = Run(spark, plan, options)
    write = FileSink.write

    def fails(sink: FileSink, frame: DataFrame, batch: int) -> None:
        write(sink, frame, batch)
        raise OSError("disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(FileSink, "write", fails)
        with pytest.raises(CompiledPlanError, match="disk is full"):
            run.execute()
    # The database has the rows of the first micro-batch, and Spark does not know.
    assert job.count() == ROWS
    Run(spark, plan, options).execute()
    job.check()


@pytest.mark.deep
@pytest.mark.parametrize("within", [False, True])
def test_killed_between_a_transaction_and_sparks_commit(postgres: Server, tmp_path: Path, within: bool) -> None:
    job = Job(tmp_path, postgres, f"moments_{within}".lower())
    if within:
        with job.killed("seen"):
            assert job.count() == 0
    with job.killed("sums"):
        # The first sink has its rows, and neither the second one nor Spark knows.
        assert job.count() == ROWS
    assert job.count() == ROWS
    job.finish()
    job.check()


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(4))
def test_killed_at_random_the_driver_and_the_database(postgres: Server, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    job, kills = Job(tmp_path, postgres, f"random_{seed}"), 0
    while kills < 6:
        process = job.start()
        time.sleep(2 + chance.random() * 10)
        if process.poll() is None and chance.random() < 0.3:
            postgres.kill()
            postgres.start()
            time.sleep(chance.random() * 3)
        kills += 1
        kill(process)
    job.finish()
    job.check()
