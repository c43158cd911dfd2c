"""Duration of compile-plan."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from tests.bench.base import Line, Setting, measurement
from tests.bench.harness import ROOT

_GOAL_SECONDS = 0.5


#: A table program with 50 operations.
_IN_PYTHON = '''
from compiled_plan import TableEnvironment, TablePipeline, col


def main(env: TableEnvironment) -> TablePipeline:
    env.execute_sql("""
      CREATE TABLE orders (id INT, price DOUBLE, item STRING)
        WITH ('connector' = 'filesystem', 'path' = '/orders', 'format' = 'json');
      CREATE TABLE counts (item STRING, orders_ BIGINT, PRIMARY KEY (item) NOT ENFORCED)
        WITH ('connector' = 'filesystem', 'path' = '/counts', 'format' = 'debezium-json')""")
    table = env.from_path("orders")
    for number in range(24):
        table = table.add_or_replace_columns((col("price") * number).alias("price")).where(col("id") > number)
    return table.group_by("item").select("item", col("price").count).insert_into("counts")
'''


@measurement("compile")
def compile_seconds(setting: Setting) -> Iterator[Line]:
    """The whole process of compile-plan on the sample join, and on a program in Python; it must start no JVM."""
    marker = setting.folder / "started"
    java = setting.folder / "bin" / "java"
    java.parent.mkdir()
    java.write_text(f"#!/bin/sh\ntouch '{marker}'\n")
    java.chmod(0o755)
    path = f"{java.parent}{os.pathsep}{os.environ.get('PATH', '')}"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PATH": path, "JAVA_HOME": str(setting.folder)}
    in_python = setting.folder / "fifty_operations.py"
    in_python.write_text(_IN_PYTHON)
    yield _timed(setting, environment, ROOT / "samples" / "orders_shipments" / "program.sql", "whole process")
    yield _timed(setting, environment, in_python, "50 operations in Python")
    yield Line("compile-plan, JVMs started", "some" if marker.exists() else "none", "none", not marker.exists())


def _timed(setting: Setting, environment: dict[str, str], program: Path, what: str) -> Line:
    command = [sys.executable, "-m", "compiled_plan.cli.compile_plan", str(program), "-o", "plan.json", "--force"]
    walls, processor = [], []
    for _ in range(11):
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        subprocess.run(command, cwd=setting.folder, env=environment, check=True, capture_output=True)
        walls.append(time.monotonic() - start)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        processor.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    # The first run writes the compiled modules.
    seconds, busy = median(walls[1:]), median(processor[1:])
    figure = f"{seconds:.2f} s (fastest {min(walls[1:]):.2f} s, processor time {busy:.2f} s)"
    return Line(f"compile-plan, {what}", figure, f"<= {_GOAL_SECONDS} s", seconds <= _GOAL_SECONDS)
