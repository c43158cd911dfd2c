"""Libraries that connectors need beside the product."""

from __future__ import annotations

from compiled_plan.plans.connectors.spec import Package

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
