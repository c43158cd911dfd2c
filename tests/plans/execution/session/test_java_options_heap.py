"""The young generation is bounded if Java's own bound is larger and nobody chose another one."""

from __future__ import annotations

import pytest

from compiled_plan.plans.execution.session.java_options import DRIVER_JAVA, bounded_young, driver_java
from tests.support.java_flags import java_flags

MB = 1 << 20


@pytest.mark.parametrize(
    ("heap", "tasks", "bound"),
    [
        ("4g", 1, "256m"),
        ("4g", 2, "512m"),
        ("4g", 5, "1280m"),
        ("4G", 2, "512m"),
        ("4gb", 2, "512m"),
        (" 4g ", 2, "512m"),
        ("4096", 2, "512m"),
        ("4096m", 2, "512m"),
        ("4194304k", 2, "512m"),
        ("1t", 64, "16384m"),
        ("769m", 1, "256m"),
    ],
)
def test_the_bound_grows_with_the_tasks(heap: str, tasks: int, bound: str) -> None:
    assert bounded_young(heap, tasks, "") == [f"-XX:MaxNewSize={bound}"]


@pytest.mark.parametrize(("heap", "tasks"), [("768m", 1), ("1g", 2), ("4g", 6), ("4g", 64), ("450m", 2), ("a lot", 2)])
def test_a_third_of_the_heap_is_never_exceeded(heap: str, tasks: int) -> None:
    assert bounded_young(heap, tasks, "") == []


@pytest.mark.parametrize(
    "chosen", ["-Xmn1g", "-Xms4g", "-XX:NewRatio=1", "-XX:NewSize=1g", "-XX:MaxNewSize=1g", "-XX:+UseG1GC"]
)
def test_user_heap_options_disable_the_bound(chosen: str) -> None:
    assert bounded_young("4g", 2, f"-Dmine=1 {chosen}") == []


@pytest.mark.parametrize("name", [DRIVER_JAVA, "spark.driver.extraJavaOptions"])
def test_options_are_looked_for_where_spark_takes_them(name: str) -> None:
    assert "MaxNewSize" not in driver_java({name: "-Xmn1g"}, 2)
    assert "-XX:MaxNewSize=512m" in driver_java({name: "-Dmine=1"}, 2)


@pytest.mark.slow
def test_java_accepts_the_bound_without_a_warning() -> None:
    flags = java_flags(["-Xmx4g", *driver_java({}, 2).split()])
    assert int(flags["MaxNewSize"]) == 512 * MB


def test_the_heap_is_the_one_that_the_session_gets() -> None:
    assert "-XX:MaxNewSize=512m" in driver_java({"spark.driver.memory": "2g"}, 2)
    assert "MaxNewSize" not in driver_java({"spark.driver.memory": "1g"}, 2)
