"""Lowering of plan nodes: as columns between stages, or as an operator inside a stage.

Each operator family is one file, which registers its nodes here with `stateless` or `keyed`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.execution.expressions import canonical_key
from compiled_plan.plans.execution.operators.parameters import Parameters
from compiled_plan.plans.inspection.lineage.kernel_operators import ColumnSource
from compiled_plan.plans.inspection.placement import makes_watermarks
from compiled_plan.plans.nodes.aggregate import IncrementalGroupAggregate, LocalGroupAggregate
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.specs import AggregateCall
from compiled_plan.plans.nodes.stateless import Exchange
from compiled_plan.plans.nodes.window import LocalWindowAggregate
from compiled_plan.plans.plan.session_options import zone_of
from compiled_plan.plans.secrets.values import Secrets
from compiled_plan.plans.text.masking import masked_text
from compiled_plan.plans.trees import reached
from compiled_plan.plans.types import LogicalType

if TYPE_CHECKING:
    from pyspark.sql import Column

    from compiled_plan.plans.execution.expressions import ExpressionContext
    from compiled_plan.plans.execution.functions.columns import PythonFunctions
    from compiled_plan.plans.plan import CompiledPlan


@dataclass(frozen=True, slots=True)
class Flow:
    """Rows at one point between stages, as columns over the current DataFrame.

    `condition` selects the rows (None: all). `watermark` is the one at which each row arrives, in ms, in plans with
    event time: null for rows that are never late. `current` is the value of CURRENT_WATERMARK, in ms, before the first
    stage. `source` has the columns of the scan that read the row, by name, up to the first operator with state.
    """

    kind: Column
    ord: Column
    path: Column
    columns: tuple[Column, ...]
    condition: Column | None = None
    watermark: Column | None = None
    current: Column | None = None
    source: Mapping[str, Column] = field(default_factory=dict)

    def where(self, condition: Column) -> Flow:
        """The rows for which `condition` is also true."""
        both = condition if self.condition is None else self.condition & condition
        return replace(self, condition=both)

    def path_to(self, position: Column) -> Column:
        """The path of a row created from the element at `position` of a collection in the row."""
        tail = F.to_binary(F.lpad(F.hex(position), 8, "0"), F.lit("hex"))
        return F.concat(F.coalesce(self.path, F.lit(b"")), tail)


@dataclass(frozen=True, slots=True)
class Exploded:
    """Rows created from the elements of an array column: `make(element, position)` returns the row of one element."""

    elements: Column
    make: Callable[[Column, Column], Flow]
    condition: Column | None = None


@dataclass(frozen=True, slots=True)
class Lowering:
    """The environment of lowering: the plan, and the translation of expressions to columns.

    Args:
        expressions: translates expressions to columns.
        functions: the Python functions of the plan.
        row_by_row: True in real-time mode, where watermarks travel between the rows.
        secrets: the secrets to which options of looked-up tables refer.
        looked_up: the columns with the rows of looked-up tables that were joined, by node.
    """

    plan: CompiledPlan
    expressions: ExpressionContext
    functions: PythonFunctions | None = None
    row_by_row: bool = False
    secrets: Secrets = field(default_factory=Secrets)
    looked_up: Mapping[int, Column] = field(default_factory=dict)

    def context(self, node: PlanNode) -> ExpressionContext:
        """The context of a node's expressions: its time zone, and the node for errors."""
        return replace(
            self.expressions,
            time_zone=zone_of(node) or self.expressions.time_zone,
            java=None if self.functions is None or self.functions.java is None else self.functions.java.of(node),
            where=f"node {node.id} ({node.type})",
        )

    def input_types(self, node: PlanNode, port: int = 0) -> tuple[LogicalType, ...]:
        return self.plan.inputs(node.id)[port].output_type.types

    def below_exchanges(self, node: PlanNode) -> PlanNode:
        """The node that produces the rows of the first input, skipping exchanges."""
        below = self.plan.inputs(node.id)[0]
        while isinstance(below, Exchange):
            below = self.plan.inputs(below.id)[0]
        return below


def emitting(plan: CompiledPlan, node: int) -> PlanNode:
    """The node whose rows a node passes on: exchanges add none, and local aggregates run in the global ones."""
    emitter = plan.node(node)
    while isinstance(emitter, Exchange | LocalGroupAggregate | LocalWindowAggregate | IncrementalGroupAggregate):
        (emitter,) = plan.inputs(emitter.id)
    return emitter


@dataclass(frozen=True, slots=True)
class KeyedPort:
    """One input of a keyed operator.

    Args:
        types: types of the operator's input columns.
        key: the operator's key, from the columns of the node's input; see `canonical_key`.
        columns: the operator's input columns, from the columns of the node's input (default: these).
        key_columns: positions in `types` of the columns whose values the key begins with.
        sources: the origin of each column, for the migration of its state to another program (default: the columns of
            the node's input in order).
        state_key: the key from the operator's input columns, if `key` cannot be computed from these.
    """

    types: tuple[LogicalType, ...]
    key: Callable[[Flow], Column]
    columns: Callable[[Flow], Sequence[Column]] = field(default=lambda flow: flow.columns)
    key_columns: tuple[int, ...] = ()
    sources: tuple[ColumnSource, ...] | None = None
    state_key: Callable[[Sequence[Column]], Column] | None = None

    @classmethod
    def by(
        cls,
        keys: Sequence[int],
        types: Sequence[LogicalType],
        added: Sequence[tuple[ColumnSource, LogicalType]] = (),
        compute: Callable[[Flow], Sequence[Column]] = lambda flow: (),
    ) -> KeyedPort:
        """An input with a key of some of its columns.

        Args:
            keys: the positions of these columns.
            types: the types of the input's columns.
            added: the sources and types of computed columns appended to them.
            compute: computes these columns.
        """
        key_types = [types[at] for at in keys]
        return cls(
            (*types, *(type_ for _, type_ in added)),
            key=lambda flow: canonical_key([flow.columns[at] for at in keys], key_types),
            columns=lambda flow: (*flow.columns, *compute(flow)),
            key_columns=tuple(keys),
            sources=(*range(len(types)), *(source for source, _ in added)),
        )


