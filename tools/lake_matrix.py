"""Run the tests of table formats on each version of Spark, and print releases and outcomes as a table.

    python -m tools.lake_matrix [delta=4.5.0] [iceberg=1.13.0]

A release on the command line is tried on each version in place of the declared one: Spark fetches it from Maven
Central by the pattern of its declared name, with its dependencies and without a checksum. The exit code is 1 if a test
fails.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path

from compiled_plan.plans.connectors.lakes import LAKES, Lake
from compiled_plan.plans.spark_versions import SPARK_VERSIONS, SparkVersion
from tests.older_spark import counts_text, run_tests
from tools.reference.markdown import table

_TESTS = Path("tests/plans/execution/lakes")
_TITLES = ("format", "Spark", "release", "outcome")


def tried(lake: Lake, version: SparkVersion, release: str) -> str:
    """Coordinates of a release for a version of Spark."""
    group, name, _ = lake.packages[-1].coordinates.split(":")
    return f"{group}:{re.sub(r'(?<=[-_])[0-9.]+(?=_)', str(version), name)}:{release}"


def outcome(version: SparkVersion, lake: Lake, packages: str) -> Mapping[str, int]:
    """Counts of the outcomes of a format's tests on a version."""
    files = sorted(str(file) for file in _TESTS.glob(f"test_{lake.name}*.py"))
    return run_tests(version, *files, packages=packages)


def rows(releases: Mapping[str, str]) -> tuple[bool, list[tuple[str, ...]]]:
    """True if no test fails, and the rows of the table."""
    passed, lines = True, list[tuple[str, ...]]()
    for lake in (lake for name, lake in LAKES.items() if not releases or name in releases):
        for version in SPARK_VERSIONS:
            declared, release = lake.release(version), releases.get(lake.name, "")
            if declared is None and not release:
                lines.append((lake.title, str(version), "none yet", ""))
                continue
            packages = tried(lake, version, release) if release else ""
            counts = outcome(version, lake, packages)
            passed = passed and not counts["failed"]
            shown = release or (declared or lake.packages)[-1].coordinates.rpartition(":")[2]
            lines.append((lake.title, str(version), shown, counts_text(counts)))
    return passed, lines


def main(*releases: str) -> int:
    passed, lines = rows(dict(text.split("=", 1) for text in releases))
    print(table(_TITLES, lines))
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
