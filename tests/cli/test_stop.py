"""Signals that end execute-plan: also where a task heeds no interrupt, and where it is told twice."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from cli import execute_plan
from cli.execute_plan import _Stop
from planner.environment import TableEnvironment
from plans.execution.run import Run
from tests.cli.test_execute_plan import COMMAND, PRINT, SMALL

SECONDS_TO_WAIT = 120
#: Takes a regular expression for ever that tries every way to cut the text into parts; it heeds no interrupt. Without
#: the reference to its group, Java would remember where it has failed.
ENDLESS = "REGEXP_REPLACE('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab', '(a|a|aa)+\\1c', name)"


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS_TO_WAIT
    while not holds():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.1)


def stacks(java: str) -> str:
    command = shutil.which("jstack") or str(Path(os.environ.get("JAVA_HOME", "/usr")) / "bin/jstack")
    found = subprocess.run([command, java], capture_output=True, text=True, check=False).stdout
    # Only those of tasks: Spark uses such expressions, too, while it starts.
    return "\n\n".join(part for part in found.split("\n\n") if part.startswith('"Executor task launch'))


def running(process: subprocess.Popen[str]) -> list[str]:
    return subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True, check=False).stdout.split()


@pytest.mark.spark
def test_a_task_that_heeds_no_interrupt_ends_with_the_process(tmp_path: Path) -> None:
    plan = tmp_path / "endless.json"
    program = PRINT + f"INSERT INTO lines SELECT id, {ENDLESS} FROM (VALUES (1, 'x')) AS t(id, name);"
    plan.write_text(TableEnvironment().compile_script(program).to_json())
    command = [*COMMAND, *SMALL, "--stop-within", "50ms", str(plan)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        wait_until(lambda: process.poll() is not None or any("Pattern$" in stacks(child) for child in running(process)))
        assert process.poll() is None, process.communicate()
        (java,) = running(process)
        process.send_signal(signal.SIGTERM)
        _, told = process.communicate(timeout=25)
    assert process.returncode == 143
    assert "the run goes on, 0.05 s after SIGTERM: ended with its process" in told
    assert "Traceback" not in told
    wait_until(lambda: not Path(f"/proc/{java}").exists())


class _Ended(Exception):
    """Instead of the end of the process."""


class _Endless:
    def stop(self) -> None:
        pass

    def remove_temporary(self) -> None:
        pass


def test_a_second_signal_ends_the_process_at_once(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    codes: list[int] = []

    def end(code: int) -> None:
        codes.append(code)
        raise _Ended

    monkeypatch.setattr(execute_plan.os, "_exit", end)
    stop = _Stop("plan.json", 60.0)
    endless: Any = _Endless()
    with stop.heeded_by(cast(Run, endless)):
        os.kill(os.getpid(), signal.SIGINT)
        assert codes == []
        with pytest.raises(_Ended):
            os.kill(os.getpid(), signal.SIGTERM)
    assert codes == [130], "the signal that came first"
    assert stop.watch is not None, "time ends the process, too"
    stop.watch.cancel()
    assert "plan.json: SIGINT came again" in capfd.readouterr().err
