"""Progress reports of a run, one per micro-batch."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from compiled_plan.plans.execution.stages.watermarks import END
from compiled_plan.plans.execution.tables.sources import ReadTable
from compiled_plan.plans.inspection.checkpoints import StateFigures
from compiled_plan.plans.inspection.use_ages import UseAges, carried
from compiled_plan.plans.text.masking import masked_text, masked_url

if TYPE_CHECKING:
    from compiled_plan.plans.execution.stages.build import StageHandle

#: The unit of a lag: messages of Kafka not yet read.
RECORDS = "records"
#: The outcome of late rows, in the kernel's `Outcome`.
LATE = "late"

#: The number of hot keys that are reported.
_HOT_KEYS = 3


@dataclass(frozen=True, slots=True)
class HotKey:
    """A key with many rows: its text, and its share of the operator's rows since the previous message."""

    key: str
    share: float


@dataclass(frozen=True, slots=True)
class OperatorProgress:
    """Figures of one stateful operator, since the run started.

    Args:
        uid: the operator.
        description: its type, for people.
        rows_in: rows received.
        rows_out: rows emitted.
        state_rows: entries of its state, now.
        state_bytes: bytes of its state, now; None if the size at the start is unknown.
        rows_by_outcome: rows received by their outcome, the kernel's `Outcome`; each row has one.
        state_changes: changes of the state's entries by reason, the kernel's `StateAccount.Change`.
        unaccounted_rows: rows received without an outcome: a fault of the product.
        unaccounted_entries: changes of entries without a reason: a fault of the product.
        rows_by_input: rows received by input.
        busy_millis: an estimate of the time of all its tasks, measured in samples.
        hot_keys: its busiest keys since the previous message.
        use_ages: by state entry, uses of its entries by range of ages; see `UseAges`. No part of the message.
    """

    uid: str
    description: str
    rows_in: int
    rows_out: int
    state_rows: int
    state_bytes: int | None = None
    rows_by_outcome: Mapping[str, int] = field(default_factory=dict)
    state_changes: Mapping[str, int] = field(default_factory=dict)
    unaccounted_rows: int = 0
    unaccounted_entries: int = 0
    rows_by_input: tuple[int, ...] = ()
    busy_millis: int = 0
    hot_keys: tuple[HotKey, ...] = ()
    use_ages: tuple[Mapping[int, int], ...] = ()

    @property
    def rows_late(self) -> int:
        """Rows that the watermark had passed."""
        return self.rows_by_outcome.get(LATE, 0)

    def to_dict(self) -> dict[str, object]:
        unaccounted = {"rows": self.unaccounted_rows, "entries": self.unaccounted_entries}
        return {
            "uid": self.uid,
            "rowsIn": self.rows_in,
            "rowsInByInput": list(self.rows_by_input),
            "rowsInByOutcome": dict(self.rows_by_outcome),
            "rowsOut": self.rows_out,
            "rowsLate": self.rows_late,
            "stateRows": self.state_rows,
            "stateBytes": self.state_bytes,
            "stateChanges": dict(self.state_changes),
            **({"unaccounted": unaccounted} if any(unaccounted.values()) else {}),
            "busyMillis": self.busy_millis,
            "hotKeys": [{"key": hot.key, "share": hot.share} for hot in self.hot_keys],
        }


@dataclass(frozen=True, slots=True)
class SourceProgress:
    """Rows read from one source in a micro-batch, and its lag when the batch was planned.

    Args:
        name: Spark's name for what it reads (a path, a topic); the table if Spark has none.
        rows: number of rows read.
        lag: amount available but not read; None if the source cannot tell.
        unit: unit of the lag.
        table: the table in the plan as catalog, database and name; empty if there is none.
        nodes: ids of the operators that emit its rows.
    """

    name: str
    rows: int
    lag: int | None = None
    unit: str = RECORDS
    table: str = ""
    nodes: tuple[int, ...] = ()

    def to_dict(self) -> dict[str, object]:
        figures = {"name": self.name, "rows": self.rows, "lag": self.lag, "lagUnit": self.unit}
        return {**figures, "table": self.table, "nodes": list(self.nodes)}


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """One micro-batch.

    Args:
        batch: its number.
        rows_in: rows read.
        rows_out: rows written to sinks.
        millis: its duration.
        operators: figures of the stateful operators.
        dead_letters: number of dead letters.
        at: its end, as ISO 8601 in UTC.
        sources: figures of each source.
        watermark: the query's watermark in the batch, as ISO 8601 in UTC; None without event time or before the first.
        slots: number of tasks that run at once.
    """

    batch: int
    rows_in: int
    rows_out: int
    millis: int
    operators: tuple[OperatorProgress, ...]
    dead_letters: int = 0
    at: str = ""
    sources: tuple[SourceProgress, ...] = ()
    watermark: str | None = None
    slots: int = 1

    def to_dict(self) -> dict[str, object]:
        """The line of `execute-plan --json`, without the line break."""
        return {
            "event": "batch",
            "at": self.at,
            "batch": self.batch,
            "rowsIn": self.rows_in,
            "rowsOut": self.rows_out,
            "deadLetters": self.dead_letters,
            "batchMillis": self.millis,
            "watermark": self.watermark,
            "sources": [source.to_dict() for source in self.sources],
            "slots": self.slots,
            "operators": [operator.to_dict() for operator in self.operators],
        }


