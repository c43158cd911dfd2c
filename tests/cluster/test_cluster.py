"""The same plan on several machines: workers fetch the kernel from the driver, nothing is installed on them."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pyspark
import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.execution.kernel import use_suitable_java
from compiled_plan.plans.telemetry.progress_file import tap_files

SECONDS_TO_WAIT = 90
ROWS = 200
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
        stack.callback(lambda: [process.kill() or process.wait() for process in started])
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


def program(folder: Path) -> str:
    """State in two stages, functions of the kernel and of the user's, and a condition compiled on the driver."""
    return f"""
    CREATE TABLE sales (shop INT, item INT) WITH ('connector' = 'filesystem', 'path' = '{folder}/sales',
      'format' = 'json');
    CREATE TABLE shops (shop INT, name STRING) WITH ('connector' = 'filesystem', 'path' = '{folder}/shops',
      'format' = 'csv');
    CREATE TABLE done (name STRING, items BIGINT) WITH ('connector' = 'filesystem', 'path' = '{folder}/done',
      'format' = 'debezium-json');
    CREATE FUNCTION label AS 'cluster_functions.Label' LANGUAGE PYTHON;
    CREATE FUNCTION different AS 'cluster_functions.Different' LANGUAGE PYTHON;
    INSERT INTO done
      SELECT label(INITCAP(name)), CASE WHEN COUNT(DISTINCT item) = different(item) THEN different(item) END FROM sales
      LEFT JOIN shops ON sales.shop = shops.shop AND item > CHAR_LENGTH(name) GROUP BY name;
    """


FUNCTIONS = {
    "cluster_functions.py": """
from cluster_words import same
import compiled_plan
from compiled_plan.plans.functions import AggregateFunction, InputTypeStrategies, Row, ScalarFunction, TypeInference

class Label(ScalarFunction):
    def eval(self, text):
        return Row(same(text))[0]

    def get_type_inference(self):
        return TypeInference(compiled_plan.DataTypes.STRING(), InputTypeStrategies.sequence("STRING"))

class Different(AggregateFunction[int, dict[int, int]]):
    def create_accumulator(self):
        return {}

    def accumulate(self, counts, item: int):
        counts[item] = counts.get(item, 0) + 1

    def retract(self, counts, item: int):
        counts[item] -= 1

    def get_value(self, counts) -> int:
        return sum(count > 0 for count in counts.values())
""",
    "cluster_words.py": "def same(text):\n    return text\n",
}


def write_input(folder: Path) -> dict[str | None, int]:
    """Write the tables; returns the expected result."""
    names = {shop: "x" * (shop + 1) for shop in range(5)}
    sales = [(number % 5, number % 11) for number in range(ROWS)]
    (folder / "sales").mkdir()
    (folder / "shops").mkdir()
    (folder / "sales" / "1.json").write_text("".join(f'{{"shop": {s}, "item": {i}}}\n' for s, i in sales))
    (folder / "shops" / "1.csv").write_text("".join(f"{shop},{name}\n" for shop, name in names.items()))
    expected: dict[str | None, set[int]] = {}
    for shop, item in sales:
        name = names[shop].capitalize() if item > len(names[shop]) else None
        expected.setdefault(name, set()).add(item)
    return {name: len(items) for name, items in expected.items()}


def result(folder: Path) -> dict[str | None, int]:
    counts: dict[tuple[str | None, int], int] = {}
    for file in sorted((folder / "done").glob("part-*")):
        for line in file.read_text().splitlines():
            change = json.loads(line)
            for side, step in (("before", -1), ("after", 1)):
                if change[side]:
                    row = (change[side]["name"], change[side]["items"])
                    counts[row] = counts.get(row, 0) + step
    return {name: items for (name, items), count in counts.items() if count}


def execute(folder: Path, master: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run the plan, with a tap of the join; returns what it says."""
    plan = folder / "plan.json"
    for name, text in FUNCTIONS.items():
        (folder / name).write_text(text)
    monkeypatch.syspath_prepend(folder)
    compiled, progress = TableEnvironment().compile_script(program(folder)), folder / "progress.jsonl"
    plan.write_text(compiled.to_json())
    (join,) = (node.id for node in compiled.nodes if "join" in node.type)
    request, answer = tap_files(progress)
    request.write_text(json.dumps({"id": "a", "node": join, "rows": ROWS, "until": time.time() + 300}))
    command = [
        sys.executable,
        "-m",
        "compiled_plan.cli.execute_plan",
        "--master",
        master,
        "--conf",
        "spark.driver.memory=1g",
    ]
    command += ["--conf", "spark.executor.memory=800m"]
    command += ["--conf", f"spark.executor.extraJavaOptions={QUICK}"]
    command += ["--functions-from", "cluster_functions", "--progress-file", str(progress)]
    done = subprocess.run([*command, str(plan)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert len(json.loads(answer.read_text())["result"]["rows"]) == ROWS
    return done.stderr


@pytest.mark.deep
@pytest.mark.spark
def test_a_standalone_cluster_of_two_workers(tmp_path: Path, cluster: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = write_input(tmp_path)
    assert "state gets 2 shuffle partitions, one for each" in (said := execute(tmp_path, cluster, monkeypatch))
    assert "2 executors registered so far" in said
    assert result(tmp_path) == expected
    used = [worker for worker in (tmp_path / "cluster").glob("worker-*") if list(worker.glob("app-*/*/stdout"))]
    assert len(used) == 2, "both workers ran tasks"


@pytest.mark.wide
@pytest.mark.spark
def test_a_local_cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = write_input(tmp_path)
    said = execute(tmp_path, "local-cluster[2,1,1024]", monkeypatch)
    assert "state gets 2 shuffle partitions, one for each task at once (2 executors x 1 core)" in said
    assert result(tmp_path) == expected
