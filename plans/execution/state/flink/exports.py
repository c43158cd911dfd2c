"""Export of a checkpoint: report what becomes a savepoint of Flink, and write it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.spark.java import JavaObject, java_class
from compiled_plan.plans.execution.state.checkpoint.offsets import entry_of, progress_of
from compiled_plan.plans.execution.state.flink.choices import Choices, Fate
from compiled_plan.plans.execution.state.flink.matching import flink_uid, source_transformation
from compiled_plan.plans.execution.state.flink.positions.errors import PositionError
from compiled_plan.plans.execution.state.flink.positions.reading import starts_of
from compiled_plan.plans.execution.state.flink.positions.writing import WrittenSource, source_state
from compiled_plan.plans.execution.state.flink.report import ExportReport, OperatorExport, Outcome, SourceExport
from compiled_plan.plans.execution.state.flink.savepoint.head import FILE, VERSION
from compiled_plan.plans.execution.state.flink.savepoint.writing import write_savepoint
from compiled_plan.plans.execution.state.reading.reader import StateReader, StoredOperator
from compiled_plan.plans.inspection.checkpoints import CheckpointReader
from compiled_plan.plans.inspection.diff.description import read_description
from compiled_plan.plans.inspection.lineage.plans import lineage_of
from compiled_plan.plans.nodes.aggregate import GlobalGroupAggregate, GroupAggregate, IncrementalGroupAggregate
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.nodes.stateless import Exchange
from compiled_plan.plans.nodes.table_rules import persisted_row
from compiled_plan.plans.types import LogicalType
from compiled_plan.plans.types.temporal import is_proctime

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: Flink's number of key groups of a job that sets none, up to a parallelism of 85.
MAX_PARALLELISM = 128
_MOST = 2**15
_KERNEL = "org.compiledplan.kernel.host.reading.CheckpointStates"
_ATTRIBUTE = re.compile(r" \*(ROWTIME|PROCTIME)\*")


@dataclass(frozen=True, slots=True)
class ExportOptions(Choices):
    """Options of an export; see also `Choices`.

    Args:
        max_parallelism: number of key groups.
    """

    max_parallelism: int = MAX_PARALLELISM

    @classmethod
    def of(cls, starts: Sequence[str], reset: Sequence[str], max_parallelism: int) -> ExportOptions:
        """The options of a command.

        Raises:
            CheckpointError: a value is malformed.
        """
        if not 0 < max_parallelism <= _MOST:
            raise CheckpointError(
                f"--max-parallelism {max_parallelism} is not between 1 and {_MOST}",
                remedy="give `pipeline.max-parallelism` of the job",
            )
        return cls(starts_of(starts), frozenset(reset), max_parallelism)


@dataclass(frozen=True, slots=True)
class _Mapped:
    """An operator beside its kernel class that converts its state."""

    operator: StoredOperator
    flink_uid: str
    kernel: JavaObject


class Export:
    """A checkpoint that is read, to be written as a savepoint.

    Args:
        spark: a session of `plans.execution.session.spark_session`.
        checkpoint: its folder.
        options: see `ExportOptions`.

    Raises:
        CheckpointError: there is no checkpoint, it has not run yet, or a micro-batch is not committed.
    """

    def __init__(self, spark: SparkSession, checkpoint: str, options: ExportOptions) -> None:
        self.spark, self.options = spark, options
        self.reader = StateReader.open(spark, checkpoint)
        options.check_reset(self.reader.operators, "checkpoint")
        self._mapped = {operator.uid: self._of(operator) for operator in self.reader.operators.values()}
        batch, figures = self.reader.at_rest(_figures)
        progress = progress_of(self.reader.generation)
        if batch is None or progress.planned is not None or progress.committed != batch:
            raise CheckpointError(
                "the checkpoint has no micro-batch yet"
                if batch is None
                else f"the micro-batch after {batch} has begun and is not committed",
                where=self.reader.root.shown,
                remedy="stop the run, or run the plan once until it is idle",
            )
        self._positions: dict[int, WrittenSource] = {}
        self.report = ExportReport(
            checkpoint=self.reader.root.uri,
            batch=batch,
            max_parallelism=options.max_parallelism,
            operators=tuple(self._operator(mapped, *figures.get(uid, (0, 0))) for uid, mapped in self._mapped.items()),
            sources=tuple(self._sources(batch)),
        )

    def check(self) -> None:
        """Raise if anything is refused.

        Raises:
            CheckpointError: names each part, with the reason and the remedy.
        """
        self.report.check("the checkpoint cannot be exported", self.reader.root.shown)

    def write(self, to: str | Path) -> None:
        """Write the savepoint.

        Args:
            to: a local folder that is new or empty. A failure leaves it as it was.

        Raises:
            CheckpointError: the folder is not empty, or the checkpoint goes on meanwhile.
        """
        self.check()
        with TemporaryDirectory(prefix="compiled-plan-savepoint-") as name:
            form = Path(name)
            batch, files = self.reader.at_rest(lambda rows: self._lines(rows, form))
            if batch != self.report.batch:
                raise CheckpointError(
                    f"the checkpoint has gone on to micro-batch {batch} while it was read",
                    where=self.reader.root.shown,
                    remedy="stop the run, then export",
                )
            (form / FILE).write_text(json.dumps(self._head(files)))
            write_savepoint(form, to)

    def _lines(self, rows: DataFrame | None, form: Path) -> dict[str, list[str]]:
        """Write the entries of all operators; returns their files by uid."""
        files: dict[str, list[str]] = {}
        exported = {item.uid for item in self.report.operators if item.outcome is Outcome.EXPORTED}
        for number, (uid, mapped) in enumerate(self._mapped.items()):
            if uid not in exported or rows is None:
                continue
            folder = form / f"entries-{number}"
            lines = mapped.kernel.lines(rows.where(F.col("op") == uid)._jdf)
            lines.write().mode("overwrite").text(folder.as_uri())
            files[uid] = [str(file.relative_to(form)) for file in sorted(folder.glob("part-*"))]
        return files

    def _head(self, files: Mapping[str, Sequence[str]]) -> dict[str, Any]:
        operators: list[dict[str, Any]] = []
        for uid, names in files.items():
            mapped = self._mapped[uid]
            states = json.loads(mapped.kernel.described())
            name = f"{_class_name(self._node(mapped.operator).kind)}[{mapped.operator.node}]"
            operator = {"uid": mapped.flink_uid, "name": name, "states": states, "files": list(names)}
            # An operator without a key runs as one subtask, whatever the parallelism of the job.
            operators.append(operator if states[0]["key"]["row"] else operator | {"maxParallelism": 1})
        for source in self.report.sources:
            if (state := self._positions.get(source.node)) is not None and state.splits:
                name = f"Source: {source.table}[{source.node}]"
                operators.append({"uid": source.flink_uid, "name": name, "states": [], "files": []} | state.described())
        common = {"maxParallelism": self.options.max_parallelism}
        return {"version": VERSION, "operators": [common | operator for operator in operators]}

    def _node(self, operator: StoredOperator) -> PlanNode:
        return self.reader.plan.node(operator.node)

    def _of(self, operator: StoredOperator) -> _Mapped:
        reader, node = self.reader, self._node(operator)
        rows = _stored_rows(node, [below.output_type.types for below in reader.plan.inputs(node)])
        facts: dict[str, object] = {
            "types": [[_text(type_) for type_ in row] for row in rows],
            "proctimes": [[at for at, type_ in enumerate(row) if is_proctime(type_)] for row in rows],
        }
        if isinstance(node, GroupAggregate | GlobalGroupAggregate):
            facts["results"] = [_text(call.type) for call in node.agg_calls]
        kernel = java_class(self.spark._jvm, _KERNEL)(
            json.dumps(reader.stages), json.dumps(dict(reader.states)), operator.uid, json.dumps(facts)
        )
        return _Mapped(operator, flink_uid(node, node.TRANSFORMATION), kernel)

    def _operator(self, mapped: _Mapped, keys: int, size: int) -> OperatorExport:
        operator, fate = mapped.operator, self._fate(mapped, keys)
        base = (operator.node, operator.uid, mapped.flink_uid, operator.words)
        return OperatorExport(*base, fate.outcome, keys, size, fate.why, fate.remedy)

    def _fate(self, mapped: _Mapped, keys: int) -> Fate:
        uid = mapped.operator.uid
        if uid in self.options.reset:
            return Fate(Outcome.EMPTY, "--reset")
        refusal = self._refusal(mapped)
        if not refusal:
            return Fate(Outcome.EXPORTED)
        if not keys:
            return Fate(Outcome.EMPTY, "the checkpoint has no state of it")
        return self.options.refused(refusal, f"--reset {uid} has it start empty in Flink")

    def _refusal(self, mapped: _Mapped) -> str:
        """The reason why an operator's state is not written; empty if it is."""
        plan, node = self.reader.plan, self._node(mapped.operator)
        if isinstance(node, GlobalGroupAggregate):
            below = [*plan.inputs(node)]
            below += [further for item in below if isinstance(item, Exchange) for further in plan.inputs(item)]
            if any(isinstance(item, IncrementalGroupAggregate) for item in below):
                return "the state of a split distinct aggregate is not converted into Flink's"
        # A mapping with a refusal knows Flink's form of the state no better on the way back.
        return node.flink_mapping.refusal or str(mapped.kernel.refusal())

    def _sources(self, batch: int) -> Iterator[SourceExport]:
        sources = self.options.sources(self.reader.plan)
        offsets = self._offsets(batch)
        for scan, name, table, start in sources:
            uid = flink_uid(scan, source_transformation(table))
            try:
                state = source_state(table, offsets.get(scan.id, ()), start)
            except PositionError as error:
                remedy = f"have it begin, and give it only the rows that were not read: --start {name}=earliest"
                yield SourceExport(scan.id, uid, name, Outcome.REFUSED, why=str(error), remedy=remedy)
                continue
            self._positions[scan.id] = state
            outcome = Outcome.EXPORTED if state.splits else Outcome.EMPTY
            yield SourceExport(scan.id, uid, name, outcome, state.words)

    def _offsets(self, batch: int) -> Mapping[int, Sequence[str]]:
        """By node id of a scan, the positions of the streams that read its table."""
        reader = self.reader
        positions = entry_of(reader.generation, batch).positions
        files = CheckpointReader(reader.root).program_in_force()
        described = read_description(files.description, reader.root.shown)
        # A description lists the sources in the order of the plan's lineage.
        return {
            node: [positions[name] for name in stored["names"] if name in positions]
            for source, stored in zip(lineage_of(reader.plan).sources, described["sources"], strict=True)
            for node in source.nodes
        }


def _figures(rows: DataFrame | None) -> dict[str, tuple[int, int]]:
    """Keys and bytes by operator."""
    if rows is None:
        return {}
    counts = rows.groupBy("op").agg(F.count("*").alias("keys"), F.sum(F.octet_length("bytes")).alias("size"))
    return {row.op: (row["keys"], row["size"]) for row in counts.collect()}


def _class_name(kind: str) -> str:
    """The name of an operator in Flink: `GroupAggregate` of `group-aggregate`."""
    return "".join(word.capitalize() for word in kind.split("-"))


def _stored_rows(node: PlanNode, rows: Sequence[Sequence[LogicalType]]) -> Sequence[Sequence[LogicalType]]:
    """The rows of each input, as Flink's operator stores them."""
    if isinstance(node, GlobalGroupAggregate):
        return [node.local_agg_input_row_type.types]
    table = node.dynamic_table_sink.table.resolved_table if isinstance(node, Sink) else None
    return rows if table is None else [persisted_row(table).types]


def _text(type_: LogicalType) -> str:
    """The type in Flink's SQL; being a time attribute does not distinguish types of state."""
    return _ATTRIBUTE.sub("", str(type_))
