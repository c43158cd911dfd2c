"""Recorded rows of new programs that run over all rows from scratch: the expected result of most kinds.

`python -m tests.upgrades.scratch` records them; `make test-deep` compares them with a run.
"""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from compiled_plan.plans.execution.session.spark_session import spark_session
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from tests.upgrades.bench import Bench, Table, grouped
from tests.upgrades.kinds import KINDS, TIMERS
from tests.upgrades.kinds.model import FIRST, SECOND

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_FILE = Path(__file__).with_suffix(".json")
#: Kinds whose new program has recorded rows: those that start on old state, and those that would be silently wrong.
SCRATCH = (
    *(kind for kind in KINDS if kind.verdict in (Verdict.FULL, Verdict.PARTIAL) or kind.wrong is not None),
    *TIMERS,
)


def recorded() -> dict[str, Table]:
    """By kind, the recorded rows."""
    return {name: [tuple(row) for row in rows] for name, rows in json.loads(_FILE.read_text()).items()}


def computed(spark: SparkSession, folder: Path) -> dict[str, Table]:
    """By kind, the rows of a run."""
    result: dict[str, Table] = {}
    for timed in (False, True):
        for number, group in enumerate(grouped([kind for kind in SCRATCH if kind.timed == timed])):
            bench = Bench(spark, folder / f"{timed}-{number}", group)
            bench.add(dict(FIRST), 1)
            bench.add(dict(SECOND), 2)
            bench.start(bench.plan(True))
            result |= {kind.name: bench.rows(kind) for kind in group}
    return {kind.name: result[kind.name] for kind in SCRATCH}


def main() -> None:
    """Record the rows."""
    with spark_session("local[2]", {"spark.sql.shuffle.partitions": "2"}) as spark, TemporaryDirectory() as folder:
        rows = computed(spark, Path(folder))
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(table)}" for name, table in rows.items())
    _FILE.write_text(f"{{\n{lines}\n}}\n")


if __name__ == "__main__":
    main()
