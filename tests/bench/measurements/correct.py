"""Cost of correcting a Delta table of very many keys, of which few differ."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tests.bench.base import Line, Setting, measurement
from tests.bench.data import each_key, random_keys, split, table, write, write_file
from tests.bench.harness import BenchError, compile_plan, execute_plan

_GOAL_SECONDS, _GOAL_PAUSE, _LARGEST_FILE, _DIFFERING = 60, 10, 1_000_000, 1_000
_SINK = """CREATE TABLE totals (k BIGINT, c BIGINT, s BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH (
  'connector' = 'delta', 'path' = '{path}', 'sink.create-table' = 'true', 'delta.enableDeletionVectors' = 'true');
"""
_QUERIES = {
    "as before": "SELECT k, COUNT(*), SUM(v) FROM r GROUP BY k",
    "a filter in front of the aggregate": f"SELECT k, COUNT(*), SUM(v) FROM r WHERE k >= {_DIFFERING} GROUP BY k",
    "a projection behind it": f"SELECT k, COUNT(*), SUM(v) + CASE WHEN k < {2 * _DIFFERING} THEN 1 ELSE 0 END FROM r "
    f"WHERE k >= {_DIFFERING} GROUP BY k",
}


@measurement("correct")
def correct(setting: Setting) -> Iterator[Line]:
    """Ten million keys with 1,000 that differ, twice, against a start that changes nothing (Spark 4.2 or 4.1)."""
    keys, program, _ = _program(setting, "totals")
    options = ("--checkpoint", str(setting.folder / "checkpoint"), "--available-now")
    plain = 0.0
    for number, (change, query) in enumerate(_QUERIES.items()):
        plan = compile_plan(f"{program}INSERT INTO totals {query};", setting.folder, f"plan-correct-{number}")
        if not number:
            execute_plan(plan, *options)
            plain = execute_plan(plan, *options).seconds
            continue
        seconds = execute_plan(plan, *options, "--upgrade", "correct").seconds - plain
        yield Line(
            f"{keys:,} keys, {_DIFFERING:,} differ, {change}",
            f"{seconds:.0f} s",
            f"<= {_GOAL_SECONDS} s",
            seconds <= _GOAL_SECONDS,
        )


@measurement("correct-beside")
def correct_beside(setting: Setting) -> Iterator[Line]:
    """The same change by a promoted shadow: from the signal to the old run up to the correction of the table.

    The old run reads further rows after the tables are compared.
    """
    keys, program, rows = _program(setting, "beside")
    old, new = (
        compile_plan(f"{program}INSERT INTO totals {query};", setting.folder, f"plan-beside-{number}")
        for number, query in enumerate(list(_QUERIES.values())[:2])
    )
    checkpoint = ("--checkpoint", str(setting.folder / "beside-checkpoint"))
    execute_plan(old, *checkpoint, "--available-now")
    running, begin = _started(old, *checkpoint), time.monotonic()
    shadow = _started(new, *checkpoint, "--shadow", "--promote", "--upgrade", "correct")
    try:
        _read_until(shadow, "stop the old run")
        compared = time.monotonic()
        write_file(rows / f"later.{setting.format}", random_keys(_DIFFERING, keys, seed=2))
        _read_until(shadow, f"{_DIFFERING} rows")
        ready = time.monotonic()
        running.send_signal(signal.SIGINT)
        corrected = json.loads(_read_until(shadow, '"event": "corrected"'))
        pause = time.monotonic() - ready
    finally:
        for process in (running, shadow):
            process.kill()
            process.wait()
    figure = f"{pause:.1f} s, {compared - begin:.0f} s beside the old run before; {corrected['text']}"
    yield Line(f"{keys:,} keys, pause of the output", figure, f"<= {_GOAL_PAUSE} s", pause <= _GOAL_PAUSE)


def _program(setting: Setting, name: str) -> tuple[int, str, Path]:
    """The number of keys, the tables, and the folder of the input."""
    keys = 1_000_000 if setting.quick else 10_000_000
    rows = split(each_key(keys, seed=1), max(keys // _LARGEST_FILE, 1))
    data = write(setting.folder / f"rows-{name}", rows, setting.format)
    return keys, table("r", data, ", 'source.monitor-interval' = '1s'") + _SINK.format(path=setting.folder / name), data


def _started(plan: Path, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "compiled_plan.cli.execute_plan", str(plan), "--json", "--master", "local[2]"]
    command += ["--trigger", "1s", *options]
    return subprocess.Popen(command, cwd=plan.parent, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def _read_until(process: subprocess.Popen[str], text: str) -> str:
    """The first line of a process on stderr with a text."""
    said = list[str]()
    assert process.stderr is not None
    for line in process.stderr:
        said.append(line)
        if text in line:
            return line
    raise BenchError("".join(said[-15:]))
