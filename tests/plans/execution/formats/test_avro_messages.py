"""`avro` in messages, checked with another Avro library."""

from __future__ import annotations

import io
import json
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import fastavro
import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from compiled_plan.plans import types as t
from compiled_plan.plans.connectors.avro_schemas import avro_schema
from tests.support.messages import read, write

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FAILURE = (PySparkException, Py4JJavaError)
COLUMNS = t.row_of(
    ["id", "i", "f", "x", "b", "text", "raw", "d", "day", "clock", "ts", "a", "m", "r", "ok"],
    [
        t.BIGINT.not_null(), t.INT, t.FloatType(), t.DoubleType(), t.TinyIntType(), t.STRING.not_null(), t.BYTES,
        t.DecimalType(precision=10, scale=2), t.DATE, t.TimeType(precision=3), t.TimestampType(precision=3),
        t.ArrayType(element=t.STRING), t.MapType(key=t.STRING, value=t.BIGINT.not_null()),
        t.row_of(["x", "y"], [t.INT.not_null(), t.row_of(["z"], [t.STRING])]), t.BooleanType(),
    ],
)  # fmt: skip
SCHEMA = fastavro.parse_schema(avro_schema(COLUMNS.not_null()))
FULL = (
    "SELECT -7L c0, 300 c1, CAST(1.5 AS FLOAT) c2, 1e300D c3, -1Y c4, 'ü' c5, X'00FF' c6, "
    "CAST(-1.25 AS DECIMAL(10, 2)) c7, DATE'1969-12-31' c8, 3723004 c9, TIMESTAMP_NTZ'1969-12-31 23:59:59.999' c10, "
    "array('a', null) c11, map('k', 5L) c12, named_struct('x', 1, 'y', named_struct('z', null)) c13, true c14"
)
RECORD = {
    "id": -7,
    "i": 300,
    "f": 1.5,
    "x": 1e300,
    "b": -1,
    "text": "ü",
    "raw": b"\0\xff",
    "d": Decimal("-1.25"),
    "day": date(1969, 12, 31),
    "clock": time(1, 2, 3, 4000),
    "ts": datetime(1969, 12, 31, 23, 59, 59, 999000, tzinfo=UTC),
    "a": ["a", None],
    "m": {"k": 5},
    "r": {"x": 1, "y": {"z": None}},
    "ok": True,
}
EMPTY = "SELECT 1L c0, " + ", ".join(
    f"{'string(2)' if at == 5 else 'null'} c{at}" for at in range(1, len(COLUMNS.fields))
)


def decoded(message: bytes, schema: Any = SCHEMA) -> Any:
    """The value that the other library reads; it must consume all bytes."""
    data = io.BytesIO(message)
    record = fastavro.schemaless_reader(data, schema, None)
    assert data.tell() == len(message)
    return record


def encoded(record: Any, schema: Any = SCHEMA) -> bytes:
    data = io.BytesIO()
    fastavro.schemaless_writer(data, schema, record)
    return data.getvalue()


def test_a_message_is_a_record_of_the_schema_of_the_columns(spark: SparkSession) -> None:
    messages = write(spark, "avro", COLUMNS, f"{FULL} UNION ALL {EMPTY}", {})
    empty = dict.fromkeys(RECORD) | {"id": 1, "text": "2"}
    assert [decoded(message) for message in messages] == [RECORD, empty]
    assert messages == [encoded(RECORD), encoded(empty)]
    full, none = read(spark, "avro", COLUMNS, messages, {})
    assert full == (
        0, -7, 300, 1.5, 1e300, -1, "ü", bytearray(b"\0\xff"), Decimal("-1.25"), date(1969, 12, 31), 3723004,
        datetime(1969, 12, 31, 23, 59, 59, 999000), ["a", None], {"k": 5}, (1, (None,)), True,
    )  # fmt: skip
    assert none == (0, 1, *[None] * 4, "2", *[None] * 9)


def test_an_undecodable_message_is_shown_in_hexadecimal(spark: SparkSession) -> None:
    row = t.row_of(["a", "b"], [t.INT, t.STRING])
    place = r"table c\.d\.t cannot be read: .*'02 54 02 08 61 62'; at: topic topic, partition 0, offset 0; try: "
    with pytest.raises(FAILURE, match=place):
        read(spark, "avro", row, [b"\x02\x54\x02\x08ab"], {})
    with pytest.raises(FAILURE, match="column a is NOT NULL and has a null"):
        write(spark, "avro", t.row_of(["a"], [t.INT.not_null()]), "SELECT INT(NULL) c0", {})


@pytest.mark.deep
def test_texts_of_json_and_the_corrected_mapping_of_timestamps(spark: SparkSession) -> None:
    micros = t.TimestampType(precision=6)
    row = t.row_of(["a", "ts", "at"], [t.INT, micros, t.TimestampLtzType(precision=3, nullable=False)])
    rows = "SELECT 5 c0, TIMESTAMP_NTZ'1970-01-01 00:00:00.000007' c1, TIMESTAMP'1970-01-01 00:00:01Z' c2"
    options = {"timestamp_mapping.legacy": "false"}
    schema = fastavro.parse_schema(avro_schema(row.not_null(), legacy=False))
    (binary,) = write(spark, "avro", row, rows, options)
    assert decoded(binary, schema) == {
        "a": 5,
        "ts": datetime(1970, 1, 1, microsecond=7),
        "at": datetime(1970, 1, 1, second=1, tzinfo=UTC),
    }
    (text,) = write(spark, "avro", row, rows, {**options, "encoding": "json"})
    assert json.loads(text) == {"a": {"int": 5}, "ts": {"long": 7}, "at": 1000}
    actual = read(spark, "avro", row, [text], {**options, "encoding": "json"})
    assert actual == read(spark, "avro", row, [binary], options)
    assert actual[0][:3] == (0, 5, datetime(1970, 1, 1, microsecond=7))
