"""The process that waits for the end of a run."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import psutil
import pytest

from compiled_plan.service.runs import waiter
from compiled_plan.service.runs.folders import COMMAND, EXIT, RunFolder, new_run

#: Ends at once, and leaves a process that ignores every signal it can.
LEAVES = """
import subprocess, sys
child = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('here', flush=True); time.sleep(99)"
process = subprocess.Popen([sys.executable, "-c", child], stdout=subprocess.PIPE)
process.stdout.readline()
print(process.pid, flush=True)
sys.exit(3)
"""


def run_of(folder: Path, *argv: str) -> RunFolder:
    run = new_run(folder)
    run.write(COMMAND, {"argv": argv, "cwd": str(folder), "environment": {"SOME": "thing"}})
    return run


@pytest.fixture
def signals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Restore this process's signal handlers."""
    monkeypatch.setattr(waiter.signal, "signal", lambda number, handler: None)


@pytest.mark.usefixtures("signals")
def test_processes_left_by_a_run_are_killed(tmp_path: Path) -> None:
    run = run_of(tmp_path, sys.executable, "-c", LEAVES)
    assert waiter.wait_for(run, waiter.Grace(own=0.3, signalled=0.3)) == 3
    pid = int((run.output / "current").read_text())
    assert (run.read(EXIT) or {})["left"] == [pid]
    assert not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


@pytest.mark.usefixtures("signals")
def test_the_exit_of_a_run_is_recorded(tmp_path: Path) -> None:
    killed = "import os; print(os.environ['SOME'], os.getcwd(), flush=True); os.kill(os.getpid(), 9)"
    run = run_of(tmp_path, sys.executable, "-c", killed)
    assert waiter.wait_for(run) == -9
    ended = run.read(EXIT) or {}
    assert (ended["code"], ended["left"]) == (-9, [])
    assert (run.output / "current").read_text() == f"thing {tmp_path}\n"
    missing = run_of(tmp_path, os.fspath(tmp_path / "none"))
    assert waiter.wait_for(missing) == 127
    assert "No such file" in (missing.output / "current").read_text()
