"""Messages in transactions: repeated batches, in other tasks, after others, from older and newer runs."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import CompiledPlanError, DataError, ExecutionError
from compiled_plan.plans.execution.connectors.transactions import TransactionSink
from compiled_plan.plans.execution.interfaces.connectors import SinkContext, open_sink
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.execution.session.partitions import ASKED, PARTITIONS
from compiled_plan.plans.execution.stages.prepared import prepare, sink_tables
from compiled_plan.plans.execution.state.upgrade.rollback import roll_back
from compiled_plan.plans.plan import CompiledPlan
from tests.support.topics import Topics

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from tools.services.server import Server

#: A producer's timeout for unacknowledged messages, short for tests.
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
    table_options = {
        "connector": "kafka",
        "topic": topic,
        "value.format": "json",
        "sink.delivery-guarantee": "exactly-once",
        "sink.transactional-id-prefix": f"of-{topic}",
    } | dict(option.split("=", 1) for option in options)
    text = ", ".join(f"'{key}' = '{value}'" for key, value in table_options.items())
    return f"CREATE TABLE {name} ({columns}) WITH ({text}, {topics.options});\n"


class Written:
    """A table that runs write: for the sink each start is a new process."""

    def __init__(self, topics: Topics, topic: str, columns: str = "id INT", select: str = "1") -> None:
        self.topics, self.topic, self.columns, self.select = topics, topic, columns, select
        topics.make(topic, 2)

    def start(self, run: str, *options: str, **context: Any) -> Callable[[DataFrame, int], None]:
        text = declared(self.topics, self.topic, self.columns, *options) + f"INSERT INTO t SELECT {self.select};"
        (opened,) = sink_tables(prepare(TableEnvironment().compile_script(text)).sinks).values()
        return open_sink(opened, SinkContext(self.topics.spark, f"{self.topic}-{run}", print, **context)).write

    def rows(self, *ids: int) -> DataFrame:
        return self.topics.spark.createDataFrame(
            [(0, at, None, id_) for at, id_ in enumerate(ids)], "kind tinyint, ord bigint, path binary, f0 int"
        )

    @property
    def ids(self) -> list[int]:
        """Ids visible to a read-committed consumer."""
        messages = (message.value or "" for message in self.topics.read(self.topic, committed=True))
        return sorted(int(message.partition(":")[2].rstrip("}")) for message in messages)


@pytest.mark.wide
def test_a_committed_micro_batch_is_skipped(topics: Topics) -> None:
    table = Written(topics, "x-again")
    write = table.start("one")
    write(table.rows(1, 2), 0)
    write(table.rows(), 1)
    write(table.rows(3), 2)
    assert table.ids == [1, 2, 3]
    # A crash before Spark has recorded the end of the batch; the prefix does not matter.
    again = table.start("one", "sink.transactional-id-prefix=another")
    again(table.rows(3), 2)
    again(table.rows(4), 3)
    assert table.ids == [1, 2, 3, 4]
    with pytest.raises(DataError, match=r"has micro-batch 3 .* already, and the run is at 1"):
        table.start("one")(table.rows(2), 1)
    with pytest.raises(DataError, match=r"already, and the run is at 3: the checkpoint is an older copy"):
        again(table.rows(5), 3)


@pytest.mark.deep
def test_each_generation_tracks_its_own_commits(topics: Topics) -> None:
    table = Written(topics, "x-back")
    table.start("one")(table.rows(1), 0)
    table.start("two")(table.rows(2), 0)
    back = table.start("one")
    back(table.rows(1), 0)
    back(table.rows(3), 1)
    assert table.ids == [1, 2, 3]


@pytest.mark.wide
def test_each_task_has_a_transaction_and_a_batch_keeps_its_tasks(topics: Topics) -> None:
    """Some tasks of a batch have committed; it is repeated with another number of tasks, and rows in another order."""
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
    """A foreign producer with an open transaction, as a killed process leaves."""
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


@pytest.mark.wide
def test_open_transactions_of_a_killed_run_are_aborted_by_the_next(topics: Topics) -> None:
    table = Written(topics, "x-open")
    # Of a task that the next run does not have any more.
    with opened(topics, "of-x-open-default_catalog.default_database.t-5", "x-open") as killed:
        start = table.start("one")
        # Even if it has nothing to write.
        start(table.rows(), 0)
        start(table.rows(1), 1)
        assert table.ids == [1]
        with pytest.raises(Exception, match=r"ProducerFenced|InvalidProducerEpoch"):
            killed.commitTransaction()
    assert table.ids == [1]


@pytest.mark.wide
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
    # Also if the newer run writes another topic.
    topics.make("x-three")
    table.start("three", "topic=x-three")(table.rows(1), 0)
    with pytest.raises(DataError, match="another run, x-two-three"):
        two(table.rows(12), 2)


@pytest.mark.deep
def test_two_concurrent_writers_of_one_batch(topics: Topics) -> None:
    """Like an abandoned task that still runs beside its replacement: one of them has written it."""
    table = Written(topics, "x-twins")
    starts = [table.start("one") for _ in range(2)]
    ends = Counter[str]()
    for batch in range(12):
        rows = table.rows(*range(batch * 50, batch * 50 + 50))

        def wrote(write: Callable[[DataFrame, int], None], batch: int = batch, rows: DataFrame = rows) -> str:
            try:
                write(rows, batch)
            except DataError as error:
                return "was ended by the brokers" if "was ended by the brokers" in str(error) else str(error)
            return "written or passed over"

        with ThreadPoolExecutor(2) as threads:
            results = list(threads.map(wrote, starts))
        ends.update(results)
        assert "written or passed over" in results, results
        starts = [table.start("one") for _ in range(2)]
    assert table.ids == list(range(600))
    print(ends)
    assert ends.keys() <= {"written or passed over", "was ended by the brokers"}


@pytest.mark.wide
def test_an_expired_commit_record_is_an_error(topics: Topics) -> None:
    table = Written(topics, "x-old")

    def begun(days: float) -> Any:
        return lambda _: int(time.time() * 1000 - days * DAY_MS)

    table.start("one", begun=begun(3))(table.rows(1), 0)
    table.start("one", begun=begun(30))(table.rows(1), 0)
    with pytest.raises(DataError, match=r"if micro-batch 1 .* begun 8.0 days ago, .* keep its mark for 7.0 days"):
        table.start("one", begun=begun(8))(table.rows(2), 1)
    assert table.ids == [1]


@pytest.mark.deep
def test_errors_and_timeouts_of_kafka_are_reported(topics: Topics, capfd: pytest.CaptureFixture[str]) -> None:
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


def programs(topics: Topics, name: str, folder: Path) -> CompiledPlan:
    """Appended and upserted rows of files that are read one per micro-batch."""
    upserts = ("connector=upsert-kafka", "key.format=json", "sink.parallelism=2")
    for sink in ("events", "sums"):
        topics.make(f"{name}-{sink}", 2)
    return TableEnvironment().compile_script(
        f"CREATE TABLE origin (id INT, n INT) WITH ('connector' = 'filesystem', 'path' = '{folder / 'in'}', "
        "'format' = 'json');\n"
        + declared(topics, f"{name}-events", "id INT, n INT", name="events")
        + declared(topics, f"{name}-sums", "n INT, c BIGINT, PRIMARY KEY (n) NOT ENFORCED", *upserts, name="sums")
        + "EXECUTE STATEMENT SET BEGIN\n"
        "INSERT INTO events SELECT * FROM origin;\n"
        "INSERT INTO sums SELECT n, COUNT(*) FROM origin GROUP BY n;\n"
        "END;"
    )


def events(topics: Topics, name: str) -> list[int]:
    """The ids of a program's events."""
    return sorted(json.loads(message.value or "")["id"] for message in topics.read(f"{name}-events", committed=True))


