"""Maven coordinates of what connectors need beside the product."""

from __future__ import annotations

#: Spark's connector for Kafka. The newest that Maven Central has; it runs on Spark 4.3.
KAFKA = ("org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0",)
