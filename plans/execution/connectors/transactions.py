"""Messages of Kafka that are written in transactions, so that each row of a micro-batch is in its topic once.

A task writes its messages and a mark in one transaction; a micro-batch that comes again finds the marks and passes over
what is written. docs/decisions/14-transactions-into-kafka.md says where the marks are and why.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from pyspark.sql import functions as F

from compiled_plan.plans.connectors.messages import listed
from compiled_plan.plans.connectors.table_options import Values
from compiled_plan.plans.errors import DataError, ExecutionError
from compiled_plan.plans.execution.connectors.brokers import Topics
from compiled_plan.plans.execution.connectors.messages import KEY, VALUE
from compiled_plan.plans.execution.spark.java import java_class
from compiled_plan.plans.execution.spark.patience import Patience, attempts

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from compiled_plan.plans.execution.connectors.message_sink import MessageSink

#: Settings of the producers, where a table does not say. A transaction may take as long as brokers let it by default;
#: a producer gives up soon, and what waits for the brokers is the run, which says so.
_SETTINGS = {"transaction.timeout.ms": "900000", "max.block.ms": "15000", "default.api.timeout.ms": "15000"}
_SOON = {"request.timeout.ms": "10000", "delivery.timeout.ms": "30000"}
#: How long brokers are waited for, in ms: the default of Kafka's producers.
_PATIENCE, _DELIVERY = 120_000, "delivery.timeout.ms"
#: How long brokers keep the offsets of a group, where they do not say.
_MINUTES, _MINUTE_MS, _DAY_MS = 7 * 24 * 60, 60_000, 24 * 60 * 60_000
_CLIENTS = "org.apache.kafka.clients"


@dataclass(slots=True)
class TransactionSink:
    """Writes each task of a micro-batch in one transaction.

    Args:
        sink: makes messages of rows.
        run_id: of the checkpoint, as the marks name it.
        begun: when a micro-batch was begun for the first time, in ms since 1970.
        first: whether it has written nothing yet: what comes first may be there already.
    """

    READS_ORDER: ClassVar[bool] = True

    sink: MessageSink
    run_id: str
    begun: Callable[[int], int]
    first: bool = True

    def write(self, frame: DataFrame, batch_id: int) -> None:
        """Write a batch; see `RowSink.write`."""
        tasks = self._taken_over(batch_id) if self.first else self._tasks
        rows = self.sink.in_order(self._dealt_out(self.sink.encoded(frame), tasks))
        kernel = java_class(self.sink.messages.spark._jvm, "org.compiledplan.kernel.kafka.TransactionWriter")
        description = json.dumps(self._description(tasks))
        self._patience.patiently(
            attempts(lambda before: kernel.write(rows._jdf, description, batch_id, before), self.first)
        )
        self.first = False

    # --- how the rows are dealt out

    @property
    def _options(self) -> Values:
        return self.sink.messages.spec.values(self.sink.messages.table.options)

    @property
    def _tasks(self) -> int:
        """How many tasks write: what a task gets must follow from the rows alone, not from how they were computed."""
        return (self._options.get("sink.parallelism") or 1) if self._by() else 1

    def _by(self) -> list[str]:
        """The columns by which rows may go to different tasks, so that what has an order stays together."""
        messages = self.sink.messages
        if messages.format_of(KEY) is not None:
            return ["key"]
        names = messages.table.columns.names
        if messages.table.primary_key:
            return [f"f{names.index(name)}" for name in messages.table.primary_key]
        value = messages.format_of(VALUE)
        assert value is not None
        return ["value", "topic"] if value[0].spec.writes.insert_only else []

    def _dealt_out(self, rows: DataFrame, tasks: int) -> DataFrame:
        return rows.repartition(1) if tasks == 1 else rows.repartition(tasks, *map(F.col, self._by()))

    # --- what the kernel is told

    def _description(self, tasks: int) -> dict[str, Any]:
        """What the kernel's TransactionWriter is told."""
        table = self.sink.messages.table
        return {
            "settings": self._settings,
            "table": table.identifier,
            "prefix": self._prefix,
            "owner": self._owner,
            "run": self.run_id,
            "marks": self._marks,
            "topic": self._topic,
            "tasks": tasks,
        }

    @property
    def _settings(self) -> dict[str, str]:
        options = {key: value for key, value in self.sink.messages.settings.items() if key != "group.id"}
        soon = {} if options.keys() & {*_SOON, "linger.ms"} else _SOON
        return {**_SETTINGS, **soon, **options}

    @property
    def _prefix(self) -> str:
        return f"{self._options.text('sink.transactional-id-prefix')}-{self.sink.messages.table.sink}"

    @property
    def _owner(self) -> str:
        """The group that says whose the transactional ids are."""
        return f"compiled-plan-{self._prefix}"

    @property
    def _marks(self) -> str:
        """The group of the marks: by the run alone, so that they are found when the prefix has changed."""
        return f"compiled-plan-{self.run_id}-{self.sink.messages.table.sink}"

    @property
    def _topic(self) -> str:
        return listed(self.sink.messages.table.options.get("topic", ""))[0]

    # --- the first micro-batch

    def _taken_over(self, batch: int) -> int:
        """End what others have begun in our transactions, and see how far a batch was written that is begun again.

        Returns:
            How many tasks write the batch: as many as at first where it was begun before.

        Raises:
            DataError: whether it is written cannot be told any more.
            ExecutionError: the brokers do not answer.
        """
        topics, tasks = self.sink.messages.topics, self._tasks
        clients = _Clients(topics, self._topic)
        with topics.admin() as admin:
            clients.own(admin, self._owner, self.run_id)
            # Also of tasks that there are no more.
            ids = {f"{self._prefix}-{task}" for task in range(tasks)} | clients.open(admin, f"{self._prefix}-")
            clients.fence(admin, sorted(ids))
            written, text = clients.mark(admin, self._marks)
            if written >= batch:
                return int(text) if written == batch else tasks
            age = time.time() * 1000 - self.begun(batch)
            retention = clients.minutes(admin) * _MINUTE_MS if age > _DAY_MS else age
        if age > retention:
            raise DataError(
                f"whether micro-batch {batch} is in table {topics.table} cannot be told: it was begun "
                f"{age / _DAY_MS:.1f} days ago, and the brokers keep its mark for {retention / _DAY_MS:.1f} days",
                remedy="look for its rows in the topic; to write them (again), start once with "
                "'sink.delivery-guarantee' = 'at-least-once' in the plan",
            )
        return tasks

    @property
    def _patience(self) -> Patience:
        timeout = self.sink.messages.settings.get(_DELIVERY, "")
        seconds = (int(timeout) if timeout.isdecimal() else _PATIENCE) / 1000
        return Patience("BrokersAwayException", "KafkaException", seconds, self._refused, self._gone)

    def _refused(self, message: str) -> DataError:
        remedy = "correct the table's options, or give each run a 'sink.transactional-id-prefix' of its own"
        return DataError(message, where=f"table {self.sink.messages.table.identifier}", remedy=remedy)

    def _gone(self, message: str) -> ExecutionError:
        return ExecutionError(
            f"the brokers do not answer: {message}",
            where=f"table {self.sink.messages.table.identifier}",
            remedy="start them, and then the plan again on its checkpoint: what was committed is kept; "
            f"'properties.{_DELIVERY}' says how long they are waited for",
        )


