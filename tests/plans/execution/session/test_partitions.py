"""The default number of shuffle partitions: the tasks that a session can run at once."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from compiled_plan.plans.execution.session import partitions
from compiled_plan.plans.execution.session.partitions import (
    ASKED,
    PARTITIONS,
    partitions_remark,
    settle_partitions,
    slots_of,
)
from compiled_plan.plans.execution.session.settings import wanted_settings

INSTANCES, CORES = "spark.executor.instances", "spark.executor.cores"
DYNAMIC = {"spark.dynamicAllocation.enabled": "true"}
MOST = "spark.dynamicAllocation.maxExecutors"


@pytest.mark.parametrize(
    ("master", "settings", "count", "origin"),
    [
        ("local", {}, os.cpu_count(), "this machine"),
        ("local[*]", {}, os.cpu_count(), "this machine"),
        ("local[3]", {}, 3, "this machine"),
        ("local[3,2]", {CORES: "8"}, 3, "this machine"),
        ("local-cluster[3,2,1024]", {}, 6, "3 executors x 2 cores"),
        ("local-cluster[1, 1, 1024]", {}, 1, "1 executor x 1 core"),
        ("yarn", {}, 2, "2 executors x 1 core"),
        ("yarn", {INSTANCES: "5", CORES: "4"}, 20, "5 executors x 4 cores"),
        ("k8s://https://host:443", {INSTANCES: "3"}, 3, "3 executors x 1 core"),
        ("yarn", {**DYNAMIC, MOST: "10", CORES: "2", INSTANCES: "1"}, 20, "10 executors x 2 cores"),
        ("yarn", {INSTANCES: "2", CORES: "4", "spark.task.cpus": "2"}, 4, "2 executors x 4 cores / 2 cores a task"),
        ("spark://host:7077", {"spark.cores.max": "12", CORES: "4"}, 12, "spark.cores.max=12"),
    ],
)
def test_the_settings_tell_the_size(master: str, settings: dict[str, str], count: int, origin: str) -> None:
    slots = slots_of(master, settings)
    assert slots is not None
    assert (slots.count, slots.origin) == (count, origin)


@pytest.mark.parametrize(
    ("master", "settings"),
    [
        ("spark://host:7077", {INSTANCES: "2", CORES: "4"}),  # a standalone master grants what it has
        ("yarn", DYNAMIC),
        ("yarn", {**DYNAMIC, MOST: "infinity"}),
    ],
)
def test_only_the_cluster_knows(master: str, settings: dict[str, str], tmp_path: Path) -> None:
    assert slots_of(master, settings) is None
    assert PARTITIONS not in wanted_settings(master, settings, {}, tmp_path)


def test_settings_from_outside_count(tmp_path: Path) -> None:
    wanted = wanted_settings("", {CORES: "4"}, {"spark.master": "yarn", INSTANCES: "3"}, tmp_path)
    assert wanted[PARTITIONS] == "12" and ASKED not in wanted
    wanted = wanted_settings("yarn", {}, {PARTITIONS: "7"}, tmp_path)
    assert (wanted[PARTITIONS], wanted[ASKED]) == ("7", "7")


def session_of(master: str, conf: dict[str, str], executors: int = 0, slots: int = 0) -> Any:
    session = Mock()
    session.sparkContext.master = master
    session.sparkContext.defaultParallelism = slots
    session.sparkContext._jsc.sc.return_value.getExecutorMemoryStatus.return_value.size.return_value = executors + 1
    session.conf.get = conf.get
    session.conf.set = conf.__setitem__
    return session


def test_executors_that_register_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partitions, "_QUIET", 0.0)
    conf: dict[str, str] = {}
    settle_partitions(session := session_of("spark://h:7077", conf, executors=3, slots=12), {})
    assert conf[PARTITIONS] == "12"
    remark = partitions_remark(session, 12, resumes=False)
    assert "12 shuffle partitions, one for each task at once (3 executors registered so far)" in remark
    settle_partitions(session, {PARTITIONS: "5"})
    assert conf[PARTITIONS] == "12", "it was set when the session started"


@pytest.mark.parametrize(
    ("master", "conf", "count", "resumes", "said"),
    [
        ("local[2]", {}, 2, False, ""),
        ("yarn", {}, 200, False, "state gets 200 shuffle partitions, as the session says; --conf"),
        ("yarn", {ASKED: "4"}, 4, False, ""),
        ("yarn", {partitions._SLOTS: "8", partitions._ORIGIN: "x"}, 8, False, "one for each task at once (x)"),
        ("yarn", {partitions._SLOTS: "8", partitions._ORIGIN: "x"}, 8, True, ""),
        ("yarn", {partitions._SLOTS: "8", partitions._ORIGIN: "x"}, 2, True, f"{PARTITIONS}=8 migrates it"),
        ("yarn", {partitions._SLOTS: "8", partitions._ORIGIN: "x", ASKED: "2"}, 2, True, "2 shuffle partitions, for 8"),
    ],
)
def test_a_run_on_a_cluster_says_its_number(
    master: str, conf: dict[str, str], count: int, resumes: bool, said: str
) -> None:
    remark = partitions_remark(session_of(master, conf), count, resumes=resumes)
    assert said in remark and bool(said) == bool(remark)