def sums(topics: Topics, name: str) -> dict[int, int]:
    """Final rows of a program's upserts."""
    result = {}
    for message in topics.read(f"{name}-sums", committed=True):
        row = json.loads(message.value or "")
        result[row["n"]] = row["c"]
    return result


def add(folder: Path, name: str, *rows: tuple[int, int]) -> None:
    (folder / "in").mkdir(exist_ok=True)
    (folder / "in" / name).write_text("".join(f'{{"id": {id_}, "n": {n}}}\n' for id_, n in rows))


class Crash(Exception):
    """The process died."""


@pytest.mark.deep
def test_a_run_that_is_cut_short_between_its_sinks(
    spark: SparkSession, topics: Topics, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = programs(topics, "x-cut", tmp_path)
    options = RunOptions(checkpoint=str(tmp_path / "checkpoint"))
    add(tmp_path, "1.json", (1, 1), (2, 1), (3, 2))
    write = TransactionSink.write

    def crash(sink: TransactionSink, frame: DataFrame, batch: int) -> None:
        write(sink, frame, batch)
        raise Crash

    with monkeypatch.context() as patched:
        patched.setattr(TransactionSink, "write", crash)
        with pytest.raises(CompiledPlanError):
            Run(spark, plan, options).execute()
    assert (events(topics, "x-cut"), sums(topics, "x-cut")) == ([1, 2, 3], {})
    Run(spark, plan, options).execute()
    assert (events(topics, "x-cut"), sums(topics, "x-cut")) == ([1, 2, 3], {1: 2, 2: 1})


@pytest.mark.deep
def test_two_sinks_of_a_run_over_a_migration_and_back(spark: SparkSession, topics: Topics, tmp_path: Path) -> None:
    plan = programs(topics, "x-moved", tmp_path)
    options = RunOptions(checkpoint=str(tmp_path / "checkpoint"), available_now=True)
    add(tmp_path, "1.json", (1, 1), (2, 1), (3, 2))
    Run(spark, plan, options).execute()
    assert (events(topics, "x-moved"), sums(topics, "x-moved")) == ([1, 2, 3], {1: 2, 2: 1})
    add(tmp_path, "2.json", (4, 2))
    before = {name: spark.conf.get(name, None) for name in (PARTITIONS, ASKED)}
    try:
        for name in before:
            spark.conf.set(name, "3")
        moved = Run(spark, plan, options)
        moved.execute()
        assert moved.start.migrates
    finally:
        for name, former in before.items():
            spark.conf.unset(name) if former is None else spark.conf.set(name, former)
    assert (events(topics, "x-moved"), sums(topics, "x-moved")) == ([1, 2, 3, 4], {1: 2, 2: 2})
    # The older generation lacks the newer one's rows: they are in the topic twice.
    roll_back(spark, str(tmp_path / "checkpoint"))
    Run(spark, plan, options).execute()
    assert (events(topics, "x-moved"), sums(topics, "x-moved")) == ([1, 2, 3, 4, 4], {1: 2, 2: 2})


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
def test_refusals(options: tuple[str, ...], message: str) -> None:
    text = (
        "CREATE TABLE t (a INT) WITH ('connector' = 'kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'x:1', "
        "'format' = 'json', 'sink.delivery-guarantee' = 'exactly-once', "
    )
    table_options = {"sink.transactional-id-prefix": "p"} | dict(option.split("=", 1) for option in options)
    text += ", ".join(f"'{key}' = '{value}'" for key, value in table_options.items()) + "); INSERT INTO t VALUES (1);"
    with pytest.raises(CompiledPlanError, match=message):
        prepare(TableEnvironment().compile_script(text))
