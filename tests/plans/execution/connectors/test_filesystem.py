from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, Row, SparkSession

from compiled_plan.plans import types as t
from compiled_plan.plans.errors import CheckpointError, CompiledPlanError, DataError, UnsupportedError
from compiled_plan.plans.execution.expressions.functions import register
from compiled_plan.plans.execution.interfaces.connectors import (
    SinkContext,
    SourceContext,
    TableSpec,
    open_sink,
    open_source,
)


@pytest.fixture
def session(spark: SparkSession) -> SparkSession:
    register(spark)
    jvm: Any = spark._jvm
    jvm.org.compiledplan.kernel.host.input.OrderNumber.register(spark._jsparkSession)
    return spark


def table(path: Path | str, columns: str = "k INT, v STRING", format_: str = "json", **more: Any) -> TableSpec:
    fields = [column.strip().split(" ", 1) for column in columns.split(", ")]
    row = t.row_of([name for name, _ in fields], [t.parse_type(type_) for _, type_ in fields])
    options = {"connector": "filesystem", "path": str(path), "format": format_, **more.pop("options", {})}
    return TableSpec("c.d.t", row, options, **more)


def stream(session: SparkSession, spec: TableSpec, on_batch: Callable[[DataFrame, int], None]) -> None:
    source = open_source(spec, SourceContext(session))
    query = source.frame.writeStream.foreachBatch(on_batch).start()
    try:
        query.processAllAvailable()
    finally:
        query.stop()


def read(session: SparkSession, spec: TableSpec) -> list[Row]:
    rows: list[Row] = []
    stream(session, spec, lambda frame, _: rows.extend(frame.collect()))
    return sorted(rows, key=lambda row: (row.ord, bytes(row.path or b"")))


def rows(session: SparkSession, *values: tuple[int, int, str | None]) -> DataFrame:
    schema = "kind tinyint, ord bigint, path binary, f0 int, f1 string"
    data = [(kind, number, None, key, value) for number, (kind, key, value) in enumerate(values)]
    return session.createDataFrame(data, schema).coalesce(1)


def files(folder: Path) -> dict[str, str]:
    return {str(p.relative_to(folder)): p.read_text() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_one_file_of_an_odd_name(session: SparkSession, tmp_path: Path) -> None:
    place = tmp_path / "a [1]{x}"
    place.mkdir()
    (place / "b *.json").write_text("".join(f'{{"k": {n}, "v": "v{n}"}}\n' for n in range(5)))
    (place / "other.json").write_text('{"k": 99}\n')
    spec = table(place / "b *.json", metadata=(("file.path", t.STRING), ("file.name", t.STRING)))
    rows = read(session, spec)
    assert [(r.kind, r.f0, r.f1) for r in rows] == [(0, n, f"v{n}") for n in range(5)]
    assert {(r.m0, r.m1) for r in rows} == {(str(place / "b *.json"), "b *.json")}
    assert open_source(spec, SourceContext(session)).bounded


def test_folder_in_order_of_time_then_name(session: SparkSession, tmp_path: Path) -> None:
    for name, age in (("z.json", 100), ("sub/a.json", 50), ("m.json", 50), ("_no.json", 9), (".no.json", 9)):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f'{{"k": 1, "v": "{name}"}}\n{{"k": 2, "v": "{name}"}}\n')
        # Older than a week, which Spark would skip.
        os.utime(file, (1_700_000_000 - age * 86_400,) * 2)
    (tmp_path / "new.json").write_text('{"k": 1, "v": "new.json"}\n')
    rows = [(r.f1, r.f0) for r in read(session, table(tmp_path))]
    assert rows == [
        ("z.json", 1),
        ("z.json", 2),
        ("m.json", 1),
        ("m.json", 2),
        ("sub/a.json", 1),
        ("sub/a.json", 2),
        ("new.json", 1),
    ]


