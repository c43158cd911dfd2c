"""Base of physical operators, and the registry of functions that lower relational nodes to operators.

An operator declares its changes (`modify_kinds`), the column sets that identify a row of its changelog
(`upsert_keys`), the updates that it requires of its inputs (`required_updates`), the input columns that must be
deterministic (`deterministic_columns`), and its plan node (`plan_node`).
Each operator family has a file and registers itself with `lowers`.

Source of the rules: Flink's "Dynamic Tables" page and the plans that Flink 2.3 compiles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from importlib import import_module
from importlib.util import find_spec
from operator import or_
from typing import TYPE_CHECKING, ClassVar, ParamSpec, TypedDict, TypeVar, cast

from compiled_plan.planner.algebra.nodes import RelNode
from compiled_plan.planner.algebra.traverse import nodes
from compiled_plan.planner.diagnostics.placing import placed
from compiled_plan.planner.physical.traits import (
    NO_KEYS,
    Key,
    Keys,
    MiniBatchMode,
    ModifyKinds,
    Monotonicity,
    Traits,
    UpdateKind,
)
from compiled_plan.plans.errors import CompiledPlanError, UnsupportedError
from compiled_plan.plans.nodes.base import InputProperty, PlanNode, StateEntry
from compiled_plan.plans.nodes.model import PlanModel
from compiled_plan.plans.text.durations import format_duration
from compiled_plan.plans.types import RowType

if TYPE_CHECKING:
    from compiled_plan.planner.options.settings import Settings


@dataclass(frozen=True, slots=True)
class NodeContext:
    """Context of an operator's plan node: its id, column names, the settings, the traits of its inputs."""

    id: int
    settings: Settings
    inputs: tuple[Traits, ...]
    own: Traits

    def entry(self, name: str, ttl: int | None = None, index: int = 0) -> StateEntry:
        """A state entry with a TTL in milliseconds; None: that of the program."""
        return make(StateEntry)(index=index, ttl=self.settings.ttl if ttl is None else format_duration(ttl), name=name)


class Header(TypedDict):
    """Fields of every plan node."""

    id: int
    input_properties: tuple[InputProperty, ...]
    output_type: RowType
    description: str


@dataclass(frozen=True, slots=True)
class PhysicalOperator:
    """Base of physical operators. Immutable; a shared operator is one object."""

    #: The output changes of the class; None: those of its inputs.
    GIVES: ClassVar[ModifyKinds | None] = None
    #: The updates required from inputs; None: the same as the operator's own output.
    NEEDS: ClassVar[UpdateKind | None] = None
    #: True: the operator retracts a row from its state by all columns of the row.
    BY_WHOLE_ROW: ClassVar[bool] = False

    @property
    def inputs(self) -> tuple[PhysicalOperator, ...]:
        """The operator's inputs, in order."""
        return ()

    def with_inputs(self, inputs: tuple[PhysicalOperator, ...]) -> PhysicalOperator:
        """The same operator over other inputs."""
        return self

    @property
    def row_type(self) -> RowType:
        raise NotImplementedError(type(self).__name__)

    def modify_kinds(self, inputs: tuple[Traits, ...]) -> ModifyKinds:
        """The output changes.

        Raises:
            CompiledPlanError: the operator does not support the changes of its inputs.
        """
        return self.GIVES or reduce(or_, (item.modify_kinds for item in inputs), ModifyKinds.INSERT)

    def upsert_keys(self, inputs: tuple[Traits, ...]) -> Keys:
        """Column sets that identify the row of a change for a consumer, in order of arrival."""
        return NO_KEYS

    def local_keys(self, inputs: tuple[Traits, ...]) -> Keys:
        """Upsert keys within one task."""
        return self.upsert_keys(inputs)

    def monotonicity(self, inputs: tuple[Traits, ...]) -> tuple[Monotonicity, ...]:
        """The direction in which updates move each column."""
        return (Monotonicity.UNKNOWN,) * len(self.row_type.fields)

    def required_updates(self, wanted: UpdateKind, inputs: tuple[Traits, ...]) -> tuple[UpdateKind, ...] | None:
        """The updates required from each input for the operator to send `wanted`; None if it cannot.

        An input without updates is required to send none, whatever this returns.
        """
        return (self.NEEDS or wanted,) * len(inputs)

    def takes_old_rows(self, side: int) -> bool:
        """Return True if an input may send old rows although only new ones are required, when it cannot omit them."""
        return False

    @property
    def needs_watermark(self) -> bool:
        """Return True if the operator reacts to watermarks."""
        return False

    @property
    def batches(self) -> MiniBatchMode | None:
        """The mini-batches that the operator requires if the program enables them; None: those of its consumer."""
        return None

    def sending(self, wanted: UpdateKind) -> PhysicalOperator:
        """The operator configured to send updates as `wanted`."""
        return self

    def deterministic_columns(self, columns: Key, inputs: tuple[Traits, ...]) -> Sequence[Iterable[int]]:
        """Per input, the columns that a retraction must repeat for it to repeat `columns` of the output.

        An input without updates is required to repeat none, whatever this returns.

        Raises:
            ProgramError: the operator computes another value for the retraction.
        """
        return [range(len(item.row_type.fields)) if self.BY_WHOLE_ROW else columns for item in self.inputs]

    def storing(self, columns: Key, inputs: tuple[Traits, ...]) -> PhysicalOperator:
        """The operator configured to store what its retractions need to repeat `columns`."""
        return self

    def plan_node(self, at: NodeContext) -> PlanNode:
        raise NotImplementedError(type(self).__name__)

    def title(self) -> str:
        """The operator as one line, in the form of plan descriptions."""
        raise NotImplementedError(type(self).__name__)

    def header(
        self, at: NodeContext, description: str | None = None, inputs: tuple[InputProperty, ...] | None = None
    ) -> Header:
        """The fields that every node has.

        Args:
            at: context of the node, with its id.
            description: the operator's text, if more than its title.
            inputs: the required distributions of the inputs, if any.
        """
        return {
            "id": at.id,
            "input_properties": (InputProperty.spread(),) * len(self.inputs) if inputs is None else inputs,
            "output_type": self.row_type,
            "description": self.title() if description is None else description,
        }


