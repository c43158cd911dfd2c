"""The JUnit tests of the kernel's plain Java, in one JVM."""

from __future__ import annotations

import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.support.kernel.harness import java_command
from tools import build_kernel
from tools.maven import fetched

pytestmark = pytest.mark.slow

LAUNCHER = "org.junit.platform.console.ConsoleLauncher"


def test_junit(tmp_path: Path) -> None:
    scanned = f"--scan-classpath={build_kernel.TESTS.jar}"
    options = ["--details=none", "--disable-banner", "--disable-ansi-colors", f"--reports-dir={tmp_path}"]
    command = [*java_command(*map(fetched, build_kernel.TESTS.libraries)), LAUNCHER, "execute", scanned, *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    report = ET.parse(tmp_path / "TEST-junit-jupiter.xml")
    ran = {Path(case.attrib["classname"].replace(".", "/")) for case in report.iter("testcase")}
    sources = build_kernel.TESTS.sources
    assert ran == {file.relative_to(sources).with_suffix("") for file in sources.rglob("*Test.java")}
