"""Kafka messages written in transactions, so that each row of a micro-batch is in its topic exactly once.

A task writes its messages and a mark in one transaction; a repeated micro-batch finds the marks and skips what is
written. docs/decisions/14-transactions-into-kafka.md says where the marks are and why.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pyspark.sql import functions as F

from compiled_plan.plans.connectors.messages import listed
from compiled_plan.plans.connectors.table_options import Values
from compiled_plan.plans.errors import DataError, ExecutionError
from compiled_plan.plans.execution.connectors.brokers import Topics
from compiled_plan.plans.execution.connectors.messages import KEY, VALUE
from compiled_plan.plans.execution.spark.java import JavaObject, java_class
from compiled_plan.plans.execution.spark.patience import Patience, attempts

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from compiled_plan.plans.execution.connectors.message_sink import MessageSink
    from compiled_plan.plans.execution.interfaces.connectors import RowSource, SourceContext

#: Defaults of the producers' settings. A transaction may take as long as brokers allow by default; a producer gives
#: up soon, because the run itself waits for the brokers and reports it.
_SETTINGS = {"transaction.timeout.ms": "900000", "max.block.ms": "15000", "default.api.timeout.ms": "15000"}
_SOON = {"request.timeout.ms": "10000", "delivery.timeout.ms": "30000"}
#: Timeout of the brokers, in ms: the default of Kafka's producers.
_PATIENCE, _DELIVERY = 120_000, "delivery.timeout.ms"
#: Default retention of a group's offsets on brokers.
_MINUTES, _MINUTE_MS, _DAY_MS = 7 * 24 * 60, 60_000, 24 * 60 * 60_000
_CLIENTS = "org.apache.kafka.clients"


@dataclass(slots=True)
class TransactionSink:
    """Writes each task of a micro-batch in one transaction.

    Args:
        sink: converts rows to messages.
        run_id: the checkpoint's run id, part of the names of the marks.
        begun: returns the time at which a micro-batch was first begun, in ms since 1970.
        first: True until the sink has written a batch: the first one may have been written before.
    """

    READS_ORDER: ClassVar[bool] = True

    sink: MessageSink
    run_id: str
    begun: Callable[[int], int]
    first: bool = True

    def write(self, frame: DataFrame, batch_id: int) -> None:
        tasks = self._recover(batch_id) if self.first else self._tasks
        rows = self.sink.in_order(self._distributed(self.sink.encoded(frame), tasks))
        kernel = java_class(self.sink.messages.spark._jvm, "org.compiledplan.kernel.kafka.TransactionWriter")
        description = json.dumps(self._description(tasks))
        self._patience.patiently(
            attempts(lambda before: kernel.write(rows._jdf, description, batch_id, before), self.first)
        )
        self.first = False

    def held(self, context: SourceContext) -> RowSource:
        """See `HoldsRows`."""
        return self.sink.held(context)

    # --- distribution of the rows

    @property
    def _options(self) -> Values:
        return self.sink.messages.spec.values(self.sink.messages.table.options)

    @property
    def _tasks(self) -> int:
        """The number of tasks: the distribution must follow from the rows alone, not from how they were computed."""
        return (self._options.get("sink.parallelism") or 1) if self._distribution_keys() else 1

    def _distribution_keys(self) -> list[str]:
        """Columns by which rows may be distributed to tasks without breaking an order."""
        messages = self.sink.messages
        if messages.format_of(KEY) is not None:
            return ["key"]
        names = messages.table.columns.names
        if messages.table.primary_key:
            return [f"f{names.index(name)}" for name in messages.table.primary_key]
        value = messages.format_of(VALUE)
        assert value is not None
        return ["value", "topic"] if value[0].spec.writes.insert_only else []

    def _distributed(self, rows: DataFrame, tasks: int) -> DataFrame:
        return rows.repartition(1) if tasks == 1 else rows.repartition(tasks, *map(F.col, self._distribution_keys()))

    # --- parameters of the kernel

    def _description(self, tasks: int) -> dict[str, object]:
        """The parameters of the kernel's TransactionWriter."""
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
        """The group that records the owner of the transactional ids."""
        return f"compiled-plan-{self._prefix}"

    @property
    def _marks(self) -> str:
        """The group of the marks: named by the run alone, so that they are found after a change of the prefix."""
        return f"compiled-plan-{self.run_id}-{self.sink.messages.table.sink}"

    @property
    def _topic(self) -> str:
        return listed(self.sink.messages.table.options.get("topic", ""))[0]

    # --- the first micro-batch

    def _recover(self, batch: int) -> int:
        """End open transactions under our ids, and determine if a repeated batch was written before.

        Returns:
            The number of tasks that write the batch; for a repeated batch, as many as at first.

        Raises:
            DataError: it can no longer be determined if the batch was written.
            ExecutionError: the brokers do not answer.
        """
        topics, tasks = self.sink.messages.topics, self._tasks
        clients = _Clients(topics, self._topic)
        with topics.admin() as admin:
            clients.own(admin, self._owner, self.run_id)
            # Include tasks that no longer exist.
            ids = {f"{self._prefix}-{task}" for task in range(tasks)} | clients.open(admin, f"{self._prefix}-")
            clients.fence(admin, sorted(ids))
            written, text = clients.mark(admin, self._marks)
            if written >= batch:
                return int(text) if written == batch else tasks
            age = time.time() * 1000 - self.begun(batch)
            retention = clients.minutes(admin) * _MINUTE_MS if age > _DAY_MS else age
        if age > retention:
            raise DataError(
                f"cannot determine if micro-batch {batch} is in table {topics.table}: it was begun "
                f"{age / _DAY_MS:.1f} days ago, and the brokers keep its mark for {retention / _DAY_MS:.1f} days",
                remedy="look for its rows in the topic; to write them (again), start once with "
                "'sink.delivery-guarantee' = 'at-least-once' in the plan",
            )
        return tasks

    @property
    def _patience(self) -> Patience:
        timeout = self.sink.messages.settings.get(_DELIVERY, "")
        seconds = (int(timeout) if timeout.isdecimal() else _PATIENCE) / 1000
        return Patience("BrokersAwayException", "KafkaException", seconds, self._refused, self._unavailable)

    def _refused(self, message: str) -> DataError:
        remedy = "correct the table's options, or give each run a 'sink.transactional-id-prefix' of its own"
        return DataError(message, where=f"table {self.sink.messages.table.identifier}", remedy=remedy)

    def _unavailable(self, message: str) -> ExecutionError:
        return ExecutionError(
            f"the brokers do not answer: {message}",
            where=f"table {self.sink.messages.table.identifier}",
            remedy="start them, and then the plan again on its checkpoint: what was committed is kept; "
            f"'properties.{_DELIVERY}' says how long they are waited for",
        )


