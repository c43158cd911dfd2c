"""Java's classes in a file that later starts map instead of loading them one by one (class data sharing).

The first run that ends leaves the file in the user's cache folder, `~/.cache/compiled-plan`, after its end and by
itself; starts of Spark then take about half the time. A file fits one Java and one class path, which its name says.
`COMPILED_PLAN_CLASSES` is `keep` (the default), `use` (nothing is written) or `off`.

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
#: How many files are kept, of some 170 MB each: for the versions and checkouts that are in use.
_KEPT = 4
#: The first bytes of a whole file; Java writes them last.
_MAGIC = (0xF00BABA8).to_bytes(4, sys.byteorder)
#: Java would say on stdout which classes it cannot keep.
_QUIET = "-Xlog:cds*=off"
#: Java refuses to start with two files.
_SHARING = ("-Xshare", "SharedArchiveFile", "ArchiveClassesAtExit")
#: Java refuses to start with one that it is to make beside an agent: a debugger, a profiler, an exporter of metrics.
_AGENTS = ("-javaagent", "-agentlib", "-agentpath")
_OPTIONS = ("SPARK_SUBMIT_OPTS", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")
#: What Spark's script puts behind its jars: a file that was made without fits, one that is made with it does not.
_BEHIND = ("HADOOP_CONF_DIR", "YARN_CONF_DIR", "SPARK_DIST_CLASSPATH")


def java_options(java: Path, extra: str, options: str = "") -> list[str]:
    """Options of the driver's Java that use the classes that were kept, or keep them at its end.

    Args:
        java: its home.
        extra: the class path in front of Spark's own jars, `spark.driver.extraClassPath`.
        given: Java's options as the user has them: who shares classes in his own way goes on so.
    """
    java_text = " ".join((options, *(os.environ.get(name, "") for name in _OPTIONS)))
    how = OFF if any(option in java_text for option in _SHARING) else os.environ.get(SETTING, KEEP)
    base = java / "lib/server/classes.jsa"
    path = _class_path(extra)
    if how == OFF or path is None or not base.is_file():
        return []
    with suppress(OSError):
        archive = _folder() / f"classes-{_name(java, path)}.jsa"
        _adopt(archive)
        if archive.is_file():
            os.utime(archive)
            return [f"-XX:SharedArchiveFile={archive}", _QUIET]
        behind = any(os.environ.get(name) for name in _BEHIND)
        if how == KEEP and not behind and not any(agent in java_text for agent in _AGENTS):
            archive.parent.mkdir(parents=True, exist_ok=True)
            return [f"-XX:ArchiveClassesAtExit={archive.with_suffix(f'.{uuid4().hex}')}", _QUIET]
    return []


def _folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "compiled-plan"


def _class_path(extra: str) -> Sequence[Path] | None:
    """The files that Spark's script gives Java; None where folders are among them, which Java does not take here."""
    from pyspark.find_spark_home import _find_spark_home

    spark = Path(_find_spark_home())
    settings = Path(os.environ.get("SPARK_CONF_DIR") or spark / "conf")
    if settings.exists() or os.environ.get("SPARK_CLASSPATH"):
        return None
    files = [Path(file) for file in extra.split(os.pathsep) if file]
    files += sorted((spark / "jars").glob("*.jar"))
    return files if all(file.is_file() for file in files) else None


def _name(java: Path, path: Sequence[Path]) -> str:
    """A digest of all that Java compares with what a file was made from."""
    digest = hashlib.sha256((java / "release").read_bytes() + str(java).encode())
    for file in path:
        there = file.stat()
        digest.update(f"\0{file}\0{there.st_size}\0{there.st_mtime_ns}".encode())
    return digest.hexdigest()[:24]


def _adopt(archive: Path) -> None:
    """Give what a run has left its name, and remove what else it left and what nobody has used for longest."""
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
