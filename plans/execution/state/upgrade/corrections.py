"""Corrections: the differences between the tables of sinks and the results of a new program.

A new generation has the difference before the head that puts it in force. Then the table gets it as micro-batch 0 of
that generation, which its sink records as any other one. If the process ends in between, the next start sends what is
missing, and the sink skips rows that the table has.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.interfaces import connectors
from compiled_plan.plans.execution.interfaces.connectors import KIND
from compiled_plan.plans.execution.spark.storage import Folder
from compiled_plan.plans.execution.stages.prepared import sink_tables
from compiled_plan.plans.execution.state.checkpoint.offsets import begun_at
from compiled_plan.plans.execution.state.checkpoint.store import Generation, Store
from compiled_plan.plans.inspection.checkpoints import CORRECTION, json_in
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.secrets.values import Secrets
from compiled_plan.plans.text.visible import counted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: The micro-batch that writes the state of a generation, and has no rows of its own.
BATCH = 0
_TABLES = f"{CORRECTION}/tables.json"


@dataclass(frozen=True, slots=True)
class Correction:
    """The correction of a sink's table.

    Args:
        node: the sink in the new plan.
        table: the identifier of its table.
        equal: number of keys whose rows were right.
        inserted: number of rows to insert.
        updated: number of rows to update.
        deleted: number of rows to delete.
        sent: True once the table has them.
    """

    node: int
    table: str
    equal: int = 0
    inserted: int = 0
    updated: int = 0
    deleted: int = 0
    sent: bool = False

    @property
    def rows(self) -> int:
        """Number of rows to send."""
        return self.inserted + self.updated + self.deleted

    @property
    def text(self) -> str:
        parts = {"inserted": self.inserted, "updated": self.updated, "deleted": self.deleted}
        listed = ", ".join(f"{count} {name}" for name, count in parts.items() if count)
        more = f" ({listed})" if listed else ""
        return f"{counted(self.rows, 'row')} {'sent' if self.sent else 'to send'}{more}, {self.equal} equal"

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def corrections_of(generation: Folder) -> tuple[Correction, ...]:
    """The corrections with which a generation begins."""
    listed = json_in(generation.read_text(_TABLES), list) or []
    return tuple(Correction(**entry) for entry in listed)


def check_sent(generation: Folder, where: str) -> None:
    """Refuse a generation whose corrections are not in all tables yet.

    Raises:
        CheckpointError: names the tables.
    """
    missing = [correction.table for correction in corrections_of(generation) if not correction.sent]
    if missing:
        raise CheckpointError(
            f"the start with --upgrade correct was interrupted before it had corrected {', '.join(missing)}",
            where=where,
            remedy="start the plan, which completes that; --rollback leaves these tables as they are",
        )


def send_corrections(
    spark: SparkSession,
    store: Store,
    generation: Generation,
    secrets: Secrets,
    report: Callable[[Correction], None] = lambda _: None,
) -> None:
    """Send the corrections that the tables of the program in force do not have yet.

    Args:
        store: the checkpoint, whose lock is held.
        generation: the one in force.
        secrets: the secrets to which options of tables refer.
        report: called with each correction once the table has it.
    """
    corrections = corrections_of(generation.folder)
    if all(correction.sent for correction in corrections):
        return
    plan = CompiledPlan.from_json(store.program_in_force().plan)
    secrets.collect(plan)
    tables = sink_tables([node for node in plan.sinks if isinstance(node, Sink)])
    context = connectors.SinkContext(
        spark,
        generation.run_id,
        print,
        begun=lambda batch: begun_at(generation.folder, batch),
        secrets=secrets,
    )
    for at, correction in enumerate(corrections):
        if not correction.sent:
            _send(spark, generation.folder, correction, tables[correction.node], context)
            sent = replace(correction, sent=True)
            corrections = (*corrections[:at], sent, *corrections[at + 1 :])
            store_corrections(generation.folder, corrections)
            generation.folder.remove(f"{CORRECTION}/{correction.node}")
            report(sent)


def _send(
    spark: SparkSession,
    folder: Folder,
    correction: Correction,
    table: connectors.TableSpec,
    context: connectors.SinkContext,
) -> None:
    if not correction.rows:
        return
    sink = connectors.open_sink(table, context)
    if isinstance(sink, connectors.LooksAhead):
        sink.look_ahead(BATCH)
    sink.write(rows_of(spark, folder, correction.node), BATCH)


def rows_place(generation: Folder, node: int) -> str:
    """The folder with the rows of a sink's correction, and with its equal keys, without a kind."""
    return generation.child(f"{CORRECTION}/{node}")


def rows_of(spark: SparkSession, generation: Folder, node: int) -> DataFrame:
    """The rows that a correction sends."""
    return spark.read.parquet(rows_place(generation, node)).where(F.col(KIND).isNotNull())


def store_corrections(folder: Folder, corrections: Sequence[Correction]) -> None:
    folder.write_text(_TABLES, json.dumps([correction.to_dict() for correction in corrections]))
