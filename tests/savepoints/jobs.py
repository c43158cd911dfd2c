"""Stops jobs with savepoints and runs them without a stop, in one JVM: a script for the Python of Flink's environment.

    FLINK/bin/python jobs.py < request.json

The request is a list of jobs: `name`, `options` (Flink's), maybe `whole` (a plan that ends by itself), and either
`stopped` (a plan whose sources stay open), `rows` (their number), `folder` and `form` (of the savepoint: CANONICAL,
NATIVE, or CHECKPOINT for a retained one); or `restored` (a plan that ends) and the `savepoint` that it continues. For
each a line of JSON goes to stdout: `name`, `savepoint`, `fault`.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from pyflink.java_gateway import get_gateway  # type: ignore[import-not-found]
from pyflink.table import EnvironmentSettings, TableEnvironment  # type: ignore[import-not-found]

#: Time limit of each step of a job, and the time without a row after which its sources have no more, in seconds.
_LIMIT, _QUIET = 60, 0.5
_OPTIONS = {
    "parallelism.default": "1",
    "table.local-time-zone": "UTC",
    "restart-strategy.type": "none",
    "taskmanager.memory.managed.size": "64 mb",
    # Sources are vertices of their own, whose rows the REST API counts.
    "pipeline.operator-chaining.enabled": "false",
    "metrics.fetcher.update-interval": "100 ms",
}
_CHECKPOINTS = {
    "execution.checkpointing.interval": "1 h",
    "execution.checkpointing.incremental": "true",
    "execution.checkpointing.storage": "filesystem",
    "execution.checkpointing.externalized-checkpoint-retention": "RETAIN_ON_CANCELLATION",
}
_RETAINED = "CHECKPOINT"


def main() -> None:
    """Answer the request on stdin."""
    for job in json.load(sys.stdin):
        answer = {"name": job["name"], "savepoint": "", "fault": ""}
        try:
            if "restored" in job:
                restored = {**job["options"], "execution.state-recovery.path": job["savepoint"]}
                _executed(job["restored"], restored).getJobExecutionResult().get(_LIMIT, _seconds())
            else:
                answer["savepoint"] = _stopped(job)
            if "whole" in job:
                _executed(job["whole"], job["options"]).getJobExecutionResult().get(_LIMIT, _seconds())
        except Exception as fault:
            answer["fault"] = _message(fault)
        print(json.dumps(answer), flush=True)


def _stopped(job: dict[str, Any]) -> str:
    """Run a job until its sources have emitted all rows, then stop it; returns the path of its savepoint."""
    folder, form = job["folder"], job["form"]
    retained = {**_CHECKPOINTS, "execution.checkpointing.dir": Path(folder).as_uri()} if form == _RETAINED else {}
    client = _executed(job["stopped"], {**job["options"], **retained})
    try:
        cluster = _field(client, "miniCluster")
        address = cluster.getRestAddress().get(_LIMIT, _seconds()).toString()
        url = f"{address}/jobs/{client.getJobID().toString()}"
        _await(lambda: _runs(url), "not all operators run")
        _await(lambda: _emitted(url) >= job["rows"], f"the sources have not emitted {job['rows']} rows")
        _await_quiet(url)
        runtime = get_gateway().jvm.org.apache.flink
        if form == _RETAINED:
            kind = runtime.core.execution.CheckpointType.CONFIGURED
            # The second one refers to files of the first.
            for _ in range(2):
                number = cluster.triggerCheckpoint(client.getJobID(), kind).get(_LIMIT, _seconds())
            _await(lambda: not list(Path(job["sinks"]).rglob(".part*")), "the sinks have not committed")
            return str(Path(folder) / client.getJobID().toString() / f"chk-{number}")
        kind = getattr(runtime.core.execution.SavepointFormatType, form)
        return str(client.stopWithSavepoint(False, folder, kind).get(_LIMIT, _seconds()))
    finally:
        _end(client)


def _executed(plan: str, options: dict[str, str]) -> Any:
    environment = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    for name, value in {**_OPTIONS, **options}.items():
        environment.get_config().set(name, value)
    reference = get_gateway().jvm.org.apache.flink.table.api.PlanReference.fromJsonString(plan)
    return environment._j_tenv.loadPlan(reference).execute().getJobClient().get()


def _runs(url: str) -> bool:
    return all(vertex["status"] == "RUNNING" for vertex in _vertices(url))


def _emitted(url: str) -> int:
    """The number of rows that the sources have emitted; a row that goes to two operators counts twice."""
    return sum(one["metrics"]["write-records"] for one in _vertices(url) if one["name"].startswith("Source: "))


def _vertices(url: str) -> list[dict[str, Any]]:
    with urlopen(url, timeout=_LIMIT) as answer:
        vertices: list[dict[str, Any]] = json.load(answer)["vertices"]
    return vertices


def _await(condition: Callable[[], bool], fault: str) -> None:
    deadline = time.monotonic() + _LIMIT
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(fault)
        time.sleep(0.05)


def _await_quiet(url: str) -> None:
    rows, since = _emitted(url), time.monotonic()
    while time.monotonic() < since + _QUIET:
        time.sleep(0.1)
        if (now := _emitted(url)) != rows:
            rows, since = now, time.monotonic()


def _end(client: Any) -> None:
    """Cancel a job that has not ended."""
    try:
        if not client.getJobStatus().get(_LIMIT, _seconds()).isGloballyTerminalState():
            client.cancel().get(_LIMIT, _seconds())
    except Exception:
        # The cluster of an ended job is gone.
        return


def _field(owner: Any, name: str) -> Any:
    field = owner.getClass().getDeclaredField(name)
    field.setAccessible(True)
    return field.get(owner)


def _seconds() -> Any:
    return get_gateway().jvm.java.util.concurrent.TimeUnit.SECONDS


def _message(fault: Exception) -> str:
    java, texts = getattr(fault, "java_exception", None), []
    while java is not None:
        texts.append(str(java.toString())[:600])
        java = java.getCause()
    causes = [line for line in str(fault).splitlines() if "aused by" in line]
    return " | ".join(texts or causes) or repr(fault)


if __name__ == "__main__":
    main()
