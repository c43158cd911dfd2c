"""Class data sharing: an archive of Java's classes that later starts map instead of loading them one by one.

The first run creates the archive in the user's cache folder, `~/.cache/compiled-plan`, after its end and in the
background; starts of Spark then take about half the time. An archive is valid for one Java and class path, on which its
name depends. `COMPILED_PLAN_CLASSES` is `keep` (the default), `use` (nothing is written) or `off`.

Source: JDK 17, `java` command, "-XX:SharedArchiveFile" and "-XX:ArchiveClassesAtExit".
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

SETTING = "COMPILED_PLAN_CLASSES"
KEEP, USE, OFF = "keep", "use", "off"
#: Number of archives to retain, of some 170 MB each: for the versions and checkouts in use.
_KEPT = 4
#: The first bytes of a complete archive; Java writes them last.
_MAGIC = (0xF00BABA8).to_bytes(4, sys.byteorder)
#: Suppress Java's list, on stdout, of classes that it cannot archive.
_QUIET = "-Xlog:cds*=off"
#: Java refuses to start with two archives.
_SHARING = ("-Xshare", "SharedArchiveFile", "ArchiveClassesAtExit")
#: Java refuses to create an archive beside an agent: a debugger, a profiler, an exporter of metrics.
_AGENTS = ("-javaagent", "-agentlib", "-agentpath")
_OPTIONS = ("SPARK_SUBMIT_OPTS", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")
#: Class path entries that Spark's script puts after its jars: archives created with them do not match.
_BEHIND = ("HADOOP_CONF_DIR", "YARN_CONF_DIR", "SPARK_DIST_CLASSPATH")


def java_options(java: Path, extra: str, options: str = "") -> list[str]:
    """Options of the driver's Java that use an existing archive, or create one at its end.

    Args:
        java: its home.
        extra: the class path before Spark's own jars, `spark.driver.extraClassPath`.
        options: the user's options of Java; any class data sharing of the user's own takes precedence.
    """
    java_text = " ".join((options, *(os.environ.get(name, "") for name in _OPTIONS)))
    mode = OFF if any(option in java_text for option in _SHARING) else os.environ.get(SETTING, KEEP)
    base = java / "lib/server/classes.jsa"
    path = _class_path(extra)
    if mode == OFF or path is None or not base.is_file():
        return []
    with suppress(OSError):
        archive = _folder() / f"classes-{_name(java, path)}.jsa"
        _adopt(archive)
        if archive.is_file():
            os.utime(archive)
            return [f"-XX:SharedArchiveFile={archive}", _QUIET]
        behind = any(os.environ.get(name) for name in _BEHIND)
        if mode == KEEP and not behind and not any(agent in java_text for agent in _AGENTS):
            archive.parent.mkdir(parents=True, exist_ok=True)
            return [f"-XX:ArchiveClassesAtExit={archive.with_suffix(f'.{uuid4().hex}')}", _QUIET]
    return []


def _folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "compiled-plan"


def _class_path(extra: str) -> Sequence[Path] | None:
    """The class path that Spark's script gives Java; None if it contains folders, which Java cannot archive."""
    from pyspark.find_spark_home import _find_spark_home

    spark = Path(_find_spark_home())
    settings = Path(os.environ.get("SPARK_CONF_DIR") or spark / "conf")
    if settings.exists() or os.environ.get("SPARK_CLASSPATH"):
        return None
    files = [Path(file) for file in extra.split(os.pathsep) if file]
    files += sorted((spark / "jars").glob("*.jar"))
    return files if all(file.is_file() for file in files) else None


def _name(java: Path, path: Sequence[Path]) -> str:
    """A digest of everything that Java compares with an archive's origin."""
    digest = hashlib.sha256((java / "release").read_bytes() + str(java).encode())
    for file in path:
        status = file.stat()
        digest.update(f"\0{file}\0{status.st_size}\0{status.st_mtime_ns}".encode())
    return digest.hexdigest()[:24]


def _adopt(archive: Path) -> None:
    """Rename an archive that a run has left; remove other leftovers and the least recently used archives."""
    for part in archive.parent.glob(f"{archive.stem}.*"):
        if part == archive:
            continue
        if archive.is_file():
            part.unlink(missing_ok=True)
        elif _is_whole(part):
            part.replace(archive)
    archives = sorted(archive.parent.glob("classes-*"), key=lambda file: file.stat().st_mtime, reverse=True)
    for old in archives[_KEPT:]:
        old.unlink(missing_ok=True)


def _is_whole(part: Path) -> bool:
    with part.open("rb") as content:
        return content.read(len(_MAGIC)) == _MAGIC
