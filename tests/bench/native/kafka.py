"""Count and sum of each key of a topic with Spark's own aggregate and connectors: BROKER TOPIC SINK.

`fill BROKER TOPIC ROWS KEYS` fills the topic instead. The sink is a topic, or the URL of a database with the
table `by_hand` and a staging table `by_hand_new` for a micro-batch.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from tests.bench.native import run, session
from tools.maven import POSTGRES_DRIVER, fetched
from tools.services.kafka import connector_jars

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_JARS = {"spark.jars": ",".join(jar.as_uri() for jar in (*connector_jars(), fetched(POSTGRES_DRIVER)))}
_UPSERT = (
    "INSERT INTO by_hand SELECT k, c, s FROM by_hand_new ON CONFLICT (k) DO UPDATE SET c = EXCLUDED.c, s = EXCLUDED.s"
)


def fill(broker: str, topic: str, rows: int, keys: int) -> None:
    """Write messages with numbers, in JSON."""
    spark = session(_JARS)
    key = (F.hash("id") % keys + keys) % keys
    text = F.to_json(F.struct(key.cast("long").alias("k"), (F.col("id") % 1000).alias("v")))
    messages = spark.range(0, rows, 1, 2).select(text.alias("value"))
    messages.write.format("kafka").option("kafka.bootstrap.servers", broker).option("topic", topic).save()


def aggregate(broker: str, topic: str, sink: str) -> None:
    """Aggregate from the topic into a topic or a database."""
    spark = session(_JARS)
    source = spark.readStream.format("kafka").option("kafka.bootstrap.servers", broker).option("subscribe", topic)
    value = F.from_json(F.col("value").cast("string"), "k BIGINT, v BIGINT")
    rows = source.option("startingOffsets", "earliest").load().select(value.alias("x")).select("x.*")
    sums = rows.groupBy("k").agg(F.count("*").alias("c"), F.sum("v").alias("s"))
    if sink.startswith("jdbc:"):
        run(sums, "update", lambda frame, _: _upsert(frame, sink))
        return
    text = F.to_json(F.struct("k", "c", "s")).alias("value")
    messages = sums.select(F.to_json(F.struct("k")).alias("key"), text)
    run(messages, "update", format="kafka", options={"kafka.bootstrap.servers": broker, "topic": sink})


def _upsert(frame: DataFrame, url: str) -> None:
    options: dict[str, Any] = {
        "url": url,
        "dbtable": "by_hand_new",
        "truncate": True,
        "driver": "org.postgresql.Driver",
    }
    frame.write.format("jdbc").mode("overwrite").options(**options).save()
    jvm: Any = frame.sparkSession._jvm
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    driver = loader.loadClass("org.postgresql.Driver").getDeclaredConstructor(None).newInstance(None)
    connection = driver.connect(url, jvm.java.util.Properties())
    try:
        connection.createStatement().execute(_UPSERT)
    finally:
        connection.close()


if __name__ == "__main__":
    if sys.argv[1] == "fill":
        broker, topic, *numbers = sys.argv[2:]
        fill(broker, topic, *map(int, numbers))
    else:
        aggregate(*sys.argv[1:])
