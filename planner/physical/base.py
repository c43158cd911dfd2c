"""What every physical operator declares, and the registry that makes operators from relational nodes.

An operator says which changes it gives (`modify_kinds`), which sets of columns identify a row of its changelog
(`upsert_keys`), what it needs of its inputs' updates (`required_updates`), and how it stands in a plan (`plan_node`).
One file an operator family; a family registers itself with `lowers`.

Source of the rules: Flink's "Dynamic Tables" page and the plans that Flink 2.3 compiles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from importlib import import_module
from importlib.util import find_spec
from operator import or_
from typing import TYPE_CHECKING, ClassVar, ParamSpec, TypedDict, TypeVar, cast

from compiled_plan.planner.algebra.nodes import RelNode
from compiled_plan.planner.algebra.traverse import nodes
from compiled_plan.planner.physical.traits import (
    NO_KEYS,
    Keys,
    MiniBatchMode,
    ModifyKinds,
    Monotonicity,
    Traits,
    UpdateKind,
)
from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.nodes.base import InputProperty, PlanNode, StateEntry
from compiled_plan.plans.nodes.model import PlanModel
from compiled_plan.plans.text.durations import format_duration
from compiled_plan.plans.types import RowType

if TYPE_CHECKING:
    from compiled_plan.planner.options.settings import Settings


@dataclass(frozen=True, slots=True)
class NodeContext:
    """What an operator needs to become a plan node: its id, its columns' names, settings, traits of its inputs."""

    id: int
    settings: Settings
    inputs: tuple[Traits, ...]
    own: Traits

    def entry(self, name: str, ttl: int | None = None, index: int = 0) -> StateEntry:
        """An entry of state; its TTL is in milliseconds, None: that of the program."""
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

    #: The changes that operators of the class give; None: those of their inputs.
    GIVES: ClassVar[ModifyKinds | None] = None
    #: The updates that operators of the class need of their inputs; None: those that they are to send.
    NEEDS: ClassVar[UpdateKind | None] = None

    @property
    def inputs(self) -> tuple[PhysicalOperator, ...]:
        """The operators that this one reads, in order."""
        return ()

    def with_inputs(self, inputs: tuple[PhysicalOperator, ...]) -> PhysicalOperator:
        """The same operator over other inputs."""
        return self

    @property
    def row_type(self) -> RowType:
        """The columns that the operator gives."""
        raise NotImplementedError(type(self).__name__)

    def modify_kinds(self, inputs: tuple[Traits, ...]) -> ModifyKinds:
        """The changes that the operator gives.

        Raises:
            CompiledPlanError: the operator cannot take these inputs' changes.
        """
        return self.GIVES or reduce(or_, (item.modify_kinds for item in inputs), ModifyKinds.INSERT)

    def upsert_keys(self, inputs: tuple[Traits, ...]) -> Keys:
        """Column sets by which a consumer can tell which row a change is about, in order of arrival."""
        return NO_KEYS

    def local_keys(self, inputs: tuple[Traits, ...]) -> Keys:
        """Upsert keys among the rows of one task."""
        return self.upsert_keys(inputs)

    def monotonicity(self, inputs: tuple[Traits, ...]) -> tuple[Monotonicity, ...]:
        """How each column moves under updates."""
        return (Monotonicity.UNKNOWN,) * len(self.row_type.fields)

    def required_updates(self, wanted: UpdateKind, inputs: tuple[Traits, ...]) -> tuple[UpdateKind, ...] | None:
        """What each input must send for the operator to send `wanted`; None when it cannot.

        An input that has no updates is asked for none, whatever is returned for it.
        """
        return (self.NEEDS or wanted,) * len(inputs)

    def takes_old_rows(self, side: int) -> bool:
        """Whether an input that is asked for new rows alone, and cannot send them, may send the old ones too."""
        return False

    @property
    def needs_watermark(self) -> bool:
        """Whether the operator acts when watermarks pass."""
        return False

    @property
    def batches(self) -> MiniBatchMode | None:
        """The mini-batches that the operator asks for where the program has any; None: those of what reads it."""
        return None

    def sending(self, wanted: UpdateKind) -> PhysicalOperator:
        """The operator made to send updates as `wanted`."""
        return self

    def plan_node(self, at: NodeContext) -> PlanNode:
        """The operator as a node of the plan."""
        raise NotImplementedError(type(self).__name__)

    def title(self) -> str:
        """The operator in one line, as descriptions of plans write it."""
        raise NotImplementedError(type(self).__name__)

    def header(
        self, at: NodeContext, description: str | None = None, inputs: tuple[InputProperty, ...] | None = None
    ) -> Header:
        """The fields that every node has.

        Args:
            at: context of the node, with its id.
            description: the operator in words, where the title is not all of it.
            inputs: the distributions of the inputs, where the operator requires any.
        """
        return {
            "id": at.id,
            "input_properties": (InputProperty.spread(),) * len(self.inputs) if inputs is None else inputs,
            "output_type": self.row_type,
            "description": self.title() if description is None else description,
        }


