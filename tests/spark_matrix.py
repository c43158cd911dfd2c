"""Run the areas of `tests/older_spark.py` on each version of Spark, and record the outcomes (`make spark-matrix`).

    python -m tests.spark_matrix [4.2]... [connectors]...

runs the named versions and areas, all without names. `make docs` shows the record in docs/reference/spark.md. The exit
code is 1 if a test fails.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from compiled_plan.plans.spark_versions import SPARK_VERSIONS, spark_version
from tests.older_spark import AREAS, counts_text, run_tests

RECORD = Path(__file__).with_suffix(".json")
#: By version and area: counts of outcomes, None without a run.
Outcomes = dict[str, dict[str, dict[str, int] | None]]


def read() -> Outcomes:
    """Outcomes for the declared versions and areas; a run on another release than the tested one does not count."""
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    return {
        str(version): {area: record.get(version.tested, {}).get(area) for area in AREAS} for version in SPARK_VERSIONS
    }


def write(outcomes: Outcomes) -> None:
    """Write the record: outcomes by release of Spark."""
    record = {version.tested: outcomes[str(version)] for version in SPARK_VERSIONS}
    RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def main(*names: str) -> int:
    areas = [area for area in AREAS if area in names] or [*AREAS]
    versions = [spark_version(name) for name in names if name not in AREAS] or [*SPARK_VERSIONS]
    failed = False
    for version in versions:
        for area in areas:
            tiers = AREAS[area].tiers
            counts = run_tests(version, *(("-m", tiers) if tiers else ()), *AREAS[area].paths)
            # Another process may have run other areas in the meantime.
            outcomes = read()
            outcomes[str(version)][area] = counts
            write(outcomes)
            print(f"Spark {version.tested}, {area}: {counts_text(counts)}", flush=True)
            failed = failed or counts["failed"] > 0
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
