"""Print the pinned dependencies of the commands that start no Spark, for the GitHub Action `review-plans`."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent
#: Packages that only runs need.
_OF_RUNS = frozenset({"pyspark", "pandas", "pyarrow"})
_NAME = re.compile(r"[\w.-]+")


def requirements() -> list[str]:
    """The dependencies and those that they need, as `make lock` pins them: a version, and the hashes of its files."""
    declared = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    wanted = {_name(line) for line in declared} - _OF_RUNS
    pinned = (_ROOT / "requirements/service.txt").read_text(encoding="utf-8")
    blocks = {_name(block): block for block in re.split(r"\n(?=[A-Za-z])", pinned)[1:]}
    while more := {name for name, block in blocks.items() if _users(block) & wanted} - wanted:
        wanted |= more
    return [block for name, block in blocks.items() if name in wanted]


def _name(line: str) -> str:
    match = _NAME.match(line)
    assert match is not None, line
    return match[0].lower()


def _users(block: str) -> set[str]:
    """The packages that need this one."""
    _, _, via = block.partition("# via")
    return set(_NAME.findall(via))


if __name__ == "__main__":
    print(*requirements(), sep="\n")
