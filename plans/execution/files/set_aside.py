"""Output files that are set aside, in a hidden folder of their table, and put back.

A rewind sets the files of later micro-batches aside, and its rollback puts them back; both are renames.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from compiled_plan.plans.execution.files.hadoop import Files
from compiled_plan.plans.execution.interfaces.outputs import OutputHistory, Return
from compiled_plan.plans.text.visible import counted

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: The folder in that of the table; readers ignore its name.
ASIDE = ".compiled-plan-rewound"
#: A file of a run: its run id and its micro-batch.
_OWN = re.compile(r"part-([^-]+)-(\d+)-")


@dataclass(frozen=True, slots=True)
class TableFiles:
    """The files of all runs in the folder of a table.

    Args:
        path: the folder.
        marker: the name of the files that mark complete partitions; empty without them.
    """

    spark: SparkSession
    path: str
    marker: str = ""

    def returned(self, history: OutputHistory) -> Return | None:
        """Plan the return to a history; None if the folder has its files and no later ones."""
        files = Files(self.spark, self.path)
        aside, back = list[tuple[str, str]](), list[tuple[str, str]]()
        for entry in files.walk(files.root):
            hidden, name = entry.relative.startswith(f"{ASIDE}/"), _OWN.match(entry.relative.rpartition("/")[2])
            if name is None or name[1] not in history.runs or hidden != history.has(name[1], int(name[2])):
                continue
            if hidden:
                back.append((entry.path, f"{files.root}/{entry.relative.removeprefix(f'{ASIDE}/')}"))
            else:
                aside.append((entry.path, f"{files.root}/{ASIDE}/{entry.relative}"))
        if not aside and not back:
            return None
        parts = [(aside, f"set aside in {files.root}/{ASIDE}"), (back, "put back")]
        text = ", ".join(f"{counted(len(moves), 'file')} {what}" for moves, what in parts if moves)
        return Return(text, lambda: self._move(files, aside, back))

    def discard(self, runs: frozenset[str]) -> None:
        """Remove the files of runs that are set aside."""
        files = Files(self.spark, self.path)
        folder = f"{files.root}/{ASIDE}"
        remaining = False
        for entry in files.walk(folder):
            name = _OWN.match(entry.relative.rpartition("/")[2])
            if name is not None and name[1] in runs:
                files.delete(entry.path)
            else:
                remaining = True
        if not remaining:
            files.delete(folder)

    def _move(self, files: Files, aside: Sequence[tuple[str, str]], back: Sequence[tuple[str, str]]) -> None:
        if self.marker:
            # The partitions are incomplete again; the next run marks them when they are complete.
            for folder in sorted({source.rpartition("/")[0] for source, _ in aside}):
                files.delete(f"{folder}/{self.marker}")
        for source, target in (*aside, *back):
            if files.exists(source):
                files.move(source, target)
