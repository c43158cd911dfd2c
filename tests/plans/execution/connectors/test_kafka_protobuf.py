"""`kafka` and `upsert-kafka` with messages of Protocol Buffers, by classes in a jar of the session."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from tests.support.protobufs import add_classes, decoded, encoded
from tests.support.topics import Topics

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tools.services.server import Server

ITEM = "example.shop.Item"
OPTIONS = "'format' = 'protobuf', 'protobuf.message-class-name' = 'org.example.shop.Item'"
TREE = "org.example.shop.Item$Tree"


def run(spark: SparkSession, program: str) -> list[str]:
    lines: list[str] = []
    Run(spark, TableEnvironment().compile_script(program), RunOptions(), lines.append).execute()
    return sorted(lines)


@pytest.mark.deep
def test_keys_and_values_are_written_and_read(spark: SparkSession, kafka: Server, tmp_path: Path) -> None:
    topics = Topics(spark, kafka)
    add_classes(spark, tmp_path)
    for name in ("items", "upserts", "broken"):
        topics.make(f"protobuf-{name}")
    bounds = f"'scan.bounded.mode' = 'latest-offset', {topics.options}"
    begin = "'scan.startup.mode' = 'earliest-offset'"
    letters = f"'dead-letter.path' = '{tmp_path}/letters'"
    columns = "l BIGINT, t STRING, size STRING, part ROW<v1 BIGINT, note STRING>, counts MAP<STRING, BIGINT>"
    tree = "".join(
        f", '{p}.format' = 'protobuf', '{p}.protobuf.message-class-name' = '{TREE}'" for p in ("key", "value")
    )
    tables = f"""
        CREATE TABLE items ({columns}) WITH (
          'connector' = 'kafka', 'topic' = 'protobuf-items', {OPTIONS}, {begin}, {bounds});
        CREATE TABLE up (depth INT, `next` ROW<depth INT>, PRIMARY KEY (depth) NOT ENFORCED) WITH (
          'connector' = 'upsert-kafka', 'topic' = 'protobuf-upserts', {bounds} {tree});
        CREATE TABLE broken (i INT) WITH (
          'connector' = 'kafka', 'topic' = 'protobuf-broken', {OPTIONS}, {begin}, {bounds}, {letters});
        CREATE TABLE o_items ({columns}) WITH ('connector' = 'print', 'print-identifier' = 'items');
        CREATE TABLE o_up (depth INT, `next` ROW<depth INT>) WITH ('connector' = 'print', 'print-identifier' = 'up');
        CREATE TABLE o_broken (i INT) WITH ('connector' = 'print', 'print-identifier' = 'broken');
    """
    part, counts = "CAST(ROW(5, 'n') AS ROW<v1 BIGINT, note STRING>)", "MAP['k', CAST(7 AS BIGINT)]"
    run(
        spark,
        f"""{tables} EXECUTE STATEMENT SET BEGIN
          INSERT INTO items VALUES (CAST(-1 AS BIGINT), 'ü', 'LARGE', {part}, {counts}),
            (CAST(NULL AS BIGINT), CAST(NULL AS STRING), 'none of it', CAST(NULL AS ROW<v1 BIGINT, note STRING>),
             CAST(NULL AS MAP<STRING, BIGINT>));
          INSERT INTO up SELECT d, CAST(ROW(d + 1) AS ROW<depth INT>) FROM (VALUES (1), (2), (1)) AS t(d)
            ON CONFLICT DO DEDUPLICATE; END;""",
    )
    broken = spark.createDataFrame(
        [(message,) for message in (encoded(ITEM, "i: 4"), b"\x42\x05a", b"")], "value binary"
    )
    address = {"kafka.bootstrap.servers": kafka.address}
    broken.write.format("kafka").options(**address, topic="protobuf-broken").save()
    sent = [
        bytes(row.value)
        for row in spark.read.format("kafka").options(**address, subscribe="protobuf-items").load().collect()
    ]
    assert sorted(decoded(ITEM, message) for message in sent) == [
        "",
        'l: -1 t: "ü" size: LARGE part { v1: 5 note: "n" } counts { key: "k" value: 7 }',
    ]
    reads = "".join(f"INSERT INTO o_{name} SELECT * FROM {name};" for name in ("items", "up", "broken"))
    assert run(spark, f"{tables} EXECUTE STATEMENT SET BEGIN {reads} END;") == [
        "broken> +I[0]",
        "broken> +I[4]",
        "items> +I[-1, ü, LARGE, +I[5, n], {k=7}]",
        "items> +I[0, , NONE, null, null]",
        "up> +I[1, +I[2]]",
        "up> +I[2, +I[3]]",
    ]
    (letter,) = [json.loads(line) for path in (tmp_path / "letters").rglob("part-*") for line in path.open()]
    assert letter["topic"] == "protobuf-broken" and "no message example.shop.Item" in letter["reason"]
    with pytest.raises(CompiledPlanError, match=r"column l: the field example\.shop\.Item\.l is a sint64"):
        run(spark, tables.replace("l BIGINT", "l INT") + "INSERT INTO o_items SELECT * FROM items;")
    with pytest.raises(CompiledPlanError, match=r"there is no Java class org\.example\.shop\.Nobody"):
        run(spark, tables.replace("shop.Item'", "shop.Nobody'") + "INSERT INTO o_items SELECT * FROM items;")
