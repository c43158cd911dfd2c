"""Import cost of modules, layer contracts, and the wheel's contents."""

from __future__ import annotations

import importlib.metadata
import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

HEAVY = ("pyspark", "py4j", "pandas", "pyarrow", "numpy", "jsonschema", "fsspec")
SERVICE = ("fastapi", "starlette", "uvicorn", "sqlalchemy", "alembic", "prometheus_client", "psycopg")
_LIGHT = ("commands", "compiling", "environment", "programs", "planner", "plans", "schemas", "cli")
LIGHT = tuple(f"compiled_plan.{name}" for name in (*_LIGHT, "plans.execution.kernel"))


@pytest.fixture(scope="module")
def project(root: Path) -> dict[str, object]:
    declared: dict[str, object] = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return declared


def loaded_after(statement: str, root: Path) -> set[str]:
    """The top-level modules of a new interpreter after the statement."""
    program = f"{statement}\nimport json, sys\nprint(json.dumps(sorted({{m.split('.')[0] for m in sys.modules}})))"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=True, timeout=60
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_packages_load_nothing_heavy(root: Path) -> None:
    loaded = loaded_after(f"import {', '.join(LIGHT)}", root)
    assert "compiled_plan" in loaded
    assert not loaded & set(HEAVY)


@pytest.mark.parametrize("command", ["compile_plan", "diff_plan", "edit_plan"])
def test_commands_without_spark_load_nothing_heavy(command: str, root: Path) -> None:
    assert not loaded_after(f"import compiled_plan.cli.{command}", root) & {*HEAVY, *SERVICE}


def test_the_service_command_loads_nothing_heavy(root: Path) -> None:
    assert not loaded_after("import compiled_plan.service.main", root) & {*HEAVY, *SERVICE}


def test_installed_version_is_the_declared_one(project: dict[str, object]) -> None:
    assert importlib.metadata.version("compiled-plan") == project["version"]


def test_no_layer_contract_lost(root: Path) -> None:
    linter = tomllib.loads((root / "importlinter.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    assert linter["root_package"] == "compiled_plan"
    assert {contract["id"] for contract in linter["contracts"]} >= {"layers", "spark"}
    assert linter["exclude_type_checking_imports"] is False
    assert not any("ignore_imports" in contract for contract in linter["contracts"])


def test_mypy_reads_the_package(root: Path) -> None:
    tool = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    assert "compiled_plan" in tool["mypy"]["files"]


def test_the_wheel_has_one_package_with_all_folders(root: Path) -> None:
    wheel = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"]
    links = {path.name: path for path in (root / "compiled_plan").iterdir() if path.is_symlink()}
    folders = wheel["wheel"]["sources"]
    assert {f"compiled_plan/{name}" for name in links} < set(wheel["wheel"]["exclude"])
    assert {
        path.resolve().relative_to(root).as_posix(): f"compiled_plan/{name}" for name, path in links.items()
    } == folders
    assert (root / "compiled_plan" / "py.typed").exists()
