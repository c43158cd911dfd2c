"""Read access to a checkpoint: its operators, and the rows of their state."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Self, TypeVar

from compiled_plan.plans.errors import CheckpointError, UnsupportedError
from compiled_plan.plans.execution.expressions import register
from compiled_plan.plans.execution.session.options import NATIVE
from compiled_plan.plans.execution.spark.java import JavaObject, frame_of, java_class
from compiled_plan.plans.execution.spark.storage import Folder, folder_of
from compiled_plan.plans.execution.stages.descriptions import OperatorSpec, StageSpec, StateForm
from compiled_plan.plans.execution.state.checkpoint.state_rows import at_rest, state_rows
from compiled_plan.plans.execution.state.reading.model import SavepointOrigin
from compiled_plan.plans.execution.state.reading.unknown import NO_TIME, without_writes
from compiled_plan.plans.inspection.checkpoints import CheckpointReader
from compiled_plan.plans.inspection.diff.description import read_description
from compiled_plan.plans.inspection.diff.sides import PlanSide
from compiled_plan.plans.inspection.diff.words import words_of
from compiled_plan.plans.inspection.entries import StateLine, state_lines
from compiled_plan.plans.inspection.lineage.table_identity import by_name
from compiled_plan.plans.inspection.named_operators import NamedOperator, operator_named, suggested
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.text.masking import masked_text

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class StoredOperator:
    """An operator of a checkpoint.

    Args:
        uid: its name.
        node: id of its node in the plan.
        words: its description.
        spec: the kernel's parameters of it.
        state: the description of its state.
        lines: its state entries in the plan.
        feeds: the tables that the rows of each input come from.
    """

    uid: str
    node: int
    words: str
    spec: OperatorSpec
    state: StateForm
    lines: tuple[StateLine, ...]
    feeds: tuple[str, ...]

    @property
    def kind(self) -> str:
        """The form of its state."""
        return str(self.state["kind"])

    @property
    def event_time(self) -> bool:
        """True if its timers fire by watermark."""
        return bool(self.spec["timeDomain"] == "event")

    def ttl(self, at: int) -> int:
        """The TTL of an input's entries in ms; a single one applies to all inputs."""
        ttls = self.spec["ttl"]
        return int(ttls[at if len(ttls) > 1 else 0]) if ttls else 0

    def line(self, at: int) -> StateLine | None:
        """The state entry in the plan for an input's entries."""
        only = self.lines[0] if len(self.lines) == 1 else None
        return next((line for line in self.lines if line.index == at), only)

    def column(self, at: int, place: int) -> Mapping[str, str]:
        return self.state["columns"][at][place]


