"""Messages in transactions: batches that come again, in other tasks, after others, from older and newer runs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan.api.environment import TableEnvironment
from compiled_plan.plans.errors import CompiledPlanError, DataError, ExecutionError
from compiled_plan.plans.execution.connectors.base import SinkContext, open_sink
from compiled_plan.plans.execution.options import RunOptions
from compiled_plan.plans.execution.program import prepare, sink_tables
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session import ASKED, PARTITIONS
from compiled_plan.plans.execution.upgrade.rollback import roll_back
from tests.support.topics import Topics

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from tools.services.server import Server

#: A producer's time for messages that nobody answers, so that a test need not wait longer.
SHORT = (
    "properties.delivery.timeout.ms=4000",
    *(f"properties.{name}=2000" for name in ("request.timeout.ms", "max.block.ms", "default.api.timeout.ms")),
)
DAY_MS = 24 * 60 * 60_000


@pytest.fixture(scope="module")
def topics(spark: SparkSession, kafka: Server) -> Topics:
    return Topics(spark, kafka)


def declared(topics: Topics, topic: str, columns: str, *options: str, name: str = "t") -> str:
    """A table that is written in transactions."""
    given = {
        "connector": "kafka",
        "topic": topic,
        "value.format": "json",
        "sink.delivery-guarantee": "exactly-once",
        "sink.transactional-id-prefix": f"of-{topic}",
    } | dict(each.split("=", 1) for each in options)
    text = ", ".join(f"'{key}' = '{value}'" for key, value in given.items())
    return f"CREATE TABLE {name} ({columns}) WITH ({text}, {topics.options});\n"


class Written:
    """A table that is written by runs: each start is a process of its own as far as the sink can tell."""

    def __init__(self, topics: Topics, topic: str, columns: str = "id INT", select: str = "1") -> None:
        self.topics, self.topic, self.columns, self.select = topics, topic, columns, select
        topics.make(topic, 2)

    def start(self, run: str, *options: str, **context: Any) -> Callable[[DataFrame, int], None]:
        text = declared(self.topics, self.topic, self.columns, *options) + f"INSERT INTO t SELECT {self.select};"
        (opened,) = sink_tables(prepare(TableEnvironment().compile_script(text)).sinks).values()
        return open_sink(opened, SinkContext(self.topics.spark, f"{self.topic}-{run}", print, **context)).write

    def rows(self, *ids: int) -> DataFrame:
        return self.topics.spark.createDataFrame(
            [(0, at, None, each) for at, each in enumerate(ids)], "kind tinyint, ord bigint, path binary, f0 int"
        )

    @property
    def ids(self) -> list[int]:
        """What who reads what is committed sees."""
        found = (each.value or "" for each in self.topics.read(self.topic, committed=True))
        return sorted(int(each.partition(":")[2].rstrip("}")) for each in found)


def test_a_micro_batch_that_comes_again_is_passed_over(topics: Topics) -> None:
    table = Written(topics, "x-again")
    write = table.start("one")
    write(table.rows(1, 2), 0)
    write(table.rows(), 1)
    write(table.rows(3), 2)
    assert table.ids == [1, 2, 3]
    # A crash before Spark has noted that the batch is done; the prefix does not matter.
    again = table.start("one", "sink.transactional-id-prefix=another")
    again(table.rows(3), 2)
    again(table.rows(4), 3)
    assert table.ids == [1, 2, 3, 4]
    with pytest.raises(DataError, match=r"has micro-batch 3 .* already, and the run is at 1"):
        table.start("one")(table.rows(2), 1)
    with pytest.raises(DataError, match=r"already, and the run is at 3: the checkpoint is an older copy"):
        again(table.rows(5), 3)
    # A new generation, and back: each knows what it wrote itself.
    table.start("two")(table.rows(5), 0)
    back = table.start("one")
    back(table.rows(4), 3)
    back(table.rows(6), 4)
    assert table.ids == [1, 2, 3, 4, 5, 6]


def test_each_task_has_a_transaction_and_a_batch_keeps_its_tasks(topics: Topics) -> None:
    """Some tasks of a batch have committed; it comes again with another number of tasks, and rows in other order."""
    from pyspark.sql import functions as F

    columns = "id INT, topic STRING NOT NULL METADATA"
    table = Written(topics, "x-tasks", columns, "1, 'x-tasks'")
    keyed = ("key.format=json", "key.fields=id")
    ids = list(range(20))

    def rows(order: list[int], bad: int = -1) -> DataFrame:
        topic = F.when(F.col("f0") != bad, F.lit("x-tasks"))
        return table.rows(*order).withColumn("f1", topic)

    # Of the last task, when others are done.
    task = F.pmod(F.hash(F.concat(F.lit('{"id":'), "f0", F.lit("}")).cast("binary")), F.lit(3))
    bad = table.rows(*ids).where(task == 2).first()
    assert bad is not None
    with pytest.raises(DataError, match="names no topic"):
        table.start("one", *keyed, "sink.parallelism=3")(rows(ids, bad.f0), 0)
    some = table.ids
    assert 0 < len(some) < 20
    assert bad.f0 not in some
    again = table.start("one", *keyed, "sink.parallelism=2")
    again(rows(ids[::-1]), 0)
    assert table.ids == ids
    again(rows([20, 21]), 1)
    table.start("one", *keyed)(rows([20, 21]), 1)
    assert table.ids == list(range(22))


@contextmanager
def opened(topics: Topics, id_: str, topic: str) -> Iterator[Any]:
    """A producer of somebody else with a transaction that is open: what a killed process leaves."""
    jvm: Any = topics.spark._jvm
    settings = topics._settings("serializer", "Serializer")
    settings.put("transactional.id", id_)
    producer = jvm.org.apache.kafka.clients.producer.KafkaProducer(settings)
    try:
        producer.initTransactions()
        producer.beginTransaction()
        producer.send(jvm.org.apache.kafka.clients.producer.ProducerRecord(topic, 0, "k", '{"id":99}')).get()
        yield producer
    finally:
        producer.close()


def test_what_a_killed_run_left_open_is_ended_by_the_next(topics: Topics) -> None:
    table = Written(topics, "x-open")
    with opened(topics, "of-x-open-default_catalog.default_database.t-0", "x-open") as killed:
        start = table.start("one")
        # Even where it has nothing to write.
        start(table.rows(), 0)
        topics.send("x-open", [])
        start(table.rows(1), 1)
        assert table.ids == [1]
        with pytest.raises(Exception, match=r"ProducerFenced|InvalidProducerEpoch"):
            killed.commitTransaction()
    assert table.ids == [1]


def test_of_two_runs_with_one_prefix_the_older_ends(topics: Topics) -> None:
    table = Written(topics, "x-two")
    one, two = table.start("one"), table.start("two")
    one(table.rows(1), 0)
    two(table.rows(10), 0)
    with pytest.raises(
        DataError, match=r"another run, x-two-two, has begun to write table .* with the same 'sink.trans"
    ):
        one(table.rows(2), 1)
    two(table.rows(11), 1)
    assert table.ids == [1, 10, 11]


def test_a_mark_that_brokers_have_forgotten_is_not_taken_for_none(topics: Topics) -> None:
    table = Written(topics, "x-old")

    def begun(days: float) -> Any:
        return lambda _: int(time.time() * 1000 - days * DAY_MS)

    table.start("one", begun=begun(3))(table.rows(1), 0)
    table.start("one", begun=begun(30))(table.rows(1), 0)
    with pytest.raises(DataError, match=r"whether micro-batch 1 .* begun 8.0 days ago, .* keep its mark for 7.0 days"):
        table.start("one", begun=begun(8))(table.rows(2), 1)
    assert table.ids == [1]


@pytest.mark.deep
def test_what_kafka_refuses_or_does_not_answer_is_told(topics: Topics, capfd: pytest.CaptureFixture[str]) -> None:
    table = Written(topics, "x-refused")
    with pytest.raises(DataError, match=r"'properties.transaction.timeout.ms' = 99000000 is more than the brokers'"):
        table.start("one", "properties.transaction.timeout.ms=99000000")(table.rows(1), 0)
    with pytest.raises(DataError, match="without also enabling idempotence"):
        table.start("one", "properties.acks=1")(table.rows(1), 0)
    write = table.start("one", *SHORT)
    write(table.rows(1), 0)
    topics.server.kill()
    try:
        with pytest.raises(ExecutionError, match=r"the brokers do not answer: Kafka's brokers 127.0.0.1:\d+, writing"):
            write(table.rows(2), 1)
        assert "waiting for Kafka's brokers 127.0.0.1" in capfd.readouterr().err
    finally:
        topics.server.start()
    write(table.rows(2), 1)
    assert table.ids == [1, 2]


def programs(topics: Topics, folder: Path, *options: str) -> str:
    tables = "".join(
        declared(topics, topic, columns, *more, *options, name=name)
        for name, topic, columns, more in (
            ("events", "x-events", "id INT, n INT", ()),
            (
                "sums",
                "x-sums",
                "n INT, c BIGINT, PRIMARY KEY (n) NOT ENFORCED",
                ("connector=upsert-kafka", "key.format=json", "sink.parallelism=2"),
            ),
        )
    )
    return (
        f"CREATE TABLE origin (id INT, n INT) WITH ('connector' = 'filesystem', 'path' = '{folder / 'in'}', "
        f"'format' = 'json');\n{tables}"
        "EXECUTE STATEMENT SET BEGIN\n"
        "INSERT INTO events SELECT * FROM origin;\n"
        "INSERT INTO sums SELECT n, COUNT(*) FROM origin GROUP BY n;\n"
        "END;"
    )


def view(topics: Topics, topic: str) -> dict[str, str]:
    """What the messages of a topic leave, by key."""
    found: dict[str, str] = {}
    for each in topics.read(topic, committed=True):
        assert each.key is not None
        if each.value is None:
            found.pop(each.key, None)
        else:
            found[each.key] = each.value
    return found


def add(folder: Path, name: str, *rows: tuple[int, int]) -> None:
    (folder / "in").mkdir(exist_ok=True)
    (folder / "in" / name).write_text("".join(f'{{"id": {id_}, "n": {n}}}\n' for id_, n in rows))


@pytest.mark.deep
def test_two_sinks_of_a_run_over_a_migration_and_back(spark: SparkSession, topics: Topics, tmp_path: Path) -> None:
    for topic in ("x-events", "x-sums"):
        topics.make(topic, 2)
    plan = TableEnvironment().compile_script(programs(topics, tmp_path))
    options = RunOptions(checkpoint=str(tmp_path / "checkpoint"), available_now=True)

    def events() -> list[str]:
        return sorted(each.value or "" for each in topics.read("x-events", committed=True))

    add(tmp_path, "1.json", (1, 1), (2, 1), (3, 2))
    Run(spark, plan, options).execute()
    one = ['{"id":1,"n":1}', '{"id":2,"n":1}', '{"id":3,"n":2}']
    assert events() == one
    assert view(topics, "x-sums") == {'{"n":1}': '{"n":1,"c":2}', '{"n":2}': '{"n":2,"c":1}'}
    add(tmp_path, "2.json", (4, 2))
    before = {name: spark.conf.get(name, None) for name in (PARTITIONS, ASKED)}
    try:
        for name in before:
            spark.conf.set(name, "3")
        moved = Run(spark, plan, options)
        moved.execute()
        assert moved.start.moves
    finally:
        for name, former in before.items():
            spark.conf.unset(name) if former is None else spark.conf.set(name, former)
    assert events() == [*one, '{"id":4,"n":2}']
    assert view(topics, "x-sums") == {'{"n":1}': '{"n":1,"c":2}', '{"n":2}': '{"n":2,"c":2}'}
    # The generation before has not written what the newer one has: it is in the topic twice.
    roll_back(spark, str(tmp_path / "checkpoint"))
    Run(spark, plan, options).execute()
    assert events() == sorted([*one, '{"id":4,"n":2}', '{"id":4,"n":2}'])
    assert view(topics, "x-sums") == {'{"n":1}': '{"n":1,"c":2}', '{"n":2}': '{"n":2,"c":2}'}


@pytest.mark.deep
def test_a_plan_reads_what_another_has_committed(spark: SparkSession, topics: Topics) -> None:
    table = Written(topics, "x-read")
    write = table.start("one")
    write(table.rows(1, 2), 0)
    columns = "id INT"
    text = (
        f"CREATE TABLE origin ({columns}) WITH ('connector' = 'kafka', 'topic' = 'x-read', 'format' = 'json', "
        f"'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset', {topics.options}, "
        "'properties.isolation.level' = 'read_committed');\n"
        f"CREATE TABLE o ({columns}) WITH ('connector' = 'print');\nINSERT INTO o SELECT * FROM origin;"
    )
    lines: list[str] = []
    with opened(topics, "somebody", "x-read"):
        Run(spark, TableEnvironment().compile_script(text), RunOptions(), lines.append).execute()
    assert sorted(lines) == ["+I[1]", "+I[2]"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("sink.transactional-id-prefix=",), "lacks the option 'sink.transactional-id-prefix'"),
        (("sink.parallelism=0",), "is no number of tasks"),
        (("properties.transactional.id=x",), "'properties.transactional.id'"),
    ],
)
def test_what_is_refused(options: tuple[str, ...], message: str) -> None:
    text = (
        "CREATE TABLE t (a INT) WITH ('connector' = 'kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'x:1', "
        "'format' = 'json', 'sink.delivery-guarantee' = 'exactly-once', "
    )
    given = {"sink.transactional-id-prefix": "p"} | dict(each.split("=", 1) for each in options)
    text += ", ".join(f"'{key}' = '{value}'" for key, value in given.items()) + "); INSERT INTO t VALUES (1);"
    with pytest.raises(CompiledPlanError, match=message):
        prepare(TableEnvironment().compile_script(text))