@dataclass(frozen=True, slots=True)
class KeyedOperator:
    """A keyed operator for the kernel: its inputs, output columns and parameters.

    `holds_back` is the time, in ms, by which the operator's rows may be behind its watermark; operators downstream
    delay their watermark by it. `finish` computes the node's columns from the operator's output if they differ. `calls`
    are the aggregate calls in the kernel's order. `reader` is the node whose inputs the columns and calls index, if it
    is not the operator's own. `flink` is a dataclass of the facts that determine its state in Flink beside its
    parameters, for the kernel's `FlinkMapping`.
    """

    ports: tuple[KeyedPort, ...]
    output: tuple[LogicalType, ...]
    parameters: Parameters
    holds_back: int = 0
    finish: Callable[[Sequence[Column]], Sequence[Column]] | None = None
    calls: tuple[AggregateCall, ...] = ()
    reader: int | None = None
    flink: object = None


StatelessLowering = Callable[[Any, int, Flow, Lowering], Sequence[Flow | Exploded]]
KeyedLowering = Callable[[Any, Lowering], KeyedOperator]
Predicate = Callable[[Any], bool]


@dataclass(frozen=True, slots=True)
class ByInput:
    """A predicate over a node and the column types of its first input."""

    holds: Callable[[Any, Sequence[LogicalType]], bool]


EventTime = bool | Predicate | ByInput

_STATELESS: dict[type[PlanNode], StatelessLowering] = {}
_KEYED: dict[type[PlanNode], KeyedLowering] = {}
_EVENT_TIME: dict[type[PlanNode], EventTime] = {}
_KEYED_WHEN: dict[type[PlanNode], Predicate] = {}


def stateless(*nodes: type[PlanNode]) -> Callable[[StatelessLowering], StatelessLowering]:
    """Register the lowering of a stateless node: (node, port, flow, lowering) to the rows it emits for an input."""

    def register(lowering: StatelessLowering) -> StatelessLowering:
        for node in nodes:
            _STATELESS[node] = lowering
        return lowering

    return register


def keyed(
    *nodes: type[PlanNode], event_time: EventTime = False, when: Predicate | None = None
) -> Callable[[KeyedLowering], KeyedLowering]:
    """Register the lowering of a node with keyed state to a kernel operator.

    `event_time` is the predicate for nodes whose timers fire by watermark; other timers fire by processing time. `when`
    is the predicate for nodes of these types that have state; the others are stateless.
    """

    def register(lowering: KeyedLowering) -> KeyedLowering:
        for node in nodes:
            _KEYED[node] = lowering
            _EVENT_TIME[node] = event_time
            if when is not None:
                _KEYED_WHEN[node] = when
        return lowering

    return register


def is_keyed(node: PlanNode) -> bool:
    when = _KEYED_WHEN.get(type(node))
    return type(node) in _KEYED and (when is None or when(node))


def has_event_time(node: PlanNode, plan: CompiledPlan) -> bool:
    """Return True for a node whose timers fire by watermark."""
    declared = _EVENT_TIME.get(type(node), False)
    if isinstance(declared, ByInput):
        return declared.holds(node, plan.inputs(node.id)[0].output_type.types)
    return declared if isinstance(declared, bool) else declared(node)


def emits_by_processing_time(node: PlanNode, plan: CompiledPlan) -> bool:
    """Return True for a node that emits rows when processing time advances, without input."""
    return is_keyed(node) and _EVENT_TIME.get(type(node), False) is not False and not has_event_time(node, plan)


def is_stateless(node: PlanNode) -> bool:
    """Return True for a node that runs as columns between stages."""
    return type(node) in _STATELESS and node.runnable and not is_keyed(node)


def lower_stateless(node: PlanNode, port: int, flow: Flow, lowering: Lowering) -> Sequence[Flow | Exploded]:
    """The rows that a stateless node emits for the rows of one input."""
    return _STATELESS[type(node)](node, port, flow, lowering)


def lower_keyed(node: PlanNode, lowering: Lowering) -> KeyedOperator:
    return _KEYED[type(node)](node, lowering)


def assigners_above(plan: CompiledPlan, node: int) -> frozenset[int]:
    """The watermark assigners, and the sources with watermarks, upstream of a node."""

    def is_assigner(at: int) -> bool:
        return makes_watermarks(plan.node(at))

    def above(at: int) -> list[int]:
        return [below.id for below in plan.inputs(at)]

    return frozenset(filter(is_assigner, reached(above(node), lambda at: () if is_assigner(at) else above(at))))


def refuse(node: PlanNode, why: str = "", remedy: str = "") -> UnsupportedError:
    """The error for a node that cannot be run."""
    return UnsupportedError(
        f"a plan with {node.type} cannot be run" + (f": {why}" if why else ""),
        where=f"node {node.id} ({masked_text(node.description)})",
        remedy=remedy,
    )
