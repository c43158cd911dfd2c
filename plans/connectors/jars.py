"""Libraries that connectors and formats need beside the product: what is known of one, and those there are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Package:
    """A library of Maven that a run gets where its class path lacks it.

    Args:
        coordinates: `group:name:version`.
        holds: the full name of a class of it, by which it is found.
        option: the option of a table that decides whether it is needed; empty where it always is.
        begins: what that option's value begins with then.
        alone: whether it is fetched without what it depends on: Spark brings that, or it is named, too.
    """

    coordinates: str
    holds: str
    option: str = ""
    begins: str = ""
    alone: bool = False

    def serves(self, options: Mapping[str, str]) -> bool:
        """Whether a table of these options needs it."""
        return not self.option or options.get(self.option, "").startswith(self.begins)


#: Spark's connector for Kafka, the newest that Maven Central has, which runs on Spark 4.3; and what it needs that Spark
#: does not bring itself.
KAFKA = (
    Package("org.apache.commons:commons-pool2:2.13.1", "org.apache.commons.pool2.PooledObject", alone=True),
    Package("org.apache.kafka:kafka-clients:3.9.2", "org.apache.kafka.clients.admin.AdminClient", alone=True),
    Package(
        "org.apache.spark:spark-token-provider-kafka-0-10_2.13:4.2.0",
        "org.apache.spark.kafka010.KafkaTokenUtil",
        alone=True,
    ),
    Package(
        "org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0",
        "org.apache.spark.sql.kafka010.KafkaSourceProvider",
        alone=True,
    ),
)

#: What the Java classes of protoc need; it serves those that protoc of its major version and of the one before made.
PROTOBUF = Package("com.google.protobuf:protobuf-java:4.36.2", "com.google.protobuf.Message", alone=True)
