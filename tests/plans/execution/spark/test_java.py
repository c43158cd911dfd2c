"""Classes of the JVM are looked up once."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from py4j.clientserver import ClientServerConnection
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from compiled_plan.plans.execution.spark.java import cache_classes, disable_nagle, java_class

SEARCH = "r\nu\n"


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Class lookups in the JVM."""
    commands: list[str] = []
    send = ClientServerConnection.send_command

    def seen(self: ClientServerConnection, command: str) -> str:
        if command.startswith("r\n"):
            commands.append(command)
        answer: str = send(self, command)
        return answer

    monkeypatch.setattr(ClientServerConnection, "send_command", seen)
    yield commands


def test_column_functions_need_no_class_lookup(spark: SparkSession, searches: list[str]) -> None:
    cache_classes(spark._jvm)
    F.concat(F.col("a"), F.lit("b")).alias("c")
    searches.clear()
    F.concat(F.col("b"), F.lit("c")).alias("d")
    assert searches == []


def test_a_method_is_looked_up_once_per_class(spark: SparkSession, searches: list[str]) -> None:
    integer = java_class(spark._jvm, "java.lang.Integer")
    assert integer.parseInt("12") == 12
    searches.clear()
    assert java_class(spark._jvm, "java.lang.Integer").parseInt("13") == 13
    assert searches == []
    assert integer.MAX_VALUE == 2**31 - 1
    assert integer("14") is not None


def test_answers_are_not_delayed_by_nagle(spark: SparkSession) -> None:
    """Each thread has its own connection."""

    def is_disabled() -> bool:
        disable_nagle(spark)
        server = spark.sparkContext._gateway.java_gateway_server
        return bool(server.getCallbackClient().getPerThreadConnection().getSocket().getTcpNoDelay())

    for _ in range(2):
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(is_disabled).result()
