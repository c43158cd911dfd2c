"""Commands with --warm: one process runs them, each as if in a process of its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.execution.session.kept import OWNER
from tests.cli.test_execute_plan import COMMAND, PRINT, SMALL
from tests.support.commands import ROOT, called, process
from tests.support.waiting import wait_until

INSPECT = (sys.executable, "-m", "compiled_plan.cli.inspect_state")

LINES = ["+I[1, a]", "+I[2, null]"]
GOOD = PRINT + "INSERT INTO lines VALUES (1, 'a'), (2, CAST(NULL AS STRING));"
FAILS = PRINT + "INSERT INTO lines SELECT CAST(n AS INT), n FROM (VALUES ('x')) AS t(n);"
ENDLESS = """CREATE TABLE numbers (id INT) WITH ('connector' = 'datagen', 'rows-per-second' = '20');
CREATE TABLE lines (id INT) WITH ('connector' = 'print');
INSERT INTO lines SELECT id FROM numbers;"""


class Warm:
    """Commands of a user with a private folder for warm processes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_RUNTIME_DIR": str(folder)}

    def plan(self, name: str, program: str) -> str:
        path = self.folder / name
        path.write_text(TableEnvironment().compile_script(program).to_json())
        return str(path)

    def begun(self, *arguments: str, warm: str = "5min") -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*COMMAND, *SMALL, "--warm", warm, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.folder,
            env=self.environment,
        )

    def run(self, *arguments: str, warm: str = "5min") -> tuple[int, list[str], str]:
        command = self.begun(*arguments, warm=warm)
        out, said = command.communicate(timeout=120)
        return command.returncode, out.splitlines(), said

    def pids(self) -> Sequence[int]:
        """The warm processes."""
        mine = f"XDG_RUNTIME_DIR={self.folder}\0".encode()
        pids = []
        for path in Path("/proc").iterdir():
            try:
                if b"cli.warm_server" in (path / "cmdline").read_bytes() and mine in (path / "environ").read_bytes():
                    pids.append(int(path.name))
            except OSError:
                continue
        return pids

    def visited(self, *streams: int, says: bytes) -> None:
        """Connect to the process without being a command."""
        with socket.socket(socket.AF_UNIX) as visitor:
            visitor.connect(str(self.folder / "compiled-plan" / "socket"))
            socket.send_fds(visitor, [b"\0"], streams)
            with suppress(OSError):
                visitor.sendall(says)


@pytest.fixture
def warm(tmp_path: Path) -> Iterator[Warm]:
    user = Warm(tmp_path)
    yield user
    for pid in user.pids():
        os.kill(pid, signal.SIGKILL)


@pytest.mark.wide
@pytest.mark.spark
def test_commands_share_a_process_and_no_state(warm: Warm) -> None:
    good, fails, endless = (
        warm.plan(name, text) for name, text in [("g.json", GOOD), ("f.json", FAILS), ("e.json", ENDLESS)]
    )
    code, out, said = warm.run(good)
    assert (code, out) == (0, LINES), said
    pids = warm.pids()
    assert len(pids) == 1
    warm.visited(says=b"")
    warm.visited(0, 1, 2, says=b"no JSON\n")
    warm.visited(0, 1, 2, says=b'{"no": "request"}\n')
    code, out, said = warm.run("--keep-going", fails, good, "-q")
    assert (code, out) == (1, LINES)
    assert said.startswith(f"error: {fails}: ")
    assert "Traceback" not in said
    code, out, said = warm.run("g.json", "--json")
    assert (code, out) == (0, LINES)
    assert all(line.startswith("{") for line in said.splitlines())
    assert warm.pids() == pids

    running = warm.begun(endless)
    assert running.stdout is not None
    assert running.stdout.readline().startswith("+I[")
    running.stdout.close()
    assert running.stderr is not None
    assert "nobody reads stdout any more" in running.stderr.read()
    assert running.wait(60) == 1
    assert warm.pids() == pids

    running = warm.begun(endless)
    assert running.stdout is not None
    assert running.stdout.readline().startswith("+I[")
    code, out, said = warm.run(good)
    assert (code, out) == (0, LINES)
    assert "is busy" in said
    code, _, said = warm.run(warm="0s")
    assert code == 1
    assert "runs a command" in said
    assert warm.pids() == pids
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "stopped after" in said
    # Leftovers of a stop end with the process.
    wait_until(lambda: not warm.pids())


