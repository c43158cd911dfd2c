"""The waiter of a run: start it and wait for its end, `python -m compiled_plan.service.runs.waiter FOLDER`.

It outlives the service that started it. It inherits the locks of the pipeline and of the checkpoint and passes them on
to the run, so that they are held while either lives. It imports little, since it stays in memory as long as the run.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from compiled_plan.service.runs.folders import COMMAND, EXIT, PROCESS, RunFolder
from compiled_plan.service.runs.output import CURRENT, rotate

#: The interval at which the length of the output is checked, in seconds.
_LOOK = 2.0


@dataclass(frozen=True, slots=True)
class Grace:
    """Timeouts for child processes of a run, such as a JVM, to end, in seconds.

    Args:
        own: after the end of the run.
        signalled: after a signal.
    """

    own: float = 10.0
    signalled: float = 5.0


def wait_for(folder: RunFolder, grace: Grace = Grace()) -> int:
    """Start the command of `command.json`, record its end, and return its exit code."""
    command = folder.read(COMMAND)
    assert command is not None
    locks = [int(descriptor) for descriptor in command.get("locks", ())]
    secrets = [] if command.get("secrets") is None else [int(command["secrets"])]
    with (folder.output / CURRENT).open("ab", buffering=0) as output:
        try:
            process = subprocess.Popen(
                command["argv"],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=command["cwd"],
                env={**os.environ, **command["environment"]},
                pass_fds=[*locks, *secrets],
                umask=command.get("umask", -1),
                start_new_session=True,
            )
        except OSError as fault:
            output.write(f"error: {command['argv'][0]}: {fault.strerror}\n".encode())
            _end(folder, 127, [])
            return 127
    for descriptor in secrets:
        os.close(descriptor)
    # Ignore signals: they are for the run, and the waiter has to record its end.
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    folder.write(PROCESS, {"pid": process.pid, "started": psutil.Process(process.pid).create_time(), "at": time.time()})
    while True:
        try:
            code = process.wait(_LOOK)
            break
        except subprocess.TimeoutExpired:
            with suppress(OSError):
                rotate(folder.output)
    _end(folder, code, _left(process.pid, grace))
    return code


def _members(group: int) -> list[int]:
    """The live processes of a group."""
    members = []
    for process in psutil.process_iter(["status"]):
        with suppress(OSError):
            if os.getpgid(process.pid) == group and process.info["status"] != psutil.STATUS_ZOMBIE:
                members.append(process.pid)
    return members


def _left(group: int, grace: Grace) -> list[int]:
    """End the remaining child processes of the run, which hold locks and ports of the next run, and return them."""
    remaining = _remaining(group, grace.own)
    if remaining:
        _signal(group, signal.SIGTERM)
        if _remaining(group, grace.signalled):
            _signal(group, signal.SIGKILL)
            _remaining(group, grace.signalled)
    return remaining


def _remaining(group: int, seconds: float) -> list[int]:
    """The processes of a group that still live after a timeout in seconds."""
    deadline = time.monotonic() + seconds
    while (members := _members(group)) and time.monotonic() < deadline:
        time.sleep(0.1)
    return members


def _signal(group: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.killpg(group, number)


def _end(folder: RunFolder, code: int, left: list[int]) -> None:
    ending: dict[str, object] = {"code": code, "at": time.time(), "left": left}
    folder.write(EXIT, ending)


def main() -> None:
    """Entry point of the module."""
    sys.exit(0 if wait_for(RunFolder(Path(sys.argv[1]))) == 0 else 1)


if __name__ == "__main__":
    main()
