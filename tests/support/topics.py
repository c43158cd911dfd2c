"""Topics of a broker for tests: created, filled and read by Kafka's clients in the session's JVM."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Broker(Protocol):
    """A broker with topics."""

    @property
    def address(self) -> str:
        """Bootstrap servers for programs."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message in a topic; texts are in UTF-8."""

    value: str | None
    key: str | None = None
    partition: int = 0
    timestamp: int | None = None
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Topics:
    """The topics of a broker."""

    spark: SparkSession
    server: Broker
    created: set[str] = field(default_factory=set)

    @property
    def options(self) -> str:
        """The options of a table with the broker's address."""
        return f"'properties.bootstrap.servers' = '{self.server.address}'"

    def make(self, name: str, partitions: int = 1) -> str:
        """Create a topic; returns its name."""
        jvm = self._jvm
        some, none = jvm.java.util.Optional.of(partitions), jvm.java.util.Optional.empty()
        wanted = jvm.java.util.ArrayList()
        wanted.add(jvm.org.apache.kafka.clients.admin.NewTopic(name, some, none))
        with self._admin() as admin:
            admin.createTopics(wanted).all().get()
        self.created.add(name)
        return name

    def widen(self, name: str, partitions: int) -> None:
        """Give a topic more partitions."""
        wanted = self._jvm.java.util.HashMap()
        wanted.put(name, self._jvm.org.apache.kafka.clients.admin.NewPartitions.increaseTo(partitions))
        with self._admin() as admin:
            admin.createPartitions(wanted).all().get()

    def send(self, topic: str, messages: Sequence[Message]) -> None:
        """Write messages one after another."""
        jvm = self._jvm
        producer = jvm.org.apache.kafka.clients.producer.KafkaProducer(self._settings("serializer", "Serializer"))
        try:
            for message in messages:
                headers = jvm.java.util.ArrayList()
                for name, text in message.headers:
                    headers.add(
                        jvm.org.apache.kafka.common.header.internals.RecordHeader(name, bytearray(text.encode()))
                    )
                record = jvm.org.apache.kafka.clients.producer.ProducerRecord(
                    topic, message.partition, message.timestamp, message.key, message.value, headers
                )
                producer.send(record)
            producer.flush()
        finally:
            producer.close()

    def read(self, topic: str, *, committed: bool = False) -> list[Message]:
        """All messages, or the committed ones, by partition and offset."""
        frame = self.spark.read.format("kafka").option("kafka.bootstrap.servers", self.server.address)
        if committed:
            frame = frame.option("kafka.isolation.level", "read_committed")
        rows = frame.option("subscribe", topic).option("includeHeaders", True).load().orderBy("partition", "offset")
        return [
            Message(
                _text(row.value),
                _text(row.key),
                row.partition,
                headers=tuple((header.key, _text(header.value) or "") for header in row.headers or ()),
            )
            for row in rows.collect()
        ]

    @property
    def _jvm(self) -> Any:
        return self.spark._jvm

    def _admin(self) -> closing[Any]:
        return closing(self._jvm.org.apache.kafka.clients.admin.AdminClient.create(self._settings()))

    def _settings(self, role: str = "", suffix: str = "") -> Any:
        properties = self._jvm.java.util.Properties()
        properties.put("bootstrap.servers", self.server.address)
        for part in ("key", "value") if role else ():
            properties.put(f"{part}.{role}", f"org.apache.kafka.common.serialization.String{suffix}")
        return properties


def _text(data: bytes | bytearray | None) -> str | None:
    return None if data is None else bytes(data).decode()
