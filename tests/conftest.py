"""Shared fixtures: one small Spark session per process, started by the first test that needs it."""

from __future__ import annotations

import gc
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, nullcontext
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4
from zlib import crc32

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tools.services.server import Server


# `ci` is quick and deterministic; HYPOTHESIS_PROFILE=deep finds rarer cases.
settings.register_profile(
    "ci",
    max_examples=30,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("deep", max_examples=1000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

#: Marks of tests outside of `make test`. The first one decides: a deep variant of a wide test is deep.
TIERS = ("page", "deep", "wide")
#: How many processes run tests with a session: half, so that Spark and the servers start once and stay warm.
SESSIONS = max(1, int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")) // 2)
#: For JVMs of commands: they end before Java's second compiler pays off.
JVM = "-XX:TieredStopAtLevel=1 -XX:MetaspaceSize=256m"


def pytest_configure(config: pytest.Config) -> None:
    """Run the whole session in UTC, like the JVM below, before anything reads a clock."""
    # Imports and the collection of tests leave no garbage, and searching their objects takes seconds.
    gc.disable()
    os.environ["TZ"] = "UTC"
    time.tzset()
    # A shell starts background jobs with SIGINT ignored, `nohup` all with SIGHUP, and tests send both.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    os.environ.setdefault("SPARK_SUBMIT_OPTS", JVM)
    # `make` keeps warm processes; a test would keep its own.
    os.environ.setdefault("COMPILED_PLAN_CLASSES", "use")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark tests that use Spark or another JVM, and deselect tests whose tier `-m` does not name.

    First of all: xdist reads the marks of groups in this hook, too.
    """
    for item in items:
        for fixture, marker in (("spark", "spark"), ("harness", "slow"), ("postgres", "slow"), ("workers", "slow")):
            if fixture in getattr(item, "fixturenames", ()):
                item.add_marker(marker)
        if "spark" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group(f"session{crc32(bytes(item.path)) % SESSIONS}"))
    mark_variants(items)
    config.hook.pytest_deselected(items=[item for item in items if tier(item) not in config.option.markexpr])
    items[:] = [item for item in items if tier(item) in config.option.markexpr]


def mark_variants(items: list[pytest.Item]) -> None:
    """Mark variants of `sampled` tests as wide: all but the first, the one `n` variants later, and so on."""
    variants: Counter[str] = Counter()
    for item in items:
        if (mark := item.get_closest_marker("sampled")) and not tier(item):
            test = item.nodeid.partition("[")[0]
            if variants[test] % mark.args[0]:
                item.add_marker("wide")
            variants[test] += 1


def tier(item: pytest.Item) -> str:
    """The mark that `-m` must name to run a test: the first of `TIERS` that it has, empty if it has none."""
    return next((mark for mark in TIERS if item.get_closest_marker(mark)), "")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Distribute tests by file with `--dist loadgroup`, those of one group to one process."""
    from xdist.scheduler import LoadGroupScheduling

    if config.getvalue("dist") != "loadgroup":
        return None
    scheduler = LoadGroupScheduling(config, log)
    group = scheduler._split_scope
    scheduler._split_scope = lambda nodeid: group(nodeid).partition("::")[0]
    return scheduler


def pytest_collection_finish() -> None:
    """Exclude modules and collected tests from garbage collections, which some tests start after each step."""
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def plans_keep_the_rules() -> Iterator[None]:
    """Check every plan that a test compiles: it must be readable, and its nodes must follow their rules."""
    pipeline: Any = import_module("compiled_plan.planner.pipeline")
    quick, pipeline.operator_faults = pipeline.operator_faults, pipeline.faults
    yield
    pipeline.operator_faults = quick


@pytest.fixture(scope="session", autouse=True)
def one_name() -> Iterator[None]:
    """Fail if a folder is imported under its own name: its modules would exist twice."""
    yield
    assert not {"api", "planner", "plans", "schemas", "cli", "service"} & set(sys.modules)


@pytest.fixture(scope="session")
def spark(request: pytest.FixtureRequest) -> Iterator[SparkSession]:
    """One session for all tests of a process, with the product's settings, two cores and two partitions."""
    from compiled_plan.plans.connectors.lakes import LAKES
    from compiled_plan.plans.execution.session.lakes import SETTING
    from compiled_plan.plans.execution.session.spark_session import spark_session
    from tools.maven import POSTGRES_DRIVER, SQLITE_DRIVER, fetched

    conf = {
        "spark.jars": ",".join(fetched(driver).as_uri() for driver in (POSTGRES_DRIVER, SQLITE_DRIVER)),
        "spark.driver.memory": "2g",
        "spark.sql.shuffle.partitions": "2",
        # Other tests run in parallel, so one thread collects garbage, and rarely. The session lives for minutes,
        # so both compilers are on, and no thread searches the code of ended queries.
        "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -Xms2g -Xmn1g -XX:TieredStopAtLevel=4 "
        "-XX:ReservedCodeCacheSize=1g -XX:SweeperThreshold=50 -XX:+IgnoreUnrecognizedVMOptions",
    }
    used = {name for item in request.session.items for name in getattr(item, "fixturenames", ())}
    if "lakes" in used:
        conf[SETTING] = ",".join(LAKES)
    jars: list[Path] = []
    if used & {"kafka", "kafka_jars"}:
        from tools.services.kafka import connector_jars

        jars += connector_jars()
    if "s3" in used:
        from tools.services.s3 import client_jars

        jars += client_jars()
    with ExitStack() as opened:
        with pytest.MonkeyPatch.context() as patch:
            if jars:
                # Behind Spark's jars, so that the archive of their classes fits.
                patch.setenv("SPARK_DIST_CLASSPATH", os.pathsep.join(map(str, jars)))
            session = opened.enter_context(spark_session("local[2]", conf))
        with pytest.MonkeyPatch.context() as patch:
            check_accounts(patch)
            yield session


def check_accounts(patch: pytest.MonkeyPatch) -> None:
    """Fail each run whose operators do not account for all rows and all entries of state after a micro-batch."""
    following: Any = import_module("compiled_plan.plans.execution.batches.following")
    reported = following.operator_progress

    def checked(*arguments: Any) -> Any:
        operators = reported(*arguments)
        assert not [operator for operator in operators if operator.unaccounted_rows or operator.unaccounted_entries]
        return operators

    patch.setattr(following, "operator_progress", checked)


@pytest.fixture
def lakes() -> None:
    """Tests with tables of lakes: the session has those formats that its version of Spark has a release of."""


@pytest.fixture
def shared_session(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands called in this process use the session of all tests; their `--master` and `--conf` have no effect."""

    def shared(*_: Any, **__: Any) -> AbstractContextManager[SparkSession]:
        return nullcontext(spark)

    monkeypatch.setattr("compiled_plan.plans.execution.session.spark_session.spark_session", shared)


@pytest.fixture(scope="session")
def java_samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The jar of the functions in `tests/support/java/Samples.java`."""
    from tests.support.java_samples import compiled_samples

    return compiled_samples(tmp_path_factory.mktemp("samples"))


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One PostgreSQL server for all tests of a process; each test uses table names of its own."""
    from tools.services import postgres as service
    from tools.services.server import running

    with running(service.SERVICE, tmp_path_factory.mktemp("services") / "postgres") as server:
        yield server


@pytest.fixture(scope="session")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One Kafka broker for all tests of a process; each test uses topic names of its own."""
    from tools.services import kafka as service
    from tools.services.server import running

    with running(service.SERVICE, tmp_path_factory.mktemp("services") / "kafka") as server:
        yield server


@pytest.fixture(scope="session")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One schema registry for all tests of a process; each test uses subjects of its own."""
    from tools.services import registry as service
    from tools.services.server import running

    with running(service.SERVICE, tmp_path_factory.mktemp("services") / "registry") as server:
        yield server


@pytest.fixture(scope="session")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One S3 server for all tests of a process; each test uses bucket names of its own."""
    from tools.services import s3 as service
    from tools.services.server import running

    with running(service.SERVICE, tmp_path_factory.mktemp("services") / "s3") as server:
        yield server


@pytest.fixture
def bucket(spark: SparkSession, s3: Server) -> Iterator[str]:
    """The URI of a new bucket."""
    from tools.services.s3 import hadoop_settings, make_bucket

    name, conf = uuid4().hex, spark._jsc.hadoopConfiguration()
    make_bucket(s3.address, name)
    settings = hadoop_settings(s3.address, name)
    for setting, value in settings.items():
        conf.set(setting, value)
    yield f"s3a://{name}"
    for setting in settings:
        conf.unset(setting)


@pytest.fixture(scope="session")
def kafka_jars() -> None:
    """Add Kafka's clients to the session, for tests with a broker of their own."""


@pytest.fixture(scope="session")
def root() -> Path:
    """The root of the repository."""
    return Path(__file__).resolve().parent.parent
