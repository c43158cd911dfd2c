"""Run the tests of table formats on each version of Spark, and print releases and outcomes as a table.

    python -m tools.lake_matrix .venv [delta=4.5.0] [iceberg=1.13.0]

The environments are `.venv` for the newest version and `.venv-spark4.2` and its like for older ones. A release on the
command line is tried on each version in place of the declared one: Spark fetches it from Maven Central by the pattern
of its declared name, with its dependencies and without a checksum. The exit code is 1 if a test fails.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from compiled_plan.plans.connectors.lakes import LAKES, Lake
from compiled_plan.plans.spark_versions import SPARK_VERSIONS, SparkVersion
from tools.reference.markdown import table

_TESTS = Path("tests/plans/execution/lakes")
_TITLES = ("format", "Spark", "release", "outcome")
#: pytest's last line: counts of outcomes.
_SUMMARY = re.compile(r"^(\d+ \w+(?:, \d+ \w+)*) in ", re.MULTILINE)


def python_of(venv: str, version: SparkVersion) -> str:
    """The interpreter with a version of Spark."""
    return f"{venv}{'' if version == SPARK_VERSIONS[0] else f'-spark{version}'}/bin/python"


def tried(lake: Lake, version: SparkVersion, release: str) -> str:
    """Coordinates of a release for a version of Spark."""
    group, name, _ = lake.packages[-1].coordinates.split(":")
    return f"{group}:{re.sub(r'(?<=[-_])[0-9.]+(?=_)', str(version), name)}:{release}"


def outcome(python: str, lake: Lake, packages: str) -> tuple[bool, str]:
    """True if all tests of a format pass, and their counts."""
    files = sorted(str(file) for file in _TESTS.glob(f"test_{lake.name}*.py"))
    environment = dict(os.environ)
    if packages:
        environment["PYSPARK_SUBMIT_ARGS"] = f"--packages {packages} pyspark-shell"
    command = [python, "-m", "pytest", "-q", "-m", "not deep", *files]
    run = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True)
    summary = _SUMMARY.search(run.stdout)
    if run.returncode:
        print(run.stdout, file=sys.stderr)
    return run.returncode == 0, summary[1] if summary else f"pytest ends with exit code {run.returncode}"


def rows(venv: str, releases: Mapping[str, str]) -> tuple[bool, list[tuple[str, ...]]]:
    """True if no test fails, and the rows of the table."""
    passed, lines = True, list[tuple[str, ...]]()
    for lake in (lake for name, lake in LAKES.items() if not releases or name in releases):
        for version in SPARK_VERSIONS:
            declared, release = lake.release(version), releases.get(lake.name, "")
            if declared is None and not release:
                lines.append((lake.title, str(version), "none yet", ""))
                continue
            packages = tried(lake, version, release) if release else ""
            passes, counts = outcome(python_of(venv, version), lake, packages)
            passed = passed and passes
            shown = release or (declared or lake.packages)[-1].coordinates.rpartition(":")[2]
            lines.append((lake.title, str(version), shown, counts))
    return passed, lines


def main(venv: str, *releases: str) -> int:
    passed, lines = rows(venv, dict(text.split("=", 1) for text in releases))
    print(table(_TITLES, lines))
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
