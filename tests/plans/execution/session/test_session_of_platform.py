"""Programs in a process whose Spark session exists already: of a notebook, or configured by a platform."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping

import pytest

from compiled_plan.plans.execution.kernel import kernel_jar
from compiled_plan.plans.execution.session.settings import FIXED, PROVIDER, ROCKSDB

pytestmark = [pytest.mark.spark, pytest.mark.wide]
PROGRAM = """
import json, sys
from pyspark.sql import SparkSession

builder = SparkSession.builder.master("local[2]")
for name, value in json.loads(sys.argv[1]).items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()

import compiled_plan as cp

env = cp.TableEnvironment()
rows = env.sql_query("SELECT n, COUNT(*) FROM (VALUES (1), (1), (2)) AS t (n) GROUP BY n").execute()
with rows.collect() as changes:
    print(sorted(tuple(change) for change in changes))
assert SparkSession.getActiveSession() is spark or SparkSession._instantiatedSession is spark
"""


def run(settings: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", PROGRAM, json.dumps(settings)]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, "TZ": "Asia/Tokyo"}, check=False)


def test_a_session_with_the_kernel_and_its_settings_runs_plans() -> None:
    done = run({**FIXED, PROVIDER: ROCKSDB, "spark.jars": kernel_jar().as_uri()})
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "[(1, 2), (2, 1)]"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "the active Spark session has spark.sql.session.timeZone=Asia/Tokyo; plans run with UTC"),
        (FIXED, "the active Spark session has spark.sql.streaming.stateStore.providerClass=org.apache.spark"),
        ({**FIXED, PROVIDER: ROCKSDB}, "the active Spark session lacks the product's kernel"),
    ],
)
def test_another_session_is_refused_by_what_it_lacks(settings: Mapping[str, str], message: str) -> None:
    done = run(settings)
    assert done.returncode == 1
    assert message in done.stderr
    assert "let the product start its own" in done.stderr
