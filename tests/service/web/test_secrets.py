"""Secrets of the service: write-only, encrypted, by pipeline, and handed to runs in memory."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from compiled_plan.plans.errors import ExecutionError, PlanError, UnsupportedError
from compiled_plan.service.app import application
from compiled_plan.service.common.places import Allowed
from compiled_plan.service.common.settings import Settings
from compiled_plan.service.runs.launching import runnable
from compiled_plan.service.runs.processes import SECRETS, Launch, launch, wait_until
from compiled_plan.service.store import secrets
from compiled_plan.service.store.database import Database, open_database
from compiled_plan.service.store.secrets import Vault
from compiled_plan.service.store.tables import Secret
from compiled_plan.service.workers.pool import Workers

VALUE = "S3CRET of shop"
OPTIONS = {"connector": "jdbc", "url": "jdbc:mysql://h/d?user=${secret:X}", "password": "${secret:A}"}
PLAN = json.dumps({"nodes": [{"options": OPTIONS}]})


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def client(home: Path, workers: Workers) -> Iterator[TestClient]:
    app = application(Settings(home=home, tokens=False), workers)
    with TestClient(app, base_url="http://127.0.0.1/api/v1", client=("127.0.0.1", 5000)) as client:
        yield client


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return Vault(tmp_path / "key")


@pytest.fixture
def database(home: Path) -> Iterator[Database]:
    database = open_database(Settings(home=home))
    yield database
    database.close()


def put(database: Database, vault: Vault, name: str = "A", *, value: str = VALUE, previews: bool = False) -> None:
    with database.write() as session:
        secrets.put(session, vault, name, value, ["shop"], previews=previews, by="me")


@pytest.mark.attack
def test_values_are_written_and_never_returned_nor_stored_in_clear(client: TestClient, home: Path) -> None:
    body = {"secret": VALUE, "pipelines": ["shop"]}
    answers = [client.put("secrets/db.password", json=body), client.get("secrets")]
    assert [answer.status_code for answer in answers] == [200, 200]
    (item,) = answers[1].json()["items"]
    assert (item["name"], item["pipelines"], item["previews"]) == ("db.password", ["shop"], False)
    assert client.get("secrets/db.password").status_code == 405
    for wrong in ({**body, "secret": f"{VALUE}{'x' * 100_000}"}, {**body, "secret": [VALUE]}):
        answers.append(client.put("secrets/a", json=wrong))
        assert answers[-1].status_code == 422
    assert not [answer for answer in answers if "S3CRET" in answer.text]
    assert not [file for file in home.rglob("*") if file.is_file() and b"S3CRET" in file.read_bytes()]
    assert (home / "secrets.key").stat().st_mode & 0o777 == 0o600
    assert client.delete("secrets/db.password").status_code == 204
    assert client.delete("secrets/db.password").status_code == 404


@pytest.mark.parametrize("name", ["a b", "1", "a" * 128, "a$"])
def test_names_have_the_form_of_references(client: TestClient, name: str) -> None:
    assert client.put(f"secrets/{name}", json={"secret": "x", "pipelines": ["*"]}).status_code == 422


def test_a_secret_is_for_its_pipelines_and_for_previews_if_allowed(database: Database, vault: Vault) -> None:
    put(database, vault)
    put(database, vault, "P", previews=True)
    with database.read() as session:
        assert secrets.values_for(session, vault, "shop", ["A"]) == {"A": VALUE}
        with pytest.raises(PlanError, match="'other' may use no secrets A, B"):
            secrets.values_for(session, vault, "other", ["A", "B"])
        with pytest.raises(PlanError, match="a preview may use no secret A"):
            secrets.values_for(session, vault, "shop", ["A", "P"], preview=True)
        assert secrets.values_for(session, vault, "shop", ["P"], preview=True) == {"P": VALUE}


@pytest.mark.attack
def test_a_ciphertext_in_the_place_of_another_is_refused(database: Database, vault: Vault) -> None:
    put(database, vault)
    put(database, vault, "B", value="other")
    with database.write() as session:
        first, second = session.get(Secret, "A"), session.get(Secret, "B")
        assert first is not None and second is not None
        first.value = second.value
    with database.read() as session, pytest.raises(ExecutionError, match="'A' cannot be decrypted"):
        secrets.values_for(session, vault, "shop", ["A"])


def test_keys_are_rotated_by_a_new_first_line(database: Database, vault: Vault, tmp_path: Path) -> None:
    put(database, vault)
    old = vault.file.read_text()
    Vault(tmp_path / "new").encrypt("x", "y")
    new = (tmp_path / "new").read_text()
    vault.file.write_text(new + old)
    with database.write() as session:
        vault.rotate(session)
    vault.file.write_text(new)
    with database.read() as session:
        assert secrets.values_for(session, vault, "shop", ["A"]) == {"A": VALUE}
    vault.file.write_text(old)
    with database.read() as session, pytest.raises(ExecutionError, match="cannot be decrypted"):
        secrets.values_for(session, vault, "shop", ["A"])


@pytest.mark.parametrize(("mode", "text"), [(0o640, None), (0o600, "no key"), (0o600, "")])
def test_a_key_file_that_is_open_or_damaged_is_refused(vault: Vault, mode: int, text: str | None) -> None:
    vault.encrypt("A", "x")
    if text is not None:
        vault.file.write_text(text)
    vault.file.chmod(mode)
    with pytest.raises(ExecutionError, match=r"other users|damaged"):
        vault.encrypt("A", "x")


@pytest.mark.attack
def test_what_a_value_makes_a_plan_reach_is_checked(database: Database, vault: Vault, tmp_path: Path) -> None:
    put(database, vault)
    put(database, vault, "X", value="me")
    allowed = Allowed(data=(str(tmp_path),))
    plan = runnable(PLAN, allowed)
    assert plan.text == PLAN, "the plan of a run keeps its references"
    with database.read() as session:
        assert plan.secrets(session, vault, allowed, "shop") == {"X": "me", "A": VALUE}
    put(database, vault, "X", value="S3CRET&socketFactory=evil.Factory")
    with database.read() as session, pytest.raises(UnsupportedError, match="socketfactory") as refused:
        plan.secrets(session, vault, allowed, "shop")
    assert "S3CRET" not in str(refused.value)


@pytest.mark.attack
def test_a_run_gets_secrets_from_memory(tmp_path: Path) -> None:
    program = "import os, sys; print(os.read(int(sys.argv[1][3:]), 99)); print(len(os.environ))"
    argv = [sys.executable, "-c", program, f"fd:{SECRETS}"]
    run = launch(tmp_path / "1", Launch(argv, tmp_path, tmp_path / "lock", {}, {}, {}, b'A="S3CRET"\n'))
    assert wait_until(lambda: run.read("exit.json") is not None, 60)
    (output,) = list(run.output.iterdir())
    assert output.read_text().splitlines()[0] == repr(b'A="S3CRET"\n')
    written = [file for file in tmp_path.rglob("*") if file.is_file() and file != output]
    assert written and not [file for file in written if b"S3CRET" in file.read_bytes()]
    assert "S3CRET" not in str(os.environ)
