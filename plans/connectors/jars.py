"""Libraries that connectors need beside the product."""

from __future__ import annotations

from compiled_plan.plans.connectors.spec import Package

#: Spark's connector for Kafka. The newest that Maven Central has; it runs on Spark 4.3.
KAFKA = (
    Package("org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0", "org.apache.spark.sql.kafka010.KafkaSourceProvider"),
)
