"""Flink and its tests: class path, programs, plans, results."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from compiled_plan.plans.execution.kernel import java
from tests.bench.nexmark.flink import VERSION, flink_python
from tools.maven import Artifact, fetched

SOURCES = Path(__file__).with_name("java")
_FLINK = "org.apache.flink"
_PLANNER = Artifact(
    _FLINK,
    "flink-table-planner_2.12",
    VERSION,
    "788ac8ce1c41c5d4a0430bb7d3b34eb6db476d9490bdab6679aabf5dc2cdc320",
)


def _tests(name: str, sha256: str) -> Artifact:
    return Artifact(_FLINK, name, VERSION, sha256, "-tests.jar")


#: The tests of the planner, with the plans and savepoints of the restore tests.
PLANNER_TESTS = _tests("flink-table-planner_2.12", "9ef93e6f5e83e8b6db1ef9e5fed470f12c1236929dc23e062954236eb6fb4236")
#: Jars with test programs.
_PROGRAMS = (
    PLANNER_TESTS,
    _tests("flink-table-api-java", "4f04c007f10314ed2b933fc96f52709072ef50f42096f295de76f79203213abe"),
)
#: Classes that the programs use.
_LIBRARIES = (
    _PLANNER,
    _tests("flink-table-common", "d11ca80aadce63d3cc14e154c15c91ab87b29e8a7a864567a6cc8bf4333bdcc1"),
    _tests("flink-table-runtime", "aa7a8aed4b623de61f6aa0fca5cb68c22fdc44c9e069460c87676c8c6562877a"),
    _tests("flink-core", "0d25933c6569796d0fb1bc6aa50eda8aaa62308fa810c7a12b2743a36c16f936"),
    Artifact(
        _FLINK,
        "flink-test-utils-junit",
        VERSION,
        "427a06be86f58782a7c035b72d60c5ca1c30a0bd5db5f88e56630d2ea7b466d1",
    ),
    Artifact(
        "org.junit.jupiter",
        "junit-jupiter-api",
        "5.11.4",
        "ab83ef9e51ac4597d59d26b4b58812129550e2f579a404c8af7d09f5ce5b4293",
    ),
    Artifact(
        "org.assertj",
        "assertj-core",
        "3.27.3",
        "5b8a26205f6d5ea60ad9ce65ce4a40a2afe4c48abeec61bd0740a088c24e89f5",
    ),
    Artifact(
        _FLINK,
        "flink-connector-jdbc-core",
        "4.0.0-2.0",
        "ccb9691bf1d0f97574ae768e1bef05a39c06d7f7b13996e9d485fbdd69dcbfec",
    ),
    Artifact(
        _FLINK,
        "flink-connector-jdbc-postgres",
        "4.0.0-2.0",
        "b59c29dc65cafe8ae398e69072b9f6022f4a978a09002fd06a05a1a8dd3348d6",
    ),
)


_SAVEPOINT = re.compile(r"restore-tests/([^/]+)/([^/]+)/(?:([^/]+)/)?savepoint/_metadata")


class FlinkError(Exception):
    """Java cannot be started, or ended with an error."""


@dataclass(frozen=True)
class Savepoint:
    """A savepoint of a restore test, which is one file, and its plan.

    Args:
        node: the node under test with its version.
        program: the name of its program.
        version: of the Flink that wrote it, where a test has several.
        plan: the plan's text.
        metadata: the content of `_metadata`.
    """

    node: str
    program: str
    version: str
    plan: str
    metadata: bytes

    @property
    def name(self) -> str:
        """Node, program and version."""
        return "/".join(filter(None, (self.node, self.program, self.version)))


@dataclass(frozen=True)
class Flink:
    """Java programs on Flink's class path, with its planner loaded directly.

    Args:
        folder: of the compiled classes.
    """

    folder: Path

    def programs(self) -> list[dict[str, Any]]:
        """The test programs."""
        return [program for program in self._dumped() if not program["restored"]]

    def restored_programs(self) -> dict[str, dict[str, Any]]:
        """The programs by id; of those with one id the one that the restore tests run."""
        return {program["id"]: program for program in self._dumped()}

    def _dumped(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self._run("Dump", *map(str, self._jars())).splitlines()]

    def ask(self, folders: Sequence[Path]) -> None:
        """Compile and run the programs of folders; see `Ask`."""
        if folders:
            self._run("Ask", *map(str, self._jars()), stdin="".join(f"{folder}\n" for folder in folders))

    def rows(self, sinks: Mapping[str, Mapping[str, Any]]) -> dict[str, list[str]]:
        """Read the rows of sinks; see `Rows`."""
        rows: dict[str, list[str]] = json.loads(self._run("Rows", stdin=json.dumps(sinks)))
        return rows

    def restore_plans(self) -> Iterator[tuple[str, str, str]]:
        """The plans of the restore tests: the node's folder, the program, the text."""
        with zipfile.ZipFile(self._jars()[0]) as jar:
            for name in sorted(jar.namelist()):
                parts = name.split("/")
                if parts[0] == "restore-tests" and name.endswith(".json") and parts[-2] == "plan":
                    yield parts[1], parts[2], jar.read(name).decode()

    def savepoints(self) -> Iterator[Savepoint]:
        """The savepoints of the restore tests."""
        plans = {(node, program): text for node, program, text in self.restore_plans()}
        with zipfile.ZipFile(self._jars()[0]) as jar:
            for name in sorted(jar.namelist()):
                if match := _SAVEPOINT.fullmatch(name):
                    node, program, version = match.groups()
                    yield Savepoint(node, program, version or "", plans[node, program], jar.read(name))

    @property
    def function_jars(self) -> Sequence[Path]:
        """The jars with the functions of the programs."""
        return [*self._jars(), *(fetched(artifact) for artifact in _LIBRARIES if artifact.suffix)]

    def _jars(self) -> list[Path]:
        return [fetched(artifact) for artifact in _PROGRAMS]

    def _run(self, name: str, *arguments: str, stdin: str = "") -> str:
        home, path = _java_home(), os.pathsep.join([str(self._classes()), *map(str, self._path())])
        command = [str(home / "bin/java"), "-Xmx2g", "-cp", path, name, *arguments]
        done = subprocess.run(command, input=stdin, capture_output=True, text=True, check=False)
        if done.returncode:
            raise FlinkError(f"{name} ended with {done.returncode}\n{done.stderr[-3000:]}")
        return done.stdout

    def _classes(self) -> Path:
        """The folder of the classes, recompiled if the sources changed."""
        sources = sorted(SOURCES.glob("*.java"))
        digest = hashlib.sha256(b"\0".join(source.read_bytes() for source in sources)).hexdigest()[:16]
        classes = self.folder / f"classes-{digest}"
        if not classes.exists():
            path = os.pathsep.join(map(str, self._path()))
            command = [str(_java_home() / "bin/javac"), "-nowarn", "-cp", path, "-d", f"{classes}.part"]
            done = subprocess.run([*command, *map(str, sources)], capture_output=True, text=True, check=False)
            if done.returncode:
                raise FlinkError(f"the classes of {SOURCES} do not compile\n{done.stderr}")
            Path(f"{classes}.part").rename(classes)
        return classes

    def _path(self) -> list[Path]:
        """The jars of PyFlink without the planner's, which has a class loader of its own."""
        (lib,) = flink_python().parent.parent.glob("lib/python*/site-packages/pyflink/lib")
        jars = [jar for jar in sorted(lib.glob("*.jar")) if "planner-loader" not in jar.name]
        return [*jars, *(fetched(artifact) for artifact in (*_PROGRAMS, *_LIBRARIES))]


def _java_home() -> Path:
    home = java.find_java(compiler=True)
    if home is None:
        raise FlinkError(java.missing_java_text(compiler=True))
    return home.home
