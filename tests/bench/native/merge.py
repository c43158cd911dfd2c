"""Merge the changes of Debezium's JSON into a Delta table, written by hand: FOLDER TABLE.

The number of the micro-batch makes a repeated one a no-op, as in the sink of the product.
"""

import sys
from collections.abc import Mapping

import pyspark
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from compiled_plan.plans.connectors.lakes import DELTA
from compiled_plan.plans.spark_versions import spark_version
from tests.bench.native import read, run, session
from tools.maven import artifact_of, fetched

_ROW = "id BIGINT, n BIGINT, s STRING"
_TRANSACTION = "spark.databricks.delta.write.txn"
_MERGE = """
    MERGE INTO delta.`{table}` old USING last ON old.id = last.id
    WHEN MATCHED AND last.op = 'd' THEN DELETE
    WHEN MATCHED THEN UPDATE SET old.n = last.n, old.s = last.s
    WHEN NOT MATCHED AND last.op <> 'd' THEN INSERT (id, n, s) VALUES (last.id, last.n, last.s)
"""


def settings() -> Mapping[str, str]:
    """The settings of a session with Delta, which has as many partitions as the shuffles."""
    packages = DELTA.release(spark_version(pyspark.__version__))
    if packages is None:
        raise SystemExit(f"{DELTA.title} has no release for Spark {pyspark.__version__}")
    jars = [str(fetched(artifact_of(package.coordinates, package.sha256))) for package in packages]
    return {
        "spark.jars": ",".join(jars),
        "spark.sql.extensions": DELTA.extension,
        DELTA.partitions: "2",
        **DELTA.settings,
    }


def main(folder: str, table: str) -> None:
    """Merge the last change of each key, a file a micro-batch."""
    spark = session(settings())
    spark.sql(f"CREATE TABLE delta.`{table}` ({_ROW}) USING delta")

    def merge(changes: DataFrame, batch: int) -> None:
        change = F.struct(F.monotonically_increasing_id().alias("at"), "op", "after")
        keyed = changes.select(F.coalesce("after.id", "before.id").alias("id"), change.alias("change"))
        last = keyed.groupBy("id").agg(F.max_by("change", "change.at").alias("change"))
        last.select("id", "change.op", "change.after.n", "change.after.s").createOrReplaceTempView("last")
        changes.sparkSession.conf.set(f"{_TRANSACTION}AppId", "by hand")
        changes.sparkSession.conf.set(f"{_TRANSACTION}Version", str(batch))
        changes.sparkSession.sql(_MERGE.format(table=table))

    run(read(spark, folder, f"before STRUCT<{_ROW}>, after STRUCT<{_ROW}>, op STRING"), "append", merge)


if __name__ == "__main__":
    main(*sys.argv[1:])
