"""Spark's internal classes in the kernel, by their purpose: `kernel/spark.toml` and the kernel's code."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from tools.reference.markdown import code, codes, table

ROOT = Path(__file__).resolve().parent.parent.parent
_JAVA = ROOT / "kernel/src/main/java/org/compiledplan/kernel"
_COMMENT_OR_TEXT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.DOTALL)
_CLASS = re.compile(r"\borg\.apache\.spark\.((?:[a-z]\w*\.)*[A-Z]\w*|(?:[a-z]\w*\.)+(?:functions|package\$))")
#: Levels of packages that are shown for a class.
_LEVELS = 3


@dataclass(frozen=True, slots=True)
class Internal:
    """A group of internal classes: patterns, the reason for their use, and the public way."""

    title: str
    classes: tuple[str, ...]
    reason: str
    instead: str

    def has(self, name: str) -> bool:
        """Return True if a class belongs to the group."""
        return _fits(name, self.classes)


@dataclass(frozen=True, slots=True)
class Declared:
    """The content of `kernel/spark.toml`."""

    public: tuple[str, ...]
    internal: tuple[Internal, ...]

    @classmethod
    @cache
    def read(cls) -> Declared:
        """Read the file."""
        data = tomllib.loads((ROOT / "kernel/spark.toml").read_text(encoding="utf-8"))
        groups = (Internal(**{**group, "classes": tuple(group["classes"])}) for group in data["internal"])
        return cls(tuple(data["public"]), tuple(groups))

    def is_public(self, name: str) -> bool:
        """Return True if users of Spark may use a class, too."""
        return _fits(name, self.public)


def _fits(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


@cache
def used_classes() -> Mapping[str, frozenset[str]]:
    """Spark's classes, below `org.apache.spark.`, with the packages of the kernel that use them."""
    users: dict[str, set[str]] = {}
    for path in sorted(_JAVA.rglob("*.java")):
        for name in classes_in(path.read_text(encoding="utf-8")):
            users.setdefault(name, set()).add(path.parent.relative_to(_JAVA).as_posix())
    return {name: frozenset(packages) for name, packages in sorted(users.items())}


def classes_in(java: str) -> set[str]:
    """Spark's classes in a Java file, without those in comments and texts."""
    plain = _COMMENT_OR_TEXT.sub(" ", java)
    return {match[1] for match in _CLASS.finditer(plain)}


def internals() -> str:
    """The groups, with the packages of Spark and of the kernel."""
    return table(("what", "of Spark", "in the kernel", "reason", "public way"), map(_row, Declared.read().internal))


def _row(group: Internal) -> tuple[str, ...]:
    names = [name for name in used_classes() if group.has(name) and not Declared.read().is_public(name)]
    packages = {package for name in names for package in used_classes()[name]}
    places = {_short(name.rpartition(".")[0] or name) for name in names}
    return (
        group.title,
        f"{len(names)} of {codes(sorted(places))}" if len(names) > 1 else code(names[0]),
        codes(sorted({package.partition("/")[0] for package in packages})),
        group.reason,
        group.instead,
    )


def _short(package: str) -> str:
    return ".".join(package.split(".")[:_LEVELS])
