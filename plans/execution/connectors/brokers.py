"""Queries to Kafka's brokers before a run: topics, partitions, start and end offsets of a table."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JJavaError

from compiled_plan.plans.connectors.messages import COMMITTED, EARLIEST, LATEST, listed, offsets
from compiled_plan.plans.connectors.table_options import Values
from compiled_plan.plans.errors import DataError, ExecutionError
from compiled_plan.plans.execution.spark.java import JavaObject, java_class
from compiled_plan.plans.execution.spark.packages import has_class

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_ADMIN = "org.apache.kafka.clients.admin"
ADMIN = f"{_ADMIN}.AdminClient"
_RESET = "auto.offset.reset"
#: Default timeouts of the brokers, in ms.
_PATIENCE = {"default.api.timeout.ms": "60000", "request.timeout.ms": "20000"}
#: Seconds of waiting before a message is shown.
_SILENT = 4

#: Offsets by topic and partition.
Offsets = dict[str, dict[int, int]]


@dataclass(frozen=True, slots=True)
class Topics:
    """The topics of a table on its brokers.

    Args:
        spark: the session, with Kafka's clients on its class path.
        table: the table, for messages.
        options: its options, validated.
        settings: the settings of Kafka's clients.
    """

    spark: SparkSession
    table: str
    options: Values
    settings: Mapping[str, str]

    def start(self) -> str | Offsets:
        """The start of the table: `earliest`, `latest`, or offsets of all partitions."""
        mode = self.options.text("scan.startup.mode")
        if mode in ("earliest-offset", "latest-offset"):
            return mode.removesuffix("-offset")
        if mode == "specific-offsets":
            return self._specific("startup", EARLIEST)
        with self.admin() as admin:
            if mode == "timestamp":
                return self._at_time(admin, self.options.number("scan.startup.timestamp-millis"))
            return self._committed(admin, self._reset())

    def end(self) -> Offsets | None:
        """The end of the table: the exclusive end offset of each partition; None if it is unbounded."""
        mode = self.options.text("scan.bounded.mode")
        if mode == "unbounded":
            return None
        if mode == "specific-offsets":
            return self._specific("bounded", None)
        with self.admin() as admin:
            if mode == "timestamp":
                return self._at_time(admin, self.options.number("scan.bounded.timestamp-millis"), LATEST)
            if mode == "group-offsets":
                return self._committed(admin, None)
            return self._listed(admin, dict.fromkeys(self._partitions(admin), LATEST))

    def all_at(self, end: int) -> Offsets:
        """The offsets of all partitions at an end, `EARLIEST` or `LATEST`."""
        with self.admin() as admin:
            return self._listed(admin, dict.fromkeys(self._partitions(admin), end))

    def resolved(self, positions: Mapping[str, Mapping[int, int]]) -> Offsets:
        """The offsets in the place of `EARLIEST`, `LATEST` and `COMMITTED`.

        Raises:
            DataError: a partition does not exist.
        """
        with self.admin() as admin:
            known = self._partitions(admin)
            wanted = {
                (topic, partition): offset
                for topic, by_partition in positions.items()
                for partition, offset in by_partition.items()
            }
            missing = sorted(wanted.keys() - set(known))
            if missing:
                topic, partition = missing[0]
                raise DataError(
                    f"topic {topic!r} of table {self.table} has no partition {partition}, which has a position",
                    remedy="read the topics that the positions are of, or give --start TABLE=POSITION",
                )
            if COMMITTED in wanted.values():
                group = self._committed(admin, self._reset())
                unread = [place for place, offset in wanted.items() if offset == COMMITTED]
                wanted |= {(topic, partition): group[topic][partition] for topic, partition in unread}
            ends = self._listed(admin, {place: offset for place, offset in wanted.items() if offset < 0})
        offsets: Offsets = {}
        for (topic, partition), offset in wanted.items():
            offsets.setdefault(topic, {})[partition] = ends[topic][partition] if offset < 0 else offset
        return offsets

    def all_partitions(self) -> int:
        """The number of partitions of all topics."""
        with self.admin() as admin:
            return len(self._partitions(admin))

    def partitions(self, topic: str) -> int:
        """The number of partitions of a topic."""
        with self.admin() as admin:
            return len(self._described(admin, [topic])[topic])

    def check(self) -> None:
        """Raise if a topic does not exist.

        Raises:
            DataError: a topic is missing; names it and the brokers.
            ExecutionError: the brokers do not answer.
        """
        with self.admin() as admin:
            self._described(admin, listed(self.options.text("topic")))

    # --- answers of the brokers

    def _specific(self, name: str, default: int | None) -> Offsets:
        """The offsets in the table's options; `default` for partitions that they do not name, None for their end."""
        (topic,) = listed(self.options.text("topic"))
        specified = offsets(self.options.text(f"scan.{name}.specific-offsets")) or {}
        with self.admin() as admin:
            known = [partition for _, partition in self._partitions(admin)]
            wrong = sorted(specified.keys() - set(known))
            if wrong:
                raise DataError(
                    f"topic {topic!r} of table {self.table} has no partition {wrong[0]}, for which an offset is set",
                    remedy=f"correct 'scan.{name}.specific-offsets': the partitions are {_span(known)}",
                )
            rest = {(topic, partition): LATEST for partition in known if partition not in specified}
            at_end = self._listed(admin, rest) if default is None and rest else {}
        ends = at_end.get(topic, {})
        return {topic: {partition: specified.get(partition, ends.get(partition, default or 0)) for partition in known}}

    def _reset(self) -> int | None:
        text = self.options.explicit.get(f"properties.{_RESET}", "none").strip().lower()
        return {"earliest": EARLIEST, "latest": LATEST}.get(text)

    def _committed(self, admin: JavaObject, default: int | None) -> Offsets:
        """The committed offsets of the group; `default` for partitions without one, None to make that an error."""
        group = self.options.text("properties.group.id")
        if not group:
            raise DataError(
                f"table {self.table} starts at the offsets of a group, but names no group",
                remedy="set 'properties.group.id', or 'scan.startup.mode' = 'earliest-offset' or 'latest-offset'",
            )
        answer = self.answer(admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata())
        known = {(str(at.topic()), int(at.partition())): answer.get(at) for at in answer}
        offsets: Offsets = {}
        for topic, partition in self._partitions(admin):
            committed = known.get((topic, partition))
            at = default if committed is None else int(committed.offset())
            if at is None:
                raise DataError(
                    f"group {group!r} of table {self.table} has no offset of partition {partition} of topic {topic!r}",
                    remedy="set 'scan.startup.mode' = 'earliest-offset' or 'latest-offset', or for such partitions "
                    f"'properties.{_RESET}' = 'earliest' or 'latest'",
                )
            offsets.setdefault(topic, {})[partition] = at
        return offsets

    def _at_time(self, admin: JavaObject, millis: int, default: int = LATEST) -> Offsets:
        """The offsets of the first messages at or after a time; the end of partitions without any."""
        parts = self._partitions(admin)
        listed = self._listed(admin, dict.fromkeys(parts), millis)
        missing = {(topic, partition): default for topic, partition in parts if listed[topic][partition] < 0}
        ends = self._listed(admin, missing) if missing else {}
        return {topic: {**by_partition, **ends.get(topic, {})} for topic, by_partition in listed.items()}

    def _listed(self, admin: JavaObject, wanted: Mapping[tuple[str, int], int | None], millis: int = 0) -> Offsets:
        """Offsets of partitions, each by an end, or by time if None."""
        jvm = self.spark._jvm
        spec = java_class(jvm, f"{_ADMIN}.OffsetSpec")
        request = java_class(jvm, "java.util.HashMap")()
        kinds: dict[int | None, Callable[[], Any]] = {
            EARLIEST: spec.earliest,
            LATEST: spec.latest,
            None: lambda: spec.forTimestamp(millis),
        }
        place = java_class(jvm, "org.apache.kafka.common.TopicPartition")
        for (topic, partition), kind in wanted.items():
            request.put(place(topic, partition), kinds[kind]())
        answer = self.answer(admin.listOffsets(request).all())
        offsets: Offsets = {}
        for at in answer:
            offsets.setdefault(str(at.topic()), {})[int(at.partition())] = int(answer.get(at).offset())
        return offsets

    def _partitions(self, admin: JavaObject) -> list[tuple[str, int]]:
        """All partitions of the table's topics."""
        topics = list(listed(self.options.text("topic")))
        pattern = self.options.text("topic-pattern")
        if pattern:
            fits = java_class(self.spark._jvm, "java.util.regex.Pattern").compile(pattern)
            topics = [name for name in self.answer(admin.listTopics().names()) if fits.matcher(name).matches()]
        return [(topic, partition) for topic, parts in self._described(admin, topics).items() for partition in parts]

    def _described(self, admin: JavaObject, topics: list[str] | tuple[str, ...]) -> dict[str, list[int]]:
        wanted = java_class(self.spark._jvm, "java.util.ArrayList")()
        for topic in topics:
            wanted.add(topic)
        answer = self.answer(admin.describeTopics(wanted).allTopicNames())
        return {
            topic: sorted(int(partition.partition()) for partition in answer.get(topic).partitions())
            for topic in topics
        }

    def answer(self, future: JavaObject) -> JavaObject:
        """Wait for an answer of the brokers as long as their clients do; show a message after some seconds.

        Raises:
            DataError: there is no such topic.
            ExecutionError: the brokers do not answer, or refuse.
        """
        servers = self.settings["bootstrap.servers"]
        try:
            return self._patiently(future, servers)
        except Py4JJavaError as fault:
            cause = fault.java_exception.getCause() or fault.java_exception
            message = f"{cause.getClass().getSimpleName()}: {cause.getMessage()}"
            if "UnknownTopicOrPartition" in message or "InvalidTopic" in message:
                raise DataError(
                    f"a topic of table {self.table} is not on the brokers {servers}: {message}",
                    remedy="create it, or correct the table's option 'topic'",
                ) from None
            raise ExecutionError(
                f"Kafka's brokers {servers} of table {self.table} do not answer: {message}",
                remedy="start them, or correct the table's option 'properties.bootstrap.servers'",
            ) from None

    def _patiently(self, future: JavaObject, servers: str) -> JavaObject:
        unit = java_class(self.spark._jvm, "java.util.concurrent.TimeUnit").SECONDS
        try:
            answer: JavaObject = future.get(_SILENT, unit)
            return answer
        except Py4JJavaError as fault:
            if fault.java_exception.getClass().getName() != "java.util.concurrent.TimeoutException":
                raise
        print(f"waiting for Kafka's brokers {servers} of table {self.table}", file=sys.stderr, flush=True)
        answer = future.get()
        return answer

    @contextmanager
    def admin(self) -> Iterator[JavaObject]:
        """Kafka's admin client; pass its futures to `answer`."""
        # Spark calls a sink in a thread of its own.
        has_class(self.spark, ADMIN)
        settings = java_class(self.spark._jvm, "java.util.Properties")()
        for name, value in {**_PATIENCE, **self.settings}.items():
            settings.put(name, value)
        try:
            admin = java_class(self.spark._jvm, ADMIN).create(settings)
        except Py4JJavaError as fault:
            cause = fault.java_exception.getCause() or fault.java_exception
            raise ExecutionError(
                f"Kafka's clients do not start for table {self.table}: {cause.getMessage()}",
                remedy="correct the table's options 'properties.*'",
            ) from None
        try:
            yield admin
        finally:
            admin.close()


def _span(numbers: list[int]) -> str:
    return f"0 to {max(numbers)}" if len(numbers) > 1 else "0 alone"
