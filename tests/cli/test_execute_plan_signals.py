"""Signals that end `execute-plan`: also if a task ignores interrupts, and on a second signal."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import threading
from pathlib import Path
from typing import Any, cast

import pytest

from compiled_plan.cli.common.running import Stop
from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.execution.run import Run
from tests.cli.test_execute_plan import COMMAND, PRINT, SMALL
from tests.support.waiting import wait_until

#: Runs forever on a regular expression that tries every way to cut the text into parts, and ignores interrupts. Without
#: the back-reference, Java would memoize failures.
ENDLESS = "REGEXP_REPLACE('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab', '(a|a|aa)+\\1c', name)"


def heeds_quit(process: str) -> bool:
    """Return True if a process handles SIGQUIT, which jstack sends; without a handler the signal kills it."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return False
    caught = next(int(line.split()[1], 16) for line in status.splitlines() if line.startswith("SigCgt:"))
    return bool(caught >> (signal.SIGQUIT - 1) & 1)


def stacks(java: str) -> str:
    """The stacks of a JVM's tasks; empty while it starts."""
    if not heeds_quit(java):
        return ""
    command = shutil.which("jstack") or str(Path(os.environ.get("JAVA_HOME", "/usr")) / "bin/jstack")
    dump = subprocess.run([command, java], capture_output=True, text=True, check=False).stdout
    # Task stacks only: Spark uses such expressions too while it starts.
    return "\n\n".join(part for part in dump.split("\n\n") if part.startswith('"Executor task launch'))


def running(process: subprocess.Popen[str]) -> list[str]:
    return subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True, check=False).stdout.split()


@pytest.mark.deep
@pytest.mark.spark
def test_a_task_that_ignores_interrupts_ends_with_the_process(tmp_path: Path) -> None:
    plan = tmp_path / "endless.json"
    program = PRINT + f"INSERT INTO lines SELECT id, {ENDLESS} FROM (VALUES (1, 'x')) AS t(id, name);"
    plan.write_text(TableEnvironment().compile_script(program).to_json())
    command = [*COMMAND, *SMALL, "--stop-within", "50ms", str(plan)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        wait_until(lambda: process.poll() is not None or any("Pattern$" in stacks(child) for child in running(process)))
        assert process.poll() is None, process.communicate()
        (java,) = running(process)
        process.send_signal(signal.SIGTERM)
        _, stderr = process.communicate(timeout=25)
    assert process.returncode == 143
    assert "the run did not stop within 0.05 s of SIGTERM: process ended" in stderr
    assert "Traceback" not in stderr
    wait_until(lambda: not Path(f"/proc/{java}").exists())


class _Ended(Exception):
    """Raised in place of the end of the process."""


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

    monkeypatch.setattr(os, "_exit", end)
    killed: list[bool] = []
    # This process has a session that other tests share.
    monkeypatch.setattr("compiled_plan.plans.execution.session.stopping.kill_spark", lambda: killed.append(True))
    stop = Stop("plan.json", 60.0)
    endless: Any = _Endless()
    with stop.heeded_by(cast(Run, endless)):
        os.kill(os.getpid(), signal.SIGINT)
        assert codes == []
        with pytest.raises(_Ended):
            os.kill(os.getpid(), signal.SIGTERM)
    assert codes == [130], "the signal that came first"
    assert killed, "Spark's process ends, too"
    assert stop.watch is not None, "time ends the process, too"
    stop.watch.cancel()
    assert "plan.json: SIGINT came again" in capfd.readouterr().err


def test_a_run_that_fails_as_its_spark_is_killed_ends_with_the_code_of_the_signal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    codes: list[int] = []
    killed, left = threading.Event(), threading.Event()

    class Run(_Endless):
        def remove_temporary(self) -> None:
            left.wait(0.3)  # as long as removing many files takes

    monkeypatch.setattr(os, "_exit", codes.append)
    monkeypatch.setattr("compiled_plan.plans.execution.session.stopping.kill_spark", killed.set)
    run: Any = Run()
    with pytest.raises(ConnectionError), Stop("plan.json", 0.01).heeded_by(run):
        os.kill(os.getpid(), signal.SIGTERM)
        assert killed.wait(20)
        raise ConnectionError("what a client of the killed JVM says")
    exit_codes = list(codes)
    left.set()
    assert exit_codes == [143], "the process has ended before what failed is told"


@pytest.mark.wide
@pytest.mark.spark
def test_a_dead_jvm_and_the_plans_that_did_not_run_are_named(tmp_path: Path) -> None:
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    source = "CREATE TABLE g (id BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '5');\n"
    sink = "CREATE TABLE o (id BIGINT) WITH ('connector' = 'blackhole');\n"
    first.write_text(TableEnvironment().compile_script(f"{source}{sink}INSERT INTO o SELECT id FROM g;").to_json())
    second.write_text(TableEnvironment().compile_script(f"{sink}INSERT INTO o VALUES (1);").to_json())
    command = [*COMMAND, *SMALL, "--keep-going", str(first), str(second)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        lines = [process.stderr.readline() for _ in range(2)]
        assert lines[1].startswith("batch "), [*lines, process.stderr.read()]
        (java,) = running(process)
        os.kill(int(java), signal.SIGKILL)
        rest = process.stderr.read()
    assert process.returncode == 1
    assert f"error: {first}: the JVM that Spark runs in ended" in rest, rest
    assert f"error: {second}: not run: the JVM ended" in rest
    assert "Traceback" not in rest
