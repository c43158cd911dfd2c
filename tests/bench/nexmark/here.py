"""Plans run by `execute-plan`, one after another in one Spark session."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.bench.harness import ROOT, BenchError, PeakMemory
from tests.bench.nexmark.times import Times


def run_plans(plans: Sequence[Path], *options: str, environment: Mapping[str, str] | None = None) -> Times:
    """The times of each plan, from its submission to Spark to its end; without the start of Spark.

    Args:
        plans: files of plans.
        options: of `execute-plan`.
        environment: additional variables of the process.

    Raises:
        BenchError: a plan failed.
    """
    command = [
        sys.executable,
        "-m",
        "compiled_plan.cli.execute_plan",
        *map(str, plans),
        "--json",
        "--master",
        "local[2]",
        *options,
    ]
    process = subprocess.Popen(
        command,
        cwd=plans[0].parent,
        env={**os.environ, "PYTHONPATH": str(ROOT), **(environment or {})},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    seconds, start, said = [], 0.0, []
    try:
        with PeakMemory(process.pid) as peak:
            for line in process.stderr:
                said.append(line)
                event = _event(line)
                if event == "start":
                    start = time.monotonic()
                elif event == "end":
                    seconds.append(time.monotonic() - start)
            code = process.wait()
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait()
    if code or len(seconds) != len(plans):
        raise BenchError("".join(line for line in said if not line.startswith("{"))[-2000:].strip())
    return Times(tuple(seconds), peak.megabytes)


def _event(line: str) -> object:
    try:
        message = json.loads(line)
    except ValueError:
        return None
    return message.get("event") if isinstance(message, dict) else None
