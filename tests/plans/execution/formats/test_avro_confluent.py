"""`avro-confluent` and `debezium-avro-confluent`: a registry that speaks the protocol, and another Avro library."""

from __future__ import annotations

import io
import json
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import fastavro
import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from compiled_plan.plans import types as t
from compiled_plan.plans.execution.spark.failures import translate
from tests.support.messages import read, write
from tools.services.registry import Registry, serving

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FAILURE = (PySparkException, Py4JJavaError)
ROW = t.row_of(["id", "name"], [t.BIGINT.not_null(), t.STRING])
FORMAT, EVENTS = "avro-confluent", "debezium-avro-confluent"


@pytest.fixture
def registry() -> Iterator[Registry]:
    with serving() as registry:
        yield registry


def record(name: str, /, **fields: Any) -> dict[str, Any]:
    return {"type": "record", "name": name, "fields": [{"name": key, "type": type_} for key, type_ in fields.items()]}


def message(number: int, schema: Any, value: Any) -> bytes:
    """A message as other producers write it."""
    data = io.BytesIO()
    fastavro.schemaless_writer(data, fastavro.parse_schema(schema), value)
    return b"\0" + number.to_bytes(4, "big") + data.getvalue()


def test_each_message_is_read_by_the_schema_with_which_it_was_written(spark: SparkSession, registry: Registry) -> None:
    """An added column, a removed one, a widened type, renamed records."""
    first = record("com.shop.Order", id="int", gone="string")
    second = record("com.shop.Order", name=["null", "string"], id="long", note=["null", "string"])
    for number in range(5):
        registry.add(record("filler", **{f"f{number}": "int"}))
    first_id, second_id = registry.add(first), registry.add(second)
    messages = [
        message(first_id, first, {"id": 1, "gone": "x"}),
        message(second_id, second, {"id": 2**40, "name": "b", "note": None}),
        message(first_id, first, {"id": 3, "gone": "y"}),
    ]
    options = {"url": f"{registry.url}/"}
    assert read(spark, FORMAT, ROW, messages, options) == [(0, 1, None), (0, 2**40, "b"), (0, 3, None)]
    assert read(spark, FORMAT, ROW, messages, options)[0] == (0, 1, None)
    assert registry.requests == {f"/schemas/ids/{first_id}": 1, f"/schemas/ids/{second_id}": 1}


@pytest.mark.wide
def test_schemas_are_registered_once(spark: SparkSession, registry: Registry) -> None:
    options = {"url": registry.url, "default-subject": "my topic/x-value"}
    messages = write(spark, FORMAT, ROW, "SELECT id c0, IF(id = 1, 'a', NULL) c1 FROM range(3)", options)
    assert write(spark, FORMAT, ROW, "SELECT 1L c0, 'z' c1", options) == [b"\0\0\0\0\1\2\2\2z"]
    assert messages == [b"\0\0\0\0\1\0\0", b"\0\0\0\0\1\2\2\2a", b"\0\0\0\0\1\4\0"]
    assert registry.requests == {"/subjects/my%20topic%2Fx-value/versions": 1}
    assert registry.subjects == {"my topic/x-value": [1]}
    assert json.loads(registry.schemas[1]["schema"]) == {
        "type": "record",
        "name": "record",
        "namespace": "org.apache.flink.avro.generated",
        "fields": [{"name": "id", "type": "long"}, {"name": "name", "type": ["null", "string"], "default": None}],
    }
    assert read(spark, FORMAT, ROW, messages, options) == [(0, 0, None), (0, 1, "a"), (0, 2, None)]


@pytest.mark.wide
def test_events_of_debezium(spark: SparkSession, registry: Registry) -> None:
    """As written by Debezium and by a sink: an update is a deletion and a creation."""
    row = record("shop.orders.Value", id="long", name=["null", "string"], more=["null", "int"])
    schema = record("shop.orders.Envelope", before=["null", row], after=["null", "shop.orders.Value"], op="string")
    schema["fields"].append({"name": "ts_ms", "type": ["null", "long"], "default": None})
    number = registry.add(schema)
    old, new = {"id": 1, "name": "a", "more": 3}, {"id": 1, "name": None, "more": None}
    events = [("c", None, old), ("u", old, new), ("d", new, None), ("r", None, old)]
    messages = [message(number, schema, {"op": op, "before": was, "after": now}) for op, was, now in events]
    options = {"url": registry.url, "subject": "s"}
    assert read(spark, EVENTS, ROW, [*messages, b""], options) == [
        (0, 1, "a"),
        (1, 1, "a"),
        (2, 1, None),
        (3, 1, None),
        (0, 1, "a"),
    ]
    with pytest.raises(FAILURE, match="the \"before\" field of a Debezium event with op 'u' is null"):
        read(spark, EVENTS, ROW, [message(number, schema, {"op": "u", "before": None, "after": new})], options)
    rows = "SELECT id c0, STRING(id) c1 FROM range(4)"
    written = write(spark, EVENTS, ROW, rows, options, kind="c0")
    (mine,) = registry.subjects["s"]
    assert json.loads(registry.schemas[mine]["schema"])[0] == "null"
    parsed = fastavro.parse_schema(json.loads(registry.schemas[mine]["schema"]))
    records: list[Any] = [fastavro.schemaless_reader(io.BytesIO(data[5:]), parsed, None) for data in written]
    assert [(event["op"], (event["before"] or event["after"])["id"]) for event in records] == [
        ("c", 0), ("d", 1), ("c", 2), ("d", 3),
    ]  # fmt: skip
    assert [row[0] for row in read(spark, EVENTS, ROW, written, options)] == [0, 3, 0, 3]


