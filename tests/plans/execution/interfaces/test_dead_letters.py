"""Dead letters: unreadable records with their place and the reason, once, and counted."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.execution.batches.progress import BatchProgress
from compiled_plan.plans.execution.files.sink import FileSink
from compiled_plan.plans.execution.run import Run, RunResult
from compiled_plan.plans.execution.session.options import RunOptions
from tests.support.topics import Message, Topics
from tools.services.postgres import psql
from tools.services.registry import serving

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from tools.services.server import Server


def run(
    spark: SparkSession, program: str, checkpoint: Path, report: Callable[[BatchProgress], None] = lambda _: None
) -> RunResult:
    plan = TableEnvironment().compile_script(program)
    return Run(spark, plan, RunOptions(checkpoint=str(checkpoint)), report=report).execute()


def rows(folder: Path) -> list[dict[str, Any]]:
    """All rows in the files of a folder."""
    letters = [json.loads(line) for file in folder.rglob("*.json") for line in file.read_text().splitlines()]
    assert [file.name for file in folder.rglob("*") if file.name.startswith(".compiled-plan-")] == []
    return sorted(
        letters, key=lambda row: [str(row.get(name)) for name in ("file", "part", "offset", "line", "id", "n")]
    )


@pytest.mark.wide
def test_lines_of_files(spark: SparkSession, tmp_path: Path) -> None:
    """Rows continue to windows and a join of tables; records of three formats go to one folder."""
    for name in ("a", "b", "c"):
        (tmp_path / name).mkdir()
    (tmp_path / "a/1.json").write_text(
        '{"id": 1, "ts": "2024-01-01 00:00:01"}\n\n{"id": "x"}\nnot JSON\n{"id": 2, "ts": null}\n'
    )
    (tmp_path / "b/1.csv").write_text('1,"a\nb"\n2,"c\nd",more\nx,y\n"3","ü"\n')
    (tmp_path / "c/1.txt").write_bytes(b"1234\n12345\n\xff\xfe\n")
    cut = {
        '{"id": 1, "ts": "2024': "a string",
        '{"id': "a string",
        '{"id": 1, "ts": "\\': "a string",
        '{"id": 1': "an object",
        '[{"id": 1},': "an array",
    }
    (tmp_path / "a/2.json").write_text("".join(f"{line}\n" for line in ("}", *cut)))
    options = f"'dead-letter.path' = '{tmp_path}/dead'"
    program = f"""
        CREATE TABLE a (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH (
          'connector' = 'filesystem', 'path' = '{tmp_path}/a', 'format' = 'json', {options});
        CREATE TABLE b (id INT, n STRING) WITH (
          'connector' = 'filesystem', 'path' = '{tmp_path}/b', 'format' = 'csv', {options});
        CREATE TABLE c (v INT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/c', 'format' = 'raw', {options});
        CREATE TABLE o (id INT, n STRING) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/o', 'format' = 'json');
        CREATE TABLE w (id BIGINT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/w', 'format' = 'json');
        EXECUTE STATEMENT SET BEGIN
        INSERT INTO o SELECT a.id, b.n FROM b JOIN a ON a.id = b.id;
        INSERT INTO o SELECT v, 'raw' FROM c;
        INSERT INTO w SELECT COUNT(*) FROM TUMBLE(TABLE a, DESCRIPTOR(ts), INTERVAL '1' MINUTE)
          GROUP BY window_start, window_end;
        END;
    """
    (tmp_path / "a/1.json").write_text('{"id": 1, "ts": "2024-01-01 00:00:01"}\n\n{"id": "x"}\nnot JSON\n')
    reports: list[BatchProgress] = []
    result = run(spark, program, tmp_path / "checkpoint", reports.append)
    assert rows(tmp_path / "o") == [{"id": 1, "n": "a\nb"}, {"id": 825373492, "n": "raw"}]
    assert rows(tmp_path / "w") == [{"id": 1}]
    dead = rows(tmp_path / "dead")
    place = f"file:{tmp_path}"
    table = "default_catalog.default_database."
    letters = [
        (row["table"].removeprefix(table), row["file"].removeprefix(place), row["line"], row.get("raw")) for row in dead
    ]
    assert letters == [
        ("a", "/a/1.json", 3, '{"id": "x"}'),
        ("a", "/a/1.json", 4, "not JSON"),
        ("a", "/a/2.json", 1, "}"),
        *(("a", "/a/2.json", at, line) for at, line in enumerate(cut, 2)),
        ("b", "/b/1.csv", 4, '2,"c\nd",more'),
        ("b", "/b/1.csv", 5, "x,y"),
        ("c", "/c/1.txt", 2, "12345"),
        ("c", "/c/1.txt", 3, None),
    ]
    assert dead[-1]["bytes"] == "//4="
    reasons = [row["reason"] for row in dead]
    assert "cannot be read as INT" in reasons[0]
    assert reasons[1].startswith("not JSON: ")
    assert reasons[3 : 3 + len(cut)] == [f"not JSON: the text ends within {value}" for value in cut.values()]
    assert reasons[3 + len(cut)].startswith("too many entries: expected at most 2, found 3")
    assert result.dead_letters == sum(report.dead_letters for report in reports) == len(dead)
    assert reports[0].to_dict()["deadLetters"] == reports[0].dead_letters


@pytest.mark.wide
def test_a_micro_batch_that_runs_again_writes_them_once(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/1.json").write_text('{"id": 1}\nno\n{"id": 2}\nno, too\n')
    program = f"""
        CREATE TABLE a (id INT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/a', 'format' = 'json',
          'dead-letter.path' = '{tmp_path}/dead');
        CREATE TABLE o (id INT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/o', 'format' = 'json');
        INSERT INTO o SELECT id FROM a;
    """
    write, written = FileSink.write, list[str]()

    def killed(sink: FileSink, frame: DataFrame, batch: int) -> None:
        write(sink, frame, batch)
        written.append(sink.table.identifier)
        if len(written) == 2:
            raise RuntimeError("killed")

    monkeypatch.setattr(FileSink, "write", killed)
    with pytest.raises(Exception, match="killed"):
        run(spark, program, tmp_path / "checkpoint")
    assert len(rows(tmp_path / "dead")) == 2
    (tmp_path / "a/2.json").write_text("none\n")
    assert run(spark, program, tmp_path / "checkpoint").dead_letters == 3
    assert [row["raw"] for row in rows(tmp_path / "dead")] == ["no", "no, too", "none"]
    assert rows(tmp_path / "o") == [{"id": 1}, {"id": 2}]


@pytest.mark.wide
def test_messages(spark: SparkSession, kafka: Server, tmp_path: Path) -> None:
    """Values, keys, events with several changes; an unavailable registry is no fault of the message."""
    topics = Topics(spark, kafka)
    topics.make("dead-in", 2)
    topics.make("dead-avro")
    good = '{"before": {"id": 1, "n": 1}, "after": {"id": 1, "n": 2}, "op": "u"}'
    messages = [
        Message(good, '{"id": 1}'),
        Message("no", '{"id": 2}'),
        Message(good, "bad key", 1),
        Message(None, "gone", 1),
    ]
    topics.send("dead-in", messages)
    topics.send("dead-avro", [Message("plain text"), Message("\0\0\0\0\1\2")])
    with serving() as registry:
        registry.add({"type": "record", "name": "r", "fields": [{"name": "id", "type": "int"}]})
        bounds = f"'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset', {topics.options}"
        program = f"""
            CREATE TABLE a (k INT, id INT, n INT, off BIGINT METADATA FROM 'offset' VIRTUAL) WITH (
              'connector' = 'kafka', 'topic' = 'dead-in', {bounds}, 'key.format' = 'json', 'key.fields' = 'k',
              'value.format' = 'debezium-json', 'value.fields-include' = 'EXCEPT_KEY',
              'dead-letter.path' = '{tmp_path}/dead');
            CREATE TABLE b (id INT) WITH ('connector' = 'kafka', 'topic' = 'dead-avro', {bounds},
              'format' = 'avro-confluent', 'avro-confluent.url' = '{registry.url}',
              'avro-confluent.properties.http.connect.timeout.ms' = '300', 'dead-letter.path' = '{tmp_path}/dead');
            CREATE TABLE o (id INT, n INT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/o',
              'format' = 'debezium-json');
            EXECUTE STATEMENT SET BEGIN
            INSERT INTO o SELECT id, n FROM a;
            INSERT INTO o SELECT id, CAST(NULL AS INT) FROM b;
            END;
        """
        registry.failures = [503] * 30
        with pytest.raises(Exception, match="does not answer: HTTP 503"):
            run(spark, program, tmp_path / "checkpoint")
        assert not (tmp_path / "dead").exists()
        registry.failures = []
        result = run(spark, program, tmp_path / "checkpoint")
    letters = {
        (row["topic"], row["partition"], row["offset"], row["part"], row["raw"]) for row in rows(tmp_path / "dead")
    }
    assert letters == {
        ("dead-in", 0, 1, "value", "no"),
        ("dead-in", 1, 0, "key", "bad key"),
        ("dead-in", 1, 1, "key", "gone"),
        ("dead-avro", 0, 0, "value", "plain text"),
    }
    assert result.dead_letters == 4
    assert sorted(row["op"] for row in rows(tmp_path / "o")) == ["c", "c", "d"]


@pytest.mark.wide
def test_tables_of_the_program(spark: SparkSession, postgres: Server, tmp_path: Path) -> None:
    """Two tables share one in a database, a third has lines; a repeated dead letter is there once."""
    for name, text in (("a", '{"id": 1}\nno\n'), ("b", "x\n2\ny\n"), ("c", "{}\n[\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "1").write_text(text)
    psql(postgres.port, 'CREATE TABLE letters ("table" TEXT, "line" BIGINT, "raw" TEXT, "reason" TEXT)')
    files = "'connector' = 'filesystem', 'path' = '{path}/{name}', 'format' = '{format}', 'dead-letter.table' = '{to}'"
    tables = "".join(
        f"CREATE TABLE {name} (id INT) WITH ({files.format(path=tmp_path, name=name, format=format_, to=to)});"
        for name, format_, to in (("a", "json", "bad"), ("b", "csv", "`default_database`.bad"), ("c", "json", "seen"))
    )
    program = f"""{tables}
        CREATE TABLE bad (reason STRING, `raw` STRING, line BIGINT, `table` STRING) WITH (
          'connector' = 'jdbc', 'url' = '{postgres.address}', 'table-name' = 'letters');
        CREATE TABLE seen (`raw` STRING, file STRING) WITH ('connector' = 'print', 'print-identifier' = 'seen');
        CREATE TABLE o (id INT) WITH ('connector' = 'print');
        EXECUTE STATEMENT SET BEGIN
        INSERT INTO o SELECT id FROM a; INSERT INTO o SELECT id FROM b; INSERT INTO o SELECT id FROM c;
        END;
    """
    lines: list[str] = []
    plan = TableEnvironment().compile_script(program)
    options = RunOptions(checkpoint=str(tmp_path / "checkpoint"))
    result = Run(spark, plan, options, lines.append).execute()
    assert sorted(lines) == ["+I[1]", "+I[2]", "+I[null]", f"seen> +I[[, file:{tmp_path}/c/1]"]
    query = 'SELECT "table", "line", "raw" FROM letters ORDER BY 1, 2'
    table = "default_catalog.default_database."
    rows = [[f"{table}a", "2", "no"], [f"{table}b", "1", "x"], [f"{table}b", "3", "y"]]
    assert (psql(postgres.port, query), result.dead_letters) == (rows, 4)
    (tmp_path / "a/2").write_text("none\n")
    Run(spark, plan, options, lines.append).execute()
    assert psql(postgres.port, query) == [[f"{table}a", "1", "none"], *rows]


@pytest.mark.wide
def test_messages_go_on_to_a_topic(spark: SparkSession, kafka: Server, tmp_path: Path) -> None:
    """Their keys and values, exactly once, with their place."""
    topics = Topics(spark, kafka)
    topics.make("letters_in", 2)
    topics.make("letters_out")
    topics.send("letters_in", [Message('{"v": 1}', '{"k": 1}'), Message("no", '{"k": 2}', partition=1)])
    topics.send("letters_in", [Message('{"v": 3}', "{", partition=1)])
    program = f"""
        CREATE TABLE r (k INT, v INT) WITH ('connector' = 'kafka', 'topic' = 'letters_in', {topics.options},
          'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset', 'key.format' = 'json',
          'key.fields' = 'k', 'value.format' = 'json', 'value.fields-include' = 'EXCEPT_KEY',
          'dead-letter.table' = 'bad');
        CREATE TABLE bad (topic STRING, `partition` INT, `offset` BIGINT, part STRING, `raw` STRING) WITH (
          'connector' = 'kafka', 'topic' = 'letters_out', {topics.options}, 'format' = 'json',
          'sink.delivery-guarantee' = 'exactly-once', 'sink.transactional-id-prefix' = 'letters');
        CREATE TABLE o (k INT, v INT) WITH ('connector' = 'print');
        INSERT INTO o SELECT k, v FROM r;
    """
    assert run(spark, program, tmp_path / "checkpoint").dead_letters == 2
    letters = [json.loads(message.value or "") for message in topics.read("letters_out", committed=True)]
    place = {"topic": "letters_in", "partition": 1}
    assert sorted(letters, key=lambda row: row["offset"]) == [
        {**place, "offset": 0, "part": "value", "raw": "no"},
        {**place, "offset": 1, "part": "key", "raw": "{"},
    ]
