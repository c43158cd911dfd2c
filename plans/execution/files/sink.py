"""File sinks: a micro-batch becomes visible atomically, and once."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from pyspark.sql import functions as F

from compiled_plan.plans import types as t
from compiled_plan.plans.connectors.partition_commits import FILE as MARKER
from compiled_plan.plans.connectors.partition_commits import KIND as POLICY
from compiled_plan.plans.connectors.partition_commits import OPTIONS as PARTITION_COMMITS
from compiled_plan.plans.connectors.specs.filesystem import SPEC
from compiled_plan.plans.connectors.table_options import Values
from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.files.hadoop import Files
from compiled_plan.plans.execution.files.partition_commits import PartitionCommits
from compiled_plan.plans.execution.files.set_aside import ASIDE, TableFiles
from compiled_plan.plans.execution.files.source import PARTITION_NAME, field_of, file_paths, format_of
from compiled_plan.plans.execution.formats.base import FileFormat, FormatTable, shape, writable_kind
from compiled_plan.plans.execution.formats.lines import LineFormat
from compiled_plan.plans.execution.interfaces.connectors import SinkContext, TableSpec
from compiled_plan.plans.execution.interfaces.outputs import OutputHistory, Return
from compiled_plan.plans.execution.spark.java import column_of, java_column
from compiled_plan.plans.execution.spark.projection import Selection
from compiled_plan.plans.inspection.places import no_folder

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

#: Prefix of the staging folder, in which files are invisible to readers.
STAGING = ".compiled-plan-"
#: Spark numbers the files of a task, after a dot when it writes folders.
_SPARK_COUNTER = re.compile(r"^c\d+\.?")


def sink(table: TableSpec, context: SinkContext) -> FileSink:
    """Write files into a folder.

    Raises:
        UnsupportedError: an option, format or type that does not run.
        DataError: a file exists at the path of the folder.
    """
    format_, spec = format_of(table)
    path = table.options["path"]
    files = Files(context.spark, path)
    if files.exists(path) and not files.is_folder(path):
        raise no_folder(path, table.identifier)
    number = context.share(files.root)
    mark = f"s{number}-" if number else ""
    return FileSink(table, format_, spec, context, mark, _commits(table, context, mark))


def _commits(table: TableSpec, context: SinkContext, mark: str) -> PartitionCommits | None:
    """The commits of partitions, if the table has partitions and a commit policy."""
    if not table.partition_keys or not table.options.get(POLICY, "").strip():
        return None
    path, keys = table.options["path"], table.partition_keys
    return PartitionCommits(context.spark, table.identifier, path, keys, table.options, _own(context, mark))


def _own(context: SinkContext, mark: str) -> re.Pattern[str]:
    """Matches the names of a run's files, with the number of their micro-batch."""
    return re.compile(rf"part-{re.escape(context.run_id)}-(\d+)-{mark}\d+\.")


