"""Print the dependencies of the commands that start no Spark, for the GitHub Action `review-plans`."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

_PROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"
#: Packages that only runs need.
_OF_RUNS = frozenset({"pyspark", "pandas", "pyarrow"})


def requirements() -> list[str]:
    """The dependencies, as in the project file."""
    declared: list[str] = tomllib.loads(_PROJECT.read_text(encoding="utf-8"))["project"]["dependencies"]
    return [line for line in declared if re.split(r"[^\w-]", line)[0] not in _OF_RUNS]


if __name__ == "__main__":
    print(*requirements(), sep="\n")
