"""Runs the programs of kinds: many at once as one plan, so that all of them take minutes and not hours.

A group of kinds runs as one plan of independent parts; each part has its own tables below the folder of its
name. If a group fails as a whole, each of its kinds runs alone, so that an error is attributed to its kind.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import CHECK, TRANSFORM, RunOptions
from compiled_plan.plans.execution.session.partitions import ASKED
from compiled_plan.plans.execution.state.upgrade.start import Start
from compiled_plan.plans.plan import CompiledPlan
from tests.upgrades.kinds.model import TAKEN, Kind
from tests.upgrades.programs import NAME, compiled, merged, prefix_of, text_of, write

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Table = list[tuple[Any, ...]]
#: The columns of all sinks, in the order of output.
COLUMNS = ("k", "n", "m")
#: At most so many kinds run as one plan: planning and compiling grow faster than the plan.
TOGETHER = 5


@dataclass(frozen=True)
class Setting:
    """Settings of a run beside its plan: `upgrade` as `execute-plan --upgrade` takes it."""

    upgrade: str = CHECK
    host: str = TRANSFORM
    partitions: int | None = None
    guarded: bool = True
    warm_up: tuple[str, ...] = ()


@dataclass
class Bench:
    """Kinds in a folder of their own, each in a subfolder."""

    spark: SparkSession
    folder: Path
    kinds: Sequence[Kind]

    def place(self, kind: Kind) -> Path:
        """Folder of a kind's tables."""
        return self.folder / kind.name

    @property
    def checkpoint(self) -> Path:
        """The checkpoint of the common plan."""
        return self.folder / "checkpoint"

    def plan(self, new: bool) -> CompiledPlan:
        """The merged plan of the old or the new programs."""
        plans = {kind.name: compiled(kind, new, self.place(kind)) for kind in self.kinds}
        return merged(plans)

    def add(self, rows: dict[str, Any], number: int) -> None:
        """Add rows to all tables of all kinds."""
        for kind in self.kinds:
            write(self.place(kind), number, rows)

    def start(self, plan: CompiledPlan, setting: Setting = Setting()) -> None:
        """Run a plan over the available rows."""
        run(self.spark, plan, self.checkpoint, setting)

    def refusal(self, plan: CompiledPlan, setting: Setting = Setting()) -> str:
        """The message of a refused start, "" if it is not refused; nothing on disk changes."""
        before = contents(self.folder)
        try:
            run(self.spark, plan, self.checkpoint, setting)
        except CheckpointError as fault:
            assert contents(self.folder) == before, "a start that is refused changes nothing"
            return str(fault)
        return ""

    def rows(self, kind: Kind) -> Table:
        """The rows of a kind's sink."""
        return table_of(self.place(kind) / kind.sink, keyed=kind.keyed)

    def said_of(self, kind: Kind, said: str) -> list[str]:
        """The lines about a kind, with the kind's own table names."""
        names = {name for new in (False, True) for name in NAME.findall(text_of(kind, new, self.folder))}
        own = re.compile(rf"\b{prefix_of(kind.name)}_({'|'.join(names)})\b")
        return [own.sub(r"\1", line) for line in said.splitlines() if own.search(line)]


def grouped(kinds: Sequence[Kind]) -> list[Sequence[Kind]]:
    """Kinds in groups that run as one plan, of almost equal sizes."""
    count = -(-len(kinds) // TOGETHER)
    return [kinds[at * len(kinds) // count : (at + 1) * len(kinds) // count] for at in range(count)]


def run(spark: SparkSession, plan: CompiledPlan, checkpoint: Path, setting: Setting) -> None:
    """Run a plan until it has read the available rows."""
    options = RunOptions(
        checkpoint=str(checkpoint),
        available_now=True,
        host=setting.host,
        upgrade=setting.upgrade,
        warm_up=setting.warm_up,
    )
    with shuffle_partitions(spark, setting.partitions):
        Run(spark, plan, options, begin=partial(Start, guarded=setting.guarded)).execute()


def contents(folder: Path) -> dict[Path, bytes]:
    """All files below a folder."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@contextmanager
def shuffle_partitions(spark: SparkSession, partitions: int | None) -> Iterator[None]:
    """A session with a number of shuffle partitions set by the user."""
    if partitions is None:
        yield
        return
    before = spark.conf.get("spark.sql.shuffle.partitions")
    spark.conf.set(ASKED, str(partitions))
    spark.conf.set("spark.sql.shuffle.partitions", str(partitions))
    try:
        yield
    finally:
        spark.conf.unset(ASKED)
        spark.conf.set("spark.sql.shuffle.partitions", str(before))


def table_of(folder: Path, *, keyed: bool) -> Table:
    """The table that changes result in: the last row of each key (the first column), or all rows.

    Rows that were retracted more often than inserted come with `TAKEN` in front.
    """
    return table_from(_changes(folder), keyed=keyed)


def table_from(changes: Iterable[tuple[tuple[Any, ...], int]], *, keyed: bool) -> Table:
    """The same from rows with 1 if inserted and -1 if retracted, in their order."""
    if keyed:
        return sorted((row for row in _last(changes).values() if row is not None), key=str)
    counts = _sums(changes)
    taken = [(TAKEN, *row) for row, count in counts.items() for _ in range(-count)]
    return sorted([*counts.elements(), *taken], key=str)


def sums_of(folder: Path) -> Counter[tuple[Any, ...]]:
    """By row, the number of insertions less the number of retractions."""
    return _sums(_changes(folder))


def _sums(changes: Iterable[tuple[tuple[Any, ...], int]]) -> Counter[tuple[Any, ...]]:
    counts: Counter[tuple[Any, ...]] = Counter()
    for row, sign in changes:
        counts[row] += sign
    return counts


def last_of(folder: Path) -> dict[Any, tuple[Any, ...] | None]:
    """The last row of each key (the first column), None if it was retracted."""
    return _last(_changes(folder))


def _last(changes: Iterable[tuple[tuple[Any, ...], int]]) -> dict[Any, tuple[Any, ...] | None]:
    return {row[0]: row if sign > 0 else None for row, sign in changes}


def _changes(folder: Path) -> Iterator[tuple[tuple[Any, ...], int]]:
    """Rows with 1 if inserted and -1 if retracted, in their order."""
    files = sorted(folder.glob("part-*"), key=lambda path: (path.stat().st_mtime_ns, path.name))
    events = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    seen = {name for event in events for side in ("before", "after") for name in event[side] or ()}
    # A sink may have had other columns, and in another order.
    names = [name for name in COLUMNS if name in seen]
    for event in events:
        for side, sign in (("before", -1), ("after", 1)):
            if event[side] is not None:
                yield tuple(event[side].get(name) for name in names), sign
