"""Stops jobs with savepoints and runs them without a stop: a script for the Python of Flink's environment.

All jobs run in one mini cluster, several at a time.

    FLINK/bin/python jobs.py < request.json

The request is a list of jobs: `name`, `options` (Flink's), `whole` (a plan that ends by itself; empty for none), and
either `stopped` (a plan whose sources stay open), `rows` (their number), `folder` and `form` (of the savepoint:
CANONICAL, NATIVE, or CHECKPOINT for a retained one), `quiet` (true to stop when no more rows come), `sinks` (the folder
of their files); or `restored` (a plan that ends) and the `savepoint` that it continues. For each a line of JSON goes to
stdout: `name`, `savepoint`, `fault`.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from pyflink.java_gateway import get_gateway  # type: ignore[import-not-found]
from pyflink.table import EnvironmentSettings, TableEnvironment  # type: ignore[import-not-found]

#: Time limit of each step of a job, and the time without a row after which its sources have no more, in seconds.
_LIMIT, _QUIET = 300, 0.5
#: Number of jobs that run at the same time.
_TOGETHER = 6
_OPTIONS = {
    "parallelism.default": "1",
    "table.local-time-zone": "UTC",
    "restart-strategy.type": "none",
    # Sources are vertices of their own, whose rows the REST API counts.
    "pipeline.operator-chaining.enabled": "false",
}
_CLUSTER = {
    "rest.bind-port": "0",
    "taskmanager.memory.managed.size": f"{64 * _TOGETHER} mb",
    "taskmanager.memory.network.min": "128 mb",
    "taskmanager.memory.network.max": "128 mb",
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
    with _cluster() as cluster, ThreadPoolExecutor(_TOGETHER) as threads:
        for answer in as_completed([threads.submit(_answer, job, cluster) for job in json.load(sys.stdin)]):
            print(json.dumps(answer.result()), flush=True)


@contextmanager
def _cluster() -> Iterator[Any]:
    """A mini cluster."""
    runtime = get_gateway().jvm.org.apache.flink
    configuration = runtime.configuration.Configuration()
    for name, value in _CLUSTER.items():
        configuration.setString(name, value)
    builder = runtime.runtime.minicluster.MiniClusterConfiguration.Builder()
    builder.setConfiguration(configuration).setNumTaskManagers(1).setNumSlotsPerTaskManager(_TOGETHER)
    cluster = runtime.runtime.minicluster.MiniCluster(builder.build())
    cluster.start()
    try:
        yield cluster
    finally:
        cluster.close()


def _answer(job: dict[str, Any], cluster: Any) -> dict[str, str]:
    answer = {"name": job["name"], "savepoint": "", "fault": ""}
    try:
        if "restored" in job:
            restored = {**job["options"], "execution.state-recovery.path": job["savepoint"]}
            _executed(job["restored"], restored, cluster).getJobExecutionResult().get(_LIMIT, _seconds())
        else:
            answer["savepoint"] = _stopped(job, cluster)
        if job.get("whole"):
            _executed(job["whole"], job["options"], cluster).getJobExecutionResult().get(_LIMIT, _seconds())
    except Exception as fault:
        answer["fault"] = _message(fault)
    return answer


def _stopped(job: dict[str, Any], cluster: Any) -> str:
    """Run a job until its sources have emitted all rows, then stop it; returns the path of its savepoint."""
    folder, form = job["folder"], job["form"]
    retained = {**_CHECKPOINTS, "execution.checkpointing.dir": Path(folder).as_uri()} if form == _RETAINED else {}
    client = _executed(job["stopped"], {**job["options"], **retained}, cluster)
    try:
        url = f"{_address(cluster).toString()}/jobs/{client.getJobID().toString()}"
        _await(lambda: _runs(url), "not all operators run")
        _await(lambda: _emitted(url) >= job["rows"], f"the sources have not emitted {job['rows']} rows")
        if job["quiet"]:
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


def _executed(plan: str, options: dict[str, str], cluster: Any) -> Any:
    address = _address(cluster)
    target = {
        "execution.target": "remote",
        "rest.address": address.getHost(),
        "rest.port": str(address.getPort()),
    }
    environment = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    for name, value in {**_OPTIONS, **target, **options}.items():
        environment.get_config().set(name, value)
    reference = get_gateway().jvm.org.apache.flink.table.api.PlanReference.fromJsonString(plan)
    return environment._j_tenv.loadPlan(reference).execute().getJobClient().get()


def _address(cluster: Any) -> Any:
    return cluster.getRestAddress().get(_LIMIT, _seconds())


def _runs(url: str) -> bool:
    """Return True if all operators run; a source that ends may have finished."""
    return all(vertex["status"] in ("RUNNING", "FINISHED") for vertex in _vertices(url))


def _emitted(url: str) -> int:
    """The number of rows that the sources have emitted; a row that goes to two operators counts twice."""
    return sum(one["metrics"]["write-records"] for one in _vertices(url) if one["name"].startswith("Source: "))


def _vertices(url: str) -> list[dict[str, Any]]:
    job = _fetched(url)
    if job["state"] in ("FAILING", "FAILED"):
        history = _fetched(f"{url}/exceptions")["exceptionHistory"]["entries"]
        lines = history[0]["stacktrace"].splitlines() if history else []
        raise RuntimeError(" | ".join(line for line in lines if line.startswith("Caused by")) or job["state"])
    vertices: list[dict[str, Any]] = job["vertices"]
    return vertices


def _fetched(url: str) -> dict[str, Any]:
    with urlopen(url, timeout=_LIMIT) as answer:
        document: dict[str, Any] = json.load(answer)
    return document


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


def _seconds() -> Any:
    return get_gateway().jvm.java.util.concurrent.TimeUnit.SECONDS


def _message(fault: Exception) -> str:
    java, texts = getattr(fault, "java_exception", None), []
    while java is not None:
        place = next((f" at {frame.toString()}" for frame in java.getStackTrace()), "")
        texts.append(str(java.toString())[:600] + place)
        java = java.getCause()
    causes = [line for line in str(fault).splitlines() if "aused by" in line]
    return " | ".join(texts or causes) or repr(fault)


if __name__ == "__main__":
    main()
