"""Events of Oracle GoldenGate, as Flink's page "Ogg" has them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import functions as F

from compiled_plan.plans import types as t
from compiled_plan.plans.execution.expressions.functions import register
from compiled_plan.plans.execution.formats.base import FormatTable
from compiled_plan.plans.execution.formats.lines import LineFormat, file_format
from tests.support.formats import scanned
from tests.support.messages import read, write

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FAILURE = (PySparkException, Py4JJavaError)
ROW = t.row_of(["id", "name"], [t.INT, t.STRING])
FORMAT = "ogg-json"


@pytest.mark.wide
def test_changes_and_faults(spark: SparkSession) -> None:
    events = [
        b'{"table": "S.T", "op_type": "I", "after": {"id": 1, "name": "a"}, "op": {"x": "c"}}',
        b'{"op_type": "U", "before": {"id": 1, "name": "a"}, "after": {"id": 1, "name": "b"}}',
        b'{"op_type": "D", "before": {"id": 1, "name": "b"}}',
    ]
    expected = [(0, 1, "a"), (1, 1, "a"), (2, 1, "b"), (3, 1, "b")]
    assert read(spark, FORMAT, ROW, events, {}) == expected
    wrong = [
        (b'{"op_type": "T"}', "unknown \"op_type\" value 'T'"),
        (b'{"op": "c", "after": {"id": 1}}', "unknown \"op_type\" value 'null'"),
        (b'{"op_type": "U", "after": {"id": 1}}', "is null"),
    ]
    for event, text in wrong:
        with pytest.raises(FAILURE, match=text):
            read(spark, FORMAT, ROW, [event], {})
    assert read(spark, FORMAT, ROW, [event for event, _ in wrong], {"ignore-parse-errors": "true"}) == []
    written = write(spark, FORMAT, ROW, "SELECT INT(id) c0, 'x' c1 FROM range(4)", {}, kind="c0")
    assert [line.decode() for line in written] == [
        '{"before":null,"after":{"id":0,"name":"x"},"op_type":"I"}',
        '{"before":{"id":1,"name":"x"},"after":null,"op_type":"D"}',
        '{"before":null,"after":{"id":2,"name":"x"},"op_type":"I"}',
        '{"before":{"id":3,"name":"x"},"after":null,"op_type":"D"}',
    ]


def test_metadata(spark: SparkSession) -> None:
    register(spark)
    format_ = file_format(FORMAT)
    assert isinstance(format_, LineFormat)
    keys = ("table", "primary-keys", "ingestion-timestamp", "event-timestamp")
    spec = FormatTable("c.d.t", ROW, {}, keys)
    events = [
        '{"table": "S.T", "op_type": "I", "op_ts": "2020-05-13 15:40:06.000001", "current_ts": '
        '"2020-05-13T15:40:07.000000", "primary_keys": ["id"], "after": {"id": 1}}',
        '{"op_type": "I", "after": {"id": 1}}',
    ]
    select = [F.col("x0"), F.col("x1"), *(F.unix_micros(f"x{at}") for at in (2, 3))]
    full, none = map(tuple, scanned(spark, format_, spec, events, select))

    def at(*parts: int) -> Any:
        return int(datetime(*parts, tzinfo=UTC).timestamp()) * 1_000_000  # type: ignore[arg-type, misc]

    assert full == ("S.T", ["id"], at(2020, 5, 13, 15, 40, 7), at(2020, 5, 13, 15, 40, 6) + 1)
    assert none == (None, None, None, None)
