"""Format the Java sources, or check their format, with google-java-format's own style.

    python -m tools.java_format [--check]

The formatter is one jar, see `tools.maven`. Hashes of formatted files are cached, so that a check without changes
starts no JVM.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from compiled_plan.plans.execution.kernel import java
from tools import maven

ROOT = Path(__file__).resolve().parent.parent
SOURCES = (ROOT / "kernel", ROOT / "tests/flink_programs", ROOT / "tools/coverage")
KNOWN = ROOT / ".java_format_cache" / "formatted.txt"

# The newest version that runs on Java 17.
VERSION = "1.28.0"
FORMATTER = maven.Artifact(
    "com.google.googlejavaformat",
    "google-java-format",
    VERSION,
    "32342e7c1b4600f80df3471da46aee8012d3e1445d5ea1be1fb71289b07cc735",
    "-all-deps.jar",
)


class FormatterError(Exception):
    """The formatter is not available, or a file is not Java; the message has the remedy."""


def unformatted(files: Iterable[Path], known: Path = KNOWN) -> list[Path]:
    """The files that the formatter would change.

    Args:
        files: Java files; those whose hash is in `known` are skipped.
        known: the file of hashes of formatted files, one per line; it is updated.

    Raises:
        FormatterError: no JDK, no formatter, or a file that is not Java.
    """
    hashes = {file: _hash(file) for file in files}
    held = set(known.read_text(encoding="utf-8").split()) if known.is_file() else set()
    unknown = [file for file, digest in hashes.items() if digest not in held]
    changed = _changed(unknown) if unknown else []
    if unknown or held != set(hashes.values()):
        formatted = sorted(digest for file, digest in hashes.items() if file not in changed)
        maven.replace(known, "\n".join(formatted).encode())
    return changed


def write(files: Iterable[Path]) -> None:
    """Format the files in place."""
    _run(["--replace"], list(files))


def sources() -> list[Path]:
    """The Java files of the kernel, of tests and of tools, in a fixed order."""
    return sorted(file for folder in SOURCES for file in folder.rglob("*.java"))


def formatter() -> Path:
    """The jar of the formatter, downloaded once.

    Raises:
        FormatterError: the download fails, or its hash is wrong.
    """
    try:
        return maven.fetched(FORMATTER)
    except maven.FetchError as error:
        raise FormatterError(str(error)) from error


def _changed(files: list[Path]) -> list[Path]:
    names = _run(["--dry-run"], files)
    return [Path(name) for name in names.splitlines()]


def _run(options: list[str], files: list[Path]) -> str:
    jdk = java.find_java(compiler=True)
    if jdk is None:
        raise FormatterError(java.missing_java_text(compiler=True))
    command = [jdk.home / "bin/java", "-XX:TieredStopAtLevel=1", "-jar", formatter(), *options, *files]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode:
        raise FormatterError(done.stderr.strip() or done.stdout.strip())
    return done.stdout


def _hash(file: Path) -> str:
    return hashlib.sha256(VERSION.encode() + b"\0" + file.read_bytes()).hexdigest()


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description="Format the kernel's Java.")
    parser.add_argument("--check", action="store_true", help="list unformatted files, change none")
    check = parser.parse_args().check
    try:
        changed = unformatted(sources())
        if not check and changed:
            write(changed)
    except FormatterError as error:
        print(f"java: {error}", file=sys.stderr)
        return 1
    for file in changed:
        print(f"{file.relative_to(ROOT)}: {'would be reformatted' if check else 'formatted'}")
    return 1 if check and changed else 0


if __name__ == "__main__":
    raise SystemExit(main())
