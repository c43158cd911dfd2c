"""A standalone cluster of Spark."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pyspark
import pytest

from compiled_plan.plans.execution.kernel import use_suitable_java

SECONDS_TO_WAIT = 90
#: Options of JVMs that live for seconds.
QUICK = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"


def free_port() -> int:
    with closing(socket.socket()) as server:
        server.bind(("127.0.0.1", 0))
        return int(server.getsockname()[1])


def daemon(folder: Path, name: str, *arguments: str) -> subprocess.Popen[bytes]:
    """A process of Spark's standalone cluster; only pyspark's jars are on its class path."""
    home = Path(pyspark.__file__).parent
    java = Path(os.environ["JAVA_HOME"], "bin", "java") if os.environ.get("JAVA_HOME") else "java"
    command = [
        str(java),
        "-Xmx256m",
        *QUICK.split(),
        "-cp",
        f"{home}/jars/*",
        f"org.apache.spark.deploy.{name}",
        *arguments,
    ]
    # As the start scripts of a Spark distribution set it.
    settings = {"SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_SCALA_VERSION": "2.13"}
    environment = {**os.environ, **settings}
    environment.pop("PYTHONPATH", None)
    with (folder / f"{name}-{len(list(folder.iterdir()))}.log").open("wb") as log:
        return subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)


def end(processes: list[subprocess.Popen[bytes]]) -> None:
    for process in processes:
        process.kill()
        process.wait()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[str]:
    """The URL of a standalone cluster with two workers of one core each."""
    use_suitable_java()
    folder = tmp_path / "cluster"
    folder.mkdir()
    port, page = free_port(), free_port()
    url = f"spark://127.0.0.1:{port}"
    place = ("--host", "127.0.0.1")
    with ExitStack() as stack:
        started = [daemon(folder, "master.Master", *place, "--port", str(port), "--webui-port", str(page))]
        stack.callback(end, started)
        for number in range(2):
            work = folder / f"worker-{number}"
            size = ("--cores", "1", "--memory", "1g", "--webui-port", "0", "--work-dir", str(work))
            started.append(daemon(folder, "worker.Worker", *place, *size, url))
        wait_for_workers(f"http://127.0.0.1:{page}/json/", 2)
        yield url


def wait_for_workers(page: str, count: int) -> None:
    deadline, alive = time.monotonic() + SECONDS_TO_WAIT, 0
    while alive < count:
        assert time.monotonic() < deadline, f"only {alive} of {count} workers have come"
        time.sleep(0.1)
        try:
            with urllib.request.urlopen(page, timeout=5) as answer:
                alive = json.load(answer)["aliveworkers"]
        except (OSError, ValueError):  # nobody listens yet, or the page lacks the JSON
            continue