@pytest.mark.deep
@pytest.mark.spark
def test_a_command_that_is_killed_ends_its_run(warm: Warm) -> None:
    running = warm.begun(warm.plan("endless.json", ENDLESS))
    assert running.stdout is not None
    assert running.stdout.readline().startswith("+I[")
    (pid,) = warm.pids()
    (java,) = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=True).stdout.split()
    running.kill()
    running.communicate()
    wait_until(lambda: not warm.pids() and not Path("/proc", java).exists())


@pytest.mark.deep
@pytest.mark.spark
def test_a_process_ends_on_request_on_a_mismatch_or_when_idle(warm: Warm) -> None:
    good = warm.plan("good.json", GOOD)
    assert warm.run(good)[:2] == (0, LINES)
    first = warm.pids()
    assert warm.run("--conf", "spark.sql.shuffle.partitions=3", good)[:2] == (0, LINES)
    wait_until(lambda: len(warm.pids()) == 1)
    assert warm.pids() != first
    assert warm.run(warm="0s") == (0, [], "")
    wait_until(lambda: not warm.pids())
    assert warm.run(good, warm="1s")[:2] == (0, LINES)
    wait_until(lambda: not warm.pids())
    assert warm.run(good)[:2] == (0, LINES), "the socket of a process that has ended is in nobody's way"


@pytest.mark.wide
@pytest.mark.slow
def test_errors_before_the_start_of_spark_are_unchanged(warm: Warm) -> None:
    code, out, said = warm.run("/nowhere.json")
    assert (code, out) == (1, [])
    assert said == called("execute_plan", "/nowhere.json").stderr
    wait_until(lambda: not warm.pids())
    assert warm.run("--checkpoint", "c", "a.json", "b.json")[0] == 2
    assert warm.run(warm="0s") == (0, [], "")


@pytest.mark.parametrize(("duration", "said"), [("soon", "soon"), ("2d", "the maximum is one day"), ("-1s", "-1s")])
def test_invalid_durations(duration: str, said: str) -> None:
    done = called("execute_plan", "plan.json", "--warm", duration)
    assert done.returncode == 2
    assert said in done.stderr


def test_a_folder_that_is_open_to_others_is_refused(tmp_path: Path) -> None:
    (tmp_path / "compiled-plan").mkdir(mode=0o755)
    done = process("execute_plan", "plan.json", "--warm", "1min", XDG_RUNTIME_DIR=str(tmp_path))
    assert done.returncode == 1
    assert "compiled-plan is not a private folder of this user" in done.stderr


@pytest.mark.wide
@pytest.mark.spark
def test_state_is_inspected_in_the_process(warm: Warm) -> None:
    program = PRINT + "INSERT INTO lines SELECT COUNT(*), name FROM (VALUES ('a'), ('b')) AS t(name) GROUP BY name;"
    plan = warm.plan("counts.json", program.replace("COUNT(*)", "CAST(COUNT(*) AS INT)"))
    code, _, said = warm.run(plan, "--checkpoint", str(warm.folder / "checkpoint"))
    assert code == 0, said
    pids = warm.pids()
    inspect = [*INSPECT, *SMALL, "--warm", "5min", str(warm.folder / "checkpoint"), "--json"]
    progress = warm.folder / "progress.json"
    shown = subprocess.run(
        [*inspect, "--progress-file", str(progress)],
        capture_output=True,
        text=True,
        cwd=warm.folder,
        env=warm.environment,
        check=False,
    )
    assert shown.returncode == 0, shown.stderr
    assert '"keys": 2' in shown.stdout
    assert warm.pids() == pids


@pytest.mark.slow
def test_a_process_ends_with_its_owner(tmp_path: Path) -> None:
    serve = "import sys; from compiled_plan.cli.warm_server import main; main(*sys.argv[1:])"
    owner = subprocess.Popen(["sleep", "600"])
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        listening.listen()
        command = [sys.executable, "-c", serve, str(listening.fileno()), "key"]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), OWNER: str(owner.pid)}
        warm = subprocess.Popen(command, env=environment, pass_fds=[listening.fileno()])
    try:
        owner.kill()
        owner.wait()
        # Without an owner it would wait for 10 s.
        assert warm.wait(5) == 0
    finally:
        warm.kill()
        owner.kill()
