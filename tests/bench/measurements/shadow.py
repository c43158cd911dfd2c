"""Cost of a shadow run to the run beside it."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.bench.base import Line, Setting, measurement
from tests.bench.data import random_keys, sink, table, write
from tests.bench.harness import Batch, Watch, compile_plan, execute_plan

_KEYS, _SHARE, _GOAL = 100_000, 30, 0.7


@measurement("shadow")
def shadow(setting: Setting) -> Iterator[Line]:
    """Rows per second of a run alone, and beside a shadow run with 30 % of the time, once that one compares."""
    files, rows = (40, 100_000) if setting.quick else (150, 500_000)
    data = write(setting.folder / "rows", [random_keys(rows, _KEYS, seed=at) for at in range(files)], setting.format)
    old, new = (_plan(setting.folder, data, name, where) for name, where in (("old", ""), ("new", "WHERE v > 9 ")))
    options = ("--available-now", "--max-files-per-batch", "1")
    alone = execute_plan(old, "--checkpoint", str(setting.folder / "alone"), *options).batches
    beside = _Shadow(new, setting.folder / "beside")
    batches = execute_plan(old, "--checkpoint", str(beside.checkpoint), *options, on_batch=beside.begin).batches
    rounds = beside.end()
    compared = [batch for batch in batches if beside.compares_since and batch.at > beside.compares_since]
    # The first micro-batches run code that is not compiled yet.
    before, after = _rate(alone[len(alone) // 3 :]), _rate(compared)
    figure = f"{after:,.0f} rows/s, alone {before:,.0f}, {rounds} rounds over {len(compared)} of {files} micro-batches"
    yield Line(f"run beside a shadow with --shadow-share {_SHARE}", figure, f">= {_GOAL:.0%}", after >= _GOAL * before)


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
    compares_since: float = 0.0
    _rounds: int = 0
    _process: subprocess.Popen[str] | None = field(default=None)

    def begin(self, watch: Watch) -> None:
        """Start it, unless it runs."""
        # The report of a micro-batch comes after its commit.
        if self._process is None:
            command = [sys.executable, "-m", "compiled_plan.cli.execute_plan", str(self.plan), "--master", "local[2]"]
            command += ["--checkpoint", str(self.checkpoint), "--shadow", "--for", "1h", "--shadow-share", str(_SHARE)]
            # It follows the micro-batches of the run, one by one.
            command += ["--promote"]
            self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            threading.Thread(target=self._read, args=(self._process,), daemon=True).start()

    def _read(self, process: subprocess.Popen[str]) -> None:
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("round "):
                self._rounds += 1
                self.compares_since = self.compares_since or time.monotonic()

    def end(self) -> int:
        """Stop it; return the number of its rounds."""
        assert self._process is not None
        self._process.send_signal(signal.SIGINT)
        self._process.wait(timeout=300)
        return self._rounds
