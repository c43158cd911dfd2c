"""The comparison of the tables of sinks with the results of a new program, which yields their corrections.

Each table is read at one version, or copied, and compared with the results by key; keys that change afterwards are
compared again. The difference is in the new generation before the head that puts it in force.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans.execution.interfaces import connectors
from compiled_plan.plans.execution.interfaces.connectors import DELETE, INSERT, KIND, UPDATE_AFTER
from compiled_plan.plans.execution.interfaces.outputs import CopiesTable, HoldsRows
from compiled_plan.plans.execution.session.spark_session import query_settings
from compiled_plan.plans.execution.session.stopping import follow
from compiled_plan.plans.execution.spark.java import java_class
from compiled_plan.plans.execution.spark.storage import Folder
from compiled_plan.plans.execution.spark.types import schema_of
from compiled_plan.plans.execution.state.checkpoint.store import Generation
from compiled_plan.plans.execution.state.upgrade.corrections import (
    BATCH,
    Correction,
    rows_of,
    rows_place,
    store_corrections,
)
from compiled_plan.plans.execution.tables.records import BATCH as RECORDED_BATCH
from compiled_plan.plans.execution.tables.records import Records
from compiled_plan.plans.execution.tables.sides import BUCKET, CASE, KEY, NEW, OLD, Pair
from compiled_plan.plans.execution.tables.sinks import observed
from compiled_plan.plans.execution.tables.sources import named
from compiled_plan.plans.inspection.checkpoints import CORRECTION
from compiled_plan.plans.secrets.values import Secrets

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_RECORDS = f"{CORRECTION}/records"
#: Records of a comparison: the keys that may differ, and the rows that make them right.
_SUSPECTS, _DIFFERENCE = "suspects", "difference"
_SIDES = (OLD, NEW)
#: The number of keys of a rehearsal.
_REHEARSED = 1_000


@dataclass(slots=True)
class Correcting:
    """The corrections of an upgrade.

    Args:
        spark: a session with the settings of queries.
        generation: a generation that is not in force, for the records.
        tables: the tables of sinks, by node.
        secrets: the secrets to which options of tables refer.
        stopped: returns True if the run is to end.
    """

    spark: SparkSession
    generation: Generation
    tables: Mapping[int, connectors.TableSpec]
    secrets: Secrets
    stopped: Callable[[], bool]
    #: By node: the number of keys that are right without a closer look.
    _equal: dict[int, int] = field(default_factory=dict)
    #: By node: the version of the table that is compared. Other tables are copied.
    _versions: dict[int, DataFrame] = field(default_factory=dict)

    def recorders(self) -> dict[int, connectors.RowSink]:
        """Sinks that record the new results, by node."""
        return {node: self._records(NEW).open(self._named(node), self._context) for node in self.tables}

    def compare(self, identifier: str) -> None:
        """Read a table, and record its difference from the recorded results."""
        node = next(node for node, table in self.tables.items() if table.identifier == identifier)
        has_one_row_per_key = self._read(node)
        pair, equal, sides = self._pair(node), 0, self._both(node)
        if has_one_row_per_key:
            equal, sides = self._unequal(node, sides)
        counting, number = observed(pair.suspects(*sides))
        suspects = self._stored(counting.where(CASE).select(KEY), node, _SUSPECTS)
        # A report of Spark that comes too late counts as 0.
        self._equal[node] = equal + (number() or counting.count()) - suspects.count()
        self._stored(pair.difference(*self._changes(node, suspects, sides)), node, _DIFFERENCE)

    def _unequal(self, node: int, sides: Sequence[DataFrame]) -> tuple[int, list[DataFrame]]:
        """The number of keys in buckets without a difference, and the rows of both sides in the others."""
        table, pair = self.tables[node], self._pair(node)
        buckets = self._stored(pair.buckets(*sides), node, "buckets")
        (equal,) = buckets.where(~F.col(CASE)).agg(F.sum(OLD)).collect()
        differing = buckets.where(CASE).select(BUCKET)
        inside = (pair.inside(table, rows, differing) for rows in sides)
        return equal[0] or 0, [
            self._stored(rows, node, f"inside-{side}") for side, rows in zip(_SIDES, inside, strict=True)
        ]

    def write(self, target: Folder, since: Mapping[int, tuple[DataFrame, DataFrame]] | None = None) -> None:
        """Write the differences into a generation, for `send_corrections`, and remove all records.

        Args:
            target: the generation that comes in force.
            since: the changes of the table and of the results after the records, by node: the last one of each key.
        """
        corrections = [self._correction(node, target, (since or {}).get(node)) for node in self.tables]
        self.generation.folder.remove(_RECORDS)
        store_corrections(target, corrections)

    def rehearse(self) -> None:
        """Do with copies all that follows the last change, so that its code is compiled by then.

        It also tries keys that have changed on both sides or on one, sends what a table would get into a copy of it,
        and collects the garbage of the replay.
        """
        for node, table in self.tables.items():
            keys = self._stored(self._read_stored(node, _SUSPECTS).limit(_REHEARSED), node, "rehearsed")
            place = self.generation.folder.inside(f"{_RECORDS}/{node}/rehearsal")
            later = zip(_SIDES, self._changes(node, keys, self._both(node)), strict=True)
            since = [
                self._stored(rows.where(F.pmod(F.xxhash64(KEY), F.lit(3)) != at), node, f"later-{side}")
                for at, (side, rows) in enumerate(later)
            ]
            correction = self._correction(node, place, since)
            sink = connectors.open_sink(table, self._context)
            copy = sink.copied(place.child("table")) if correction.rows and isinstance(sink, CopiesTable) else None
            if copy is not None:
                copy.write(rows_of(self.spark, place, node), BATCH)
        java_class(self.spark._jvm, "java.lang.System").gc()

    def _correction(self, node: int, target: Folder, since: Sequence[DataFrame] | None) -> Correction:
        table, equal, rows = self.tables[node], self._equal[node], self._read_stored(node, _DIFFERENCE)
        if since is not None:
            pair, suspects = self._pair(node), self._read_stored(node, _SUSPECTS)
            changed = self._stored(since[0].select(KEY).union(since[1].select(KEY)).distinct(), node, "changed")
            # Every other key has one row on each side, or none.
            equal -= pair.among(table, self._rows(OLD, node), changed.join(suspects, KEY, "left_anti")).count()
            sides = [self._until_now(node, side, since) for side in _SIDES]
            rows = pair.among(table, rows, changed, inside=False).unionByName(pair.difference(*sides))
        written = self._written(rows, rows_place(target, node))
        counts: dict[int | None, int] = dict(written.groupBy(KIND).count().collect())
        inserted, updated, deleted = (counts.get(kind, 0) for kind in (INSERT, UPDATE_AFTER, DELETE))
        return Correction(node, table.identifier, equal + counts.get(None, 0), inserted, updated, deleted)

    def _changes(self, node: int, keys: DataFrame, sides: Sequence[DataFrame]) -> Sequence[DataFrame]:
        """The changes of some keys among the rows of both sides."""
        table, pair = self.tables[node], self._pair(node)
        return [pair.changes(table, pair.among(table, rows, keys)) for rows in sides]

    def _until_now(self, node: int, side: str, since: Sequence[DataFrame]) -> DataFrame:
        """The changes of a side with the last one of each key that has changed on either.

        The records, which take a second for millions of keys, are read for keys that only the other side has changed.
        """
        own, others = since if side == OLD else reversed(since)
        lacking = self._stored(others.select(KEY).join(own.select(KEY), KEY, "left_anti"), node, f"lacking-{side}")
        (before,) = self._changes(node, lacking, [self._rows(side, node)])
        if lacking.isEmpty():
            before = before.limit(0)
        return self._stored(before, node, f"before-{side}").unionByName(own)

    def _both(self, node: int) -> list[DataFrame]:
        """The recorded rows of both sides."""
        return [self._rows(side, node) for side in _SIDES]

    def _read(self, node: int) -> bool:
        """Fix the rows that a table has; return False if they are a changelog, with several rows of a key."""
        sink = connectors.open_sink(self.tables[node], self._context)
        assert isinstance(sink, HoldsRows)
        source = sink.held(connectors.SourceContext(self.spark, secrets=self.secrets))
        if source is None:
            return True
        frame = source.frame if source.cut is None else source.cut
        if source.fixed:
            self._versions[node] = frame.withColumn(RECORDED_BATCH, F.lit(BATCH))
            return True
        recorder = self._records(OLD).open(self._named(node), self._context)
        if not frame.isStreaming:
            recorder.write(frame, BATCH)
            return True
        writer = named(frame, "table").writeStream.foreachBatch(recorder.write)
        with query_settings(self.spark, empty_batches=False):
            query = writer.option("checkpointLocation", self._place(node, "query")).trigger(availableNow=True).start()
        follow(self.spark, query, self.stopped)
        return False

    def _rows(self, side: str, node: int) -> DataFrame:
        """The rows of a side, as recorded ones."""
        if side == OLD and node in self._versions:
            return self._versions[node]
        records, name = self._records(side), self._named(node).sink
        if records.holds(name):
            return records.rows(name, self.spark)
        fields = [field.dataType for field in schema_of(self.tables[node].columns).fields]
        head = "kind TINYINT, ord BIGINT, path BINARY, batch INT"
        return self.spark.createDataFrame([], head).select(
            "*", *(F.lit(None).cast(type_).alias(f"f{at}") for at, type_ in enumerate(fields))
        )

    def _stored(self, rows: DataFrame, node: int, name: str) -> DataFrame:
        return self._written(rows, self._place(node, name))

    def _written(self, rows: DataFrame, place: str) -> DataFrame:
        rows.write.mode("overwrite").parquet(place)
        return self.spark.read.schema(rows.schema).parquet(place)

    def _read_stored(self, node: int, name: str) -> DataFrame:
        return self.spark.read.parquet(self._place(node, name))

    def _pair(self, node: int) -> Pair:
        return Pair(self.tables[node], self.tables[node])

    def _named(self, node: int) -> connectors.TableSpec:
        return replace(self.tables[node], sink=str(node))

    @property
    def _context(self) -> connectors.SinkContext:
        return connectors.SinkContext(self.spark, self.generation.run_id, print, secrets=self.secrets)

    def _records(self, side: str) -> Records:
        return Records(self.generation.folder.inside(f"{_RECORDS}/{side}"), frozenset(map(str, self.tables)))

    def _place(self, node: int, name: str) -> str:
        return self.generation.folder.child(f"{_RECORDS}/{node}/{name}")
