"""Plans and programs behind URLs: the package of a missing driver, and stores that refuse."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib.metadata import metadata
from pathlib import Path

import fsspec
import pytest
from fsspec.registry import known_implementations

from compiled_plan.plans import files
from compiled_plan.plans.errors import PlanError
from compiled_plan.plans.files import remote

ROOT = Path(__file__).parents[3]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]


@pytest.mark.parametrize("extra", remote.EXTRAS)
def test_every_extra_is_one_of_the_package_with_a_driver_that_fsspec_knows(extra: str) -> None:
    (requirement,) = EXTRAS[extra]
    if requirement.startswith("fsspec["):
        assert requirement.removeprefix("fsspec[").removesuffix("]") in metadata("fsspec").get_all("Provides-Extra", [])
    assert set(remote.EXTRAS[extra]) & set(known_implementations)


def test_schemes_of_stores_that_fsspec_knows_have_an_extra() -> None:
    named = {scheme for schemes in remote.EXTRAS.values() for scheme in schemes}
    assert {"s3", "s3a", "gs", "gcs", "az", "abfs", "hdfs", "webhdfs", "sftp", "oci"} <= named
    # Registrations of the drivers at their installation.
    assert named - set(known_implementations) <= {"abfss"}


@pytest.mark.parametrize(
    ("url", "extra"), [("s3://b/p.json", "s3"), ("gs://b/p.json", "gcs"), ("abfss://b/p", "azure")]
)
def test_a_missing_driver_is_named_with_what_to_install(url: str, extra: str) -> None:
    for action in (lambda: files.read_text(url), lambda: files.write_text(url, "{}"), lambda: files.exists(url)):
        with pytest.raises(PlanError) as fault:
            action()
        assert fault.value.where == url and fault.value.remedy == f"`pip install 'compiled-plan[{extra}]'`"


def test_hdfs_needs_a_hadoop_client_and_says_so_in_one_line() -> None:
    with pytest.raises(PlanError) as fault:
        files.read_text("hdfs://name/plan.json")
    assert "\n" not in fault.value.message
    assert "compiled-plan[hdfs]" in fault.value.remedy and "HADOOP_HOME" in fault.value.remedy


def test_an_unknown_scheme_names_the_known_ones() -> None:
    with pytest.raises(PlanError, match=r"Protocol not known: foo(.|\n)*known are s3://"):
        files.read_text("foo://x/plan.json")


def test_a_driver_without_an_extra_is_named_by_fsspec() -> None:
    with pytest.raises(PlanError, match=r"ossfs(.|\n)*driver that fsspec has for oss://"):
        files.read_text("oss://x/plan.json")


def test_a_store_that_refuses_is_no_internal_error(monkeypatch: pytest.MonkeyPatch) -> None:
    class NoCredentials(Exception):
        """Errors of drivers have no common class."""

    def refuse(*arguments: object, **named: object) -> None:
        raise NoCredentials("Unable to locate credentials")

    monkeypatch.setattr(fsspec, "open", refuse)
    with pytest.raises(PlanError, match=r"Unable to locate credentials(.|\n)*credentials, and that the store"):
        files.read_text("s3://b/plan.json")


def test_files_in_memory_are_written_and_read() -> None:
    assert not files.exists("memory://plans/p.json")
    files.write_text("memory://plans/p.json", "{}")
    assert files.exists("memory://plans/p.json") and files.read_text("memory://plans/p.json") == "{}"
    with pytest.raises(PlanError, match="no such plan file"):
        files.read_text("memory://plans/other.json")


@pytest.mark.wide
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["samples/orders_shipments/program.sql", "-o", "s3://b/p.json"], "compiled-plan[s3]"),
        (["gs://b/program.sql"], "compiled-plan[gcs]"),
        (["s3://b/program.py"], "must be a local file"),
    ],
)
def test_compile_plan_reports_it(arguments: list[str], expected: str) -> None:
    command = [sys.executable, "-m", "compiled_plan.cli.compile_plan", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 1 and expected in done.stderr and "internal error" not in done.stderr
