"""The connector `kafka` on a real broker: reading, writing, start and end offsets, restarts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from tests.support.topics import Message, Topics

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tools.services.server import Server


@pytest.fixture(scope="module")
def topics(spark: SparkSession, kafka: Server) -> Topics:
    return Topics(spark, kafka)


def run(spark: SparkSession, program: str, checkpoint: Path | None = None) -> list[str]:
    """The lines that a program prints."""
    lines: list[str] = []
    options = RunOptions(checkpoint=str(checkpoint) if checkpoint else "")
    Run(spark, TableEnvironment().compile_script(program), options, lines.append).execute()
    return lines


def source(topics: Topics, name: str, columns: str, *options: str) -> str:
    table_options = {
        "connector": "kafka",
        "topic": name,
        "scan.startup.mode": "earliest-offset",
        "scan.bounded.mode": "latest-offset",
        "format": "json",
    }
    for option in options:
        key, _, value = option.partition("=")
        table_options[key] = value
        if key == "value.format":
            del table_options["format"]
        if key == "topic-pattern":
            del table_options["topic"]
    text = ", ".join(f"'{key}' = '{value}'" for key, value in table_options.items())
    return f"({columns}) WITH ({text}, {topics.options})"


def printed(name: str, columns: str) -> str:
    return f"CREATE TABLE {name} ({columns}) WITH ('connector' = 'print', 'print-identifier' = '{name}');"


def by_table(lines: list[str]) -> dict[str, list[str]]:
    result: dict[str, list[str]] = {}
    for line in lines:
        name, _, row = line.partition("> ")
        result.setdefault(name, []).append(row)
    return result


Outputs = dict[str, tuple[str, str, str]]


def read(spark: SparkSession, outputs: Outputs) -> dict[str, list[str]]:
    """Rows of tables read in one run, by table: its options, the printed columns, and the SELECT list."""
    parts = [f"CREATE TABLE {name} {text};" for name, (text, _, _) in outputs.items()]
    parts += [printed(name.upper(), columns) for name, (_, columns, _) in outputs.items()]
    inserts = "".join(f"INSERT INTO {name.upper()} SELECT {what} FROM {name};" for name, (*_, what) in outputs.items())
    printed_rows = by_table(run(spark, "\n".join([*parts, f"EXECUTE STATEMENT SET BEGIN {inserts} END;"])))
    return {name.lower(): rows for name, rows in printed_rows.items()}


@pytest.fixture(scope="module")
def plain(topics: Topics) -> str:
    """A topic of two partitions, with one message without a value."""
    topics.make("plain", 2)
    topics.send(
        "plain",
        [
            Message('{"a": 1, "b": "x"}', timestamp=1000),
            Message('{"a": 2}', "k", headers=(("h", "1"), ("i", "2"), ("h", "3")), timestamp=2000),
            Message(None, "nothing", timestamp=2500),
            Message('{"a": 3, "b": "z"}', partition=1, timestamp=3000),
            Message('{"a": 4, "b": "z"}', partition=1, timestamp=4000),
        ],
    )
    return "plain"


def test_metadata_keys_and_changelogs_are_read(spark: SparkSession, topics: Topics, plain: str) -> None:
    """Tables in one run: metadata, keys, a changelog format."""
    topics.make("keyed")
    topics.send("keyed", [Message('{"v": 1, "n": 7}', '{"id": "a", "n": 5}'), Message('{"v": 2}', None)])
    topics.make("changes")
    topics.send(
        "changes",
        [
            Message('{"before": null, "after": {"id": 1, "n": "a"}, "op": "c", "ts_ms": 1000}'),
            Message('{"before": {"id": 1, "n": "a"}, "after": {"id": 1, "n": "b"}, "op": "u", "ts_ms": 2000}'),
            Message('{"before": {"id": 1, "n": "b"}, "after": null, "op": "d", "ts_ms": 3000}'),
        ],
    )
    metadata = (
        "topic STRING METADATA VIRTUAL, `partition` BIGINT METADATA VIRTUAL, `offset` BIGINT METADATA VIRTUAL, "
        "h MAP<STRING, BYTES> METADATA FROM 'headers', ts TIMESTAMP_LTZ(3) METADATA FROM 'timestamp', "
        "how STRING METADATA FROM 'timestamp-type' VIRTUAL, a INT, b STRING"
    )
    outputs: Outputs = {
        "meta": (
            source(topics, plain, metadata),
            "t STRING, p BIGINT, o BIGINT, h STRING, i STRING, ts TIMESTAMP_LTZ(3), how STRING, a INT, b STRING",
            "topic, `partition`, `offset`, CAST(h['h'] AS STRING), CAST(h['i'] AS STRING), ts, how, a, b",
        ),
        "keys": (
            source(
                topics, "keyed", "k_id STRING, k_n INT, v INT, n INT", "key.format=json", "key.fields=k_n;k_id",
                "key.fields-prefix=k_", "value.format=json", "value.fields-include=EXCEPT_KEY",
            ),
            "a STRING, b INT, c INT, d INT",
            "*",
        ),
        "cdc": (
            source(
                topics, "changes",
                "id INT, n STRING, ms TIMESTAMP(3) METADATA FROM 'value.ingestion-timestamp' VIRTUAL",
                "value.format=debezium-json",
            ),
            "id INT, n STRING, t TIMESTAMP(3)",
            "*",
        ),
    }  # fmt: skip
    printed = read(spark, outputs)
    moment = "1970-01-01T00:00:0{}Z".format
    assert sorted(printed["meta"]) == [
        f"+I[plain, 0, 0, null, null, {moment(1)}, CreateTime, 1, x]",
        f"+I[plain, 0, 1, 3, 2, {moment(2)}, CreateTime, 2, null]",
        f"+I[plain, 1, 0, null, null, {moment(3)}, CreateTime, 3, z]",
        f"+I[plain, 1, 1, null, null, {moment(4)}, CreateTime, 4, z]",
    ]
    assert printed["keys"] == ["+I[a, 5, 1, 7]", "+I[null, null, 2, null]"]
    assert printed["cdc"] == [
        "+I[1, a, 1970-01-01T00:00:01]",
        "-U[1, a, 1970-01-01T00:00:02]",
        "+U[1, b, 1970-01-01T00:00:02]",
        "-D[1, b, 1970-01-01T00:00:03]",
    ]


@pytest.mark.deep
def test_start_and_end_offsets(spark: SparkSession, topics: Topics, plain: str) -> None:
    """Starts and ends by time, by offsets and by a group; topics by pattern; values that are not line text."""
    topics.make("raw-texts")
    topics.send("raw-texts", [Message("one\r"), Message("two\nlines"), Message("")])
    tables = {
        "later": source(
            topics, plain, "a INT", "scan.startup.mode=timestamp", "scan.startup.timestamp-millis=2000",
            "scan.bounded.mode=timestamp", "scan.bounded.timestamp-millis=4000",
        ),
        "places": source(
            topics, plain, "a INT", "scan.startup.mode=specific-offsets",
            "scan.startup.specific-offsets=partition:0,offset:1",
            "scan.bounded.mode=specific-offsets", "scan.bounded.specific-offsets=partition:1,offset:1",
        ),
        "grouped": source(
            topics, plain, "a INT", "scan.startup.mode=group-offsets", "properties.group.id=nobody",
            "properties.auto.offset.reset=earliest",
        ),
    }  # fmt: skip
    outputs: Outputs = {name: (text, "a INT", "*") for name, text in tables.items()}
    outputs["patterned"] = (
        source(topics, "", "a INT, topic STRING METADATA", "topic-pattern=pl.*n"),
        "a INT, t STRING",
        "*",
    )
    outputs["raws"] = (
        source(topics, "raw-texts", "t STRING", "format=raw"),
        "a STRING, b INT",
        "REPLACE(t, CHR(10), '|'), CHAR_LENGTH(t)",
    )
    printed = read(spark, outputs)
    assert sorted(printed["later"]) == ["+I[2]", "+I[3]"]
    assert sorted(printed["places"]) == ["+I[2]", "+I[3]"]
    assert sorted(printed["grouped"]) == ["+I[1]", "+I[2]", "+I[3]", "+I[4]"]
    assert sorted(printed["patterned"]) == [f"+I[{at}, plain]" for at in (1, 2, 3, 4)]
    assert printed["raws"] == ["+I[one\r, 4]", "+I[two|lines, 9]", "+I[, 0]"]


def written(topics: Topics, name: str, columns: str, *options: str) -> str:
    table_options = {"connector": "kafka", "topic": name, "format": "json"}
    for option in options:
        key, _, value = option.partition("=")
        table_options[key] = value
        if key == "value.format":
            del table_options["format"]
    text = ", ".join(f"'{key}' = '{value}'" for key, value in table_options.items())
    return f"({columns}) WITH ({text}, {topics.options})"


def write(spark: SparkSession, sinks: dict[str, tuple[str, str]], *others: str) -> int:
    """Write to tables in one run: options and query of each; returns the number of rows that the run reports."""
    parts = [f"CREATE TABLE {name} {text};" for name, (text, _) in sinks.items()]
    text = "".join(f"INSERT INTO {name} {query};" for name, (_, query) in sinks.items())
    program = "\n".join([*others, *parts, f"EXECUTE STATEMENT SET BEGIN {text} END;"])
    return Run(spark, TableEnvironment().compile_script(program), RunOptions()).execute().rows_out


@pytest.fixture(scope="module")
def orders(topics: Topics) -> str:
    """A changing table."""
    topics.make("orders-in")
    topics.send(
        "orders-in",
        [
            Message('{"before": null, "after": {"id": 1, "n": "a"}, "op": "c"}'),
            Message('{"before": null, "after": {"id": 2, "n": "b"}, "op": "c"}'),
            Message('{"before": {"id": 1, "n": "a"}, "after": {"id": 1, "n": "c"}, "op": "u"}'),
            Message('{"before": {"id": 2, "n": "b"}, "after": null, "op": "d"}'),
        ],
    )
    columns = f"id INT, n STRING, {KEY}"
    return f"CREATE TABLE orders {source(topics, 'orders-in', columns, 'value.format=debezium-json')};"


KEY = "PRIMARY KEY (id) NOT ENFORCED"
ROWS = "(VALUES (1, 'x'), (2, 'y')) AS t(id, n)"


@pytest.mark.wide
def test_keys_and_upserts_are_written(spark: SparkSession, topics: Topics, orders: str) -> None:
    """Sinks in one run: keys with a format of their own, upserts with deletes."""
    for name in ("w-keyed", "w-upserts"):
        topics.make(name)
    keyed = written(
        topics, "w-keyed", "k_id INT, n STRING", "key.format=csv", "key.fields=k_id", "key.fields-prefix=k_",
        "value.format=json", "value.fields-include=EXCEPT_KEY",
    )  # fmt: skip
    upserts = written(
        topics, "w-upserts", f"id INT, n STRING, {KEY}", "connector=upsert-kafka", "key.format=json",
        "value.format=json",
    )  # fmt: skip
    sinks = {"keyed": (keyed, f"SELECT id, n FROM {ROWS}"), "upserts": (upserts, "SELECT * FROM orders")}
    rows = write(spark, sinks, orders)
    assert {(message.key, message.value) for message in topics.read("w-keyed")} == {
        ("1", '{"n":"x"}'),
        ("2", '{"n":"y"}'),
    }
    messages = [(message.key, message.value) for message in topics.read("w-upserts")]
    assert [message for message in messages if message[0] == '{"id":1}'][-1] == ('{"id":1}', '{"id":1,"n":"c"}')
    assert [message for message in messages if message[0] == '{"id":2}'] == [
        ('{"id":2}', '{"id":2,"n":"b"}'),
        ('{"id":2}', None),
    ]
    assert rows == 2 + len(messages)


@pytest.mark.wide
def test_spark_s_own_writer_is_counted_too(spark: SparkSession, topics: Topics, tmp_path: Path) -> None:
    """Its rows run in another query than the one that it receives."""
    topics.make("w-plain")
    place = f"'topic' = 'w-plain', 'kafka.bootstrap.servers' = '{topics.server.address}'"
    plain = f"(`value` STRING) WITH ('connector' = 'spark', 'provider' = 'kafka', {place})"
    files = f"(n STRING) WITH ('connector' = 'spark', 'provider' = 'parquet', 'path' = '{tmp_path}/files')"
    query = f"SELECT n FROM {ROWS}"
    assert write(spark, {"plain": (plain, query)}) == 2
    nothing, one = (plain, f"{query} WHERE id > 2"), (files, f"{query} WHERE id = 1")
    assert write(spark, {"plain": (plain, query), "files": one, "nothing": nothing}) == 3
    assert sorted(message.value or "" for message in topics.read("w-plain")) == ["x", "x", "y", "y"]


@pytest.mark.deep
def test_headers_topics_changelogs_and_partitions_are_written(spark: SparkSession, topics: Topics, orders: str) -> None:
    """Headers and topics per row, changelogs in their format, a partition per task."""
    for name in ("w-one", "w-two", "w-changes", "w-fixed"):
        topics.make(name, 2 if name == "w-fixed" else 1)
    routed = written(
        topics, "w-one;w-two", "n STRING, dest STRING NOT NULL METADATA FROM 'topic', "
        "h MAP<STRING, BYTES> METADATA FROM 'headers'", "format=raw",
    )  # fmt: skip
    route = "n, CASE id WHEN 1 THEN 'w-one' ELSE 'w-two' END, MAP['by', CAST(n AS BYTES)]"
    sinks = {
        "routed": (routed, f"SELECT {route} FROM {ROWS}"),
        "changes": (written(topics, "w-changes", "id INT, n STRING", "format=debezium-json"), "SELECT * FROM orders"),
        "fixed": (written(topics, "w-fixed", "v INT", "sink.partitioner=fixed"), f"SELECT id FROM {ROWS}"),
    }
    write(spark, sinks, orders)
    assert topics.read("w-one") == [Message("x", headers=(("by", "x"),))]
    assert topics.read("w-two") == [Message("y", headers=(("by", "y"),))]
    assert [message.value for message in topics.read("w-changes")] == [
        '{"before":null,"after":{"id":1,"n":"a"},"op":"c"}',
        '{"before":null,"after":{"id":2,"n":"b"},"op":"c"}',
        '{"before":{"id":1,"n":"a"},"after":null,"op":"d"}',
        '{"before":null,"after":{"id":1,"n":"c"},"op":"c"}',
        '{"before":{"id":2,"n":"b"},"after":null,"op":"d"}',
    ]
    assert sorted(message.value or "" for message in topics.read("w-fixed")) == ['{"v":1}', '{"v":2}']


@pytest.mark.wide
def test_upserts_are_read_over_restarts(spark: SparkSession, topics: Topics, tmp_path: Path) -> None:
    """Positions are stored by table name; a tombstone deletes."""
    topics.make("u-in")
    program = f"""
        CREATE TABLE u {
        source(
            topics,
            "u-in",
            "k STRING, v INT, PRIMARY KEY (k) NOT ENFORCED",
            "connector=upsert-kafka",
            "key.format=raw",
            "value.format=json",
            "value.fields-include=EXCEPT_KEY",
        ).replace("'scan.startup.mode' = 'earliest-offset', ", "")
    };
        {printed("o_u", "k STRING, v INT, PRIMARY KEY (k) NOT ENFORCED")}
        INSERT INTO o_u SELECT * FROM u;
    """
    topics.send("u-in", [Message('{"v": 1}', "a"), Message('{"v": 2}', "b"), Message('{"v": 3}', "a")])
    first = run(spark, program, tmp_path / "checkpoint")
    assert sorted(first) == sorted(["o_u> +I[a, 1]", "o_u> +U[a, 3]", "o_u> +I[b, 2]"]) or "o_u> -U[a, 1]" in first
    topics.send("u-in", [Message(None, "a"), Message('{"v": 2}', "b"), Message(None, "never")])
    second = run(spark, program, tmp_path / "checkpoint")
    assert second == ["o_u> -D[a, 3]"]


@pytest.mark.deep
def test_windows_of_a_bounded_run_are_flushed_at_its_end(spark: SparkSession, topics: Topics) -> None:
    topics.make("t-in", 2)
    windows = f"""
        CREATE TABLE t {source(topics, "t-in", "ts TIMESTAMP(3), n INT, WATERMARK FOR ts AS ts - INTERVAL '1' SECOND")};
        {printed("o_w", "w TIMESTAMP(3), n INT")}
        INSERT INTO o_w SELECT window_start, SUM(n)
        FROM TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND) GROUP BY window_start, window_end;
    """
    at = '{{"ts": "2024-01-01 00:00:{:02}", "n": {}}}'.format
    topics.send("t-in", [Message(at(1, 1)), Message(at(5, 2), partition=1), Message(at(12, 4))])
    assert sorted(run(spark, windows)) == ["o_w> +I[2024-01-01T00:00, 3]", "o_w> +I[2024-01-01T00:00:10, 4]"]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        ("a INT", ("topic=not-there",), "not on the brokers"),
        ("a INT", ("scan.startup.mode=group-offsets",), "names no group"),
        ("a INT", ("scan.startup.mode=group-offsets", "properties.group.id=g"), "has no offset of partition 0"),
        (
            "a INT",
            ("scan.startup.mode=specific-offsets", "scan.startup.specific-offsets=partition:7,offset:1"),
            "has no partition 7",
        ),
        ("a INT, e INT METADATA FROM 'leader-epoch' VIRTUAL", (), "'leader-epoch'"),
    ],
)
def test_refusals_of_a_run(
    spark: SparkSession, topics: Topics, columns: str, options: tuple[str, ...], message: str
) -> None:
    if "refused" not in topics.created:
        topics.make("refused")
    table = source(topics, "refused", columns, *options)
    program = f"CREATE TABLE t {table}; {printed('o', 'a INT')} INSERT INTO o SELECT a FROM t;"
    with pytest.raises(CompiledPlanError) as caught:
        run(spark, program)
    assert message in str(caught.value)


@pytest.mark.wide
def test_a_message_that_cannot_be_read_is_named_with_its_place(spark: SparkSession, topics: Topics) -> None:
    """The value, or the key, by topic, partition and offset."""
    topics.make("broken", 2)
    topics.send("broken", [Message('{"a": 1}', partition=1), Message('{"a": "x"}', partition=1)])
    topics.make("broken_keys")
    topics.send("broken_keys", [Message("{}", '{"a": "x"}')])
    keys = ("key.format=json", "key.fields=a", "value.format=json", "value.fields-include=EXCEPT_KEY")
    for name, options, place in (
        ("broken", (), "topic broken, partition 1, offset 1"),
        ("broken_keys", keys, "topic broken_keys, partition 0, offset 0"),
    ):
        table = source(topics, name, "a INT, b INT", *options)
        program = f"CREATE TABLE t {table}; {printed('o', 'a INT')} INSERT INTO o SELECT a FROM t;"
        with pytest.raises(CompiledPlanError) as caught:
            run(spark, program)
        assert place in str(caught.value)
        assert 'cannot be read as INT: \'{"a": "x"}\'' in str(caught.value)