def test_updates_of_one_event_keep_their_order(session: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text('{"before":{"k":1,"v":"a"},"after":{"k":1,"v":"b"},"op":"u"}\n' * 2)
    for place in (tmp_path / "c.json", tmp_path):
        rows = read(session, table(place, format_="debezium-json"))
        assert [(r.kind, r.f1) for r in rows] == [(1, "a"), (2, "b")] * 2


def test_a_quoted_cell_of_several_lines(session: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('1,"one\n\ntwo ""x"""\n2,y\n3,"z\n"\n')
    (tmp_path / "b.csv").write_text('4,"\n"\n')
    for place, keys in ((tmp_path / "a.csv", [1, 2, 3]), (tmp_path, [1, 2, 3, 4])):
        values = {r.f0: r.f1 for r in read(session, table(place, format_="csv"))}
        assert sorted(values) == keys
        assert (values[1], values[2], values[3]) == ('one\n\ntwo "x"', "y", "z\n")


def test_a_file_where_the_folder_would_be(session: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{}\n")
    with pytest.raises(DataError, match="is a file"):
        open_sink(table(tmp_path / "a.json"), SinkContext(session, "run", print))


def test_missing_path(session: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"nothing\.json"):
        open_source(table(tmp_path / "nothing.json"), SourceContext(session))


def test_a_repeated_batch_is_written_once(session: SparkSession, tmp_path: Path) -> None:
    out = tmp_path / "out"
    context = SinkContext(session, "run1", print)
    spec = table(out, format_="debezium-json")
    sink = open_sink(spec, context)
    sink.write(rows(session, (0, 1, "a"), (1, 1, "a"), (2, 1, "b")), 0)
    sink.write(rows(session), 1)
    sink.write(rows(session, (3, 1, "b")), 2)
    first = files(out)
    assert first == {
        "part-run1-0-0.json": '{"before":null,"after":{"k":1,"v":"a"},"op":"c"}\n'
        '{"before":{"k":1,"v":"a"},"after":null,"op":"d"}\n'
        '{"before":null,"after":{"k":1,"v":"b"},"op":"c"}\n',
        "part-run1-2-0.json": '{"before":{"k":1,"v":"b"},"after":null,"op":"d"}\n',
    }
    # A crash while batch 2 was written: files that the replay does not write, and unfinished ones.
    (out / "part-run1-2-7.json").write_text("left over")
    (out / ".compiled-plan-run1-2").mkdir()
    (out / ".compiled-plan-run1-2" / "part-00000.txt").write_text("half")
    open_sink(spec, SinkContext(session, "run1", print)).write(rows(session, (3, 1, "b")), 2)
    assert files(out) == first


def test_files_of_the_next_micro_batch_show_an_older_checkpoint(session: SparkSession, tmp_path: Path) -> None:
    spec = table(tmp_path / "out")
    open_sink(spec, SinkContext(session, "run1", print)).write(rows(session, (0, 1, "a")), 3)
    with pytest.raises(CheckpointError, match=r"goes on with micro-batch 2, and .* is of micro-batch 3"):
        open_sink(spec, SinkContext(session, "run1", print)).write(rows(session, (0, 1, "a")), 2)


@pytest.mark.wide
def test_sinks_of_a_plan_share_folders(session: SparkSession, tmp_path: Path) -> None:
    """The same folder, a subfolder, and a parent: each sink keeps its files, and rewrites its own."""
    places = [tmp_path / "out", tmp_path / "out", tmp_path / "out" / "below", tmp_path / "other", tmp_path]

    def opened() -> list[Any]:
        context = SinkContext(session, "run1", print)
        return [open_sink(table(place), context) for place in places]

    def written() -> list[str]:
        return sorted(line for path in tmp_path.rglob("part-*") for line in path.read_text().splitlines())

    for batch in (0, 1):
        for at, sink in enumerate(opened()):
            sink.write(rows(session, (0, at, "a")), batch)
    assert [sink.left()[0] for sink in opened()] == [2] * len(places)
    before = written()
    assert len(before) == 2 * len(places)
    for at, sink in enumerate(opened()):
        sink.write(rows(session, (0, at, "a")), 1)
    assert written() == before


def test_json_takes_inserts_alone(session: SparkSession, tmp_path: Path) -> None:
    sink = open_sink(table(tmp_path / "out"), SinkContext(session, "r", print))
    with pytest.raises(Exception, match="supports only inserts"):
        sink.write(rows(session, (0, 1, "a"), (3, 1, "a")), 0)
    assert not list((tmp_path / "out").glob("part-*"))


@pytest.mark.wide
def test_partitions_survive_a_round_trip(session: SparkSession, tmp_path: Path) -> None:
    out = tmp_path / "out"
    for format_ in ("json", "parquet", "csv"):
        spec = table(out / format_, format_=format_, partition_keys=("v",))
        sink = open_sink(spec, SinkContext(session, "r", print))
        sink.write(rows(session, (0, 1, "a/b=c d%e"), (0, 2, None), (0, 3, ""), (0, 4, "ü")), 0)
        folders = sorted(p.name for p in (out / format_).iterdir())
        assert folders == ["v=__DEFAULT_PARTITION__", "v=a%2Fb%3Dc d%25e", "v=ü"]
        values = {(r.f0, r.f1) for r in read(session, spec)}
        assert values == {(1, "a/b=c d%e"), (2, None), (3, None), (4, "ü")}


def test_partitions_of_dates_and_times(session: SparkSession, tmp_path: Path) -> None:
    spec = table(tmp_path / "out", "k INT, d DATE, s TIMESTAMP(3), n DECIMAL(5,2)", partition_keys=("d", "s", "n"))
    frame = session.sql(
        "SELECT 0Y AS kind, 0L AS ord, null AS path, 1 AS f0, DATE'2024-01-02' AS f1, "
        "TIMESTAMP_NTZ'2024-01-02 03:04:00.5' AS f2, 1.50BD AS f3"
    )
    open_sink(spec, SinkContext(session, "r", print)).write(frame, 0)
    name = "d=2024-01-02/s=2024-01-02T03%3A04%3A00.500/n=1.50/part-r-0-0.json"
    assert files(tmp_path / "out") == {name: '{"k":1}\n'}
    assert [str(v) for v in read(session, spec)[0][3:]] == ["1", "2024-01-02", "2024-01-02 03:04:00.500000", "1.50"]
    unfit = table(tmp_path / "out", "k INT, b BYTES", partition_keys=("b",))
    with pytest.raises(UnsupportedError, match="partition column 'b'"):
        open_source(unfit, SourceContext(session))


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"pathh": "x"}, "did you mean 'path'"),
        ({"json.ignore-parse-errors": "yes"}, "set it to 'true' or 'false'"),
        ({"json.timestamp-format.standard": "ISO"}, "one of: SQL, ISO-8601"),
        ({"csv.null-literal": "x"}, "no option 'csv.null-literal'"),
        ({"sink.partition-commit.policy.class": "x"}, "is not supported: a plan"),
        ({"format": "protobuf"}, "format 'protobuf' is not supported by connector 'filesystem'"),
    ],
)
def test_options_are_checked_before_anything_starts(
    session: SparkSession, tmp_path: Path, options: dict[str, str], text: str
) -> None:
    (tmp_path / "a.json").write_text("{}\n")
    spec = table(tmp_path / "a.json", options=options)
    for start in (
        lambda: open_source(spec, SourceContext(session)),
        lambda: open_sink(spec, SinkContext(session, "r", print)),
    ):
        with pytest.raises(UnsupportedError) as caught:
            start()
        assert isinstance(caught.value, CompiledPlanError)
        assert text in str(caught.value)


