"""Runs that are killed at random points: all sinks together hold what a run without a crash writes, once."""

from __future__ import annotations

import itertools
import json
import random
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from planner.environment import TableEnvironment
from plans.execution.connectors.hadoop import Files
from plans.execution.options import RunOptions
from plans.execution.run import Run
from plans.execution.storage import Folder
from plans.plan import CompiledPlan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FILES, ROWS = 4, 30


class Crash(Exception):
    """The process is gone."""


def program(folder: Path) -> CompiledPlan:
    """Two inserts of one join, plain files and a changelog, and a third of the rows as they come."""
    names = {"orders": "id INT, item INT", "items": "item INT, price INT", "joined": "id INT, price INT"}
    names |= {"totals": "price INT, n BIGINT", "copied": "id INT, item INT"}
    tables = "".join(
        f"CREATE TABLE {name} ({columns}) WITH ('connector' = 'filesystem', 'path' = '{folder / name}', "
        f"'format' = '{'debezium-json' if name == 'totals' else 'json'}');\n"
        for name, columns in names.items()
    )
    return TableEnvironment().compile_script(
        tables
        + "CREATE VIEW matched AS SELECT id, price FROM orders JOIN items ON orders.item = items.item;\n"
        + "EXECUTE STATEMENT SET BEGIN\n"
        + "INSERT INTO joined SELECT id, price FROM matched;\n"
        + "INSERT INTO totals SELECT price, COUNT(*) FROM matched GROUP BY price;\n"
        + "INSERT INTO copied SELECT id, item FROM orders;\n"
        + "END;"
    )


def write_input(folder: Path) -> None:
    chance = random.Random(7)
    for name, columns in (("orders", ("id", "item")), ("items", ("item", "price"))):
        (folder / name).mkdir()
        for number in range(FILES):
            rows = [dict(zip(columns, (chance.randrange(40), chance.randrange(9)), strict=True)) for _ in range(ROWS)]
            (folder / name / f"{number}.json").write_text("".join(json.dumps(row) + "\n" for row in rows))


def output(folder: Path) -> dict[str, Counter[str]]:
    """The lines of each sink; those of a changelog added up: how often each row is there in the end."""
    found: dict[str, Counter[str]] = {}
    for name in ("joined", "totals", "copied"):
        found[name] = Counter()
        for file in sorted((folder / name).glob("part-*")):
            for line in file.read_text().splitlines():
                row = json.loads(line)
                if name != "totals":
                    found[name][line] += 1
                    continue
                for side, step in (("before", -1), ("after", 1)):
                    if row[side]:
                        found[name][json.dumps(row[side], sort_keys=True)] += step
        found[name] = +found[name]
    return found


def crashing(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Makes each change to files a point at which the run may crash; the returned function says at which one."""
    left = itertools.count(10**9, -1)

    def wrapped(method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            nonlocal left
            if next(left) == 0:
                raise Crash
            return method(*arguments)

        return call

    for owner, name in ((Files, "move"), (Files, "delete"), (Folder, "write_text")):
        monkeypatch.setattr(owner, name, wrapped(getattr(owner, name)))

    def crash_after(points: int) -> None:
        nonlocal left
        left = itertools.count(points, -1)

    return crash_after


def run(spark: SparkSession, plan: CompiledPlan, checkpoint: Path) -> None:
    Run(spark, plan, RunOptions(checkpoint=str(checkpoint), max_files_per_batch=1)).execute()


def test_crashes_at_random_points(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_input(tmp_path)
    plan = program(tmp_path)
    run(spark, plan, tmp_path / "quiet")
    expected = output(tmp_path)
    assert all(expected.values())
    for name in expected:
        (tmp_path / name).rename(tmp_path / f"quiet-{name}")
    crash_after, chance, crashes = crashing(monkeypatch), random.Random(1), 0
    while crashes < 6:
        crash_after(chance.randrange(2, 24))
        try:
            run(spark, plan, tmp_path / "crashing")
        except Exception:
            crashes += 1
            continue
        break
    crash_after(10**9)
    run(spark, plan, tmp_path / "crashing")
    assert crashes > 2
    assert output(tmp_path) == expected


def test_a_process_that_is_killed(spark: SparkSession, tmp_path: Path) -> None:
    write_input(tmp_path)
    plan = tmp_path / "plan.json"
    plan.write_text(program(tmp_path).to_json())
    command = [sys.executable, "-m", "cli.execute_plan", str(plan), "--json", "--max-files-per-batch", "1"]
    command += ["--master", "local[1]", "--conf", "spark.driver.memory=1g", "--checkpoint"]

    def run_process(killed_after: int | None) -> None:
        """Run, and kill the process while the batch after that one runs."""
        with subprocess.Popen(
            [*command, str(tmp_path / "killed")], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as process:
            assert process.stderr is not None
            for line in process.stderr:
                if (
                    killed_after is not None
                    and '"event": "batch"' in line
                    and json.loads(line)["batch"] >= killed_after
                ):
                    process.send_signal(signal.SIGKILL)
                    break
            process.communicate(timeout=120)
        assert process.returncode == (0 if killed_after is None else -signal.SIGKILL)

    run_process(killed_after=1)
    run_process(killed_after=None)
    killed = output(tmp_path)
    for name in killed:
        (tmp_path / name).rename(tmp_path / f"killed-{name}")
    run(spark, program(tmp_path), tmp_path / "quiet")
    assert killed == output(tmp_path)
