from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from compiled_plan.service.common.settings import Settings
from compiled_plan.service.registry.parts import Parts
from compiled_plan.service.store import pipelines, versions
from compiled_plan.service.store.database import open_database
from compiled_plan.service.sync import Synced, export_folder, import_folder
from compiled_plan.service.workers.pool import Workers
from compiled_plan.testing.cases import cases_in

SQL = """
CREATE TABLE orders (id INT, v INT) WITH ('connector' = 'datagen');
CREATE TABLE sums (id INT, v BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'print');
INSERT INTO sums SELECT id, SUM(v) FROM orders GROUP BY id;
"""
FACTS = """description = "Sums by id"
[options]
"table.exec.state.ttl" = "1 d"
"""
DATABASE = "'jdbc', 'url' = 'jdbc:postgresql://h/d', 'table-name' = 't', 'username' = 'u', 'password' = 'geheim'"
IN_PYTHON = """
def main(env):
    env.execute_sql("CREATE TABLE a (id INT) WITH ('connector' = 'datagen')")
    env.execute_sql("CREATE TABLE b (id INT) WITH ('connector' = 'print')")
    return env.from_path("a").insert_into("b")
"""


@pytest.fixture
def parts(settings: Settings, workers: Workers) -> Iterator[Parts]:
    database = open_database(settings)
    yield Parts(settings, database, workers)
    database.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, file, text in (("sums", "program.sql", SQL), ("copies", "program.py", IN_PYTHON)):
        (tmp_path / "git" / name).mkdir(parents=True)
        (tmp_path / "git" / name / file).write_text(text)
    (tmp_path / "git" / ".git").mkdir()
    (tmp_path / "git" / "notes").mkdir()
    return tmp_path / "git"


def did(parts: Parts, folder: Path, *, force: bool = False) -> list[tuple[str, str, int]]:
    return [
        (result.name, result.did, result.version) for result in import_folder(parts, folder, "me", "c1", force=force)
    ]


@pytest.mark.wide
def test_a_folder_is_imported_once(parts: Parts, folder: Path) -> None:
    assert did(parts, folder) == [("copies", "new", 1), ("sums", "new", 1)]
    assert did(parts, folder) == [("copies", "same", 1), ("sums", "same", 1)]
    (folder / "sums" / "pipeline.toml").write_text(FACTS)
    assert did(parts, folder) == [("copies", "same", 1), ("sums", "new", 2)]
    with parts.database.read() as session:
        pipeline = pipelines.find(session, "sums")
        version = versions.find(session, pipeline, 2)
        assert (pipeline.description, pipeline.in_force, version.kind) == ("Sums by id", 2, "import")
        assert (version.comment, version.created_by) == ("c1", "me")
        assert '"1 d"' in versions.plan_text(session, version)


@pytest.mark.wide
def test_an_import_that_loses_state_needs_force(parts: Parts, folder: Path) -> None:
    did(parts, folder)
    (folder / "sums" / "program.sql").write_text(SQL.replace("GROUP BY id", "WHERE v > 1 GROUP BY id"))
    for _ in range(2):
        assert did(parts, folder)[1] == ("sums", "waits", 2)
    assert did(parts, folder, force=True)[1] == ("sums", "new", 3)


def test_an_export_imports_unchanged(parts: Parts, folder: Path, tmp_path: Path) -> None:
    did(parts, folder)
    out = tmp_path / "out"
    assert [result.did for result in export_folder(parts, out)] == ["written", "written"]
    assert [result.did for result in export_folder(parts, out)] == ["same", "same"]
    assert (out / "sums" / "program.sql").read_text() == SQL
    assert did(parts, out) == [("copies", "same", 1), ("sums", "same", 1)]
    plan = out / "sums" / "plan.json"
    plan.write_text(plan.read_text().replace('"0 ms"', '"3 d"', 1))
    assert did(parts, out)[1] == ("sums", "new", 2)


TESTS = """# As a person writes it.
steps:
  - rows: {orders: [[1, 2]]}
  - expect: {sums: {table: [[1, 2]]}}
"""


def stored_tests(parts: Parts, name: str) -> str:
    """The tests of the version in force."""
    with parts.database.read() as session:
        pipeline = pipelines.find(session, name)
        return versions.tests_text(session, versions.find(session, pipeline, pipeline.in_force))


def test_tests_of_a_program_are_imported_and_exported(parts: Parts, folder: Path, tmp_path: Path) -> None:
    did(parts, folder)
    file = folder / "sums" / "program.test.yaml"
    file.write_text(TESTS)
    # The plan is the same: the version loses no state.
    assert [did(parts, folder)[1] for _ in range(2)] == [("sums", "new", 2), ("sums", "same", 2)]
    assert (stored_tests(parts, "sums"), stored_tests(parts, "copies")) == (TESTS, "")
    out = tmp_path / "out"
    list(export_folder(parts, out))
    assert (out / "sums" / "program.test.yaml").read_text() == TESTS
    assert not (out / "copies" / "program.test.yaml").exists()
    assert did(parts, out)[1] == ("sums", "same", 2)
    # `test-plan` finds the program of exported tests.
    (case,) = cases_in(out / "sums" / "program.test.yaml")
    assert case.program == "program.sql"

    # Without the file they stay, with an empty one they go.
    file.unlink()
    assert did(parts, folder)[1] == ("sums", "same", 2)
    file.write_text("\n")
    assert [did(parts, folder)[1] for _ in range(2)] == [("sums", "new", 3), ("sums", "same", 3)]
    assert stored_tests(parts, "sums") == ""
    list(export_folder(parts, out))
    assert not (out / "sums" / "program.test.yaml").exists()
    file.write_text("x" * 2_000_000)
    assert "exceeds the limit" in failed(parts, folder).message


