"""Search for a Java that can run Spark (and, for a checkout, compile the kernel).

Standard library only: the set-up runs this file as a script, and the wheel's build hook loads it by path, both before
anything is installed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MINIMUM_JAVA = 17
"""The minimum version of Java for Spark 4, and the class file version of the kernel."""

DEBIAN_PACKAGE = "openjdk-17-jdk-headless"

_INSTALL_ROOTS = ("/usr/lib/jvm", "/Library/Java/JavaVirtualMachines", "~/.sdkman/candidates/java")


@dataclass(frozen=True)
class Java:
    """One Java installation: its home, its major version, and whether it has a compiler."""

    home: Path
    major: int
    compiles: bool

    def describe(self) -> str:
        """A description for messages: `Java 11 without a compiler (javac) in /usr/lib/jvm/...`."""
        return f"Java {self.major}{'' if self.compiles else ' without a compiler (javac)'} in {self.home}"


def installed_javas() -> Iterator[Java]:
    """All installed Javas: JAVA_HOME first, then the PATH's, then the usual folders, oldest first."""
    seen: set[Path] = set()
    for home in _homes():
        java = _read(home)
        if java is not None and java.home not in seen:
            seen.add(java.home)
            yield java


def find_java(*, compiler: bool = False, minimum: int = MINIMUM_JAVA) -> Java | None:
    """The first Java of at least version `minimum`, with javac if `compiler` is set; None if there is none."""
    return next((j for j in installed_javas() if j.major >= minimum and (j.compiles or not compiler)), None)


def missing_java_text(*, compiler: bool = False, minimum: int = MINIMUM_JAVA) -> str:
    """The requirement, the installed Javas, and the package to install."""
    wanted = f"{'A JDK (Java with javac)' if compiler else 'Java'} of version {minimum} or newer is needed"
    installed = "; ".join(j.describe() for j in installed_javas()) or "no Java at all"
    return (
        f"{wanted}; found: {installed}.\n"
        f"  try: install {DEBIAN_PACKAGE} (Debian, Ubuntu: apt-get install {DEBIAN_PACKAGE}), "
        "or point JAVA_HOME to one."
    )


def _homes() -> Iterator[Path]:
    if home := os.environ.get("JAVA_HOME"):
        yield Path(home)
    for program in ("javac", "java"):
        if path := shutil.which(program):
            yield Path(path).resolve().parent.parent
            yield from _home_by_java(path)
    for root in map(Path, _INSTALL_ROOTS):
        folder = root.expanduser()
        if folder.is_dir():
            homes = [h / "Contents/Home" if (h / "Contents/Home").is_dir() else h for h in folder.iterdir()]
            yield from sorted(homes, key=lambda home: (_major(home) or 0, home))


def _home_by_java(java: str) -> Iterator[Path]:
    """The home behind a launcher script (jenv, asdf, macOS stubs), as reported by the Java that it starts."""
    if Path(java).name != "java" or (Path(java).resolve().parent.parent / "release").exists():
        return
    command = [java, "-XshowSettings:properties", "-version"]
    try:
        shown = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False).stderr
    except (OSError, subprocess.TimeoutExpired):
        return
    if home := re.search(r"java\.home = (.+)", shown):
        yield Path(home[1].strip())


def _read(home: Path) -> Java | None:
    major = _major(home)
    if major is None or not (home / "bin/java").exists():
        return None
    return Java(home.resolve(), major, (home / "bin/javac").exists())


def _major(home: Path) -> int | None:
    """The major version from the `release` file, which every JDK since 7 has: 1.8.0 is 8, 17.0.15 is 17."""
    try:
        release = (home / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    version = re.search(r'JAVA_VERSION="(?:1\.)?(\d+)', release)
    return int(version[1]) if version else None


if __name__ == "__main__":
    if find_java(compiler=True) is None:
        print(missing_java_text(compiler=True), file=sys.stderr)
        raise SystemExit(1)
