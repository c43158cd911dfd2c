"""`protobuf`: the rows and messages that Flink 2.3 read and wrote; see `tests.support.protobufs`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import functions as F

from compiled_plan.plans import types as t
from compiled_plan.plans.connectors.registry import format_spec
from compiled_plan.plans.errors import ExecutionError
from compiled_plan.plans.execution.expressions.functions import register
from compiled_plan.plans.execution.formats import protobuf
from compiled_plan.plans.execution.formats.base import FormatTable, kernel_formats, shape
from compiled_plan.plans.execution.formats.lines import LineFormat, file_format
from compiled_plan.plans.execution.spark.java import column_of, java_column
from tests.support import protobufs
from tests.support.formats import message_changes
from tests.support.protobufs import Case
from tests.support.tiers import but_wide

if TYPE_CHECKING:
    from pyspark.sql import Column, SparkSession

FAILURE = (PySparkException, Py4JJavaError)
FLINK: dict[str, str] = json.loads(Path(__file__).with_name("flink_protobuf.json").read_text(encoding="utf-8"))
#: Prefix of errors in Flink.
FAILS = "! "


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take types from the files without loading a class."""
    types = {name: type_ for type_, name in protobufs.CLASSES.items()}
    monkeypatch.setattr(protobuf, "descriptors", lambda spark, name, table: protobufs.kernel_type(types[name]))


def table(case: Case) -> FormatTable:
    row = t.parse_type(f"ROW<{case.columns}>")
    assert isinstance(row, t.RowType)
    return FormatTable("c.d.t", row, {"message-class-name": protobufs.CLASSES[case.type], **case.options})


def formats(spark: SparkSession, name: str = "protobuf") -> LineFormat:
    register(spark)
    format_ = file_format(name)
    assert isinstance(format_, LineFormat)
    return format_


def printed(spark: SparkSession, spec: FormatTable, kind: Column, row: Column) -> Column:
    """A row as the connector `print` shows it, and Flink's."""
    printed_line = kernel_formats(spark).printedLine("t", shape(spec.row), java_column(kind), java_column(row))
    return column_of(printed_line)


def read(spark: SparkSession, case: Case) -> Column:
    """The one row of a message, as text; null if there is none."""
    spec = table(case)
    message = F.lit(bytearray(case.bytes)).cast("string")
    change = F.get(message_changes(spark, formats(spark), spec, message), F.lit(0))
    row = F.struct(*(change[f"c{at}"].alias(f"c{at}") for at in range(len(spec.row.fields))))
    return F.when(change.isNotNull(), printed(spark, spec, F.lit(0).cast("tinyint"), row))


def written(spark: SparkSession, case: Case) -> Column:
    """The message of a row, written by another format."""
    spec = table(case)
    assert isinstance(case.message, str)
    json_ = FormatTable("c.d.t", spec.row, {})
    change = F.get(message_changes(spark, formats(spark, "json"), json_, F.lit(case.message)), F.lit(0))
    row = F.struct(*(change[f"c{at}"].alias(f"c{at}") for at in range(len(spec.row.fields))))
    return formats(spark).line(spark, spec, F.lit(0).cast("tinyint"), row).cast("binary")


def results(spark: SparkSession, columns: dict[str, Column]) -> dict[str, Any]:
    """Compute all columns in one query."""
    frame = spark.range(1).select(*(of.alias(f"r{at}") for at, of in enumerate(columns.values())))
    (row,) = frame.collect()
    return dict(zip(columns, row, strict=True))


def fine(cases: dict[str, Case], kind: str) -> Iterator[tuple[str, Case]]:
    return ((name, case) for name, case in cases.items() if not FLINK[f"{kind} {name}"].startswith(FAILS))


def failing(cases: dict[str, Case], kind: str) -> list[str]:
    return [name for name in cases if FLINK[f"{kind} {name}"].startswith(FAILS)]


@pytest.mark.wide
@pytest.mark.usefixtures("known")
def test_rows_are_those_of_flink(spark: SparkSession) -> None:
    actual = results(spark, {name: read(spark, case) for name, case in fine(protobufs.READS, "read")})
    wanted = {name: FLINK[f"read {name}"] for name in actual}
    assert {name: text if text is not None else "nothing" for name, text in actual.items()} == wanted


