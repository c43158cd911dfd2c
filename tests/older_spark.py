"""The tests that `make test SPARK=4.2` runs on an older version of Spark, and the environments of the versions.

They cover what depends on Spark: links of the kernel, sessions, every operator with its state (the frozen releases),
checkpoints, upgrades, connectors, formats and functions. `make spark-matrix` runs them on every version.

    python -m tests.older_spark [4.2]

prints them as arguments of pytest, or the release of Spark to install for a version.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from compiled_plan.plans.spark_versions import SPARK_VERSIONS, SparkVersion, release, spark_version

#: True if tests run every operator: on an older version than that of development, and in a matrix.
EVERY_OPERATOR = release(metadata.version("pyspark")) < SPARK_VERSIONS[0].number or "SPARK_MATRIX" in os.environ
ROOT = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class Area:
    """Files and folders of tests.

    Args:
        title: what they cover.
        paths: relative to the repository.
        tiers: pytest's `-m` in `make spark-matrix`.
    """

    title: str
    paths: tuple[str, ...]
    tiers: str = ""


AREAS: Mapping[str, Area] = {
    "versions": Area("refusal of other versions", ("tests/plans/test_spark_versions.py",)),
    "kernel": Area(
        "links of the kernel, operators in a plain JVM", ("tests/kernel/test_links.py", "tests/plans/execution/kernel")
    ),
    "sessions": Area(
        "sessions",
        (
            "tests/plans/execution/session",
            "tests/plans/execution/spark",
            "tests/plans/execution/test_embedded.py",
        ),
    ),
    "operators": Area(
        "every operator, with checkpoints of earlier releases",
        (
            "tests/historical/test_historical.py",
            "tests/plans/execution/stages",
            "tests/plans/execution/test_run.py",
            "tests/plans/execution/test_run_event_time.py",
            "tests/plans/execution/test_run_ttl.py",
        ),
    ),
    "checkpoints": Area(
        "checkpoints", ("tests/plans/execution/state/checkpoint", "tests/plans/execution/state/reading")
    ),
    "moves": Area(
        "checkpoints that move to each other version and back",
        ("tests/plans/execution/state/checkpoint/test_checkpoint_between_sparks.py",),
        "wide",
    ),
    "upgrades": Area("upgrades", ("tests/plans/execution/state/upgrade",)),
    "connectors": Area("connectors", ("tests/plans/execution/connectors", "tests/plans/execution/databases")),
    "lakes": Area("table formats", ("tests/plans/execution/lakes", "tests/samples/test_lake.py")),
    "formats": Area("formats", ("tests/plans/execution/formats",)),
    "functions": Area("functions", ("tests/plans/execution/functions", "tests/plans/execution/expressions")),
    "real-time": Area(
        "real-time mode, or its refusal",
        ("tests/plans/execution/realtime", "tests/plans/execution/test_realtime_refusal.py"),
        "wide or not wide",
    ),
}


def paths() -> list[str]:
    """The files and folders."""
    return [path for area in AREAS.values() for path in area.paths]


def python_of(version: SparkVersion) -> Path:
    """The interpreter with a version of Spark: of `.venv` for the newest, of `.venv-spark4.2` for that one."""
    suffix = "" if version == SPARK_VERSIONS[0] else f"-spark{version}"
    return ROOT / f"{os.environ.get('VENV', '.venv')}{suffix}" / "bin/python"


def installed_release(python: Path) -> str:
    """The release of Spark of an interpreter."""
    code = "from importlib import metadata; print(metadata.version('pyspark'))"
    return subprocess.run([python, "-c", code], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


#: pytest's last line: counts of outcomes.
_SUMMARY = re.compile(r"^(\d+ \w+(?:, \d+ \w+)*) in ", re.MULTILINE)


def run_tests(version: SparkVersion, *arguments: str, packages: str = "") -> dict[str, int]:
    """Run pytest on a version of Spark, and print its output to stderr if it fails.

    Args:
        version: the version, which has an environment with its tested release.
        arguments: of pytest.
        packages: coordinates that sessions fetch.

    Returns:
        Counts of passed, skipped and failed tests; a run that ends early, or has no test, counts as a failed one.
    """
    python = python_of(version)
    if (installed := installed_release(python)) != version.tested:
        raise SystemExit(
            f"{python} has Spark {installed}, not {version.tested}; try: make {python.parents[1].name}/.ready"
        )
    environment = {**os.environ, "SPARK_MATRIX": "yes"}
    if packages:
        environment["PYSPARK_SUBMIT_ARGS"] = f"--packages {packages} pyspark-shell"
    command = [str(python), "-m", "pytest", "-q", *arguments]
    run = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, cwd=ROOT, check=False)
    summary = _SUMMARY.search(run.stdout)
    counts = {outcome: int(count) for count, outcome in re.findall(r"(\d+) (\w+)", summary[1] if summary else "")}
    failed = sum(counts.get(outcome, 0) for outcome in ("failed", "error", "errors"))
    if run.returncode:
        print(run.stdout, file=sys.stderr)
        failed = max(1, failed)
    return {"passed": counts.get("passed", 0), "skipped": counts.get("skipped", 0), "failed": failed}


def counts_text(counts: Mapping[str, int]) -> str:
    """Outcomes that are there, as in "12 passed, 1 skipped"."""
    return ", ".join(f"{count} {outcome}" for outcome, count in counts.items() if count)


if __name__ == "__main__":
    print(*([spark_version(text).tested for text in sys.argv[1:]] or paths()))
