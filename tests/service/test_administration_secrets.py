"""Secrets of the service on its machine: set from stdin, listed without values, deleted."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from compiled_plan.plans.errors import ProgramError
from compiled_plan.service.common.settings import Settings
from compiled_plan.service.main import app
from compiled_plan.service.store import secrets
from compiled_plan.service.store.database import open_database
from compiled_plan.service.store.errors import NotFoundError


def secret(home: Path, *words: str, value: str = "") -> Result:
    return CliRunner().invoke(app, ["secret", *words, "--home", str(home)], input=value)


def value_of(home: Path, pipeline: str, name: str, *, preview: bool = False) -> str:
    settings = Settings(home=home)
    database = open_database(settings)
    with database.read() as session:
        values = secrets.values_for(session, secrets.Vault(settings.secrets_file), pipeline, [name], preview=preview)
    database.close()
    return values[name]


@pytest.mark.attack
def test_a_secret_is_set_listed_and_deleted(tmp_path: Path) -> None:
    home = tmp_path / "home"
    done = secret(home, "set", "SHOP_PASSWORD", "--pipeline", "shop", "--pipeline", "orders", value="S3CRET\nx\n")
    assert (done.exit_code, done.output) == (0, "")
    assert value_of(home, "orders", "SHOP_PASSWORD") == "S3CRET\nx"
    assert secret(home, "set", "KEY", "--pipeline", "*", "--previews", value="S3CRET").exit_code == 0
    assert value_of(home, "any", "KEY", preview=True) == "S3CRET"
    (all_pipelines, shop) = secret(home, "list").output.splitlines()
    assert all_pipelines.startswith("KEY\t*\t") and all_pipelines.endswith("\tpreviews")
    assert shop.startswith("SHOP_PASSWORD\tshop,orders\t") and "S3CRET" not in shop
    assert not [file for file in home.rglob("*") if file.is_file() and b"S3CRET" in file.read_bytes()]
    assert secret(home, "delete", "KEY").exit_code == 0
    assert len(secret(home, "list").output.splitlines()) == 1
    assert isinstance(secret(home, "delete", "KEY").exception, NotFoundError)


@pytest.mark.parametrize(("name", "value"), [("1A", "x"), ("A B", "x"), ("A", ""), ("A", "\n")])
def test_odd_names_and_empty_values_are_refused(name: str, value: str, tmp_path: Path) -> None:
    assert isinstance(secret(tmp_path / "home", "set", name, "--pipeline", "*", value=value).exception, ProgramError)
    assert not (tmp_path / "home" / "secrets.key").exists()