@dataclass(frozen=True, slots=True)
class _Clients:
    """Kafka's admin requests for transactions."""

    topics: Topics
    topic: str

    def _java(self, name: str) -> JavaObject:
        return java_class(self.topics.spark._jvm, name)

    def own(self, admin: JavaObject, group: str, run: str) -> None:
        """Record the owner of the transactional ids, whatever topic they were used for before."""
        offsets = self._java("java.util.HashMap")()
        place = self._java("org.apache.kafka.common.TopicPartition")(self.topic, 0)
        number = self.mark(admin, group)[0] + 1
        offsets.put(place, self._java(f"{_CLIENTS}.consumer.OffsetAndMetadata")(number, run))
        self.topics.answer(admin.alterConsumerGroupOffsets(group, offsets).all())

    def fence(self, admin: JavaObject, ids: list[str]) -> None:
        """Abort transactions that a killed run left open, and fence producers of active runs."""
        wanted = self._java("java.util.ArrayList")()
        for transactional_id in ids:
            wanted.add(transactional_id)
        self.topics.answer(admin.fenceProducers(wanted).all())

    def open(self, admin: JavaObject, start: str) -> set[str]:
        """Ids of open transactions that consist of this text and a number; empty without permission to list them."""
        options = self._java(f"{_CLIENTS}.admin.ListTransactionsOptions")()
        states = self._java("java.util.ArrayList")()
        states.add(self._java(f"{_CLIENTS}.admin.TransactionState").ONGOING)
        try:
            answer = self.topics.answer(admin.listTransactions(options.filterStates(states)).all())
        except ExecutionError:
            return set()
        open_ids = (str(listing.transactionalId()) for listing in self._java("java.util.ArrayList")(answer))
        return {
            transactional_id
            for transactional_id in open_ids
            if transactional_id.startswith(start) and transactional_id.removeprefix(start).isdecimal()
        }

    def mark(self, admin: JavaObject, group: str) -> tuple[int, str]:
        """The newest mark of a group as its number and text; -1 if there is none."""
        options = self._java(f"{_CLIENTS}.admin.ListConsumerGroupOffsetsOptions")().requireStable(True)
        answer = self.topics.answer(admin.listConsumerGroupOffsets(group, options).partitionsToOffsetAndMetadata())
        marks = [(int(answer.get(at).offset()), str(answer.get(at).metadata())) for at in answer]
        return max(marks, default=(-1, ""))

    def minutes(self, admin: JavaObject) -> int:
        """Retention of a mark on the brokers, in minutes; Kafka's default if they do not tell."""
        try:
            return min(self._minutes(admin), default=_MINUTES)
        except ExecutionError:
            return _MINUTES

    def _minutes(self, admin: JavaObject) -> Iterator[int]:
        resource = self._java("org.apache.kafka.common.config.ConfigResource")
        kind = self._java("org.apache.kafka.common.config.ConfigResource$Type").BROKER
        wanted = self._java("java.util.ArrayList")()
        for node in self._java("java.util.ArrayList")(self.topics.answer(admin.describeCluster().nodes())):
            wanted.add(resource(kind, node.idString()))
        answer = self.topics.answer(admin.describeConfigs(wanted).all())
        for broker in answer:
            entry = answer.get(broker).get("offsets.retention.minutes")
            if entry is not None:
                yield int(entry.value())
