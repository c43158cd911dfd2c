"""Java's class archive is written once per Java and class path, used at later starts, and nowhere else."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from compiled_plan.plans.execution.session.class_archive import java_options

_WHOLE = (0xF00BABA8).to_bytes(4, "little") + b"classes"


@dataclass(frozen=True)
class Machine:
    """A Java, a Spark, a kernel and a cache folder."""

    folder: Path

    def options(self) -> list[str]:
        return java_options(self.folder / "java", str(self.folder / "kernel.jar"))

    def file(self) -> Path:
        """The file in the first option."""
        return Path(self.options()[0].partition("=")[2])

    def write(self, name: str, content: bytes = b"") -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    @property
    def archives(self) -> list[str]:
        return sorted(path.name for path in (self.folder / "cache/compiled-plan").glob("*"))


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    machine = Machine(tmp_path)
    for name in ("java/release", "java/lib/server/classes.jsa", "spark/jars/a.jar", "spark/jars/b.jar", "kernel.jar"):
        machine.write(name)
    monkeypatch.setenv("SPARK_HOME", str(tmp_path / "spark"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("COMPILED_PLAN_CLASSES", raising=False)
    return machine


def used(machine: Machine) -> bool:
    options = machine.options()
    return bool(options) and options[0].startswith("-XX:SharedArchiveFile=")


def test_the_archive_of_a_run_is_used_by_later_ones(machine: Machine) -> None:
    assert machine.options()[0].startswith("-XX:ArchiveClassesAtExit=")
    first, second = machine.file(), machine.file()
    assert first != second
    first.write_bytes(_WHOLE)
    second.write_bytes(_WHOLE)
    assert used(machine)
    assert used(machine)
    assert machine.archives == [machine.file().name]
    assert machine.file().read_bytes() == _WHOLE


def test_an_unfinished_archive_is_not_used(machine: Machine) -> None:
    part = machine.file()
    part.write_bytes(b"\0" * 100)
    assert not used(machine)
    part.write_bytes(_WHOLE)
    assert used(machine)


@pytest.mark.parametrize("changed", ["java/release", "kernel.jar", "spark/jars/b.jar", "spark/jars/c.jar"])
def test_another_java_or_class_path_has_its_own(machine: Machine, changed: str) -> None:
    machine.file().write_bytes(_WHOLE)
    assert used(machine)
    machine.write(changed, b"new")
    assert not used(machine)


def test_the_four_most_recently_used_archives_are_kept(machine: Machine) -> None:
    names = []
    for number in range(6):
        machine.write("kernel.jar", b"x" * number)
        machine.file().write_bytes(_WHOLE)
        names.append(machine.file().name)
        os.utime(machine.file(), (number, number))
    machine.write("kernel.jar", b"x" * 9)
    machine.options()
    assert machine.archives == sorted(names[-4:])


@pytest.mark.parametrize("name", ["HADOOP_CONF_DIR", "SPARK_DIST_CLASSPATH"])
def test_a_longer_class_path_uses_the_archive_without_writing_it(
    machine: Machine, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = machine.file()
    monkeypatch.setenv(name, "/more")
    assert machine.options() == []
    part.write_bytes(_WHOLE)
    assert used(machine)


@pytest.mark.parametrize("own", ["-Xshare:off", "-XX:SharedArchiveFile=a.jsa", "-XX:ArchiveClassesAtExit=a.jsa"])
def test_the_users_own_archive_options_are_kept(machine: Machine, own: str, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.file().write_bytes(_WHOLE)
    assert used(machine)
    assert java_options(machine.folder / "java", str(machine.folder / "kernel.jar"), f"-Xss64m {own}") == []
    monkeypatch.setenv("SPARK_SUBMIT_OPTS", own)
    assert machine.options() == []


@pytest.mark.parametrize("agent", ["-javaagent:exporter.jar=9404", "-agentlib:jdwp=server=y", "-agentpath:/a.so"])
def test_with_a_java_agent_the_archive_is_used_without_writing_it(
    machine: Machine, agent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = machine.file()
    assert java_options(machine.folder / "java", str(machine.folder / "kernel.jar"), f"-Xss64m {agent}") == []
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", agent)
    assert machine.options() == []
    part.write_bytes(_WHOLE)
    assert used(machine)


def test_no_archive_if_impossible_or_disabled(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("COMPILED_PLAN_CLASSES", "use")
        assert machine.options() == []
    machine.file().write_bytes(_WHOLE)
    with monkeypatch.context() as patch:
        patch.setenv("COMPILED_PLAN_CLASSES", "off")
        assert machine.options() == []
    with monkeypatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(machine.folder / "kernel.jar"))
        assert machine.options() == []
    # Java does not accept a folder in the class path, and needs its own base archive.
    machine.write("spark/conf/spark-defaults.conf")
    assert machine.options() == []
    (machine.folder / "spark/conf/spark-defaults.conf").unlink()
    (machine.folder / "spark/conf").rmdir()
    assert used(machine)
    (machine.folder / "java/lib/server/classes.jsa").unlink()
    assert machine.options() == []
