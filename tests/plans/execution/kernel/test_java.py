"""Search for a suitable Java."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from compiled_plan.plans.execution import kernel
from compiled_plan.plans.execution.kernel import java


@pytest.fixture(autouse=True)
def nothing_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(java, "_INSTALL_ROOTS", ())


def install(folder: Path, version: str, *, compiler: bool = True) -> Path:
    (folder / "bin").mkdir(parents=True)
    (folder / "release").write_text(f'IMPLEMENTOR="x"\nJAVA_VERSION="{version}"\n')
    for name in ("java", "javac") if compiler else ("java",):
        (folder / "bin" / name).touch(mode=0o755)
    return folder.resolve()


def test_a_missing_java_names_the_package() -> None:
    assert java.find_java() is None
    assert "found: no Java at all" in java.missing_java_text()
    assert "openjdk-17-jdk-headless" in java.missing_java_text()


@pytest.mark.parametrize(("version", "major"), [("1.8.0_292", 8), ("11.0.2", 11)])
def test_an_old_java_is_refused(version: str, major: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(install(tmp_path / "old", version)))
    assert java.find_java() is None
    assert f"Java {major} in" in java.missing_java_text()


def test_without_compiler_runs_but_does_not_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = install(tmp_path / "jre", "17.0.15", compiler=False)
    monkeypatch.setenv("PATH", str(home / "bin"))
    java_home = java.find_java()
    assert java_home is not None
    assert java_home.home == home
    assert java.find_java(compiler=True) is None
    assert "without a compiler (javac)" in java.missing_java_text(compiler=True)


def test_a_suitable_java_beside_an_old_java_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(install(tmp_path / "old", "11.0.2")))
    home = install(tmp_path / "jvm/java-21", "21.0.1")
    monkeypatch.setattr(java, "_INSTALL_ROOTS", (str(tmp_path / "jvm"),))
    assert kernel.use_suitable_java() == home
    assert os.environ["JAVA_HOME"] == str(home)