@dataclass
class FileSink:
    """Writes each micro-batch as files whose names contain run and batch.

    A batch is written to a staging folder, and its files are then moved into the folder, so a reader sees only complete
    files. Only the first batch that a sink writes may have been written before; its remains are removed first. Sinks of
    one plan may write into one folder: all but the first have a mark of their own in the names.
    """

    READS_ORDER: ClassVar[bool] = False

    table: TableSpec
    format: FileFormat
    spec: FormatTable
    context: SinkContext
    mark: str = ""
    commits: PartitionCommits | None = None
    #: Files left over from an earlier attempt at the first micro-batch; None before the folder is listed.
    left_over: list[str] | None = None

    def write(self, frame: DataFrame, batch_id: int) -> None:
        root = self.table.options["path"]
        files = Files(self.context.spark, root)
        batch = f"{self.context.run_id}-{batch_id}"
        staging = f"{files.root}/{STAGING}{batch}"
        prefix = f"part-{batch}-{self.mark}"
        if self.left_over is None:
            self.look_ahead(batch_id)
        if self.left_over:
            for path in self.left_over:
                files.delete(path)
            self.left_over = []
        with_names, with_format = self._selections
        writer = self.format.writer(with_format.among(with_names.among(frame)), self.spec)
        if self.table.partition_keys:
            writer = writer.partitionBy(*self.table.partition_keys)
        writer.option("mapreduce.fileoutputcommitter.marksuccessfuljobs", "false").save(staging)
        number, written = 0, dict[str, None]()
        for entry in list(files.walk(staging)):
            folder, _, name = entry.relative.rpartition("/")
            if name.startswith(("_", ".")) or self.format.is_empty(self.context.spark, entry.path, entry.size):
                continue
            place = "/".join(filter(None, (files.root, folder, f"{prefix}{number}{self._ending(name)}")))
            files.move(entry.path, place)
            written[folder] = None
            number += 1
        files.delete(staging)
        if self.commits is not None:
            self.commits.record(batch_id, written)

    def look_ahead(self, batch_id: int) -> None:
        """Find the remains of an interrupted micro-batch; see `LooksAhead`."""
        if self.commits is not None:
            self.commits.load()
        files = Files(self.context.spark, self.table.options["path"])
        own, self.left_over = _own(self.context, self.mark), []
        staging = f"{files.root}/{STAGING}{self.context.run_id}-{batch_id}"
        if files.exists(staging):
            self.left_over.append(staging)
        for entry in files.walk(files.root):
            name = None if entry.relative.startswith(ASIDE) else own.match(entry.relative.rpartition("/")[2])
            if name is not None and int(name[1]) > batch_id:
                raise CheckpointError(
                    f"the checkpoint is older than the files of the table: it goes on with micro-batch {batch_id}, and "
                    f"{entry.relative} is of micro-batch {name[1]}: rows would be duplicated",
                    where=f"table {self.table.identifier}",
                    remedy="restore a newer copy of the checkpoint; or remove the files "
                    f"part-{self.context.run_id}-N-* with N from {batch_id} on, whose rows then come again",
                )
            if name is not None and int(name[1]) == batch_id:
                self.left_over.append(entry.path)

    def returned(self, history: OutputHistory) -> Return | None:
        return self._all_files.returned(history)

    def discard(self, runs: frozenset[str]) -> None:
        self._all_files.discard(runs)

    @property
    def _all_files(self) -> TableFiles:
        marker = "" if self.commits is None else Values(PARTITION_COMMITS, self.table.options).text(MARKER)
        return TableFiles(self.context.spark, self.table.options["path"], marker)

    def root(self) -> str:
        """The folder, as the target of moves."""
        return Files(self.context.spark, self.table.options["path"]).root

    def line(self) -> Column:
        """The line of a row in a text file, from `kind`, `f0`, `f1`, ...."""
        assert isinstance(self.format, LineFormat)
        row = F.struct(*(F.col(f"f{at}").alias(f"c{at}") for at in range(len(self.table.columns.fields))))
        return self.format.line(self.context.spark, self.spec, writable_kind(self.format.spec, self.table), row)

    def left(self) -> tuple[int, str]:
        root, run = self.table.options["path"], f"part-{self.context.run_id}-"
        files = Files(self.context.spark, root)
        entries = (entry.relative for entry in files.walk(files.root) if not entry.relative.startswith(ASIDE))
        names = [name.rpartition("/")[2] for name in entries]
        own = _own(self.context, self.mark)
        pattern = f"{run}*-{self.mark}*" if self.mark else f"{run}*"
        return sum(own.match(name) is not None for name in names), f"{root.rstrip('/')}/{pattern}"

    def _ending(self, written: str) -> str:
        """The extension of a file from Spark's name for it, `part-00000-<uuid>[.c000].<ending>`."""
        ending = _SPARK_COUNTER.sub("", written.partition(".")[2])
        return f".{self.format.spec.extension if ending in ('txt', '') else ending}"

    @cached_property
    def _selections(self) -> tuple[Selection, Selection]:
        """The selection of columns for the format, including those that become folders, and the one that is written."""
        names, keys, spark = self.table.columns.names, self.table.partition_keys, self.context.spark
        stored = [f"f{index}" for index, name in enumerate(names) if name not in keys]
        columns = [F.col(name).alias(f"c{index}") for index, name in enumerate(stored)]
        folders = [self._folder(key, F.col(f"f{names.index(key)}")) for key in keys]
        written = [*self.format.columns(spark, self.spec), *(F.col(t.quote_identifier(key)) for key in keys)]
        return Selection((writable_kind(self.format.spec, self.table), *columns, *folders)), Selection(written)

    def _folder(self, name: str, value: Column) -> Column:
        """The text of a partition column in the name of a folder."""
        text = column_of(
            file_paths(self.context.spark).text(shape(field_of(self.table, name).type), java_column(value))
        )
        nothing = F.lit(SPEC.values(self.table.options).text(PARTITION_NAME))
        return F.when(F.length(text) > 0, text).otherwise(nothing).alias(name)
