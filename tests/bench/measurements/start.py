"""Duration of a small plan as a whole process."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from statistics import median

from tests.bench.base import Line, Setting, measurement
from tests.bench.data import each_key, sink, table, write
from tests.bench.harness import ROOT, BenchError, compile_plan

_COMMAND = ("-m", "compiled_plan.cli.execute_plan")
_ROWS = 4_000
_GOAL = 1.0
#: PySpark as installed, with no setting but the master.
_BARE = """
from pyspark.sql import SparkSession
session = SparkSession.builder.master("local[2]").getOrCreate()
assert session.range(10).count() == 10
session.stop()
"""
_PROGRAMS = {
    "stateless": ("k BIGINT, v BIGINT", "SELECT k, v + 1 FROM l WHERE v > 10"),
    "aggregate": ("k BIGINT, c BIGINT, s BIGINT", "SELECT k, COUNT(*), SUM(v) FROM l GROUP BY k"),
    "join": ("k BIGINT, a BIGINT, b BIGINT", "SELECT l.k, l.v, r.v FROM l JOIN r ON l.k = r.k"),
}
_WARM = ("--warm", "10min")
#: Variants of a run: the class archive, and options.
_WAYS: dict[str, tuple[str, tuple[str, ...]]] = {
    "": ("use", ()),
    ", no class archive": ("off", ()),
    ", --warm": ("use", _WARM),
}


@measurement("start")
def start(setting: Setting) -> Iterator[Line]:
    """Plans over 4,000 rows, each as a process with a checkpoint of its own, beside PySpark that counts ten rows."""
    plans = {name: _plan(setting, name) for name in _PROGRAMS}
    _seconds("-m", "tools.keep_classes")
    numbers = count(1)

    def run(plan: Path, classes: str, options: tuple[str, ...]) -> float:
        checkpoint = setting.folder / f"checkpoint-{next(numbers)}"
        command = (*_COMMAND, str(plan), "--master", "local[2]", "--quiet", *options)
        return _seconds(*command, "--checkpoint", str(checkpoint), classes=classes)

    run(plans["stateless"], *_WAYS[", --warm"])
    bare: list[float] = []
    ours: dict[str, list[float]] = {name + more: [] for more in _WAYS for name in plans}
    try:
        for _ in range(setting.runs):
            bare.append(_seconds("-c", _BARE))
            for more, way in _WAYS.items():
                for name, plan in plans.items():
                    ours[name + more].append(run(plan, *way))
    finally:
        _seconds(*_COMMAND, "--warm", "0s")
    yield Line("PySpark that starts, counts ten rows and stops", f"{median(bare):.1f} s")
    for name, seconds in ours.items():
        ratio = median(ours / theirs for ours, theirs in zip(seconds, bare, strict=True))
        what, figure = f"{name}, execute-plan / PySpark", f"{ratio:.2f} ({median(seconds):.1f} s)"
        yield Line(what, figure, f"<= {_GOAL}", ratio <= _GOAL) if name in plans else Line(what, figure)


def _plan(setting: Setting, name: str) -> Path:
    tables = "".join(
        table(side, write(setting.folder / side, [each_key(_ROWS, seed=at)], setting.format))
        for at, side in enumerate("lr")
    )
    columns, query = _PROGRAMS[name]
    return compile_plan(f"{tables}{sink(columns)}INSERT INTO done {query};", setting.folder, name)


def _seconds(*arguments: str, classes: str = "keep") -> float:
    """Duration of a Python process; its JVM, which ends by itself, is not waited for."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COMPILED_PLAN_CLASSES": classes}
    began = time.monotonic()
    nowhere = subprocess.DEVNULL
    done = subprocess.run([sys.executable, *arguments], cwd=ROOT, env=environment, stdout=nowhere, stderr=nowhere)
    if done.returncode:
        raise BenchError(f"{' '.join(arguments)} ended with {done.returncode}")
    return time.monotonic() - began