def figures_of(operators: Iterable[OperatorProgress], ages: Mapping[str, Sequence[UseAges]]) -> StateFigures:
    """The figures of operators for a checkpoint; `ages` are the observations with which the run began."""
    progress = tuple(operators)
    sizes = {operator.uid: operator.state_bytes for operator in progress if operator.state_bytes is not None}
    observed = {
        operator.uid: [before.plus(uses) for before, uses in zip(ages[operator.uid], operator.use_ages, strict=False)]
        for operator in progress
        if operator.uid in ages
    }
    return StateFigures({operator.uid: operator.state_rows for operator in progress}, sizes, observed)


def observed_ages(handles: Sequence[StageHandle], base: StateFigures, now: int) -> Mapping[str, Sequence[UseAges]]:
    """The observations of used entries with which a run begins, by uid.

    Args:
        handles: the stages of the run, which have the TTLs.
        base: the figures in the checkpoint.
        now: the time in ms since 1970.
    """
    specs = [spec for handle in handles for spec in handle.operators]
    return {spec["uid"]: carried(base.ages.get(spec["uid"], ()), spec["ttl"], now) for spec in specs if spec["ttl"]}


def operator_progress(
    handles: Sequence[StageHandle], base: StateFigures, descriptions: Mapping[str, str]
) -> tuple[OperatorProgress, ...]:
    """Figures of all operators; `base` is the state in the checkpoint at the start."""
    progress = []
    for handle in handles:
        for uid, figures in handle.figures().items():
            initial_bytes = base.bytes.get(uid, None if base.rows.get(uid) else 0)
            progress.append(
                OperatorProgress(
                    uid=uid,
                    description=descriptions.get(uid, ""),
                    rows_in=figures["rowsIn"],
                    rows_out=figures["rowsOut"],
                    state_rows=figures["stateRows"] + base.rows.get(uid, 0),
                    state_bytes=None if initial_bytes is None else figures["stateBytes"] + initial_bytes,
                    rows_by_outcome=figures["rowsInByOutcome"],
                    state_changes=figures["stateChanges"],
                    unaccounted_rows=figures["unaccountedRows"],
                    unaccounted_entries=figures["unaccountedEntries"],
                    rows_by_input=tuple(figures["rowsInByInput"]),
                    busy_millis=figures["busyNanos"] // 1_000_000,
                    hot_keys=hot_keys(figures["hotKeys"], figures["keyedRows"]),
                    use_ages=tuple({int(end): uses for end, uses in entry.items()} for entry in figures["useAges"]),
                )
            )
    return tuple(progress)


def hot_keys(rows: Mapping[str, int], total: int) -> tuple[HotKey, ...]:
    """The keys with the most rows, of `total` rows."""
    most = sorted(rows.items(), key=lambda entry: (-entry[1], entry[0]))[:_HOT_KEYS]
    return tuple(HotKey(masked_text(key), round(count / total, 4)) for key, count in most)


def source_progress(source: Any, table: ReadTable, read_again: int) -> SourceProgress:
    """The progress of a source, from Spark's, which also counts the rows that repeated tasks read again."""
    name, lag = source_name(source.description, table.name), lag_of(source.endOffset, source.latestOffset)
    return SourceProgress(name, source.numInputRows - read_again, lag, table=table.name, nodes=table.nodes)


def source_name(description: str, table: str = "") -> str:
    """The name of a source from Spark's description: `FileStreamSource[file:/in]`, `KafkaV2[Subscribe[orders]]`.

    Args:
        description: Spark's description of the source.
        table: the name if the description only identifies an object.
    """
    inner = re.search(r"\[([^\[\]]*)\]", description)
    name = inner[1] if inner else table or description.partition("@")[0].rpartition(".")[2]
    return masked_url(name.removeprefix("file:")) or description


def lag_of(read: str | None, latest: str | None) -> int | None:
    """The number of records between two positions of a source; None if they are not numbers by partition.

    Args:
        read: the position read up to, as Spark's sources write it: `{"topic": {"0": 17}}`.
        latest: the position of the end.
    """
    before, after = _partitions(read), _partitions(latest)
    if before is None or after is None:
        return None
    return sum(max(0, offset - before.get(partition, 0)) for partition, offset in after.items())


def _partitions(position: str | None) -> dict[tuple[str, str], int] | None:
    try:
        by_topic = json.loads(position or "null")
    except ValueError:
        return None
    if not isinstance(by_topic, dict) or not all(
        isinstance(offsets_of_topic, dict) for offsets_of_topic in by_topic.values()
    ):
        return None
    offsets = {
        (topic, partition): at for topic, by_partition in by_topic.items() for partition, at in by_partition.items()
    }
    return offsets if all(isinstance(at, int) for at in offsets.values()) else None


def watermark_text(text: str | None) -> str | None:
    """Spark's watermark; None before the query has seen a time."""
    return None if text is None or text.startswith("1970-01-01T00:00:00") else text


def watermark_ms(text: str | None) -> int | None:
    """Spark's watermark in ms since 1970; None before the query has seen a time."""
    known = watermark_text(text)
    if known is None:
        return None
    # The end of input moves the watermark to the end of time, a year with more digits than Python parses.
    return END if known.startswith("+") else int(datetime.fromisoformat(known).timestamp() * 1000)


def ended_at(timestamp: str, millis: int) -> str:
    """The end of a micro-batch from its start in Spark's progress and its duration; ISO 8601 in UTC."""
    ended = datetime.fromisoformat(timestamp) + timedelta(milliseconds=millis)
    return ended.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
