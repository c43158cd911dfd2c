"""Takes savepoints and starts from them, in one JVM: a script for the Python of Flink's environment.

    FLINK/bin/python jobs.py < request.json

The request has `options` (Flink's, for all jobs) and `jobs`: a name, two plans, their time zones, and a folder
for savepoints. For each a line of JSON goes to stdout: `answer` and `why`.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from pyflink.java_gateway import get_gateway  # type: ignore[import-not-found]
from pyflink.table import EnvironmentSettings, TableEnvironment  # type: ignore[import-not-found]

_OVER = ("FAILED", "CANCELED", "FINISHED")
#: Time limits of a job until it runs, and of each answer, in seconds.
_STARTING, _ANSWERING = 20.0, 10
#: Seconds in which a job has read and stored the available rows.
_READING = 0.7
#: Meaning of parts of Flink's messages.
_MEANING = {
    "Cannot map checkpoint/savepoint state": "unclaimed",
    "StateMigrationException": "refused",
    "must not be incompatible": "refused",
}
_MORE = {
    "restart-strategy.type": "none",
    "execution.checkpointing.interval": "1 h",
    "taskmanager.memory.managed.size": "64 mb",
}
_PATH, _IGNORE = "execution.state-recovery.path", "execution.state-recovery.ignore-unclaimed-state"


class Failed(Exception):
    """A job did not run, or no savepoint of it could be taken."""


def main() -> None:
    """Answer the request on stdin."""
    request = json.load(sys.stdin)
    for job in request["jobs"]:
        try:
            answer, why = answered(request["options"], job)
        except Failed as fault:
            answer, why = "failed", str(fault)
        print(json.dumps({"name": job["name"], "answer": answer, "why": why}), flush=True)


def answered(options: dict[str, str], job: dict[str, Any]) -> tuple[str, str]:
    """Run the old plan, take a savepoint, start the new one."""
    old, new = job["plans"]
    place = savepoint_of(old, {**options, "table.local-time-zone": job["zones"][0]}, job["folder"])
    started = {**options, "table.local-time-zone": job["zones"][1], _PATH: place}
    answer, why = restored(new, started, job["folder"])
    if answer != "unclaimed":
        return answer, why
    answer, why = restored(new, {**started, _IGNORE: "true"}, job["folder"])
    return f"unclaimed, then {answer}", why


def restored(plan: str, options: dict[str, str], folder: str) -> tuple[str, str]:
    """The result of a start: accepted if a savepoint of the restored job can be taken."""
    try:
        savepoint_of(plan, options, folder)
    except Failed as fault:
        meaning = next((answer for text, answer in _MEANING.items() if text in str(fault)), None)
        if meaning is None:
            raise
        return meaning, str(fault)[-200:]
    return "accepted", ""


def savepoint_of(plan: str, options: dict[str, str], folder: str) -> str:
    """Run a plan until its savepoint is taken; returns the path."""
    jvm = get_gateway().jvm
    environment = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    for name, value in {**_MORE, **options}.items():
        environment.get_config().set(name, value)
    reference = jvm.org.apache.flink.table.api.PlanReference.fromJsonString(plan)
    client = None
    try:
        client = environment._j_tenv.loadPlan(reference).execute().getJobClient().get()
        return _taken(client, folder, jvm)
    except Failed:
        raise
    except Exception as fault:
        raise Failed(_said(fault)) from None
    finally:
        if client is not None:
            _end(client, jvm.java.util.concurrent.TimeUnit.SECONDS)


def _taken(client: Any, folder: str, jvm: Any) -> str:
    seconds = jvm.java.util.concurrent.TimeUnit.SECONDS
    form = jvm.org.apache.flink.core.execution.SavepointFormatType.CANONICAL
    result, fault = client.getJobExecutionResult(), "it does not run"
    deadline = time.monotonic() + _STARTING
    while time.monotonic() < deadline:
        try:
            status = str(client.getJobStatus().get(_ANSWERING, seconds))
            if status == "RUNNING":
                time.sleep(_READING)
                return str(client.triggerSavepoint(folder, form).get(_ANSWERING, seconds))
        except Exception as raised:
            fault = _said(raised)
        if result.isDone():
            break
        time.sleep(0.1)
    if result.isDone():
        # The reason, if the job is gone and cannot be queried.
        try:
            result.get(_ANSWERING, seconds)
        except Exception as raised:
            fault = _said(raised)
    raise Failed(fault)


def _end(client: Any, seconds: Any) -> None:
    """A failed job is gone already."""
    try:
        client.cancel().get(_ANSWERING, seconds)
        while str(client.getJobStatus().get(_ANSWERING, seconds)) not in _OVER:
            time.sleep(0.05)
    except Exception:
        return


def _said(fault: Exception) -> str:
    """All causes."""
    java, texts = getattr(fault, "java_exception", None), []
    while java is not None:
        texts.append(str(java.toString())[:600])
        java = java.getCause()
    return " | ".join(texts) or str(fault)


if __name__ == "__main__":
    main()
