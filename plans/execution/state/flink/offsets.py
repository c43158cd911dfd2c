"""The positions of a savepoint in a new generation: Spark's offset log, and the log of its file source."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from compiled_plan.plans.connectors.registry import connector_spec
from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.connectors.messages import topics_of
from compiled_plan.plans.execution.files.hadoop import Files
from compiled_plan.plans.execution.interfaces.connectors import TableSpec, with_secrets
from compiled_plan.plans.execution.spark.storage import Folder
from compiled_plan.plans.execution.stages.prepared import PreparedPlan
from compiled_plan.plans.execution.state.checkpoint.sources import Names
from compiled_plan.plans.execution.state.flink.positions.files import FilesRead
from compiled_plan.plans.execution.state.flink.positions.reading import Position
from compiled_plan.plans.execution.state.upgrade.history import FileTimes, ReadFile, write_log
from compiled_plan.plans.secrets.values import Secrets

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Number of micro-batches after which Spark compacts the log of a file source.
_INTERVAL = "spark.sql.streaming.fileSource.log.compactInterval"


@dataclass(frozen=True, slots=True)
class ImportedPositions:
    """Writes the positions of sources into a generation.

    Args:
        spark: the session.
        folder: the generation's folder.
        prepared: the program.
        positions: by node id of a scan.
    """

    spark: SparkSession
    folder: Folder
    prepared: PreparedPlan
    positions: Mapping[int, Position]
    secrets: Secrets = field(default_factory=Secrets)

    def offsets(self, names: Names) -> dict[str, str | None]:
        """The entry of each source in Spark's offset log by its name, None for one that begins; writes other logs.

        Raises:
            CheckpointError: files were read elsewhere, or the scans of a table have read it to different positions.
            DataError: a topic or partition does not exist.
            ExecutionError: Kafka's brokers do not answer.
        """
        return {name: self._offset(node, name) for node, name in names.by_node.items()}

    def _offset(self, node: int, name: str) -> str | None:
        position = self._position(node)
        if position is None:
            return None
        table = self.prepared.tables[node].table
        if position.files is not None:
            files = list(self._files_read(table, position.files))
            if not files:
                return None
            write_log(self.folder, name, [files], int(str(self.spark.conf.get(_INTERVAL))))
            return json.dumps({"logOffset": 0})
        if position.begins and position.end is None:
            return None
        spec = connector_spec(table.options["connector"])
        assert spec is not None
        topics = topics_of(with_secrets(table, self.secrets), spec, self.spark)
        offsets = topics.resolved(position.offsets) if position.end is None else topics.all_at(position.end)
        return json.dumps(offsets, separators=(",", ":"), sort_keys=True)

    def _position(self, node: int) -> Position | None:
        """The position of a source, which its scans in the plan share."""
        positions = [self.positions[scan] for scan in self.prepared.starts(node) if scan in self.positions]
        if any(position != positions[0] for position in positions):
            words = "; ".join(dict.fromkeys(position.words for position in positions))
            table = self.prepared.tables[node].table.identifier
            raise CheckpointError(
                f"the scans of table {table} have read it to different positions, and it is read once here: {words}",
                remedy="stop the job when its sources have read all rows, or give --start TABLE=POSITION",
            )
        return positions[0] if positions else None

    def _files_read(self, table: TableSpec, files: FilesRead) -> Iterator[ReadFile]:
        """The files of a table that Flink has read, as the log of Spark's file source names them."""
        place = Files(self.spark, table.options["path"])
        present = {_key(uri): ReadFile(uri, time) for uri, time in FileTimes(self.spark).below(place.root).items()}
        if files.paths is None:
            unread = {_key(path) for path in files.unread}
            yield from (file for key, file in present.items() if key not in unread)
            return
        root = _key(place.root)
        for path in sorted(files.paths):
            key = _key(path)
            if key[0] != root[0] or not f"{key[1]}/".startswith(f"{root[1].rstrip('/')}/"):
                raise CheckpointError(
                    f"Flink has read the file {path} of table {table.identifier}, which is not below {place.root}",
                    remedy="set the table's option 'path' to the folder that Flink reads, as an absolute path",
                )
            # A file that is gone remains in the log: one of its name is not read again, as in Flink.
            yield present.get(key) or ReadFile(place.uri(path), 0)


def _key(path: str) -> tuple[str, str]:
    """Authority and path of a file; schemes differ for one store."""
    parts = urlsplit(path)
    return parts.netloc, unquote(parts.path)