@dataclass(frozen=True, slots=True)
class Single(PhysicalOperator):
    """An operator with one input; passes on its columns, changes and keys unless overridden."""

    input: PhysicalOperator

    @property
    def inputs(self) -> tuple[PhysicalOperator, ...]:
        return (self.input,)

    def with_inputs(self, inputs: tuple[PhysicalOperator, ...]) -> PhysicalOperator:
        return replace(self, input=inputs[0])

    @property
    def row_type(self) -> RowType:
        return self.input.row_type

    def upsert_keys(self, inputs: tuple[Traits, ...]) -> Keys:
        return inputs[0].upsert_keys

    def monotonicity(self, inputs: tuple[Traits, ...]) -> tuple[Monotonicity, ...]:
        moves = inputs[0].monotonicity
        return moves if len(moves) == len(self.row_type.fields) else super(Single, self).monotonicity(inputs)


@dataclass(frozen=True, slots=True)
class NewRows(Single):
    """An operator with one input that outputs new rows; without keys unless overridden."""

    def upsert_keys(self, inputs: tuple[Traits, ...]) -> Keys:
        return NO_KEYS

    def monotonicity(self, inputs: tuple[Traits, ...]) -> tuple[Monotonicity, ...]:
        return (Monotonicity.UNKNOWN,) * len(self.row_type.fields)


@dataclass(frozen=True, slots=True)
class NewColumns(NewRows):
    """An operator that outputs new rows with declared columns."""

    columns: RowType = field(kw_only=True)

    @property
    def row_type(self) -> RowType:
        return self.columns


class OperatorPlanner:
    """Lowers relational nodes to operators, each shared node once.

    Args:
        settings: the program's options.
        statements: all trees to lower, which determines the shared nodes.
        mini_batches: True if operators receive rows in mini-batches.
    """

    def __init__(self, settings: Settings, statements: Sequence[RelNode], mini_batches: bool = False) -> None:
        self.settings = settings
        self.mini_batches = mini_batches
        self._readers = Counter(id(child) for rel in nodes(statements) for child in rel.inputs)
        self._statements = tuple(statements)
        self._done: dict[int, PhysicalOperator] = {}
        self._kept: list[RelNode] = []
        self._facts: dict[int, tuple[PhysicalOperator, Traits]] = {}

    def lower(self, rel: RelNode) -> PhysicalOperator:
        """The operator that computes a relational node.

        Raises:
            UnsupportedError: no operator is known for the node; names it.
        """
        lowered = self._done.get(id(rel))
        if lowered is None:
            rule = _rule(type(rel))
            try:
                if rule is None:
                    raise unsupported(type(rel).__name__)
                lowered = self._done[id(rel)] = rule(rel, self)
            except CompiledPlanError as fault:
                raise placed(fault, rel.where) from None
            self._kept.append(rel)
        return lowered

    def is_shared(self, rel: RelNode) -> bool:
        """Return True if the node has more than one reader."""
        return self._readers[id(rel)] > 1

    def traits(self, operator: PhysicalOperator) -> Traits:
        """The traits of an operator's output."""
        cached = self._facts.get(id(operator))
        if cached is None:
            inputs = tuple(map(self.traits, operator.inputs))
            traits = Traits(
                operator.modify_kinds(inputs),
                operator.upsert_keys(inputs),
                operator.local_keys(inputs),
                operator.monotonicity(inputs),
            )
            cached = self._facts[id(operator)] = (operator, traits)
        return cached[1]


R = TypeVar("R", bound=RelNode)
Rule = Callable[[R, OperatorPlanner], PhysicalOperator]
_RULES: dict[type[RelNode], Callable[..., PhysicalOperator]] = {}


def _rule(kind: type[RelNode]) -> Callable[..., PhysicalOperator] | None:
    """The lowering function of a node; its module, named after the node, is loaded on demand."""
    if kind not in _RULES:
        name = f"{__package__}.{_snake_case(kind.__name__)}"
        if find_spec(name) is not None:
            import_module(name)
    return _RULES.get(kind)


def _snake_case(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")


def lowers(kind: type[R]) -> Callable[[Rule[R]], Rule[R]]:
    """Register the lowering function of a kind of relational node."""

    def register(rule: Rule[R]) -> Rule[R]:
        _RULES[kind] = rule
        return rule

    return register


def unsupported(construct: str, *, where: str = "", remedy: str = "") -> UnsupportedError:
    """The error for a construct without an operator."""
    return UnsupportedError(
        f"{construct} is not supported in a streaming plan",
        where=where,
        remedy=remedy or "rewrite the query without it",
    )


P = ParamSpec("P")
M = TypeVar("M", bound=PlanModel)


def make(model: Callable[P, M]) -> Callable[P, M]:
    """The constructor of a plan model without validation.

    The planner's values have the declared types; validation would first compile a validator for every class.
    """
    return cast("Callable[P, M]", cast("type[M]", model).model_construct)
