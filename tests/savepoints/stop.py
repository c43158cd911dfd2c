"""`python -m tests.savepoints.stop PLAN.json ROWS FOLDER`: run a plan in a real Flink, and stop it with a savepoint."""

from __future__ import annotations

import sys
from pathlib import Path

from compiled_plan.plans.plan import CompiledPlan
from tests.savepoints.flink import stop_plan


def main(plan: str, rows: str, folder: str) -> None:
    """Print the savepoint, which Flink takes when the plan's sources have emitted a number of rows."""
    print(stop_plan(CompiledPlan.read_file(plan), int(rows), Path(folder).absolute()))


if __name__ == "__main__":
    main(*sys.argv[1:])
