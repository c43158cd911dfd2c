"""Kafka: one broker that is its own controller, from jars of Maven Central."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

from tools.maven import Artifact, FetchError, artifact_of, fetched, library
from tools.services.server import Service, ServiceError, free_port

#: Libraries in `jars.txt`.
_BROKER, _TOOLS = "kafka", "kafka-tools"
_CLUSTER = "Y29tcGlsZWQtcGxhbi10c3"
_SETTINGS = """process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
listeners=PLAINTEXT://127.0.0.1:0,CONTROLLER://127.0.0.1:{controller}
log.dirs={data}
num.partitions=1
auto.create.topics.enable=false
group.initial.rebalance.delay.ms=0
offsets.topic.num.partitions=1
offsets.topic.replication.factor=1
transaction.state.log.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
log.flush.scheduler.interval.ms=9223372036854775807
log.retention.ms=-1
"""
#: For short-lived processes: Java's second compiler pays off only under a load of minutes.
_QUICK = "-XX:TieredStopAtLevel=1"
_JVM = ("-Xmx384m", "-XX:+UseSerialGC", "-Dlog4j2.level=WARN")


class Kafka(Service):
    """A broker without security and without automatic creation of topics.

    Args:
        busy: optimize for a load of minutes instead of a fast start.
    """

    name = "kafka"

    def __init__(self, *, busy: bool = False) -> None:
        self._busy = busy

    def prepare(self, folder: Path) -> None:
        settings = folder / "server.properties"
        if settings.is_file():
            return
        data = folder / "data"
        settings.write_text(_SETTINGS.format(controller=free_port(), data=data))
        command = [*java(), "kafka.tools.StorageTool", "format", "-t", _CLUSTER, "-c", str(settings)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            settings.unlink()
            raise ServiceError(f"cannot format Kafka's storage: {done.stderr.strip()[-500:]}")

    def command(self, folder: Path, port: int) -> Sequence[str]:
        settings = folder / "server.properties"
        controller = next(
            line.rpartition(":")[2]
            for line in settings.read_text().splitlines()
            if line.startswith("controller.quorum")
        )
        mine = f"PLAINTEXT://127.0.0.1:{port}"
        override = (f"listeners={mine},CONTROLLER://127.0.0.1:{controller}", f"advertised.listeners={mine}")
        overrides = [word for setting in override for word in ("--override", setting)]
        return [*java(busy=self._busy), "kafka.Kafka", str(settings), *overrides]


SERVICE = Kafka()
#: The broker of measurements.
BUSY = Kafka(busy=True)


def make_topics(address: str, *names: str) -> None:
    """Create topics with one partition.

    Raises:
        ServiceError: the broker's error.
    """
    for name in names:
        command = [*java(_TOOLS), "org.apache.kafka.tools.TopicCommand", "--bootstrap-server", address]
        done = subprocess.run([*command, "--create", "--topic", name], capture_output=True, text=True, check=False)
        if done.returncode:
            raise ServiceError(f"cannot create topic {name}: {(done.stdout + done.stderr).strip()[-500:]}")


def connector_jars() -> list[Path]:
    """The jars of Spark's Kafka connector for the installed Spark, which pyspark does not bring.

    Raises:
        ServiceError: the download fails.
    """
    from compiled_plan.plans.connectors.jars import KAFKA, for_spark
    from compiled_plan.plans.spark_versions import spark_version

    version = str(spark_version(metadata.version("pyspark")))
    packages = [package for package in (for_spark(package, version) for package in KAFKA) if package is not None]
    return _downloaded([artifact_of(package.coordinates, package.sha256) for package in packages])


def _downloaded(artifacts: Sequence[Artifact]) -> list[Path]:
    try:
        return [fetched(artifact) for artifact in artifacts]
    except FetchError as fault:
        raise ServiceError(str(fault)) from fault


def java(module: str = _BROKER, *, busy: bool = False) -> list[str]:
    """Command prefix that runs a class of a library, by default of the broker, or a source file.

    Args:
        module: a library of `jars.txt`.
        busy: optimize for a load of minutes instead of a fast start.

    Raises:
        ServiceError: the download of the library fails.
    """
    classes = os.pathsep.join(map(str, _downloaded(library(module))))
    return [java_program(), *([] if busy else [_QUICK]), *_JVM, "-cp", classes]


def java_program() -> str:
    """The `java` executable."""
    from compiled_plan.plans.execution.kernel import use_suitable_java

    use_suitable_java()
    home = os.environ.get("JAVA_HOME")
    return str(Path(home, "bin", "java")) if home else "java"
