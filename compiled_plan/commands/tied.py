"""Commands that end with the process that started them, however it ends."""

from __future__ import annotations

import os
import select
import sys
import threading

from compiled_plan.commands.console import ExitCode

#: The environment variable of commands whose stdin is a pipe that closes with their parent.
TIED = "COMPILED_PLAN_TIED"


def end_with_stdin() -> None:
    """End this process at once when its stdin closes, if its parent has set `TIED`."""
    if TIED in os.environ:
        threading.Thread(target=_wait, name="stdin", daemon=True).start()


def _wait() -> None:
    poll = select.poll()
    poll.register(0, 0)  # Only the hang-up, which needs no event.
    poll.poll()
    if "pyspark" in sys.modules:
        from compiled_plan.plans.execution.session.stopping import kill_spark

        kill_spark()
    os._exit(ExitCode.FAILED)
