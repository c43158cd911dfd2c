"""Java libraries that connectors, formats and functions in Java need besides the product."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Package:
    """A Maven artifact that a run downloads if its class path lacks it."""

    coordinates: str  # `group:name:version`; Spark brings its dependencies, or they are packages of their own
    sha256: str  # hexadecimal digest of the jar
    holds: str  # full name of one of its classes, to test for its presence
    option: str = ""  # the table option that decides if it is needed; empty if it always is
    begins: str = ""  # prefix of that option's value if it is needed

    def serves(self, options: Mapping[str, str]) -> bool:
        """Return True if a table with these options needs the library."""
        return not self.option or options.get(self.option, "").startswith(self.begins)


#: Spark's Kafka connector, the newest on Maven Central, for Spark 4.2 and 4.3; and its dependencies that Spark does not
#: bring.
KAFKA = (
    Package(
        "org.apache.commons:commons-pool2:2.13.1",
        "f77a5060d6936a9144023584232f9de3f2248f1abfe156e9d31795f18770674f",
        "org.apache.commons.pool2.PooledObject",
    ),
    Package(
        "org.apache.kafka:kafka-clients:3.9.2",
        "014b4ef36884478a932641818b080c36a8f8e2e92dc771e800c9d2694f4f83d8",
        "org.apache.kafka.clients.admin.AdminClient",
    ),
    Package(
        "org.apache.spark:spark-token-provider-kafka-0-10_2.13:4.2.0",
        "641c7947afc8aa1189e433b7c2d305293993c8691bc1c2062d6d4f513b12518c",
        "org.apache.spark.kafka010.KafkaTokenUtil",
    ),
    Package(
        "org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0",
        "64539c45e5d39f7ddb747312c239f38f5208d08c1a0ddf7d70beb2fbd9373705",
        "org.apache.spark.sql.kafka010.KafkaSourceProvider",
    ),
)

#: Runtime of the Java classes that protoc generates, of this major version and of the one before.
PROTOBUF = Package(
    "com.google.protobuf:protobuf-java:4.36.2",
    "0773e72eaf375e1285df330575bfec5bda5da674d544d0e142a17f89c8f754da",
    "com.google.protobuf.Message",
)


def _driver(name: str, coordinates: str, sha256: str, holds: str) -> Package:
    return Package(coordinates, sha256, holds, option="url", begins=f"jdbc:{name}:")


DRIVERS = (
    _driver(
        "postgresql",
        "org.postgresql:postgresql:42.7.14",
        "73914527305a40cce504b0d3d90b23caf565136912d607ae8ae7c5895512332c",
        "org.postgresql.Driver",
    ),
    _driver(
        "mysql",
        "com.mysql:mysql-connector-j:9.7.0",
        "0353648eaa1c91e0f4020c959abf756bc866ffd583df22ae6b6f6e0cbd43eb44",
        "com.mysql.cj.jdbc.Driver",
    ),
    _driver(
        "mariadb",
        "org.mariadb.jdbc:mariadb-java-client:3.5.11",
        "42604178b9e57ec08ee0035079961516f086e455d0141f0b22c6eff29fb2fff4",
        "org.mariadb.jdbc.Driver",
    ),
    _driver(
        "sqlite",
        "org.xerial:sqlite-jdbc:3.54.1.0",
        "f8dce420a6016278497f4f0560f65602b9db858de141b541cf91a4644ebe4639",
        "org.sqlite.JDBC",
    ),
)

#: Flink's interfaces of user functions, its type inference, and what these two need.
FLINK = (
    Package(
        "org.apache.flink:flink-annotations:2.3.0",
        "43eef36e172f5bc727a63c75347ba5cc4ceeb569f5daaf64421da248c224308a",
        "org.apache.flink.annotation.PublicEvolving",
    ),
    Package(
        "org.apache.flink:flink-core-api:2.3.0",
        "f9f3c9bdb4e0c0d0f15b3e2e4def4ee6cd56edfc55c9514b9004a1db4a51e351",
        "org.apache.flink.util.TaggedUnion",
    ),
    Package(
        "org.apache.flink:flink-metrics-core:2.3.0",
        "ea5f85e7490ab3363230f771edb78ea69856ac2eaf75e340db99c67f2c72b982",
        "org.apache.flink.metrics.MetricGroup",
    ),
    Package(
        "org.apache.flink:flink-shaded-asm-9:9.9.1-21.0",
        "abd67048e87fb1306e7b9fce372af7bf9ca0bbf026ae263c817edf647c7f4159",
        "org.apache.flink.shaded.asm9.org.objectweb.asm.ClassReader",
    ),
    Package(
        "org.apache.flink:flink-core:2.3.0",
        "26b63fadf4808727cfbdc5271ee600144dacf15db8aab5a77c1e59005ea140aa",
        "org.apache.flink.types.RowUtils",
    ),
    Package(
        "org.apache.flink:flink-table-common:2.3.0",
        "75da42076ecb2c64735b46c837d2f7bd7c7d07e03a2cf59661ca2ca843db643b",
        "org.apache.flink.table.functions.UserDefinedFunction",
    ),
)

#: Flink's state and its serializers, for the process that reads savepoints; they need `FLINK`, too.
SAVEPOINT = (
    Package(
        "org.apache.flink:flink-shaded-guava:33.5.0-jre-21.0",
        "6644e530e098362a964467902b5ecf615aca63ca4424351b69e37108aa09b288",
        "org.apache.flink.shaded.guava33.com.google.common.collect.Multimap",
    ),
    Package(
        "org.apache.flink:flink-runtime:2.3.0",
        "490e92d30cbd766e070f2bfc3c011b1830dc165894be2735a5585b8b9e76cb69",
        "org.apache.flink.runtime.checkpoint.Checkpoints",
    ),
    Package(
        "org.apache.flink:flink-cep:2.3.0",
        "a790b8e74fd3acd11bba2b73a85820469b7581d78c26a06d8f2cdff8097d9088",
        "org.apache.flink.cep.nfa.NFAState",
    ),
    Package(
        "org.apache.flink:flink-table-runtime:2.3.0",
        "bd3861d3b567e43b1aa3ec3f79c0f105d317e2b03e3e8e111e335e13cc8eb95b",
        "org.apache.flink.table.runtime.typeutils.RowDataSerializer",
    ),
)

#: Delta Lake, for Spark 4.2.
DELTA = (
    Package(
        "io.delta:delta-storage:4.4.0",
        "c46735481fa8e326b0957be02b4420cbcab4b325bb08009b7f2045a95133f1cc",
        "io.delta.storage.LogStore",
    ),
    Package(
        "io.delta:delta-spark_4.2_2.13:4.4.0",
        "27d4fd8b1f879535c573ed1c718177d6a27f24d3e626ba02e216369725721ead",
        "io.delta.tables.DeltaTable",
    ),
)

#: Iceberg, for Spark 4.1.
ICEBERG = (
    Package(
        "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0",
        "3123c3798af642dd537230923548e013ef41cc28b6626e5225808cf5670a0f82",
        "org.apache.iceberg.spark.SparkCatalog",
    ),
)

#: Libraries for a version of Spark on which the declared ones do not run; None for a library without a release for it.
OF_SPARK: Mapping[str, Mapping[Package, Package | None]] = {
    "4.3": {DELTA[1]: None, ICEBERG[0]: None},
    "4.2": {ICEBERG[0]: None},
    "4.1": {
        KAFKA[2]: replace(
            KAFKA[2],
            coordinates="org.apache.spark:spark-token-provider-kafka-0-10_2.13:4.1.1",
            sha256="e510adc37b03d01d0a190d0dab472b5538e05eaa77454f7e9477156d7a6820ae",
        ),
        KAFKA[3]: replace(
            KAFKA[3],
            coordinates="org.apache.spark:spark-sql-kafka-0-10_2.13:4.1.1",
            sha256="9c1ce986f548e6b1dcb0e2dfe2f253a0bc58f2232a32a0c9c6c674dd25a8570c",
        ),
        DELTA[1]: replace(
            DELTA[1],
            coordinates="io.delta:delta-spark_4.1_2.13:4.4.0",
            sha256="75a9400986853c061f5109f012547de2545a5759e5e752e5ef633dabe16a4f10",
        ),
    },
}


def for_spark(package: Package, version: str) -> Package | None:
    """The release of a library that runs on a version of Spark, such as "4.1"; None if there is none."""
    return OF_SPARK.get(version, {}).get(package, package)


_OTHER_RELEASES = (package for releases in OF_SPARK.values() for package in releases.values() if package is not None)
#: All libraries that a run may download.
ALL = (*KAFKA, PROTOBUF, *FLINK, *SAVEPOINT, *DRIVERS, *DELTA, *ICEBERG, *_OTHER_RELEASES)
