"""Compile the kernel's Java with plain javac against the jars of the pyspark package and some libraries of runs.

    python tools/build_kernel.py [--force]

A checkout has two jars: the kernel's, and the one with its tests, which no wheel contains.
A jar is rebuilt only if its sources, Spark or this script changed: its manifest holds their hash.
Uses only the standard library, because the wheel's build hook runs it, too.
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

# A script has only its own folder on the path.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tools import maven
from tools.by_path import product_module

ROOT = Path(__file__).resolve().parent.parent
KERNEL = ROOT / "kernel"
MANIFEST = "META-INF/MANIFEST.MF"
JAVAC_OPTIONS = ("--release", "17", "-encoding", "UTF-8", "-g", "-nowarn", "-Xlint:deprecation", "-Xdoclint:reference")


@dataclass(frozen=True)
class Target:
    """A jar, the folder of its sources, the target it depends on, and libraries besides Spark's to compile against."""

    sources: Path
    jar: Path
    needs: Target | None = None
    libraries: tuple[maven.Artifact, ...] = ()

    def java_sources(self) -> list[Path]:
        """The Java files, in a fixed order."""
        return sorted(self.sources.rglob("*.java"))

    def hash(self) -> str:
        """A hash of the sources, of their dependencies, and of this script."""
        digest = hashlib.sha256(Path(__file__).read_bytes() if self.needs is None else self.needs.hash().encode())
        digest.update("".join(library.sha256 for library in self.libraries).encode())
        for source in self.java_sources():
            digest.update(source.relative_to(self.sources).as_posix().encode() + b"\0" + source.read_bytes() + b"\0")
        return digest.hexdigest()[:32]


def _of_runs(chosen: str, *names: str) -> tuple[maven.Artifact, ...]:
    """Jars that runs fetch: neither Spark's jars nor the kernel's contain their classes."""
    packages = {
        package.coordinates: package.sha256 for package in getattr(product_module("plans/connectors/jars.py"), chosen)
    }
    wanted = [item for item in packages if not names or item.split(":")[1] in names]
    return tuple(maven.artifact_of(item, packages[item]) for item in wanted)


(KAFKA_CLIENTS,) = _of_runs("KAFKA", "kafka-clients")
FLINK = (*_of_runs("FLINK"), *_of_runs("SAVEPOINT"))
JUNIT = maven.Artifact(
    "org.junit.platform",
    "junit-platform-console-standalone",
    "6.1.3",
    "e62b96ac475dbcde8599ea905d088f65d90778f86e259b856a49fa5c4ea256ec",
)
PRODUCT = Target(
    KERNEL / "src/main/java",
    ROOT / "plans/execution/kernel/compiled-plan-kernel.jar",
    libraries=(KAFKA_CLIENTS, *FLINK),
)
TESTS = Target(
    KERNEL / "src/test/java", ROOT / "build/compiled-plan-kernel-tests.jar", needs=PRODUCT, libraries=(JUNIT, *FLINK)
)


class KernelBuildError(Exception):
    """The kernel cannot be built; the message names what is missing, or has javac's output."""


def build(target: Target = PRODUCT, *, force: bool = False) -> bool:
    """Build a jar unless it is up to date; return True if it was built.

    Raises:
        KernelBuildError: no sources, Spark, JDK or library, or Java that does not compile.
    """
    spark = spark_jars()
    wanted = fingerprint(spark, target)
    if not force and built_fingerprint(target) == wanted:
        return False
    sources = len(target.java_sources())
    print(f"compiling {sources} Java files into {os.path.relpath(target.jar, ROOT)}", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory(prefix="compiled-plan-kernel-") as folder:
        classes = Path(folder)
        _compile(target, spark, classes)
        _pack(target, classes, wanted)
    return True


def is_current(target: Target = PRODUCT) -> bool:
    """Return True if the jar matches the sources; ignores the version of Spark, which may not be installed."""
    built = built_fingerprint(target)
    return built is not None and built.partition("+")[0] == target.hash()


def fingerprint(spark: Path, target: Target = PRODUCT) -> str:
    """A hash of all inputs of the jar: `<sources and script>+<Spark's core jar>`."""
    core = sorted(jar.name for jar in spark.glob("spark-core_*.jar"))
    return f"{target.hash()}+{'-'.join(core)}"


def built_fingerprint(target: Target = PRODUCT) -> str | None:
    """The fingerprint in the manifest of the existing jar; None without a readable jar."""
    try:
        with zipfile.ZipFile(target.jar) as jar:
            lines = jar.read(MANIFEST).decode().splitlines()
    except (OSError, KeyError, zipfile.BadZipFile):
        return None
    return next((line.partition(": ")[2] for line in lines if line.startswith("Fingerprint: ")), None)


def spark_jars() -> Path:
    """The folder of Spark's jars in the pyspark package, without importing pyspark."""
    spec = importlib.util.find_spec("pyspark")
    jars = Path(spec.origin).parent / "jars" if spec and spec.origin else None
    if jars is None or not jars.is_dir():
        raise KernelBuildError(f"no pyspark beside {sys.executable}\n  try: `make setup`, or pip install pyspark")
    return jars


def _compile(target: Target, spark: Path, classes: Path) -> None:
    sources = target.java_sources()
    if not sources:
        raise KernelBuildError(f"no Java sources under {target.sources}")
    java = product_module("plans/execution/kernel/java.py")
    jdk = java.find_java(compiler=True)
    if jdk is None:
        raise KernelBuildError(java.missing_java_text(compiler=True))
    try:
        libraries = [maven.fetched(library) for library in target.libraries]
    except maven.FetchError as error:
        raise KernelBuildError(str(error)) from error
    path = [*([target.needs.jar] if target.needs else []), *libraries, f"{spark}/*"]
    command = [jdk.home / "bin/javac", *JAVAC_OPTIONS, "-cp", os.pathsep.join(map(str, path)), "-d", classes, *sources]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode:
        raise KernelBuildError(f"the kernel does not compile:\n{done.stderr or done.stdout}")
    if done.stderr:
        sys.stderr.write(done.stderr)


def _pack(target: Target, classes: Path, stamp: str) -> None:
    """Write the jar to a temporary file and rename it, so that readers never see a partial jar."""
    target.jar.parent.mkdir(exist_ok=True)
    part = target.jar.with_suffix(".part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as jar:
        _add(jar, MANIFEST, f"Manifest-Version: 1.0\r\nFingerprint: {stamp}\r\n\r\n".encode())
        for file in sorted(classes.rglob("*.class")):
            _add(jar, file.relative_to(classes).as_posix(), file.read_bytes())
    part.replace(target.jar)


def _add(jar: zipfile.ZipFile, name: str, content: bytes) -> None:
    """Add an entry with the fixed time of `ZipInfo`, for reproducible jars."""
    entry = zipfile.ZipInfo(name)
    entry.compress_type = zipfile.ZIP_DEFLATED
    jar.writestr(entry, content)


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description="Compile the kernel into its jar.")
    parser.add_argument("--force", action="store_true", help="build even if the jar is up to date")
    force = parser.parse_args().force
    try:
        for target in (PRODUCT, TESTS):
            build(target, force=force)
    except KernelBuildError as error:
        print(f"kernel: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