@dataclass(frozen=True, slots=True)
class _Clients:
    """What Kafka's administration is asked for transactions."""

    topics: Topics
    topic: str

    def _java(self, name: str) -> Any:
        return java_class(self.topics.spark._jvm, name)

    def own(self, admin: Any, group: str, run: str) -> None:
        """Say whose the transactional ids are from now on, whatever topic they were used for before."""
        offsets = self._java("java.util.HashMap")()
        place = self._java("org.apache.kafka.common.TopicPartition")(self.topic, 0)
        number = self.mark(admin, group)[0] + 1
        offsets.put(place, self._java(f"{_CLIENTS}.consumer.OffsetAndMetadata")(number, run))
        self.topics.answer(admin.alterConsumerGroupOffsets(group, offsets).all())

    def fence(self, admin: Any, ids: list[str]) -> None:
        """End the transactions that a run which was killed left open, and the producers of runs that go on."""
        wanted = self._java("java.util.ArrayList")()
        for transactional_id in ids:
            wanted.add(transactional_id)
        self.topics.answer(admin.fenceProducers(wanted).all())

    def open(self, admin: Any, start: str) -> set[str]:
        """The transactional ids of open transactions that are this text and a number; none where we may not ask."""
        options = self._java(f"{_CLIENTS}.admin.ListTransactionsOptions")()
        states = self._java("java.util.ArrayList")()
        states.add(self._java(f"{_CLIENTS}.admin.TransactionState").ONGOING)
        try:
            said = self.topics.answer(admin.listTransactions(options.filterStates(states)).all())
        except ExecutionError:
            return set()
        open_ids = (str(listing.transactionalId()) for listing in self._java("java.util.ArrayList")(said))
        return {
            transactional_id
            for transactional_id in open_ids
            if transactional_id.startswith(start) and transactional_id.removeprefix(start).isdecimal()
        }

    def mark(self, admin: Any, group: str) -> tuple[int, str]:
        """The newest mark of a group, its number and its text; -1 where there is none."""
        options = self._java(f"{_CLIENTS}.admin.ListConsumerGroupOffsetsOptions")().requireStable(True)
        said = self.topics.answer(admin.listConsumerGroupOffsets(group, options).partitionsToOffsetAndMetadata())
        marks = [(int(said.get(at).offset()), str(said.get(at).metadata())) for at in said]
        return max(marks, default=(-1, ""))

    def minutes(self, admin: Any) -> int:
        """How long the brokers keep a mark, in minutes; the default of Kafka where they do not tell us."""
        try:
            return min(self._minutes(admin), default=_MINUTES)
        except ExecutionError:
            return _MINUTES

    def _minutes(self, admin: Any) -> Iterator[int]:
        resource = self._java("org.apache.kafka.common.config.ConfigResource")
        kind = self._java("org.apache.kafka.common.config.ConfigResource$Type").BROKER
        wanted = self._java("java.util.ArrayList")()
        for node in self._java("java.util.ArrayList")(self.topics.answer(admin.describeCluster().nodes())):
            wanted.add(resource(kind, node.idString()))
        said = self.topics.answer(admin.describeConfigs(wanted).all())
        for broker in said:
            entry = said.get(broker).get("offsets.retention.minutes")
            if entry is not None:
                yield int(entry.value())
