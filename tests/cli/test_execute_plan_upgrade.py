"""`execute-plan` on the checkpoint of another program, and rollback."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.execution.spark.storage import LocalFolder
from compiled_plan.plans.execution.state.checkpoint.store import Store
from tests.support.commands import called

run = partial(called, "execute_plan")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "name a plan file"),
        (["--rollback"], "--rollback takes --checkpoint with a folder, and no plan"),
        (["--prune", "--checkpoint", "c", "plan.json"], "--prune takes --checkpoint with a folder, and no plan"),
        (["--checkpoint", "c/{plan}", "a/plan.json", "b/plan.json"], "one checkpoint belongs to one plan"),
        (["--rollback", "--checkpoint", "c/{plan}"], "--rollback takes --checkpoint with a folder, and no plan"),
        (["--rollback", "--prune", "--checkpoint", "c"], "--rollback and --prune exclude each other"),
        (["--rewind-to", "3", "--checkpoint", "c", "plan.json"], "--rewind-to takes --checkpoint with a folder"),
        (["--prune", "--keep-output", "--checkpoint", "c"], "--keep-output has an effect only with --rewind-to"),
        (["--rollback", "--dry-run", "--checkpoint", "c"], "--rollback has no dry run"),
    ],
)
def test_conflicting_options(arguments: list[str], said: str) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.replace("│", " ").split())


def test_upgrade_modes_are_named(tmp_path: Path) -> None:
    path = plan(tmp_path, "a", "INSERT INTO a SELECT k, SUM(v) FROM r GROUP BY k;")
    done = run(path, "--checkpoint", tmp_path / "c", "--upgrade", "sometimes")
    assert done.returncode == 2
    assert "choose one of check, migrate, migrate-partial, correct" in " ".join(done.stderr.replace("│", " ").split())
    done = run(path, "--upgrade", "migrate")
    assert done.returncode == 2
    assert "give --checkpoint" in " ".join(done.stderr.replace("│", " ").split())


@pytest.mark.parametrize(
    ("argument", "said"),
    [
        ("r", "not a declaration"),
        ("r=connector", "write TABLE=('connector' = 'filesystem'"),
        ("r=('connector' 'filesystem')", "SQL parse failed"),
        ("r=('connector' = 'filesystem')", "add --warm-up"),
    ],
)
def test_a_history_table_must_be_declared(argument: str, said: str, tmp_path: Path) -> None:
    path = plan(tmp_path, "a", "INSERT INTO a SELECT k, SUM(v) FROM r GROUP BY k;")
    done = run(path, "--checkpoint", tmp_path / "c", "--warm-up-from", argument)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.replace("│", " ").split())


def plan(folder: Path, name: str, statements: str) -> Path:
    tables = "".join(
        f"CREATE TABLE {table} (k STRING, v BIGINT) WITH ('connector' = 'filesystem', 'path' = '{folder / table}', "
        f"'format' = '{format_}');\n"
        for table, format_ in (("r", "json"), ("a", "debezium-json"), ("b", "debezium-json"))
    )
    (folder / "r").mkdir(exist_ok=True)
    path = folder / f"{name}.json"
    path.write_text(TableEnvironment().compile_script(tables + statements).to_json())
    return path


@pytest.mark.wide
def test_an_upgrade_by_commands(shared_session: None, spark: SparkSession, tmp_path: Path) -> None:
    sums, counts = (
        f"INSERT INTO {table} SELECT k, {call} FROM r GROUP BY k;"
        for table, call in (("a", "SUM(v)"), ("b", "COUNT(v)"))
    )
    old = plan(tmp_path, "old", f"EXECUTE STATEMENT SET BEGIN {sums} {counts} END;")
    new, changed = plan(tmp_path, "new", sums), plan(tmp_path, "other", sums.replace("SUM(v)", "SUM(v * 2)"))
    checkpoint = tmp_path / "c"
    (tmp_path / "r" / "1.json").write_text('{"k": "x", "v": 3}\n')

    execute = partial(run, "--checkpoint", checkpoint)

    assert execute(old).returncode == 0
    (tmp_path / "r" / "2.json").write_text('{"k": "x", "v": 4}\n')
    refused = execute(changed)
    assert refused.returncode == 1
    assert "aggregates: checkpoint has SUM(r.v), plan has SUM((r.v * 2))" in refused.stderr
    assert "--upgrade migrate-partial continues and accepts this" in refused.stderr
    shown = execute(new, "--dry-run", "--json")
    assert shown.returncode == 0, shown.stderr
    decision = json.loads(shown.stdout)
    assert (decision["start"], decision["verdict"]) == ("moves", "fully compatible")
    assert [path.name for path in (checkpoint / "generations").iterdir()] == ["1"], "nothing was done"
    result = execute(new, "--dry-run")
    assert "checkpoint: fully compatible; a start moves the state into a new generation in these steps" in result.stdout
    with Store(LocalFolder(checkpoint)).locked(spark):
        busy = execute(new), execute(old), execute(new, "--json")
    for held in busy:
        assert held.returncode == 1
        assert " runs a plan on this checkpoint since " in held.stderr
        assert not re.search(r"^checkpoint: |running until|\"event\": \"(upgrade|start)", held.stderr, re.MULTILINE)
    moved = execute(new, "--json")
    assert moved.returncode == 0, moved.stderr
    messages = [json.loads(line) for line in moved.stderr.splitlines() if line.startswith("{")]
    (upgrade,) = (message for message in messages if message["event"] == "upgrade")
    assert upgrade["steps"] == decision["steps"], "what was shown is what is done"
    begun = [message["number"] for message in messages if message["event"] == "step"]
    assert sorted(begun) == list(range(1, len(decision["steps"]) + 1))
    assert execute(new, "--dry-run").stdout.endswith("checkpoint: continues in place, with all state\n")
    back = execute("--rollback")
    assert back.returncode == 0, back.stderr
    assert "generation 1 is active again; generation 2 remains until --prune" in back.stdout
    assert "default_catalog.default_database.a: 2 rows in 1 files" in back.stdout
    assert json.loads(execute("--prune", "--json").stdout) == {"removed": [2]}
    again = execute("--rollback")
    assert again.returncode == 1
    assert "generation 1, which is in force, has no predecessor" in again.stderr


@pytest.mark.wide
@pytest.mark.wide
def test_a_correction_by_commands(shared_session: None, tmp_path: Path) -> None:
    """The dry run names the table; the start prints what it has sent, and a rollback repeats that."""
    with closing(sqlite3.connect(tmp_path / "sinks.db")) as database:
        database.execute("CREATE TABLE totals (k TEXT PRIMARY KEY, v BIGINT)")
    keyed = (
        "CREATE TABLE totals (k STRING, v BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'jdbc', "
        f"'url' = 'jdbc:sqlite:{tmp_path / 'sinks.db'}', 'table-name' = 'totals');\n"
    )
    old, new = (
        plan(tmp_path, name, f"{keyed}INSERT INTO totals SELECT k, SUM(v) FROM r {where} GROUP BY k;")
        for name, where in (("old", ""), ("new", "WHERE v > 1"))
    )
    (tmp_path / "r/1.json").write_text('{"k": "x", "v": 1}\n{"k": "y", "v": 2}\n{"k": "y", "v": 1}\n')
    checkpoint = ("--checkpoint", tmp_path / "c")
    assert run(old, *checkpoint, "--available-now").returncode == 0
    dry = run(new, *checkpoint, "--upgrade", "correct", "--dry-run").stdout
    assert "compare the table default_catalog.default_database.totals, read back by SELECT" in dry
    assert "send the differences to default_catalog.default_database.totals, each as one batch" in dry
    done = run(new, *checkpoint, "--upgrade", "correct", "--available-now", "--json")
    messages = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    (sent,) = (message for message in messages if message["event"] == "corrected")
    assert (sent["updated"], sent["deleted"], sent["equal"], sent["inserted"]) == (1, 1, 0, 0)
    text = "2 rows sent (1 updated, 1 deleted), 0 equal"
    assert sent["text"] == text
    assert f"totals: 0 rows, after a correction: {text}" in run("--rollback", *checkpoint).stdout


def test_lost_heads_are_reported_with_a_remedy(shared_session: None, tmp_path: Path) -> None:
    path = plan(tmp_path, "a", "INSERT INTO a SELECT k, SUM(v) FROM r GROUP BY k;")
    checkpoint, rows = tmp_path / "c" / "a", tmp_path / "r"
    (rows / "1.json").write_text('{"k": "x", "v": 3}\n')

    execute = partial(run, "--checkpoint", checkpoint)

    # The name of the plan file is that of its checkpoint.
    assert run("--checkpoint", tmp_path / "c" / "{plan}", path).returncode == 0
    shutil.rmtree(checkpoint / "heads")
    refused = execute(path)
    assert refused.returncode == 1
    assert "cannot start: heads/1, which had generation 1 count, is missing" in refused.stderr
    assert "execute-plan --adopt-generation N --checkpoint DIR" in refused.stderr
    assert "Traceback" not in refused.stderr
    adopted = execute("--adopt-generation", "1")
    assert (adopted.returncode, adopted.stdout) == (0, "generation 1 is active, with its program 1\n"), adopted.stderr
    (rows / "2.json").write_text('{"k": "x", "v": 4}\n')
    assert execute(path).returncode == 0
    changes = [json.loads(line) for file in (tmp_path / "a").iterdir() for line in file.read_text().splitlines()]
    assert sorted(change["after"]["v"] for change in changes if change["after"]) == [3, 7]


@pytest.mark.wide
def test_a_rewind_by_commands(shared_session: None, tmp_path: Path) -> None:
    path = plan(tmp_path, "a", "INSERT INTO a SELECT k, SUM(v) FROM r GROUP BY k;")
    execute = partial(run, "--checkpoint", tmp_path / "c")
    for number in (1, 2):
        (tmp_path / "r" / f"{number}.json").write_text('{"k": "x", "v": 3}\n')
        assert execute(path).returncode == 0
    dry = json.loads(execute("--rewind-to", "0", "--dry-run", "--json").stdout)
    assert (dry["dry_run"], dry["generation"], dry["batch"], dry["batches"]) == (True, 0, 0, 1)
    (sink,) = dry["sinks"]
    assert sink["how"] == "returned"
    assert sink["text"].startswith("1 file set aside in file:")
    refused = execute("--rewind-to", "5")
    assert refused.returncode == 1
    assert "generation 1 retains micro-batches 0 to 1, begun" in refused.stderr
    done = execute("--rewind-to", "0")
    assert done.returncode == 0, done.stderr
    assert "generation 2 is active: it continues behind micro-batch 0 of generation 1" in done.stdout
    assert "1 micro-batch taken back; generation 1 remains for --rollback until --prune" in done.stdout
    assert f"default_catalog.default_database.a: {sink['text']}\n" in done.stdout
    repeated = json.loads(execute("--rewind-to", "0", "--json").stdout)
    assert (repeated["generation"], repeated["sinks"][0]["how"]) == (2, "unchanged")
    back = execute("--rollback")
    assert "generation 1 is active again; generation 2 remains until --prune" in back.stdout
    assert "default_catalog.default_database.a: 1 file put back" in back.stdout
