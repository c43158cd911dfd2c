"""The house itself: layers as they load, the wheel's promises, the kernel's build, finding a Java."""

from __future__ import annotations

import importlib.metadata
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from plans.errors import ExecutionError
from plans.execution import kernel
from plans.execution.kernel import java
from tools import build_kernel

HEAVY = ("pyspark", "py4j", "pandas", "pyarrow", "numpy", "jsonschema", "fsspec")
LIGHT = ("planner", "plans", "schemas", "cli", "plans.execution.kernel")


@pytest.fixture(scope="module")
def project(root: Path) -> dict[str, object]:
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def loaded_after(statement: str, root: Path) -> set[str]:
    """The top-level modules that a new interpreter has after the statement."""
    program = f"{statement}\nimport json, sys\nprint(json.dumps(sorted({{m.split('.')[0] for m in sys.modules}})))"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=True, timeout=60
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_packages_load_nothing_heavy(root: Path) -> None:
    loaded = loaded_after(f"import {', '.join(LIGHT)}", root)
    assert loaded >= {"planner", "plans", "schemas", "cli"}
    assert not loaded & set(HEAVY)


@pytest.mark.parametrize("command", ["compile_plan", "edit_plan"])
def test_commands_without_spark_load_nothing_heavy(command: str, root: Path) -> None:
    if not (root / "cli" / f"{command}.py").exists():
        pytest.skip(f"cli/{command}.py is not there yet")
    assert not loaded_after(f"import cli.{command}", root) & set(HEAVY)


def test_installed_version_is_the_declared_one(project: dict[str, object]) -> None:
    assert importlib.metadata.version("compiled-plan") == project["version"]


def test_no_layer_contract_lost(root: Path) -> None:
    tool = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    packages = set(tool["hatch"]["build"]["targets"]["wheel"]["packages"])
    assert packages == set(tool["importlinter"]["root_packages"])
    assert packages <= set(tool["mypy"]["files"])
    assert {c["id"] for c in tool["importlinter"]["contracts"]} >= {"layers", "schemas", "execution", "spark"}


def test_every_package_says_that_it_is_typed(root: Path) -> None:
    assert all((root / package / "py.typed").exists() for package in ("planner", "plans", "schemas", "cli"))


class TestKernelJar:
    def test_the_jar_is_the_one_that_the_build_makes(self) -> None:
        assert build_kernel.JAR.name == kernel.JAR_NAME
        assert kernel.kernel_jar() == build_kernel.JAR

    def test_a_missing_jar_names_the_remedy(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(kernel, "JAR_NAME", "no-such.jar")
        with pytest.raises(ExecutionError, match="make kernel"):
            kernel.kernel_jar()


class TestKernelBuild:
    @pytest.fixture
    def sources(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        folder = tmp_path / "src"
        (folder / "demo").mkdir(parents=True)
        (folder / "demo/A.java").write_text("package demo; public class A {}\n")
        monkeypatch.setattr(build_kernel, "SOURCES", folder)
        monkeypatch.setattr(build_kernel, "JAR", tmp_path / "kernel.jar")
        return folder

    def test_builds_once_and_again_when_a_source_changed(self, sources: Path) -> None:
        assert not build_kernel.is_current()
        assert build_kernel.build()
        assert build_kernel.is_current()
        assert not build_kernel.build()
        (sources / "demo/A.java").write_text("package demo; public class A { int changed; }\n")
        assert not build_kernel.is_current()

    def test_java_that_does_not_compile_is_shown_and_leaves_no_jar(self, sources: Path) -> None:
        (sources / "demo/A.java").write_text("package demo; public class A { nonsense }\n")
        with pytest.raises(build_kernel.KernelBuildError, match=r"A\.java:1"):
            build_kernel.build()
        assert not build_kernel.JAR.exists()


class TestFindingJava:
    @pytest.fixture(autouse=True)
    def nothing_installed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("JAVA_HOME", raising=False)
        monkeypatch.setenv("PATH", "")
        monkeypatch.setattr(java, "_INSTALL_ROOTS", ())

    @staticmethod
    def install(folder: Path, version: str, *, compiler: bool = True) -> Path:
        (folder / "bin").mkdir(parents=True)
        (folder / "release").write_text(f'IMPLEMENTOR="x"\nJAVA_VERSION="{version}"\n')
        for name in ("java", "javac") if compiler else ("java",):
            (folder / "bin" / name).touch(mode=0o755)
        return folder.resolve()

    def test_none_at_all_names_the_package(self) -> None:
        assert java.find_java() is None
        assert "found: no Java at all" in java.missing_java_text()
        assert "openjdk-17-jdk-headless" in java.missing_java_text()

    @pytest.mark.parametrize(("version", "major"), [("1.8.0_292", 8), ("11.0.2", 11)])
    def test_too_old(self, version: str, major: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("JAVA_HOME", str(self.install(tmp_path / "old", version)))
        assert java.find_java() is None
        assert f"Java {major} in" in java.missing_java_text()

    def test_without_compiler_runs_but_does_not_build(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        home = self.install(tmp_path / "jre", "17.0.15", compiler=False)
        monkeypatch.setenv("PATH", str(home / "bin"))
        found = java.find_java()
        assert found is not None
        assert found.home == home
        assert java.find_java(compiler=True) is None
        assert "without a compiler (javac)" in java.missing_java_text(compiler=True)

    def test_a_fit_one_beside_an_old_java_home(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("JAVA_HOME", str(self.install(tmp_path / "old", "11.0.2")))
        home = self.install(tmp_path / "jvm/java-21", "21.0.1")
        monkeypatch.setattr(java, "_INSTALL_ROOTS", (str(tmp_path / "jvm"),))
        assert kernel.use_fit_java() == home
        assert os.environ["JAVA_HOME"] == str(home)