def failed(parts: Parts, folder: Path) -> Synced:
    return next(result for result in import_folder(parts, folder, "me") if result.did == "failed")


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("program.sql", "SELECT", "line 1"),
        ("program.py", IN_PYTHON, "two programs"),
        ("plan.json", "{", "JSON"),
        ("pipeline.toml", "colour = 1", "'colour' is unknown"),
        ("pipeline.toml", "=", "not valid TOML"),
    ],
)
def test_a_failed_import_does_not_stop_the_others(
    file: str, text: str, message: str, parts: Parts, folder: Path
) -> None:
    (folder / "sums" / file).write_text(text)
    result = failed(parts, folder)
    assert (result.name, message in result.message) == ("sums", True), result.message
    with parts.database.read() as session:
        assert pipelines.find(session, "copies").in_force == 1


def test_passwords_are_exported_on_request_only(parts: Parts, folder: Path, tmp_path: Path) -> None:
    (folder / "sums" / "program.sql").write_text(SQL.replace("'print'", DATABASE))
    did(parts, folder)
    out = tmp_path / "out"
    assert [result.did for result in export_folder(parts, out)] == ["written", "failed"]
    assert not (out / "sums").exists()
    assert [result.did for result in export_folder(parts, out, secrets=True)] == ["same", "written"]
    assert "geheim" in (out / "sums" / "plan.json").read_text()


@pytest.mark.attack
@pytest.mark.parametrize("file", ["program.sql", "plan.json", "pipeline.toml", "program.test.yaml"])
def test_an_import_follows_no_links(file: str, parts: Parts, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("colour = 'secret'")
    (folder / "sums" / file).unlink(missing_ok=True)
    (folder / "sums" / file).symlink_to(tmp_path / "outside")
    result = failed(parts, folder)
    assert (result.name, "this is a symbolic link" in result.message, "secret" in str(result)) == ("sums", True, False)


@pytest.mark.attack
def test_an_import_goes_into_no_linked_folder_and_reads_no_pipe(parts: Parts, folder: Path, tmp_path: Path) -> None:
    (folder / "sums").rename(tmp_path / "elsewhere")
    (folder / "sums").symlink_to(tmp_path / "elsewhere")
    assert "this is a symbolic link" in failed(parts, folder).message
    (folder / "sums").unlink()
    (folder / "sums").mkdir()
    (folder / "sums" / "program.sql").write_text(SQL)
    os.mkfifo(folder / "sums" / "plan.json")
    assert "not a regular file" in failed(parts, folder).message


@pytest.mark.attack
def test_an_export_writes_through_no_links(parts: Parts, folder: Path, tmp_path: Path) -> None:
    did(parts, folder)
    out, outside = tmp_path / "out", tmp_path / "outside"
    outside.write_text("as before")
    (out / "sums").mkdir(parents=True)
    (out / "sums" / "plan.json").symlink_to(outside)
    (tmp_path / "other").mkdir()
    (out / "copies").symlink_to(tmp_path / "other")
    results = list(export_folder(parts, out))
    assert [(result.did, "this is a symbolic link" in result.message) for result in results] == [("failed", True)] * 2
    assert outside.read_text() == "as before" and list((tmp_path / "other").iterdir()) == []


@pytest.mark.attack
def test_an_export_with_secrets_is_private(parts: Parts, folder: Path, tmp_path: Path) -> None:
    (folder / "sums" / "program.sql").write_text(SQL.replace("'print'", DATABASE))
    did(parts, folder)
    out = tmp_path / "out"
    (out / "sums").mkdir(parents=True)
    (out / "sums" / "plan.json").write_text("{}")
    (out / "sums" / "plan.json").chmod(0o644)
    assert [result.did for result in export_folder(parts, out, secrets=True)] == ["written", "written"]
    assert {path.stat().st_mode & 0o777 for path in (out / "sums").iterdir()} == {0o600}


def test_owner_and_tags_are_imported_and_exported(parts: Parts, folder: Path, tmp_path: Path) -> None:
    facts = 'owner = "jane"\ntags = ["eu", "gold"]\n'
    (folder / "sums" / "pipeline.toml").write_text(facts)
    did(parts, folder)
    with parts.database.read() as session:
        pipeline = pipelines.find(session, "sums")
        assert (pipeline.owner, pipeline.tags) == ("jane", ("eu", "gold"))
    list(export_folder(parts, tmp_path / "out"))
    assert (tmp_path / "out" / "sums" / "pipeline.toml").read_text() == facts
    (folder / "sums" / "pipeline.toml").write_text('tags = ["Gold"]')
    results = {result.name: result for result in import_folder(parts, folder, "me", "c1")}
    assert (results["sums"].did, "lower-case" in results["sums"].remedy) == ("failed", True)
