"""Run a plan in a real Flink, from a savepoint if one is named, and stop it with a savepoint.

python -m tests.savepoints.stop PLAN.json ROWS FOLDER [SAVEPOINT]
"""

from __future__ import annotations

import sys
from pathlib import Path

from compiled_plan.plans.plan import CompiledPlan
from tests.savepoints.flink import stop_plan


def main(plan: str, rows: str, folder: str, savepoint: str = "") -> None:
    """Print the savepoint, which Flink takes when the plan's sources have emitted a number of rows."""
    options = {"execution.state-recovery.path": savepoint} if savepoint else {}
    print(stop_plan(CompiledPlan.read_file(plan), int(rows), Path(folder).absolute(), options=options))


if __name__ == "__main__":
    main(*sys.argv[1:])
