"""Connectors and formats of Flink's pages that are not supported: refused by name, with the reason.

Unsupported options of supported connectors are declared with `Effect.REFUSED`.
"""

from __future__ import annotations

from collections.abc import Mapping

_SPARK = "Spark brings no connector for it; with one on the class path it is a provider of the connector 'spark'"
_LOG = "it reads the log of a database by itself; read what Debezium makes of the log, with format 'debezium-json'"
_OWN = "Flink's Python API creates such tables internally"

#: The reason by connector name.
FLINK_CONNECTORS: Mapping[str, str] = {
    **dict.fromkeys(("kinesis", "firehose", "dynamodb", "pulsar", "rabbitmq"), _SPARK),
    **dict.fromkeys(("elasticsearch-6", "elasticsearch-7", "elasticsearch-8", "opensearch", "opensearch-2"), _SPARK),
    **dict.fromkeys(("mongodb", "hbase-1.4", "hbase-2.2", "hudi", "paimon"), _SPARK),
    **dict.fromkeys(("mysql-cdc", "postgres-cdc", "oracle-cdc", "sqlserver-cdc", "mongodb-cdc"), _LOG),
    **dict.fromkeys(("python-input", "python-input-format", "python-arrow-source"), _OWN),
    "hive": "its tables are in a metastore, which is not supported; read their files with 'filesystem'",
    "dynamic-kafka": "a Java class determines its clusters, and a plan does not choose classes to load",
    "legacy-csv": "it belongs to Flink's own tests; use 'filesystem' with format 'csv'",
}

#: The reason by format name.
FLINK_FORMATS: Mapping[str, str] = {
    "testcsv": "it belongs to Flink's own tests; use 'csv'",
    "avro-glue": "its schemas are in an AWS registry; use 'avro-confluent' with a registry of Confluent's protocol",
    "avro-variant-confluent": "it is not in Flink 2.3; use 'avro-confluent', with the columns of the table",
}
