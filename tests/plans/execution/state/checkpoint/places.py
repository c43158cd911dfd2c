"""A program over folders, its checkpoint, and its output."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.execution.spark.storage import LocalFolder
from compiled_plan.plans.execution.state.checkpoint.store import Store
from compiled_plan.plans.execution.state.upgrade.start import Start
from compiled_plan.plans.plan import CompiledPlan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Row = dict[str, Any]


def table(name: str, columns: str, format: str = "json", more: str = "") -> str:
    return (
        f"CREATE TABLE {name} ({columns}) WITH ('connector' = 'filesystem', 'path' = '{{folder}}/{name}', "
        f"'format' = '{format}'{more});\n"
    )


@dataclass
class Place:
    """A folder with tables, a checkpoint and a program's output."""

    spark: SparkSession
    folder: Path
    files: int = 0

    def add(self, rows: Mapping[str, Sequence[Row]]) -> None:
        self.files += 1
        for name, some in rows.items():
            target = self.folder / name
            target.mkdir(exist_ok=True)
            if some:
                (target / f"{self.files}.json").write_text("".join(json.dumps(row) + "\n" for row in some))

    def compiled(self, tables: str, *statements: str) -> CompiledPlan:
        text = tables + "".join(f"{statement};\n" for statement in statements)
        return TableEnvironment().compile_script(text.replace("{folder}", str(self.folder)))

    @property
    def checkpoint(self) -> Path:
        return self.folder / "checkpoint"

    def started(self, plan: CompiledPlan, zone: str = "UTC", *, guarded: bool = True, **options: Any) -> Run:
        """Prepare a run."""
        chosen = RunOptions(**{"checkpoint": str(self.checkpoint), "available_now": True, "time_zone": zone, **options})
        return Run(self.spark, plan, chosen, begin=partial(Start, guarded=guarded))

    def run(self, plan: CompiledPlan, zone: str = "UTC", *, guarded: bool = True, **options: Any) -> Run:
        run = self.started(plan, zone, guarded=guarded, **options)
        run.execute()
        return run

    def moved(self, plan: CompiledPlan, **options: Any) -> Run:
        """Run with a migration first."""
        run = self.run(plan, **options)
        assert run.start.migrates
        return run

    def generations(self) -> list[int]:
        return sorted(int(path.name) for path in (self.checkpoint / "generations").iterdir())

    def heads(self) -> list[tuple[int, str]]:
        return [(head.generation, head.by) for head in Store(LocalFolder(self.checkpoint)).heads()]

    def refusal(self, plan: CompiledPlan, zone: str = "UTC") -> str:
        """The message of a refused start; nothing on disk changes."""
        before = {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}
        with pytest.raises(CheckpointError) as refused:
            Run(self.spark, plan, RunOptions(checkpoint=str(self.checkpoint), time_zone=zone))
        assert {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()} == before
        return str(refused.value)

    def rows(self, sink: str = "sink") -> list[tuple[Any, ...]]:
        """The table that the changes result in."""
        result: Counter[tuple[Any, ...]] = Counter()
        for file in (self.folder / sink).glob("part-*"):
            for line in file.read_text().splitlines():
                event = json.loads(line)
                for side, sign in (("before", -1), ("after", 1)):
                    if event[side] is not None:
                        result[tuple(event[side].values())] += sign
        return sorted(result.elements(), key=str)
