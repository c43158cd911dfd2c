"""A run that is asked to end: by one signal, by more where that does not help.

What was sent is written down before it is sent: whoever looks after the run next sends nothing twice. A second SIGTERM
ends a run at once, and what it has not yet committed is done again at the next start.
"""

from __future__ import annotations

import signal
import time

from compiled_plan.service.runs.folders import RunFolder
from compiled_plan.service.runs.processes import signal_run

STOP = "stop.json"
#: Seconds over the time that the run gives itself before it is asked again, and then between one signal and the next.
_MARGIN = 15.0
_SIGNALS = (signal.SIGTERM, signal.SIGTERM, signal.SIGKILL)


def ask_to_stop(run: RunFolder, seconds: float, now: float | None = None) -> None:
    """Send the signal that is due, if any; called again and again while the run goes on.

    Args:
        run: that is to end.
        seconds: that it gives itself to end.
        now: the time in seconds since 1970; the clock's if left out.
    """
    at = time.time() if now is None else now
    asked = run.read(STOP) or {"at": at, "sent": 0}
    late = at - asked["at"] - seconds
    due = 1 if late < _MARGIN else 2 if late < 2 * _MARGIN else 3
    if asked["sent"] < due and signal_run(run, None):
        run.write(STOP, {**asked, "sent": asked["sent"] + 1})
        signal_run(run, _SIGNALS[asked["sent"]])


def was_asked(run: RunFolder) -> bool:
    """Whether the run was asked to end."""
    return asked_at(run) is not None


def asked_at(run: RunFolder) -> float | None:
    """When the run was asked to end, in seconds since 1970."""
    found = run.read(STOP)
    return None if found is None else float(found["at"])
