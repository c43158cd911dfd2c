"""Lakes that programs read while the service compiles them: in allowed folders, and without secrets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.service.workers.tasks.submitted import compile_, complete
from tests.support.lake_files import delta_commit, delta_metadata, hadoop_table, iceberg_metadata

PRINT = "CREATE TABLE p (id BIGINT) WITH ('connector' = 'print');INSERT INTO p SELECT id FROM lake.shop.orders"
ICEBERG = "'type' = 'iceberg', 'catalog-type' = 'hadoop', 'warehouse'"
DELTA = "'type' = 'delta', 'warehouse'"


@pytest.fixture(autouse=True)
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("data", "other"):
        hadoop_table(tmp_path / folder / "shop/orders", iceberg_metadata([{"id": 1, "name": "id", "type": "long"}]))
        delta_commit(tmp_path / folder / "shop/orders", 0, delta_metadata({"id": "long"}))
    (tmp_path / "data/link").symlink_to(tmp_path / "other")


def compiled(tmp_path: Path, options: str) -> str:
    text = f"CREATE CATALOG lake WITH ({options.format(tmp=tmp_path)});{PRINT}"
    return compile_(text, allowed={"data": (str(tmp_path / "data"),)})["plan"]


@pytest.mark.parametrize("kind", [ICEBERG, DELTA])
def test_an_allowed_folder_is_read(tmp_path: Path, kind: str) -> None:
    assert "lake" in json.dumps(json.loads(compiled(tmp_path, f"{kind} = '{{tmp}}/data'")))


@pytest.mark.parametrize("kind", [ICEBERG, DELTA])
@pytest.mark.parametrize("place", ["{tmp}/other", "other", "{tmp}/data/link", "{tmp}/data/../other", "s3://bucket/w"])
def test_another_folder_is_not_read(tmp_path: Path, kind: str, place: str) -> None:
    with pytest.raises(
        UnsupportedError, match=r"'warehouse' refers to .*, which is not in an allowed folder"
    ) as caught:
        compiled(tmp_path, f"{kind} = '{place}'")
    assert "catalog lake" in caught.value.where


def test_secrets_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMPILED_PLAN_SECRET_TOKEN", "hush")
    options = "'type' = 'iceberg', 'catalog-type' = 'rest', 'uri' = 'http://127.0.0.1:9', 'token' = '${secret:TOKEN}'"
    with pytest.raises(UnsupportedError, match="refer to a secret, which is not read for this program"):
        compiled(tmp_path, options.replace("{", "{{").replace("}", "}}"))


def test_a_completion_reads_no_lake(tmp_path: Path) -> None:
    text = (
        "CREATE CATALOG lake WITH ('type' = 'iceberg', 'catalog-type' = 'rest', 'uri' = 'http://127.0.0.1:9');"
        "CREATE TABLE lake.shop.declared (a INT);USE lake.shop;SELECT * FROM "
    )
    candidates = complete(text, "", {}, {})
    assert "declared" in [item["text"] for item in candidates]
