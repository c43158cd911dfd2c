"""The build of the kernel: once, anew where a source changed, and not where one does not compile."""

from __future__ import annotations

import os
import subprocess
import zipfile
from pathlib import Path

import pytest

from tools.build_kernel import JAVAC_OPTIONS, PRODUCT, KernelBuildError, Target, build, is_current, spark_jars


@pytest.fixture
def target(tmp_path: Path) -> Target:
    folder = tmp_path / "src"
    (folder / "demo").mkdir(parents=True)
    (folder / "demo/A.java").write_text("package demo; public class A {}\n")
    return Target(folder, tmp_path / "kernel.jar")


def test_builds_once_and_again_when_a_source_changed(target: Target) -> None:
    assert not is_current(target)
    assert build(target)
    assert is_current(target)
    assert not build(target)
    (target.sources / "demo/A.java").write_text("package demo; public class A { int changed; }\n")
    assert not is_current(target)


def test_a_jar_is_built_of_another_and_again_when_that_changed(target: Target, tmp_path: Path) -> None:
    above = Target(tmp_path / "above", tmp_path / "above.jar", needs=target)
    above.sources.mkdir()
    (above.sources / "B.java").write_text("class B extends demo.A {}\n")
    assert build(target)
    assert build(above)
    (target.sources / "demo/A.java").write_text("package demo; public class A { int changed; }\n")
    assert not is_current(above)


def test_java_that_does_not_compile_is_shown_and_leaves_no_jar(target: Target) -> None:
    (target.sources / "demo/A.java").write_text("package demo; public class A { nonsense }\n")
    with pytest.raises(KernelBuildError, match=r"A\.java:1"):
        build(target)
    assert not target.jar.exists()


@pytest.mark.deep
def test_what_is_declared_of_kafka_is_in_its_clients(tmp_path: Path) -> None:
    from compiled_plan.plans.execution.kernel import use_fit_java
    from tools.services.kafka import connector_jars

    sources = sorted((PRODUCT.sources / "org/compiledplan/kernel/kafka/clients").glob("*.java"))
    path = os.pathsep.join([str(PRODUCT.jar), f"{spark_jars()}/*", *map(str, connector_jars())])
    command = [use_fit_java() / "bin/javac", *JAVAC_OPTIONS, "-cp", path, "-d", tmp_path, *sources]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_what_is_declared_of_others_is_in_no_jar() -> None:
    with zipfile.ZipFile(PRODUCT.jar) as jar:
        assert not [name for name in jar.namelist() if name.startswith("org/apache/")]
