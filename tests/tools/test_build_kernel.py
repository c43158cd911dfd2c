"""The build of the kernel: once, again after a change of a source, and never from a source that does not compile."""

from __future__ import annotations

import hashlib
import xml.etree.ElementTree as ET
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from tools.build_kernel import (
    FLINK,
    JUNIT,
    KAFKA_CLIENTS,
    KERNEL,
    KernelBuildError,
    Target,
    build,
    is_current,
    spark_jars,
)
from tools.maven import Artifact, cache

pytestmark = pytest.mark.wide


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


def test_a_dependent_jar_is_rebuilt_when_its_input_changed(target: Target, tmp_path: Path) -> None:
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


def test_a_library_that_cannot_be_fetched_is_named_with_the_folder_to_put_it_into(
    target: Target, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("MAVEN_CENTRAL", (tmp_path / "mirror").as_uri())
    with pytest.raises(KernelBuildError, match=r"cannot fetch file:.*demo-1\.jar.*\n  try: put the file into "):
        build(replace(target, libraries=(Artifact("demo", "demo", "1", "0" * 64),)))
    assert not target.jar.exists()


def test_a_library_in_the_cache_is_compiled_against_without_a_network(
    target: Target, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert build(target)
    content = target.jar.read_bytes()
    library = Artifact("demo", "demo", "1", hashlib.sha256(content).hexdigest())
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("MAVEN_CENTRAL", (tmp_path / "mirror").as_uri())
    cache().mkdir(parents=True)
    (cache() / library.file).write_bytes(content)
    user = Target(tmp_path / "user", tmp_path / "user.jar", libraries=(library,))
    user.sources.mkdir()
    (user.sources / "B.java").write_text("class B extends demo.A {}\n")
    assert build(user)
    with zipfile.ZipFile(user.jar) as jar:
        assert [name for name in jar.namelist() if name.endswith(".class")] == ["B.class"]


def test_the_project_file_names_the_jars_that_are_compiled_against() -> None:
    project = {"m": "http://maven.apache.org/POM/4.0.0"}
    versions = {}
    for dependency in ET.parse(KERNEL / "pom.xml").iterfind("m:dependencies/m:dependency", project):
        name, version, scope, jar = (
            dependency.findtext(f"m:{field}", "", project) for field in ("artifactId", "version", "scope", "systemPath")
        )
        if scope == "system":
            assert jar == f"${{spark.jars}}/{name}-{version}.jar"
            assert (spark_jars() / Path(jar).name).is_file(), jar
        else:
            versions[name] = version
    of_flink = {library.name: library.version for library in FLINK}
    assert versions == {"kafka-clients": KAFKA_CLIENTS.version, "junit-jupiter": JUNIT.version} | of_flink