@pytest.mark.usefixtures("known")
def test_messages_are_those_of_flink(spark: SparkSession) -> None:
    """Another Protocol Buffers library reads the same from both."""
    actual = results(spark, {name: written(spark, case) for name, case in fine(protobufs.WRITES, "write")})
    texts = {name: protobufs.decoded(protobufs.WRITES[name].type, bytes(data)) for name, data in actual.items()}
    wanted = {name: bytes.fromhex(FLINK[f"write {name}"]) for name in actual}
    assert texts == {name: protobufs.decoded(protobufs.WRITES[name].type, data) for name, data in wanted.items()}


SAYS = {
    "enum, unknown number": "the field example.shop.Item.size has the number 7, which is none of example.shop.Size",
    "cut off": "no message example.shop.Item: While parsing a protocol message, the input ended unexpectedly",
    "no UTF-8": "no message example.shop.Item: Protocol message had invalid UTF-8",
    "old, required": "no message example.old.Order: Message missing required fields: part.id",
}


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize("name", but_wide(failing(protobufs.READS, "read"), lambda name: name == "cut off"))
def test_an_undecodable_message_is_shown_in_hexadecimal(spark: SparkSession, name: str) -> None:
    case = protobufs.READS[name]
    place = f"'{case.bytes.hex(' ')}'; at: topic topic, partition 0, offset 0; try: "
    with pytest.raises(FAILURE, match=rf"table c\.d\.t cannot be read: {re.escape(SAYS[name])}.*{re.escape(place)}"):
        results(spark, {name: read(spark, case)})


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize("name", but_wide(failing(protobufs.WRITES, "write"), lambda name: name == "old, required"))
def test_a_missing_required_field(spark: SparkSession, name: str) -> None:
    with pytest.raises(FAILURE, match=r"Message missing required fields: .*id \(written to table c\.d\.t\)"):
        results(spark, {name: written(spark, protobufs.WRITES[name])})


@pytest.mark.usefixtures("known")
def test_reasons_for_dead_letters(spark: SparkSession) -> None:
    case = protobufs.READS["cut off"]
    outcome = formats(spark).message_outcome(spark, table(case), F.lit(bytearray(case.bytes)).cast("string"))
    answer = results(spark, {"fault": outcome["fault"]})["fault"]
    assert answer["reason"].startswith(SAYS["cut off"])
    assert bytes(answer["record"]) == case.bytes


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize("name", protobufs.UNFIT)
def test_columns_that_are_no_fields_are_refused_before_anything_starts(spark: SparkSession, name: str) -> None:
    assert FLINK[f"unfit {name}"].startswith(FAILS)
    case = protobufs.UNFIT[name]
    with pytest.raises(ExecutionError, match=r"^column .*(has no such field|is a .*, which no .* is)") as error:
        formats(spark).prepared(spark, table(case))
    assert "table c.d.t, class org.example.shop.Item" in error.value.where and error.value.remedy


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("org.example.Nobody", "there is no Java class org.example.Nobody on the class path"),
        ("java.lang.String", "the class java.lang.String is no message of Protocol Buffers"),
        ("", "there is no Java class  on the class path"),
    ],
)
def test_invalid_message_classes(spark: SparkSession, name: str, says: str) -> None:
    with pytest.raises(ExecutionError) as error:
        protobuf.descriptors(spark, name, "c.d.t")
    assert error.value.message == says
    assert "spark.jars" in error.value.remedy and "c.d.t" in error.value.where


@pytest.mark.parametrize("type_", ["DECIMAL(10, 2)", "TIMESTAMP(3)", "DATE", "ARRAY<TIME>", "MULTISET<STRING>"])
def test_unsupported_column_types(type_: str) -> None:
    spec = format_spec("protobuf")
    assert spec is not None and spec.unfit is not None
    unfit = spec.unfit(t.row_of(["a"], [t.parse_type(type_)]), {})
    assert unfit is not None and "column 'a'" in unfit.message and "ROW<seconds BIGINT, nanos INT>" in unfit.remedy
