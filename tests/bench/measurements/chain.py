"""Chained stateful operators."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from statistics import median

import numpy as np

from tests.bench.base import Line, Setting, measurement
from tests.bench.data import Columns, sink, table, write
from tests.bench.harness import Execution, alternate, compile_plan, execute_plan, native

_ROWS, _KEYS, _GROUPS = 10_000, 10_000, 1_000
_FIRST = """CREATE TEMPORARY VIEW e AS SELECT id, k, v FROM
(SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY arrived) AS n FROM events) WHERE n = 1;
"""
_QUERIES = (
    ("deduplicate", "id BIGINT, k BIGINT, v BIGINT", "SELECT id, k, v FROM e"),
    ("join", "id BIGINT, v BIGINT, g BIGINT", "SELECT id, v, g FROM e JOIN memberships ON e.k = memberships.k"),
    (
        "aggregate",
        "g BIGINT, c BIGINT, s BIGINT",
        "SELECT g, COUNT(*), SUM(v) FROM e JOIN memberships ON e.k = memberships.k GROUP BY g",
    ),
)


@measurement("chain")
def chain(setting: Setting) -> Iterator[Line]:
    """Deduplicate, then join, then aggregate, 10,000 rows a micro-batch, against the same with Spark's operators."""
    count = 8 if setting.quick else 20
    events = write(setting.folder / "events", [_events(seed) for seed in range(count)], setting.format)
    keys = np.arange(_KEYS, dtype=np.int64)
    groups = write(setting.folder / "groups", [{"k": keys, "g": keys % _GROUPS}], setting.format)
    before = (0.0, 0.0)
    for depth, (name, columns, query) in enumerate(_QUERIES, start=1):
        plan = _plan(setting.folder, name, events, groups, columns, query)
        pair = alternate(
            setting.runs,
            lambda plan=plan: execute_plan(plan, "--max-files-per-batch", "1"),  # type: ignore[misc]
            lambda depth=depth: native("chain", setting.folder, str(depth), str(events), str(groups)),  # type: ignore[misc]
        )
        ours, theirs = (median(map(_warm, runs)) for runs in (pair.ours, pair.theirs))
        figure = f"{theirs / ours:.2f} ({ours:.2f} s, by hand {theirs:.2f} s)"
        yield Line(f"chain of {depth}, a micro-batch, by hand / execute-plan", figure)
        if depth > 1:
            yield Line(f"what {name} adds", f"{ours - before[0]:+.2f} s (by hand {theirs - before[1]:+.2f} s)")
        before = (ours, theirs)


def _warm(run: Execution) -> float:
    """The median micro-batch, without the first ones."""
    return median(batch.seconds for batch in run.batches[3:])


def _events(seed: int) -> Columns:
    chance = np.random.default_rng(seed)
    return {
        "id": chance.integers(seed * _ROWS // 2, (seed + 2) * _ROWS // 2, _ROWS),
        "k": chance.integers(0, _KEYS, _ROWS),
        "v": chance.integers(0, 1000, _ROWS),
    }


def _plan(folder: Path, name: str, events: Path, groups: Path, columns: str, query: str) -> Path:
    source = table("events", events, columns="id BIGINT, k BIGINT, v BIGINT, arrived AS PROCTIME()")
    second = table("memberships", groups, columns="k BIGINT, g BIGINT")
    return compile_plan(f"{source}{second}{sink(columns)}{_FIRST}INSERT INTO done {query};", folder, name)
