"""Commands that end when their parent closes their stdin."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from compiled_plan.commands.console import ExitCode
from compiled_plan.commands.tied import TIED


@pytest.mark.parametrize(("tied", "code"), [(True, ExitCode.FAILED), (False, ExitCode.OK)])
def test_the_end_of_stdin(tied: bool, code: int) -> None:
    seconds = 600 if tied else 0.5
    program = (
        "import time\nfrom compiled_plan.commands.tied import end_with_stdin\nend_with_stdin()\n"
        f"print('ready', flush=True)\ntime.sleep({seconds})"
    )
    environment = {**os.environ, TIED: "1"} if tied else os.environ
    command = (sys.executable, "-c", program)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None and process.stdin is not None
        process.stdout.readline()
        process.stdin.close()
        assert process.wait(60) == code