@dataclass(frozen=True)
class StateReader:
    """The state in a checkpoint, of the head in force when it is opened.

    Args:
        spark: a session of `plans.execution.session.spark_session`.
        root: the checkpoint.
        number: number of the generation.
        generation: its folder.
        plan: the plan in force.
        stages: the kernel's spec of each stage.
        states: the description of the state, by uid.
        savepoint: the savepoint that it was imported from, to be inspected alone; None for a checkpoint.
    """

    spark: SparkSession
    root: Folder
    number: int
    generation: Folder
    plan: CompiledPlan
    stages: tuple[StageSpec, ...]
    states: Mapping[str, StateForm]
    savepoint: SavepointOrigin | None = None

    @property
    def uri(self) -> str:
        return self.root.uri if self.savepoint is None else self.savepoint.uri

    @classmethod
    def open(cls, spark: SparkSession, path: str) -> Self:
        """Open a checkpoint.

        Raises:
            CheckpointError: there is none, or it is one of another release or another tool.
            UnsupportedError: its state is in an operator of Spark's own.
        """
        register(spark)
        root = folder_of(spark, path)
        reader = CheckpointReader(root)
        files = reader.program_in_force()
        head = reader.head()
        assert head is not None
        described = read_description(files.description, root.shown)
        if described["host"] == NATIVE:
            raise UnsupportedError(
                f"the state of the host {NATIVE} is that of an operator of Spark, which keeps no times of writes",
                where=root.shown,
                remedy='read it with Spark: spark.read.format("statestore")',
            )
        states = json.loads(files.state)
        nameless = [uid for uid, state in states.items() if "columns" not in state]
        if nameless:
            raise CheckpointError(
                f"the checkpoint does not name the columns of operator {nameless[0]}",
                where=root.shown,
                remedy="run its plan once with this release",
            )
        generation = root.inside(f"generations/{head.generation}")
        plan = CompiledPlan.from_json(files.plan)
        return cls(spark, root, head.generation, generation, plan, tuple(json.loads(files.stages)), states)

    @cached_property
    def operators(self) -> Mapping[str, StoredOperator]:
        """The operators by uid, in the order of the stages."""
        side = PlanSide(self.plan, by_name)
        nodes = {node.uid: node for node in self.plan.nodes if node.uid}
        lines = state_lines(self.plan)
        operators = {}
        for stage in self.stages:
            for spec in stage["operators"]:
                uid, node = spec["uid"], nodes[spec["uid"]]
                operators[uid] = StoredOperator(
                    uid,
                    node.id,
                    masked_text(words_of(side, node.id)),
                    spec,
                    self.states[uid],
                    tuple(line for line in lines if line.node == node.id),
                    tuple(", ".join(side.lineage.tables[below.id]) for below in self.plan.inputs(node.id)),
                )
        return {uid: operator for uid, operator in operators.items() if operator.kind != "nothing"}

    def operator(self, name: str) -> StoredOperator:
        """An operator by its uid, or the id of its node.

        Raises:
            CheckpointError: there is no such operator.
        """
        known = [NamedOperator(operator.uid, operator.node, operator.kind) for operator in self.operators.values()]
        named = operator_named(name, known)
        if named is None:
            raise CheckpointError(
                f"the {'checkpoint' if self.savepoint is None else 'plan'} has no operator {name} that keeps state",
                where=self.root.shown if self.savepoint is None else self.uri,
                remedy=suggested(name, known),
            )
        return self.operators[named.uid]

    def at_rest(self, read: Callable[[DataFrame | None], T]) -> tuple[int | None, T]:
        """Read the rows of all state (None before the first commit); return the number of the micro-batch, too."""

        def at_batch(batch: int | None) -> tuple[int | None, T]:
            if batch is None:
                return None, read(None)
            rows = state_rows(self.spark, self.generation, self.stages, batch)
            return batch, read(rows.where(rows.op.isin(list(self.operators))))

        return at_rest(self.spark, self.generation, at_batch)

    @cached_property
    def _kernel(self) -> JavaObject:
        reading = java_class(self.spark._jvm, "org.compiledplan.kernel.host.reading.StateReading")
        kernel: JavaObject = reading(json.dumps(self.stages), json.dumps(self.states))
        return kernel

    def figures(self, rows: DataFrame) -> DataFrame:
        """Per key `op`, `bytes`, `timer`, and `entries`: `input`, `written`, `time` of each entry; times in ms."""
        return frame_of(self._kernel.figures(rows._jdf), self.spark)

    def content(self, rows: DataFrame, uid: str) -> DataFrame:
        """Per key of an operator `key`, `timer` and `state`, a struct of its fields.

        Raises:
            CheckpointError: its state in the savepoint is refused.
        """
        for state in self.savepoint.unread if self.savepoint else ():
            if state.name == uid:
                raise CheckpointError(
                    f"the state of operator {uid} is refused: {state.why}",
                    where=self.uri,
                    remedy="omit OPERATOR to see the state of others",
                )
        content = frame_of(self._kernel.content(rows.where(rows.op == uid)._jdf, uid), self.spark)
        return content if self.savepoint is None else without_writes(content, "state", NO_TIME)