@pytest.mark.wide
def test_an_unavailable_registry_is_retried_and_a_refusal_is_named(spark: SparkSession, registry: Registry) -> None:
    schema = record("r", id="long")
    number = registry.add(schema)
    messages = [message(number, schema, {"id": 5})]
    registry.require_login("ann:secret")
    options = {"url": registry.url.replace("//", "//ann:wrong@")}
    assert "HTTP 401, error 401, Unauthorized (table c.d.t)" in failure(spark, messages, options)
    registry.failures = [503, 429]
    named = {"url": registry.url, "basic-auth.credentials-source": "USER_INFO", "basic-auth.user-info": "ann:secret"}
    assert read(spark, FORMAT, ROW, messages, named) == [(0, 5, None)]
    assert registry.requests[f"/schemas/ids/{number}"] == 4
    registry.frozen = True
    with pytest.raises(FAILURE) as fault:
        write(spark, FORMAT, ROW, "SELECT 1L c0, 'z' c1", {**named, "subject": "s"})
    assert "HTTP 409, error 409, Schema being registered is incompatible" in str(translate(fault.value))
    away = {"url": "http://127.0.0.1:9", "properties.http.connect.timeout.ms": "300"}
    said = failure(spark, messages, away)
    assert said.startswith("the schema registry http://127.0.0.1:9 does not answer: ")
    assert "(table c.d.t)" in said


def failure(spark: SparkSession, messages: list[bytes], options: dict[str, str]) -> str:
    with pytest.raises(FAILURE) as fault:
        read(spark, FORMAT, ROW, messages, options)
    return str(translate(fault.value))


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"{}", "it does not begin with a zero byte and the id of a schema"),
        (b"\0\0\0\0\x63\0", "has no schema with the id 99"),
        (b"\0\0\0\0\1", ": '00 00 00 00 01'\n  at: topic topic, partition 0, offset 0\n  try: "),
        (b"\0\0\0\0\2\0", "is of type PROTOBUF"),
        (b"\0\0\0\0\3\0", "missing required field id"),
    ],
)
def test_a_message_that_cannot_be_read_is_named(
    spark: SparkSession, registry: Registry, data: bytes, text: str
) -> None:
    registry.add(record("r", id="long"))
    registry.add('syntax = "proto3";', schemaType="PROTOBUF")
    registry.add(record("r", other="int"))
    assert text in failure(spark, [data], {"url": registry.url})


@pytest.mark.deep
def test_schemas_that_refer_to_others_and_tokens(spark: SparkSession, registry: Registry) -> None:
    inner = record("com.shop.Name", text="string")
    registry.add(inner, "names")
    outer = json.dumps(record("com.shop.Order", id="long", name="com.shop.Name"))
    number = registry.add(outer, "orders", references=[{"name": "com.shop.Name", "subject": "names", "version": 1}])
    registry.authorization = "Bearer abc"
    row = t.row_of(["id", "name"], [t.BIGINT, t.row_of(["text"], [t.STRING])])
    options = {"url": registry.url, "bearer-auth.credentials-source": "STATIC_TOKEN", "bearer-auth.token": "abc"}
    data = b"\0" + number.to_bytes(4, "big") + b"\x0a\x02z"
    assert read(spark, FORMAT, row, [data], options) == [(0, 5, ("z",))]


