"""Signals that end a run."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from compiled_plan.service.runs.folders import PROCESS, RunFolder, new_run
from compiled_plan.service.runs.processes import STOP, is_stop_requested, request_stop, stop_requested_at

STUBBORN = """
import signal, sys, time
for number in (signal.SIGTERM,):
    signal.signal(number, lambda number, frame: print("asked", flush=True))
print("here", flush=True)
while True:
    time.sleep(0.05)
"""


@pytest.fixture
def stubborn(tmp_path: Path) -> Iterator[tuple[RunFolder, subprocess.Popen[str]]]:
    """A run that reports a request to stop, and continues."""
    process = subprocess.Popen([sys.executable, "-c", STUBBORN], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "here\n"
    run = new_run(tmp_path)
    run.write(PROCESS, {"pid": process.pid, "started": psutil.Process(process.pid).create_time(), "at": time.time()})
    yield run, process
    process.kill()
    process.wait()
    process.stdout.close()


def test_a_run_gets_two_stop_signals_before_it_is_killed(
    stubborn: tuple[RunFolder, subprocess.Popen[str]],
) -> None:
    run, process = stubborn
    assert process.stdout is not None and not is_stop_requested(run)
    for after in (0, 1, 44):
        request_stop(run, 30, 1000.0 + after)
        assert (run.read(STOP) or {})["sent"] == 1
    assert process.stdout.readline() == "asked\n"
    for after in (46, 50):
        request_stop(run, 30, 1000.0 + after)
    assert process.stdout.readline() == "asked\n"
    assert (stop_requested_at(run), process.poll()) == (1000.0, None)
    request_stop(run, 30, 1000.0 + 61)
    assert process.wait(10) == -signal.SIGKILL
    assert process.stdout.read() == ""


def test_a_signal_is_not_repeated_after_a_restart_of_the_service(
    stubborn: tuple[RunFolder, subprocess.Popen[str]],
) -> None:
    run, process = stubborn
    run.write(STOP, {"at": 1000.0, "sent": 1})
    request_stop(run, 30, 1010.0)
    request_stop(run, 30, 1050.0)
    assert process.stdout is not None
    assert process.stdout.readline() == "asked\n"
    process.kill()
    assert process.stdout.read() == ""


def test_a_process_that_has_not_started_yet_is_signalled_later(tmp_path: Path) -> None:
    run = new_run(tmp_path)
    request_stop(run, 30)
    assert not is_stop_requested(run)
