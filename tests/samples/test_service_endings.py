"""`make demo-service` ended in every way: no process and no lock is left, or the next start names it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from compiled_plan.service.runs.processes import LOCK, is_taken
from tests.service.test_administration import processes_of, waiter_of
from tests.support.service import ending_runs
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.wide, pytest.mark.slow]

#: `plan-service` with one sample and a stand-in for `execute-plan`.
_COMMAND = """#!/bin/sh
case $1 in
serve) exec {python} -m tests.support.fake_service "$3" --tokens --data data --data out ;;
sync)
  mkdir one && cp -r pipelines/live-orders one && shift 2
  exec {python} -m compiled_plan.service.main sync one "$@" ;;
*) exec {python} -m compiled_plan.service.main "$@" ;;
esac
"""


class Demo:
    """A started demo.

    Args:
        root: the repository.
        bin_: the folder of its commands.
    """

    def __init__(self, root: Path, bin_: Path) -> None:
        self.home = root / "build/demo_service/home"
        command = ["make", "-o", "kernel", "-o", "classes", f"BIN={bin_}", "demo-service"]
        variables = {**os.environ, "DEMO_PORT": "0", "DEMO_ROWS": "100", "PYTHONPATH": str(root)}
        self.make = subprocess.Popen(
            command,
            cwd=root,
            env=variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            preexec_fn=_heed_signals,
        )
        assert self.make.stdout is not None
        self.lines: list[str] = []
        for line in self.make.stdout:
            self.lines.append(line)
            if line.startswith("Press Ctrl-C"):
                break
        else:
            raise AssertionError("".join(self.lines))
        # The start is answered before the waiter has started the process.
        wait_until(lambda: any(self.home.glob("runs/*/1/process.json")), "the process of the run")

    @property
    def script(self) -> psutil.Process:
        make = psutil.Process(self.make.pid)
        return next(process for process in make.children() if "bash" in process.name())

    @property
    def service(self) -> int:
        return int(json.loads((self.home / "service.json").read_text())["pid"])

    @property
    def run(self) -> int:
        return int(json.loads(next(self.home.glob("runs/*/1/process.json")).read_text())["pid"])

    def assert_nothing_is_left(self) -> None:
        wait_until(lambda: not processes_of(self.home), "the end of all processes")
        assert not [path for path in (*self.home.glob(f"runs/*/{LOCK}"), *self.home.glob("locks/*")) if is_taken(path)]


def _heed_signals() -> None:
    """Reset signals that the runner of the tests may ignore, such as `nohup`: a script cannot trap them."""
    for number in (signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)


@pytest.fixture
def bin_(tmp_path: Path) -> Path:
    (tmp_path / "python").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (tmp_path / "plan-service").write_text(_COMMAND.format(python=sys.executable))
    for path in tmp_path.iterdir():
        path.chmod(0o700)
    return tmp_path


@pytest.fixture
def demo(root: Path, bin_: Path) -> Iterator[Demo]:
    shutil.rmtree(root / "build/demo_service", ignore_errors=True)
    demo = Demo(root, bin_)
    service = demo.service
    with ending_runs(demo.home):
        yield demo
    for pid in (service, demo.make.pid):
        if psutil.pid_exists(pid):
            os.kill(pid, signal.SIGKILL)
    demo.make.wait(30)


def end(demo: Demo, way: str) -> None:
    """End one process, or send a signal that a terminal sends to make and the script."""
    name, _, what = way.partition(" ")
    if what == "terminal":
        os.killpg(demo.make.pid, signal.Signals[name])
        return
    pids: dict[str, Any] = {"make": demo.make.pid, "script": demo.script.pid, "service": demo.service, "run": demo.run}
    os.kill(pids[what], signal.Signals[name])


@pytest.mark.parametrize(
    "way",
    [
        *("SIGHUP terminal", "SIGINT terminal", "SIGTERM make", "SIGHUP script", "SIGINT script", "SIGTERM script"),
        *("SIGTERM service", "SIGHUP service", "SIGKILL service"),
    ],
)
def test_an_end_leaves_nothing(demo: Demo, way: str) -> None:
    run = demo.run
    end(demo, way)
    demo.assert_nothing_is_left()
    assert not psutil.pid_exists(run)


@pytest.mark.parametrize("what", ["make", "script"])
def test_the_next_start_names_what_a_killed_process_left(demo: Demo, what: str, root: Path, bin_: Path) -> None:
    service, run, begun = demo.service, demo.run, (demo.home / "service.db").stat().st_ino
    end(demo, f"SIGKILL {what}")
    with pytest.raises(AssertionError) as refused:
        Demo(root, bin_)
    said = str(refused.value)
    assert f"pid {service}" in said and f"pid {run}" in said and "plan-service stop-all --home" in said
    assert (demo.home / "service.db").stat().st_ino == begun
    os.kill(service, signal.SIGTERM)
    subprocess.run([bin_ / "plan-service", "stop-all", "--home", demo.home], check=True, timeout=120)
    demo.assert_nothing_is_left()


def test_a_killed_waiter_or_run_is_ended_with_the_demo(demo: Demo) -> None:
    waiter_of(demo.home).kill()
    end(demo, "SIGTERM make")
    demo.assert_nothing_is_left()
