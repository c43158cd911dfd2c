"""Kafka: one broker that is its own controller, of the jars of Maven Central, which Ivy fetches once.

Ivy comes with Spark. What it fetched is kept in the user's cache folder.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from tools.maven import cache
from tools.services.server import ServiceError, free_port, listens

_BROKER, _TOOLS = "org.apache.kafka#kafka_2.13;4.1.1", "org.apache.kafka#kafka-tools;4.1.1"
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


class Kafka:
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
        fetched(_BROKER)
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

    def environment(self) -> Mapping[str, str]:
        return {}

    def answers(self, port: int) -> bool:
        return listens(port)

    def address(self, port: int) -> str:
        return f"127.0.0.1:{port}"


SERVICE = Kafka()
#: One that measurements use.
BUSY = Kafka(busy=True)


def make_topics(address: str, *names: str) -> None:
    """Make topics of one partition.

    Args:
        address: of the broker.
        names: of topics that are not there.

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

    group, artifact, version = KAFKA[-1].coordinates.split(":")
    folder = fetched(f"{group}#{artifact};{version}")
    return [folder / f"{'-'.join(each.coordinates.split(':')[1:])}.jar" for each in KAFKA]


def fetched(module: str) -> Path:
    """The folder with the jars of a module and of what it depends on; from Maven Central where they are not there.

    Args:
        module: `organisation#name;version`.

    Raises:
        ServiceError: Maven Central cannot be reached, or has no such module.
    """
    organisation, _, rest = module.partition("#")
    name, _, version = rest.partition(";")
    jars = cache() / "jars"
    folder = jars / f"{name}-{version}"
    if folder.is_dir():
        return folder
    jars.mkdir(parents=True, exist_ok=True)
    # Ivy's cache is for one process at a time: two write the same file in part, and find its checksum wrong.
    with (jars / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.is_dir():
            _fetch(module, organisation, name, version, folder)
    return folder


def _fetch(module: str, organisation: str, name: str, version: str, folder: Path) -> None:
    spark = find_spec("pyspark")
    assert spark is not None and spark.submodule_search_locations
    (ivy,) = Path(spark.submodule_search_locations[0], "jars").glob("ivy-*.jar")
    made = folder.with_name(f".{folder.name}")
    shutil.rmtree(made, ignore_errors=True)
    pattern = f"{made}/[artifact]-[revision](-[classifier]).[ext]"
    command = [_program(), "-cp", str(ivy), "org.apache.ivy.Main", "-cache", str(folder.with_name("ivy"))]
    command += ["-confs", "default", "-dependency", organisation, name, version]
    command += ["-retrieve", pattern, "-types", "jar", "bundle"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode or not made.is_dir():
        raise ServiceError(
            f"{module} was not fetched: {(done.stdout + done.stderr).strip()[-800:]}\n"
            "  try: again with a connection to Maven Central; what was fetched once is kept"
        )
    made.rename(folder)


def java(module: str = _BROKER, *, busy: bool = False) -> list[str]:
    """A command that runs classes of a module, by default of the broker, or with a source file as the first argument.

    Args:
        module: of Maven Central.
        busy: whether what runs has much to do for minutes.

    Raises:
        ServiceError: the module cannot be fetched.
    """
    return [_program(), *([] if busy else [_QUICK]), *_JVM, "-cp", f"{fetched(module)}/*"]


def _program() -> str:
    from compiled_plan.plans.execution.kernel import use_fit_java

    use_fit_java()
    home = os.environ.get("JAVA_HOME")
    return str(Path(home, "bin", "java")) if home else "java"
