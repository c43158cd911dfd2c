"""A start whose first generation has the state of a Flink savepoint."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.expressions import ExpressionContext
from compiled_plan.plans.execution.operators.base import Flow, KeyedPort, Lowering
from compiled_plan.plans.execution.operators.parameters import to_dict
from compiled_plan.plans.execution.spark.java import frame_of, java_class
from compiled_plan.plans.execution.spark.storage import Folder
from compiled_plan.plans.execution.stages.descriptions import StateForm
from compiled_plan.plans.execution.stages.envelope import struct_type
from compiled_plan.plans.execution.stages.hosted import Hosted, hosted_of
from compiled_plan.plans.execution.state.checkpoint.records import record_batch
from compiled_plan.plans.execution.state.flink.offsets import ImportedPositions
from compiled_plan.plans.execution.state.flink.positions.reading import Position
from compiled_plan.plans.execution.state.upgrade.decision import UpgradeRequest
from compiled_plan.plans.execution.state.upgrade.seeding import SCHEMA, Seeding, seeding_session, settle
from compiled_plan.plans.execution.state.upgrade.start import Start
from compiled_plan.plans.inspection.checkpoints import STATE_ROWS
from compiled_plan.plans.types.temporal import is_proctime

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from compiled_plan.plans.execution.functions.columns import PythonFunctions
    from compiled_plan.plans.execution.stages.prepared import PreparedPlan

#: `by` of the head of an imported generation.
IMPORTED = "import"
_KERNEL = "org.compiledplan.kernel.state.seeding.SavepointStates"


@dataclass(frozen=True, slots=True)
class ImportedState:
    """The part of a savepoint that a plan imports.

    Args:
        entries: by node id, the files with the entries of its operator, in the neutral form.
        positions: by node id of a scan, the position from which Spark reads the source.
        watermark: the watermark of the job in ms, 0 if it had none.
        written: the time of last write of entries that have none, in ms.
    """

    entries: Mapping[int, Sequence[str]]
    positions: Mapping[int, Position] = field(default_factory=dict)
    watermark: int = 0
    written: int = 0


class ImportStart(Start):
    """A start on an empty checkpoint with state from a savepoint.

    Args:
        folder: the root of the checkpoint.
        request: the program to start.
        spark: the session.
        imported: the state and the positions.

    Raises:
        CheckpointError: the checkpoint is not empty.
    """

    def __init__(
        self, folder: Folder, request: UpgradeRequest, *, spark: SparkSession, imported: ImportedState
    ) -> None:
        super().__init__(folder, request)
        if self.head is not None:
            raise CheckpointError(
                "the checkpoint has state already, and state is imported into an empty one",
                where=folder.shown,
                remedy="name a new folder",
            )
        self.spark, self.imported = spark, imported

    def prepare(
        self,
        prepared: PreparedPlan,
        stages: Sequence[Mapping[str, object]],
        state: Mapping[str, StateForm],
        ends: bool = True,
    ) -> None:
        """Write the state, the positions and the program; see `Start.prepare`."""
        names, files = self._described(prepared, stages, state, {})
        folder, watermark = self.generation.folder, self.imported.watermark
        # First, since it may fail and takes no time.
        offsets = ImportedPositions(self.spark, folder, prepared, self.imported.positions, self.secrets).offsets(names)
        rows = SavepointRows(self.spark, files.stages, files.state, self.imported).of(prepared, self.functions)
        seeding = Seeding(seeding_session(self.spark, self.setting.partitions))
        seeding.seed(rows, folder, stages, state, watermark)
        folder.write_text(STATE_ROWS, json.dumps(seeding.keys(folder)))
        settle(folder, offsets, watermark)
        record_batch(folder, 0, STATE_ROWS)
        self._new_program(files, IMPORTED)


@dataclass(frozen=True, slots=True)
class SavepointRows:
    """Rows of state in the operators' formats, from the entries of a savepoint."""

    spark: SparkSession
    stages: str
    states: str
    imported: ImportedState

    def of(self, prepared: PreparedPlan, functions: PythonFunctions | None) -> DataFrame:
        """The rows of all operators: level, uid, key and bytes."""
        lowering = Lowering(prepared.plan, ExpressionContext(), functions)
        hosted = hosted_of(prepared.layout, lowering)
        frames = [self._of(hosted, node, files) for node, files in self.imported.entries.items() if files]
        return reduce(lambda left, right: left.unionByName(right), frames, self.spark.createDataFrame([], SCHEMA))

    def _of(self, hosted: Hosted, node: int, files: Sequence[str]) -> DataFrame:
        operator = hosted.operators[node]
        uid, about = hosted.tag(node), self.imported
        facts = to_dict(operator.flink, lambda condition: None) or {}
        facts["proctimes"] = [_proctimes(port) for port in operator.ports]
        kernel = java_class(self.spark._jvm, _KERNEL)(self.stages, self.states, uid, json.dumps(facts), about.written)
        lines = self.spark.read.text(list(files))
        keyed = frame_of(kernel.keyed(lines._jdf), self.spark)
        key = _key_of(operator.ports[0]).alias("key")
        keys = keyed.select(key, "line").groupBy("key").agg(F.collect_list("line").alias("lines"))
        return frame_of(kernel.states(keys._jdf), self.spark)


def _key_of(port: KeyedPort) -> Any:
    """The text of a key, from the columns of an operator's input of which those of the key have values."""
    columns = tuple(F.col(field.name) for field in struct_type(port.types))
    if port.state_key is not None:
        return port.state_key(columns)
    none = F.lit(None)
    # Rows with a null that matches nothing remain apart by Flink's key: they wait for their time.
    return port.key(Flow(none, F.get_json_object("line", "$.key"), none, columns))


def _proctimes(port: KeyedPort) -> list[int]:
    """The columns with a processing time, which is null in Flink's state."""
    return [at for at, type_ in enumerate(port.types) if is_proctime(type_)]