def test_monitored_folder_is_unbounded(session: SparkSession, tmp_path: Path) -> None:
    spec = table(tmp_path, options={"source.monitor-interval": "1 s", "source.report-statistics": "all"})
    assert not open_source(spec, SourceContext(session)).bounded


@pytest.mark.wide
@pytest.mark.parametrize(
    "format_",
    [
        "canal-json",
        "avro",
        "parquet",
        "raw",
        *(pytest.param(name, marks=pytest.mark.deep) for name in ("maxwell-json", "orc")),
    ],
)
def test_each_format_in_a_growing_partitioned_folder(session: SparkSession, tmp_path: Path, format_: str) -> None:
    place = tmp_path / "out"
    spec = table(place, format_=format_, partition_keys=("k",), options={"source.monitor-interval": "1 s"})
    sink = open_sink(spec, SinkContext(session, "run", print))
    sink.write(rows(session, (0, 1, "a"), (0, 2, "b"), (0, 1, "c")), 0)
    # A batch without rows leaves nothing, and a repeated batch is there once.
    sink.write(rows(session).where("f0 = 0"), 1)
    again = open_sink(spec, SinkContext(session, "run", print))
    again.write(rows(session, (0, 1, "a"), (0, 2, "b"), (0, 1, "c")), 0)
    assert sorted(path.parent.name for path in place.rglob("part-*")) == ["k=1", "k=2"]
    metadata = (("file.name", t.STRING),)
    reading = replace(spec, metadata=metadata)
    result: list[Row] = []
    source = open_source(reading, SourceContext(session))
    assert not source.bounded
    query = source.frame.writeStream.foreachBatch(lambda frame, _: result.extend(frame.collect())).start()
    try:
        query.processAllAvailable()
        assert sorted((row.kind, row.f0, row.f1) for row in result) == [(0, 1, "a"), (0, 1, "c"), (0, 2, "b")]
        assert [row.f1 for row in sorted(result, key=lambda row: bytes(row.path)) if row.f0 == 1] == ["a", "c"]
        assert all(row.m0.startswith("part-run-0-") for row in result)
        sink.write(rows(session, (0, 3, "d")), 2)
        query.processAllAvailable()
        assert [(row.f0, row.f1) for row in result[3:]] == [(3, "d")]
    finally:
        query.stop()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("format_", ["orc", "avro", "raw"])
def test_formats_of_inserts_alone(session: SparkSession, tmp_path: Path, format_: str) -> None:
    spec = table(tmp_path / "out", "v STRING", format_)
    frame = rows(session, (3, 1, "a")).drop("f0").withColumnRenamed("f1", "f0")
    with pytest.raises(Exception, match=f"format '{format_}' of table c.d.t supports only inserts"):
        open_sink(spec, SinkContext(session, "run", print)).write(frame, 0)
