"""Compile the kernel's Java with plain javac against the jars inside the pyspark package.

    python tools/build_kernel.py [--force]

In a checkout that makes two jars: the kernel's, and the one that tests run operators with, which no wheel carries.
A jar is built again only when its sources, Spark or this script changed: their hash is in its manifest.
Standard library alone, because the wheel's build hook runs it too.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import os
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent
KERNEL = ROOT / "plans/execution/kernel"
MANIFEST = "META-INF/MANIFEST.MF"
JAVAC_OPTIONS = ("--release", "17", "-encoding", "UTF-8", "-g", "-nowarn", "-Xlint:deprecation")


@dataclass(frozen=True)
class Target:
    """A jar, the folder of its sources, the jar that it needs beside Spark's, and declarations that no jar holds."""

    sources: Path
    jar: Path
    needs: Target | None = None
    provided: Path | None = None

    def java_sources(self) -> list[Path]:
        """The Java files, in a fixed order."""
        return sorted(self.sources.rglob("*.java"))

    def hash(self) -> str:
        """A hash of the sources, of those that they need, and of this script."""
        digest = hashlib.sha256(Path(__file__).read_bytes() if self.needs is None else self.needs.hash().encode())
        for folder in (self.sources, *filter(None, [self.provided])):
            for source in sorted(folder.rglob("*.java")):
                digest.update(source.relative_to(folder).as_posix().encode() + b"\0" + source.read_bytes() + b"\0")
        return digest.hexdigest()[:32]


PRODUCT = Target(KERNEL / "src/main/java", KERNEL / "compiled-plan-kernel.jar", provided=KERNEL / "src/provided/java")
TESTS = Target(KERNEL / "src/test/java", ROOT / "build/compiled-plan-kernel-tests.jar", needs=PRODUCT)


class KernelBuildError(Exception):
    """The kernel cannot be built; the message says what is missing or what javac said."""


def build(target: Target = PRODUCT, *, force: bool = False) -> bool:
    """Build a jar unless it is up to date; True when it was built.

    Raises:
        KernelBuildError: no sources, no Spark, no JDK, or Java that does not compile.
    """
    spark = spark_jars()
    wanted = fingerprint(spark, target)
    if not force and built_fingerprint(target) == wanted:
        return False
    with tempfile.TemporaryDirectory(prefix="compiled-plan-kernel-") as folder:
        classes = Path(folder)
        _compile(target, spark, classes)
        _pack(target, classes, wanted)
    return True


def is_current(target: Target = PRODUCT) -> bool:
    """Whether the jar fits the sources, as far as can be told without Spark at hand."""
    built = built_fingerprint(target)
    return built is not None and built.partition("+")[0] == target.hash()


def fingerprint(spark: Path, target: Target = PRODUCT) -> str:
    """A hash of everything the jar is made from: `<sources and script>+<Spark's core jar>`."""
    core = sorted(jar.name for jar in spark.glob("spark-core_*.jar"))
    return f"{target.hash()}+{'-'.join(core)}"


def built_fingerprint(target: Target = PRODUCT) -> str | None:
    """The fingerprint in the manifest of the jar that is there; None without a readable jar."""
    try:
        with zipfile.ZipFile(target.jar) as jar:
            lines = jar.read(MANIFEST).decode().splitlines()
    except (OSError, KeyError, zipfile.BadZipFile):
        return None
    return next((line.partition(": ")[2] for line in lines if line.startswith("Fingerprint: ")), None)


def spark_jars() -> Path:
    """The folder of Spark's jars inside the pyspark package; nothing of pyspark is imported."""
    spec = importlib.util.find_spec("pyspark")
    jars = Path(spec.origin).parent / "jars" if spec and spec.origin else None
    if jars is None or not jars.is_dir():
        raise KernelBuildError(f"no pyspark beside {sys.executable}\n  try: `make setup`, or pip install pyspark")
    return jars


def _compile(target: Target, spark: Path, classes: Path) -> None:
    sources = target.java_sources()
    if not sources:
        raise KernelBuildError(f"no Java sources under {target.sources}")
    java = _java_finder()
    jdk = java.find_java(compiler=True)
    if jdk is None:
        raise KernelBuildError(java.missing_java_text(compiler=True))
    path = f"{spark}/*" if target.needs is None else f"{target.needs.jar}{os.pathsep}{spark}/*"
    declared = [] if target.provided is None else ["-sourcepath", target.provided, "-implicit:none"]
    command = [jdk.home / "bin/javac", *JAVAC_OPTIONS, "-cp", path, *declared, "-d", classes, *sources]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode:
        raise KernelBuildError(f"the kernel does not compile:\n{done.stderr or done.stdout}")
    if done.stderr:
        sys.stderr.write(done.stderr)


def _pack(target: Target, classes: Path, stamp: str) -> None:
    """Write the jar beside its place and move it there, so that nobody ever reads half of one."""
    target.jar.parent.mkdir(exist_ok=True)
    part = target.jar.with_suffix(".part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as jar:
        _add(jar, MANIFEST, f"Manifest-Version: 1.0\r\nFingerprint: {stamp}\r\n\r\n".encode())
        for file in sorted(classes.rglob("*.class")):
            _add(jar, file.relative_to(classes).as_posix(), file.read_bytes())
    part.replace(target.jar)


def _add(jar: zipfile.ZipFile, name: str, content: bytes) -> None:
    """Add an entry with the fixed time of `ZipInfo`: the same sources give the same bytes."""
    entry = zipfile.ZipInfo(name)
    entry.compress_type = zipfile.ZIP_DEFLATED
    jar.writestr(entry, content)


def _java_finder() -> ModuleType:
    """The module plans.execution.kernel.java, by its path: importing its packages needs the dependencies."""
    spec = importlib.util.spec_from_file_location("compiled_plan_java", KERNEL / "java.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description="Compile the kernel into its jar.")
    parser.add_argument("--force", action="store_true", help="build even when the jar is up to date")
    force = parser.parse_args().force
    try:
        for target in (PRODUCT, TESTS):
            if build(target, force=force):
                print(f"built {target.jar.relative_to(ROOT)} from {len(target.java_sources())} Java files")
    except KernelBuildError as error:
        print(f"kernel: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
