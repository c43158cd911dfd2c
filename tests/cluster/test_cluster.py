"""The same plan on several machines: workers fetch the kernel from the driver, nothing is installed on them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import time
import zipfile
from pathlib import Path

import pyspark
import pytest

from compiled_plan.cli import execute_plan
from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.execution.kernel import kernel_jar
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.telemetry.progress_file import tap_files
from tests.cluster.conftest import QUICK

ROWS = 200


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


def compiled_plan(folder: Path, monkeypatch: pytest.MonkeyPatch) -> CompiledPlan:
    """Compile the program into `plan.json`, with the modules of its functions beside it."""
    for name, text in FUNCTIONS.items():
        (folder / name).write_text(text)
    monkeypatch.syspath_prepend(folder)
    compiled = TableEnvironment().compile_script(program(folder))
    (folder / "plan.json").write_text(compiled.to_json())
    return compiled


def execute(folder: Path, master: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run the plan, with a tap of the join; returns what it says."""
    compiled, progress = compiled_plan(folder, monkeypatch), folder / "progress.jsonl"
    (join,) = (node.id for node in compiled.nodes if "join" in node.type)
    request, answer = tap_files(progress)
    request.write_text(json.dumps({"id": "a", "node": join, "rows": ROWS, "until": time.time() + 300}))
    said = start(folder, master, "--progress-file", str(progress))
    assert len(json.loads(answer.read_text())["result"]["rows"]) == ROWS
    return said


def start(folder: Path, master: str, *options: str) -> str:
    """Run the compiled plan; returns what it says."""
    settings = {
        "spark.driver.memory": "1g",
        "spark.executor.memory": "800m",
        "spark.executor.extraJavaOptions": QUICK,
    }
    command = [sys.executable, "-m", "compiled_plan.cli.execute_plan", str(folder / "plan.json"), "--master", master]
    command += ["--functions-from", "cluster_functions", *options]
    command += [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
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


@pytest.mark.deep
@pytest.mark.spark
def test_changed_partitions_keep_all_state(tmp_path: Path, cluster: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected, file = write_input(tmp_path), tmp_path / "sales/1.json"
    compiled_plan(tmp_path, monkeypatch)
    lines = file.read_text().splitlines(keepends=True)
    file.unlink()
    for number, partitions in enumerate((2, 8, 3)):
        (tmp_path / f"sales/{number}.json").write_text("".join(lines[number::3]))
        setting = f"spark.sql.shuffle.partitions={partitions}"
        said = start(tmp_path, cluster, "--checkpoint", str(tmp_path / "checkpoint"), "--conf", setting)
        assert ("moves the state into a new generation" in said) == (number > 0), said
    assert result(tmp_path) == expected


@pytest.mark.wide
@pytest.mark.spark
def test_a_local_cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = write_input(tmp_path)
    said = execute(tmp_path, "local-cluster[2,1,1024]", monkeypatch)
    assert "state gets 2 shuffle partitions, one for each task at once (2 executors x 1 core)" in said
    assert result(tmp_path) == expected


def submitted(folder: Path, master: str, mode: str) -> subprocess.CompletedProcess[str]:
    """Submit the plan as an operator does: with a jar, modules in a zip, and a Python in an archive."""
    with zipfile.ZipFile(folder / "modules.zip", "w") as modules, zipfile.ZipFile(folder / "own.jar", "w") as jar:
        jar.writestr("own.txt", "the operator's")
        for name, text in FUNCTIONS.items():
            (folder / name).unlink()
            modules.writestr(name, text)
    python = folder / "environment/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\necho used >> {folder}/used-python\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    with tarfile.open(folder / "environment.tar.gz", "w:gz") as archive:
        archive.add(python, "bin/python")
    python.unlink()
    conf = {
        "spark.pyspark.python": "./environment/bin/python",
        "spark.pyspark.driver.python": sys.executable,
        "spark.executor.memory": "800m",
        "spark.executor.extraJavaOptions": QUICK,
    }
    command = [str(Path(pyspark.__file__).parent / "bin/spark-submit"), "--master", master, "--deploy-mode", mode]
    command += ["--jars", f"{folder}/own.jar", "--py-files", f"{folder}/modules.zip"]
    command += ["--archives", f"{folder}/environment.tar.gz#environment", "--driver-memory", "1g"]
    command += [word for name, value in conf.items() for word in ("--conf", f"{name}={value}")]
    command += [str(execute_plan.__file__), str(folder / "plan.json"), "--functions-from", "cluster_functions"]
    command += ["--checkpoint", str(folder / "checkpoint")]
    variables = {**os.environ, "PYTHONSAFEPATH": "1", "SPARK_LOCAL_IP": "127.0.0.1"}
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env=variables, check=False)


@pytest.mark.deep
@pytest.mark.spark
def test_spark_submit_with_jars_modules_and_a_python_of_its_own(
    tmp_path: Path, cluster: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = write_input(tmp_path)
    compiled_plan(tmp_path, monkeypatch)
    done = submitted(tmp_path, cluster, "client")
    assert done.returncode == 0, done.stderr
    assert result(tmp_path) == expected
    assert (tmp_path / "used-python").exists(), "the executors' Python is that of the archive"
    work = [folder for folder in (tmp_path / "cluster").glob("worker-*/app-*/*") if (folder / "stdout").exists()]
    assert len(work) == 2
    for folder in work:
        assert {"own.jar", kernel_jar().name, "modules.zip", "environment"} <= {file.name for file in folder.iterdir()}


@pytest.mark.deep
@pytest.mark.spark
def test_a_standalone_master_runs_no_python_driver(
    tmp_path: Path, cluster: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A limit of Spark: if it goes, docs/running.md says more."""
    compiled_plan(tmp_path, monkeypatch)
    done = submitted(tmp_path, cluster, "cluster")
    assert done.returncode != 0
    assert "Cluster deploy mode is currently not supported for python applications on standalone" in done.stderr