@dataclass(frozen=True, slots=True)
class Single(PhysicalOperator):
    """An operator with one input whose columns, changes and keys it keeps unless it says otherwise."""

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
    """An operator with one input that makes other rows, of which no keys are known unless it says otherwise."""

    def upsert_keys(self, inputs: tuple[Traits, ...]) -> Keys:
        return NO_KEYS

    def monotonicity(self, inputs: tuple[Traits, ...]) -> tuple[Monotonicity, ...]:
        return (Monotonicity.UNKNOWN,) * len(self.row_type.fields)


@dataclass(frozen=True, slots=True)
class NewColumns(NewRows):
    """An operator that makes rows of its own columns."""

    columns: RowType = field(kw_only=True)

    @property
    def row_type(self) -> RowType:
        return self.columns


class OperatorPlanner:
    """Turns relational nodes into operators, each shared node once.

    Args:
        settings: the program's options.
        statements: all that is lowered, to know which nodes are read more than once.
    """

    def __init__(self, settings: Settings, statements: Sequence[RelNode]) -> None:
        self.settings = settings
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
            if rule is None:
                raise unsupported(type(rel).__name__)
            lowered = self._done[id(rel)] = rule(rel, self)
            self._kept.append(rel)
        return lowered

    def is_shared(self, rel: RelNode) -> bool:
        """Whether more than one node reads this one."""
        return self._readers[id(rel)] > 1

    def traits(self, operator: PhysicalOperator) -> Traits:
        """What is known of an operator's output."""
        known = self._facts.get(id(operator))
        if known is None:
            inputs = tuple(map(self.traits, operator.inputs))
            traits = Traits(
                operator.modify_kinds(inputs),
                operator.upsert_keys(inputs),
                operator.local_keys(inputs),
                operator.monotonicity(inputs),
            )
            known = self._facts[id(operator)] = (operator, traits)
        return known[1]


R = TypeVar("R", bound=RelNode)
Rule = Callable[[R, OperatorPlanner], PhysicalOperator]
_RULES: dict[type[RelNode], Callable[..., PhysicalOperator]] = {}


def _rule(kind: type[RelNode]) -> Callable[..., PhysicalOperator] | None:
    """The function that makes an operator of a node; its module, which has the node's name, is loaded when needed."""
    if kind not in _RULES:
        name = f"{__package__}.{_snake_case(kind.__name__)}"
        if find_spec(name) is not None:
            import_module(name)
    return _RULES.get(kind)


def _snake_case(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")


def lowers(kind: type[R]) -> Callable[[Rule[R]], Rule[R]]:
    """Register the function that makes an operator of a kind of relational node."""

    def register(rule: Rule[R]) -> Rule[R]:
        _RULES[kind] = rule
        return rule

    return register


def unsupported(construct: str, *, where: str = "", remedy: str = "") -> UnsupportedError:
    """The error for a program that uses what the planner has no operator for."""
    return UnsupportedError(
        f"{construct} is not supported in a streaming plan",
        where=where,
        remedy=remedy or "rewrite the query without it",
    )


P = ParamSpec("P")
M = TypeVar("M", bound=PlanModel)


def make(model: Callable[P, M]) -> Callable[P, M]:
    """The constructor of a plan's model without validation.

    Values made here are of the declared types; validating them would first compile a validator for every class.
    """
    return cast("Callable[P, M]", cast("type[M]", model).model_construct)
