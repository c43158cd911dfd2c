"""Cost of a shadow run to the run beside it."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.bench.base import Line, Setting, measurement
from tests.bench.data import random_keys, sink, table, write
from tests.bench.harness import Batch, Watch, compile_plan, execute_plan

_KEYS, _SHARE, _GOAL = 100_000, 30, 0.9


@measurement("shadow")
def shadow(setting: Setting) -> Iterator[Line]:
    """Rows per second of a run that uses all cores, alone, and beside a shadow run with 30 % of the time."""
    files, rows = (30, 100_000) if setting.quick else (150, 500_000)
    data = write(setting.folder / "rows", [random_keys(rows, _KEYS, seed=at) for at in range(files)], setting.format)
    old, new = (_plan(setting.folder, data, name, where) for name, where in (("old", ""), ("new", "WHERE v > 9 ")))
    options = ("--available-now", "--max-files-per-batch", "1")
    alone = execute_plan(old, "--checkpoint", str(setting.folder / "alone"), *options).batches
    beside = _Shadow(new, setting.folder / "beside")
    batches = execute_plan(old, "--checkpoint", str(beside.checkpoint), *options, on_batch=beside.begin).batches
    lived = beside.end()
    # The first micro-batches run code that is not compiled yet.
    before, after = (_rate(some[len(some) // 3 :]) for some in (alone, batches))
    figure = f"{after:,.0f} rows/s, alone {before:,.0f}; the shadow {'ran to the end' if lived else 'ended before'}"
    met = lived and after >= _GOAL * before
    yield Line(f"run beside a shadow with --shadow-share {_SHARE}", figure, f">= {_GOAL:.0%}", met)


def _plan(folder: Path, data: Path, name: str, where: str) -> Path:
    program = table("r", data) + sink("k BIGINT, c BIGINT, s BIGINT")
    return compile_plan(f"{program}INSERT INTO done SELECT k, COUNT(*), SUM(v) FROM r {where}GROUP BY k;", folder, name)


def _rate(batches: Sequence[Batch]) -> float:
    seconds = sum(batch.seconds for batch in batches)
    return sum(batch.rows for batch in batches) / seconds if seconds else 0.0


@dataclass(slots=True)
class _Shadow:
    """A shadow run that begins with the first micro-batch of a run.

    Args:
        plan: the new plan.
        checkpoint: the checkpoint of the run.
    """

    plan: Path
    checkpoint: Path
    _process: subprocess.Popen[bytes] | None = field(default=None)

    def begin(self, watch: Watch) -> None:
        """Start it, unless it runs."""
        # The report of a micro-batch comes after its commit.
        if self._process is None:
            command = [sys.executable, "-m", "compiled_plan.cli.execute_plan", str(self.plan), "--master", "local[2]"]
            command += ["--checkpoint", str(self.checkpoint), "--shadow", "--for", "1h", "--shadow-share", str(_SHARE)]
            command += ["--max-files-per-batch", "1"]
            self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def end(self) -> bool:
        """Stop it; return True if it ran until now."""
        assert self._process is not None
        lives = self._process.poll() is None
        self._process.send_signal(signal.SIGINT)
        self._process.wait(timeout=300)
        return lives
