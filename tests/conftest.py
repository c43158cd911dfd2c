"""What all tests share: one small Spark session a process, started by the first test that asks for it."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tools.services.server import Server


# `ci` is quick and the same on every run; HYPOTHESIS_PROFILE=deep looks for rarer things.
settings.register_profile(
    "ci",
    max_examples=30,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("deep", max_examples=1000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

#: For every JVM of Spark, those of commands too: a test is over before Java's second compiler would have paid.
JVM = "-XX:TieredStopAtLevel=1 -XX:MetaspaceSize=256m"


def pytest_configure(config: pytest.Config) -> None:
    """Run the whole session in UTC, as the JVM below, before anything reads a clock."""
    os.environ["TZ"] = "UTC"
    time.tzset()
    os.environ.setdefault("SPARK_SUBMIT_OPTS", JVM)
    # `make` keeps them; what a test starts would keep its own.
    os.environ.setdefault("COMPILED_PLAN_CLASSES", "use")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark tests that use Spark, so that `pytest -m 'not spark'` is the quick half; others are asked for by name."""
    for item in items:
        if "spark" in getattr(item, "fixturenames", ()):
            item.add_marker("spark")
    for asked in ("deep", "page"):
        if asked not in config.option.markexpr:
            config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker(asked)])
            items[:] = [item for item in items if not item.get_closest_marker(asked)]


@pytest.fixture(scope="session", autouse=True)
def plans_keep_the_rules() -> Iterator[None]:
    """Every plan that any test compiles is one that can be read: its nodes keep their rules."""
    pipeline: Any = import_module("compiled_plan.planner.pipeline")
    quick, pipeline.operator_faults = pipeline.operator_faults, pipeline.faults
    yield
    pipeline.operator_faults = quick


@pytest.fixture(scope="session", autouse=True)
def one_name() -> Iterator[None]:
    """The folders can be imported by their own names here, too: nothing does, or modules would be there twice."""
    yield
    assert not {"api", "planner", "plans", "schemas", "cli", "service"} & set(sys.modules)


@pytest.fixture(scope="session")
def spark(request: pytest.FixtureRequest) -> Iterator[SparkSession]:
    """One session for all tests of a process, with the product's own settings, on two cores and in two partitions."""
    from compiled_plan.plans.execution.session.spark_session import spark_session
    from tools.maven import POSTGRES_DRIVER, SQLITE_DRIVER, fetched

    conf = {
        "spark.jars": ",".join(fetched(driver).as_uri() for driver in (POSTGRES_DRIVER, SQLITE_DRIVER)),
        "spark.driver.memory": "2g",
        "spark.sql.shuffle.partitions": "2",
        # Another session runs beside this one: one thread collects garbage, and seldom.
        "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -Xms2g -Xmn1g",
    }
    used = {name for item in request.session.items for name in getattr(item, "fixturenames", ())}
    jars: list[Path] = []
    if used & {"kafka", "kafka_jars"}:
        from tools.services.kafka import connector_jars

        jars += connector_jars()
    if "s3" in used:
        from tools.services.s3 import client_jars

        jars += client_jars()
    if jars:
        conf["spark.driver.extraClassPath"] = os.pathsep.join(map(str, jars))
    with spark_session("local[2]", conf) as session:
        yield session


@pytest.fixture
def shared_session(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands called in this process use the session of all tests; their `--master` and `--conf` have no effect."""

    def shared(*_: Any, **__: Any) -> AbstractContextManager[SparkSession]:
        return nullcontext(spark)

    monkeypatch.setattr("compiled_plan.plans.execution.session.spark_session.spark_session", shared)


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A PostgreSQL for all tests of a process that ask for it; each makes tables of its own names."""
    from tools.services import postgres as service
    from tools.services.server import running

    with running(service.SERVICE, tmp_path_factory.mktemp("services") / "postgres") as server:
        yield server


@pytest.fixture(scope="session")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A Kafka broker for all tests of a process that ask for it; each makes topics of its own names."""
    from tools.services import kafka as service
    from tools.services.server import running

    with running(service.SERVICE, tmp_path_factory.mktemp("services") / "kafka") as server:
        yield server


@pytest.fixture(scope="session")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A schema registry for all tests of a process that ask for it; each has subjects of its own names."""
    from tools.services import registry as service
    from tools.services.server import running

    with running(service.SERVICE, tmp_path_factory.mktemp("services") / "registry") as server:
        yield server


@pytest.fixture(scope="session")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server of the S3 protocol for all tests of a process that ask for it; each makes buckets of its own names."""
    from tools.services import s3 as service
    from tools.services.server import running

    with running(service.SERVICE, tmp_path_factory.mktemp("services") / "s3") as server:
        yield server


@pytest.fixture(scope="session")
def kafka_jars() -> None:
    """Asked for by tests whose session needs Kafka's clients, for a broker of their own."""


@pytest.fixture(scope="session")
def root() -> Path:
    """The root of the repository."""
    return Path(__file__).resolve().parent.parent
