"""The worked examples of CONTRIBUTING.md: their steps, applied to a copy of the repository.

A step has blocks of two kinds. One whose first line names a file (`# cli/count_nodes.py`, `// .../Nth.java`) is a new
file. A `diff` block whose first line names a file changes it: lines with `+` are inserted, lines with `-` removed,
and the others are context, which occurs exactly once in the file.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from compiled_plan.plans.execution.kernel.java import find_java, missing_java_text
from tools import build_kernel

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "CONTRIBUTING.md"
_COPIED = (
    *("cli", "compiled_plan", "docs", "planner", "plans", "pyproject.toml", "samples", "schemas", "service"),
    *("importlinter.toml", "kernel", "tools"),
    # Tables of the pages are generated from them.
    *("README.md", "tests/__init__.py", "tests/conftest.py", "tests/support", "tests/upgrades"),
    *("tests/older_spark.py", "tests/spark_matrix.json", "tests/spark_matrix.py"),
)
_BLOCK = re.compile(r"^ *```(?P<language>\w+)\n(?P<text>.*?)^ *```$", re.MULTILINE | re.DOTALL)
_NAME = re.compile(r"(?:#|//) (?P<path>[\w./-]+\.\w+)$")


@dataclass(frozen=True, slots=True)
class Change:
    """A new file, or the text of a file before and after."""

    path: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Example:
    """A worked example: its steps, and their changes."""

    name: str
    steps: tuple[str, ...]
    changes: tuple[Change, ...]

    @property
    def files(self) -> set[str]:
        """The files that it changes."""
        return {change.path for change in self.changes}


def examples() -> Mapping[str, Example]:
    """The examples of the page by heading."""
    parts = re.split(r"^### ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return {name: _example(name, text) for name, _, text in (part.partition("\n") for part in parts)}


def _example(name: str, text: str) -> Example:
    steps = tuple(re.findall(r"^\d\. .*?(?=^\d\. |^#|\Z)", text, flags=re.MULTILINE | re.DOTALL))
    changes = tuple(change for step in steps for match in _BLOCK.finditer(step) if (change := _change(match)))
    return Example(name, steps, changes)


def _change(match: re.Match[str]) -> Change | None:
    lines = [line.removeprefix("   ") for line in match["text"].splitlines()]
    name = _NAME.match(lines[0])
    if name is None:
        return None
    if match["language"] != "diff":
        return Change(name["path"], "", "\n".join(lines[1:]) + "\n")
    rest = lines[1:]
    before = "\n".join(line[1:] for line in rest if not line.startswith("+"))
    return Change(name["path"], before, "\n".join(line[1:] for line in rest if not line.startswith("-")))


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy of the repository in which the examples are applied, and commands that run on it."""

    root: Path

    @classmethod
    def of_the_repository(cls, root: Path) -> Copy:
        """Copy the repository with the kernel's jar."""
        for name in _COPIED:
            source, target = ROOT / name, root / name
            if source.is_dir():
                shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, target)
        return cls(root)

    def do(self, change: Change) -> None:
        """Apply a change."""
        path = self.root / change.path
        if not change.before:
            assert not path.exists(), f"{change.path} is there already"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(change.after, encoding="utf-8")
            return
        text = path.read_text(encoding="utf-8")
        assert text.count(change.before) == 1, f"{change.path} has {text.count(change.before)} times\n{change.before}"
        path.write_text(text.replace(change.before, change.after), encoding="utf-8")

    def compile_java(self, paths: Iterable[str]) -> None:
        """Compile Java files of the copy into its jar; `make kernel` would compile all of them."""
        jdk = find_java(compiler=True)
        assert jdk is not None, missing_java_text(compiler=True)
        jar, classes = self.root / build_kernel.PRODUCT.jar.relative_to(ROOT), self.root / "classes"
        sources = [str(self.root / path) for path in paths if path.endswith(".java")]
        options = [*build_kernel.JAVAC_OPTIONS, "-cp", f"{jar}{os.pathsep}{build_kernel.spark_jars()}/*"]
        subprocess.run([jdk.home / "bin/javac", *options, "-d", classes, *sources], check=True)
        subprocess.run([jdk.home / "bin/jar", "uf", jar, "-C", classes, "."], check=True)

    def run(self, module: str, *arguments: str, folder: Path | None = None) -> str:
        """Run a module of the copy; returns its stdout."""
        environment = {**os.environ, "PYTHONPATH": str(self.root)}
        command = [sys.executable, "-m", module, *arguments]
        done = subprocess.run(
            command, cwd=folder or self.root, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{module} {' '.join(arguments)}\n{done.stdout}{done.stderr}"
        return done.stdout
