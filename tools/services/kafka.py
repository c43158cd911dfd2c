"""Kafka: one broker that is its own controller, of the jars of Maven Central."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
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
#: A small and young process: Java's second compiler would not pay, but for one that is under load for minutes.
_QUICK = "-XX:TieredStopAtLevel=1"
_JVM = ("-Xmx384m", "-XX:+UseSerialGC", "-Dlog4j2.level=WARN")


class Kafka(Service):
    """A broker without security, whose topics are made by those who need them.

    Args:
        busy: whether it is to carry a load for minutes, and not to be there soon.
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
            raise ServiceError(f"Kafka's storage was not made: {done.stderr.strip()[-500:]}")

    def command(self, folder: Path, port: int) -> Sequence[str]:
        settings = folder / "server.properties"
        controller = next(
            line.rpartition(":")[2]
            for line in settings.read_text().splitlines()
            if line.startswith("controller.quorum")
        )
        mine = f"PLAINTEXT://127.0.0.1:{port}"
        override = (f"listeners={mine},CONTROLLER://127.0.0.1:{controller}", f"advertised.listeners={mine}")
        overrides = [word for each in override for word in ("--override", each)]
        return [*java(busy=self._busy), "kafka.Kafka", str(settings), *overrides]


SERVICE = Kafka()
#: One that measurements use.
BUSY = Kafka(busy=True)


def make_topics(address: str, *names: str) -> None:
    """Make topics of one partition.

    Raises:
        ServiceError: what the broker says of one that cannot be made.
    """
    for name in names:
        command = [*java(_TOOLS), "org.apache.kafka.tools.TopicCommand", "--bootstrap-server", address]
        done = subprocess.run([*command, "--create", "--topic", name], capture_output=True, text=True, check=False)
        if done.returncode:
            raise ServiceError(f"topic {name} was not made: {(done.stdout + done.stderr).strip()[-500:]}")


def connector_jars() -> list[Path]:
    """The jars of Spark's connector for Kafka that Spark does not bring itself.

    Raises:
        ServiceError: they cannot be fetched.
    """
    from compiled_plan.plans.connectors.jars import KAFKA

    return _had([artifact_of(package.coordinates, package.sha256) for package in KAFKA])


def _had(artifacts: Sequence[Artifact]) -> list[Path]:
    try:
        return [fetched(artifact) for artifact in artifacts]
    except FetchError as fault:
        raise ServiceError(str(fault)) from fault


def java(module: str = _BROKER, *, busy: bool = False) -> list[str]:
    """A command that runs classes of a module, by default of the broker, or with a source file as the first argument.

    Args:
        module: a library of `jars.txt`.
        busy: whether what runs has much to do for minutes.

    Raises:
        ServiceError: the library cannot be fetched.
    """
    classes = os.pathsep.join(map(str, _had(library(module))))
    return [java_program(), *([] if busy else [_QUICK]), *_JVM, "-cp", classes]


def java_program() -> str:
    """The program that runs classes of Java."""
    from compiled_plan.plans.execution.kernel import use_suitable_java

    use_suitable_java()
    home = os.environ.get("JAVA_HOME")
    return str(Path(home, "bin", "java")) if home else "java"
