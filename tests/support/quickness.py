"""The CPU time of a command, as a multiple of what the machine needs for a fixed amount of work."""

import os
import resource
import subprocess
import sys
from collections.abc import Sequence

#: Imports of libraries that every command needs: about 0.25 s where `compile-plan` takes 1.2 s.
REFERENCE = (sys.executable, "-c", "import pydantic, typer")


def seconds(command: Sequence[str]) -> tuple[float, subprocess.CompletedProcess[str]]:
    """Run a command that must succeed: its CPU time in seconds, and its output.

    Modules may be read from byte code: the commands that users start have it.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, result


def times_the_reference(command: Sequence[str], attempts: int = 5) -> tuple[float, subprocess.CompletedProcess[str]]:
    """Return the CPU time of a command in units of the reference's, and its last output: the least of some attempts.

    A limit in seconds would fail on a machine that is slow or shared.
    """
    references, commands = [], []
    for _ in range(attempts):
        references.append(seconds(REFERENCE)[0])
        spent, result = seconds(command)
        commands.append(spent)
    return min(spent / reference for spent, reference in zip(commands, references, strict=True)), result
