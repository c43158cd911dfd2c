"""The tests that `make test SPARK=4.2` runs on an older version of Spark.

They cover what depends on Spark: links of the kernel, sessions, every operator with its state (the frozen releases),
checkpoints, upgrades, connectors, formats and functions.

    python -m tests.older_spark [4.2]

prints them as arguments of pytest, or the release of Spark to install for a version.
"""

from __future__ import annotations

import sys
from importlib import metadata

from compiled_plan.plans.spark_versions import SPARK_VERSIONS, release, spark_version

#: True if this process has an older version than that of development.
ON_OLDER_SPARK = release(metadata.version("pyspark")) < SPARK_VERSIONS[0].number

#: Files and folders by what they cover.
AREAS = {
    "versions": ("tests/plans/test_spark_versions.py",),
    "kernel": ("tests/kernel/test_links.py", "tests/plans/execution/kernel"),
    "sessions": (
        "tests/plans/execution/session",
        "tests/plans/execution/spark",
        "tests/plans/execution/test_embedded.py",
    ),
    "operators": (
        "tests/historical/test_historical.py",
        "tests/plans/execution/stages",
        "tests/plans/execution/test_run.py",
        "tests/plans/execution/test_run_event_time.py",
        "tests/plans/execution/test_run_ttl.py",
    ),
    "checkpoints": ("tests/plans/execution/state/checkpoint", "tests/plans/execution/state/reading"),
    "upgrades": ("tests/plans/execution/state/upgrade",),
    "connectors": ("tests/plans/execution/connectors", "tests/plans/execution/databases"),
    "lakes": ("tests/plans/execution/lakes",),
    "formats": ("tests/plans/execution/formats",),
    "functions": ("tests/plans/execution/functions", "tests/plans/execution/expressions"),
}


def paths() -> list[str]:
    """The files and folders."""
    return [path for area in AREAS.values() for path in area]


if __name__ == "__main__":
    print(*([spark_version(text).tested for text in sys.argv[1:]] or paths()))