#: Flink 2.3's registered schema for a table of these columns, and its message for `FULL`. In files it makes a
#: union with null of it, in Kafka's messages not.
FLINK_SCHEMA = (
    '{"type":"record","name":"record","namespace":"org.apache.flink.avro.generated","fields":[{"name":"id'
    '","type":"long"},{"name":"i","type":["null","int"],"default":null},{"name":"f","type":["null","float"],"defa'
    'ult":null},{"name":"x","type":["null","double"],"default":null},{"name":"b","type":["null","int"],"default":'
    'null},{"name":"t","type":"string"},{"name":"r","type":["null","bytes"],"default":null},{"name":"d","type":["'
    'null",{"type":"bytes","logicalType":"decimal","precision":10,"scale":2}],"default":null},{"name":"dy","type"'
    ':["null",{"type":"int","logicalType":"date"}],"default":null},{"name":"ts","type":["null",{"type":"long","lo'
    'gicalType":"timestamp-millis"}],"default":null},{"name":"a","type":["null",{"type":"array","items":["null","'
    'string"]}],"default":null},{"name":"m","type":["null",{"type":"map","values":"long"}],"default":null},{"name'
    '":"ro","type":["null",{"type":"record","name":"record_ro","fields":[{"name":"x","type":"int"},{"name":"y","t'
    'ype":["null",{"type":"record","name":"record_ro_y","fields":[{"name":"z","type":["null","string"],"default":'
    'null}]}],"default":null}]}],"default":null},{"name":"ok","type":["null","boolean"],"default":null}]}'
)
FLINK_EVENTS = (
    '["null",{"type":"record","name":"record","namespace":"org.apache.flink.avro.generated","fields":[{"name":"be'
    'fore","type":["null",{"type":"record","name":"record_before","fields":[{"name":"id","type":"long"},{"name":"'
    'name","type":["null","string"],"default":null}]}],"default":null},{"name":"after","type":["null",{"type":"re'
    'cord","name":"record_after","fields":[{"name":"id","type":"long"},{"name":"name","type":["null","string"],"d'
    'efault":null}]}],"default":null},{"name":"op","type":["null","string"],"default":null}]}]'
)
COLUMNS = t.row_of(
    ["id", "i", "f", "x", "b", "t", "r", "d", "dy", "ts", "a", "m", "ro", "ok"],
    [
        t.BIGINT.not_null(), t.INT, t.FloatType(), t.DoubleType(), t.TinyIntType(), t.STRING.not_null(), t.BYTES,
        t.DecimalType(precision=10, scale=2), t.DATE, t.TimestampType(precision=3), t.ArrayType(element=t.STRING),
        t.MapType(key=t.STRING, value=t.BIGINT.not_null()),
        t.row_of(["x", "y"], [t.INT.not_null(), t.row_of(["z"], [t.STRING])]), t.BooleanType(),
    ],
)  # fmt: skip
FULL = (
    "SELECT -7L c0, 300 c1, CAST(1.5 AS FLOAT) c2, 1e300D c3, -1Y c4, 'ü' c5, X'00FF' c6, "
    "CAST(-1.25 AS DECIMAL(10, 2)) c7, DATE'1969-12-31' c8, TIMESTAMP_NTZ'1969-12-31 23:59:59.999' c9, "
    "array('a', null) c10, map('k', 5L) c11, named_struct('x', 1, 'y', named_struct('z', null)) c12, true c13"
)
FLINK_MESSAGE = bytes.fromhex(
    "0000000001"
    "0d02d804020000c03f029c7500883ce4377e020104c3bc020400ff02028302010201020402026100000202026b0a00020202000201"
)


def test_schemas_and_messages_are_those_of_flink(spark: SparkSession, registry: Registry) -> None:
    options = {"url": registry.url, "subject": "s"}
    assert write(spark, FORMAT, COLUMNS, FULL, options) == [FLINK_MESSAGE]
    assert registry.schemas[1]["schema"] == FLINK_SCHEMA
    (row,) = read(spark, FORMAT, COLUMNS, [FLINK_MESSAGE], options)
    assert (row[1], row[6], row[11:]) == (-7, "ü", (["a", None], {"k": 5}, (1, (None,)), True))
    events = {"url": registry.url, "subject": "e"}
    assert write(spark, EVENTS, ROW, "SELECT 1L c0, 'a' c1", events) == [
        bytes.fromhex("000000000202000202020261020263")
    ]
    assert registry.schemas[2]["schema"] == FLINK_EVENTS


def tls(folder: Path) -> ssl.SSLContext:
    """A server with mutual TLS; its key stores are in the folder, with the password `changeit`."""
    key, shown = folder / "key.pem", folder / "cert.pem"
    make = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=registry -addext subjectAltName=IP:127.0.0.1"
    command("openssl", *make.split(), "-keyout", str(key), "-out", str(shown))
    own = ("-inkey", str(key), "-in", str(shown), "-out", str(folder / "keys.p12"), "-passout", "pass:changeit")
    command("openssl", "pkcs12", "-export", *own)
    trusted = ("-file", str(shown), "-keystore", str(folder / "trust.p12"), "-storepass", "changeit", "-noprompt")
    command("keytool", "-importcert", *trusted)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(shown, key)
    context.load_verify_locations(shown)
    context.verify_mode = ssl.CERT_REQUIRED
    return context


def command(*words: str) -> None:
    subprocess.run(words, check=True, capture_output=True)


@pytest.mark.deep
def test_certificates(spark: SparkSession, tmp_path: Path) -> None:
    with serving(tls(tmp_path)) as registry:
        schema = record("r", id="long")
        messages = [message(registry.add(schema), schema, {"id": 5})]
        stores = {
            f"ssl.{kind}.{name}": value
            for kind, file in (("keystore", "keys.p12"), ("truststore", "trust.p12"))
            for name, value in (("location", str(tmp_path / file)), ("password", "changeit"))
        }
        options = {"url": registry.url}
        assert read(spark, FORMAT, ROW, messages, {**options, **stores}) == [(0, 5, None)]
        assert "cannot be trusted, or does not trust the keys shown" in failure(spark, messages, options)
        wrong = {**options, **stores, "ssl.truststore.password": "x"}
        assert "the truststore" in failure(spark, messages, wrong)
