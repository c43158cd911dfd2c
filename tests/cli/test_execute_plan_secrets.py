"""`execute-plan --secrets`: missing names before Spark starts, references in a dry run, and no value in any file."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
from typer.testing import CliRunner

from compiled_plan.cli.compile_plan import app
from compiled_plan.commands.config import NAME, ConfigFile, Declared
from compiled_plan.plans.execution.session.options import RUN_OPTIONS
from tests.support.commands import process

PROGRAM = """
CREATE TABLE db (id INT, name STRING) WITH ('connector' = 'jdbc', 'table-name' = 'people',
  'url' = 'jdbc:sqlite:{folder}/x.db?password=${{secret:URL_PASS}}', 'username' = 'u', 'password' = '{password}');
CREATE TABLE o (id INT, name STRING) WITH ('connector' = 'print', 'print-identifier' = '${{secret:label}}');
CREATE TABLE files (id INT) WITH ('connector' = 'filesystem', 'path' = '{folder}/in', 'format' = 'json');
INSERT INTO o SELECT files.id, name FROM files JOIN db ON files.id = db.id;
"""


def compiled(folder: Path, *options: str, password: str = "${secret:PASS}") -> tuple[Path, str]:
    (folder / "p.sql").write_text(PROGRAM.format(folder=folder, password=password))
    done = CliRunner().invoke(app, [str(folder / "p.sql"), "-o", str(folder / "p.json"), *options])
    assert done.exit_code == 0, done.output
    return folder / "p.json", done.stderr


def test_all_missing_secrets_are_named_and_nothing_starts(tmp_path: Path) -> None:
    plan, _ = compiled(tmp_path)
    (tmp_path / "in").mkdir()
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "PASS").write_text("x")
    options = ("--secrets", f"dir:{tmp_path}/secrets", "--checkpoint", str(tmp_path / "checkpoint"))
    done = process("execute_plan", plan, *options, JAVA_HOME="/nonexistent", PATH="")
    assert done.returncode == 1
    assert "2 secrets: URL_PASS, label are missing" in done.stderr
    assert not (tmp_path / "checkpoint").exists()


@pytest.mark.wide
def test_a_dry_run_lists_the_names_and_refuses_missing_ones(tmp_path: Path) -> None:
    plan, _ = compiled(tmp_path)
    (tmp_path / "secrets").mkdir()
    options = ["--dry-run", plan, "--secrets", f"dir:{tmp_path}/secrets"]
    for name, missing in (("PASS", "URL_PASS, label are missing"), ("URL_PASS", "label is missing"), ("label", "")):
        (tmp_path / "secrets" / name).write_text("x")
        done = process("execute_plan", *options, PATH="")
        assert done.stdout.endswith("secrets: PASS, URL_PASS, label\n")
        assert (done.returncode, missing in done.stderr) == (1 if missing else 0, True)
    document = json.loads(process("execute_plan", "--json", *options, PATH="").stdout)
    assert document["secrets"] == ["PASS", "URL_PASS", "label"]


@pytest.mark.wide
def test_a_warm_up_names_missing_secrets_before_anything_starts(tmp_path: Path) -> None:
    plan, _ = compiled(tmp_path)
    (tmp_path / "in").mkdir()
    history = "r=('connector' = 'filesystem', 'path' = '/h', 'format' = 'json', 'x' = '${secret:OLD}')"
    options = ("--checkpoint", str(tmp_path / "checkpoint"), "--warm-up", "u", "--warm-up-from", history)
    variables = {f"COMPILED_PLAN_SECRET_{name}": "x" for name in ("PASS", "URL_PASS", "LABEL", "label")}
    for more in ((), ("--dry-run",)):
        done = process("execute_plan", plan, *options, *more, JAVA_HOME="/nonexistent", PATH="", **variables)
        assert (done.returncode, "the secret OLD is missing" in done.stderr) == (1, True), done.stderr
    assert not (tmp_path / "checkpoint").exists()


def test_compiling_warns_of_secrets_in_clear_and_of_references_for_flink(tmp_path: Path) -> None:
    _, said = compiled(tmp_path)
    assert "warning" not in said
    _, said = compiled(tmp_path, "--force", password="S3CRET")
    assert "the option 'password' of table default_catalog.default_database.db holds a secret in clear" in said
    assert "S3CRET" not in said
    _, said = compiled(tmp_path, "--force", "--for", "flink")
    assert "Flink does not resolve references to secrets, and takes them as they are: PASS, URL_PASS, label" in said


def test_sources_in_a_config_file_are_relative_to_it(tmp_path: Path) -> None:
    (tmp_path / NAME).write_text("secrets = ['dir:a', 'file:/b', 'env:X_', 'command:pass c']")
    option = Declared("secrets", str, True, RUN_OPTIONS["secrets"].metavar)
    (default,) = ConfigFile(tmp_path / NAME).defaults("execute-plan", [option]).values()
    assert default.value == [f"dir:{tmp_path}/a", "file:/b", "env:X_", "command:pass c"]


@pytest.mark.wide
@pytest.mark.attack
def test_a_run_leaves_no_secret_behind(tmp_path: Path) -> None:
    plan, _ = compiled(tmp_path)
    with sqlite3.connect(tmp_path / "x.db") as database:
        database.execute("CREATE TABLE people (id INT, name TEXT)")
        database.execute("INSERT INTO people VALUES (1, 'a')")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.json").write_text('{"id": 1}\n')
    events = tmp_path / "events"
    events.mkdir()
    values = {f"COMPILED_PLAN_SECRET_{name}": f"S3CRET{name}" for name in ("URL_PASS", "PASS", "LABEL")}
    places = ("--checkpoint", tmp_path / "checkpoint", "--progress-file", tmp_path / "progress", "--log")
    lineage = ("--lineage", tmp_path / "lineage", "--master", "local[1]", "--conf", "spark.driver.memory=1g")
    log = ("--conf", "spark.eventLog.enabled=true", "--conf", f"spark.eventLog.dir={events}")
    done = process("execute_plan", plan, *places, *lineage, *log, **values)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "S3CRETLABEL> +I[1, a]\n"
    written = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert len(written) > 20
    assert [file for file in written if b"S3CRET" in file.read_bytes()] == []
    assert "S3CRET" not in done.stderr
