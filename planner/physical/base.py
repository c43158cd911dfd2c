"""What every physical operator declares, and the registry that makes operators from relational nodes.

An operator says which changes it gives (`changes`), which sets of columns identify a row of its changelog
(`upsert_keys`), what it needs of its inputs' updates (`update_needs`), and how it stands in a plan (`plan_node`).
One file an operator family; a family registers itself with `lowers`.

Source of the rules: Flink's "Dynamic Tables" page and the plans that Flink 2.3 compiles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, Flag
from importlib import import_module
from typing import TYPE_CHECKING, ParamSpec, TypeVar, cast

from planner.algebra.nodes import RelNode
from planner.algebra.traverse import nodes
from plans.errors import UnsupportedError
from plans.nodes.base import Distribution, InputProperty, PlanModel, PlanNode
from plans.types import RowType

if TYPE_CHECKING:
    from planner.settings import Settings

Key = frozenset[int]
Keys = frozenset[Key]

NO_KEYS: Keys = frozenset()


class Kinds(Flag):
    """Which changes may occur in a changelog."""

    INSERT = 1
    UPDATE = 2
    DELETE = 4
    ALL = INSERT | UPDATE | DELETE

    @property
    def insert_only(self) -> bool:
        """Whether rows are only ever added."""
        return self is Kinds.INSERT

    @property
    def updates(self) -> bool:
        """Whether rows may be updated."""
        return Kinds.UPDATE in self


class Updates(Enum):
    """How an update is sent: not at all, the new row alone, or the old row and the new one."""

    NONE = "NONE"
    AFTER = "AFTER"
    BOTH = "BOTH"


class Batches(Enum):
    """How the rows of a mini-batch are told: by the clock, by watermarks; or not at all."""

    PROCTIME = "ProcTime"
    ROWTIME = "RowTime"
    NONE = "None"


class Trend(Enum):
    """How a column's value moves when its row is updated."""

    CONSTANT = "CONSTANT"
    INCREASING = "INCREASING"
    DECREASING = "DECREASING"
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of the output of one operator: its changes, its upsert keys, how its columns move.

    `local_keys` are upsert keys among the rows that an exchange has brought together; one may lack its columns.
    """

    kinds: Kinds
    upsert_keys: Keys
    local_keys: Keys
    trends: tuple[Trend, ...]


@dataclass(frozen=True, slots=True)
class Emission:
    """What an operator needs to become a plan node: its id, its columns' names, settings, facts of its inputs."""

    id: int
    settings: Settings
    inputs: tuple[Facts, ...]
    own: Facts


@dataclass(frozen=True, slots=True)
class Operator:
    """Base of physical operators. Immutable; a shared operator is one object."""

    @property
    def inputs(self) -> tuple[Operator, ...]:
        """The operators that this one reads, in order."""
        return ()

    def with_inputs(self, inputs: tuple[Operator, ...]) -> Operator:
        """The same operator over other inputs."""
        return self

    @property
    def row_type(self) -> RowType:
        """The columns that the operator gives."""
        raise NotImplementedError(type(self).__name__)

    def kinds(self, inputs: tuple[Facts, ...]) -> Kinds:
        """The changes that the operator gives; those of its inputs unless it says otherwise.

        Raises:
            CompiledPlanError: the operator cannot take these inputs' changes.
        """
        found = Kinds.INSERT
        for item in inputs:
            found |= item.kinds
        return found

    def upsert_keys(self, inputs: tuple[Facts, ...]) -> Keys:
        """Column sets by which a consumer can tell which row a change is about, in order of arrival."""
        return NO_KEYS

    def local_keys(self, inputs: tuple[Facts, ...]) -> Keys:
        """Upsert keys among the rows of one task."""
        return self.upsert_keys(inputs)

    def trends(self, inputs: tuple[Facts, ...]) -> tuple[Trend, ...]:
        """How each column moves under updates."""
        return (Trend.UNKNOWN,) * len(self.row_type.fields)

    def update_needs(self, wanted: Updates, inputs: tuple[Facts, ...]) -> tuple[Updates, ...] | None:
        """What each input must send for the operator to send `wanted`; None when it cannot.

        An input that has no updates is asked for none, whatever is returned for it.
        """
        return tuple(wanted for _ in inputs)

    def takes_old_rows(self, side: int) -> bool:
        """Whether an input that is asked for new rows alone, and cannot send them, may send the old ones too."""
        return False

    @property
    def needs_watermark(self) -> bool:
        """Whether the operator acts when watermarks pass."""
        return False

    @property
    def batches(self) -> Batches | None:
        """The mini-batches that the operator asks for where the program has any; None: those of what reads it."""
        return None

    def sending(self, wanted: Updates) -> Operator:
        """The operator made to send updates as `wanted`."""
        return self

    def plan_node(self, at: Emission) -> PlanNode:
        """The operator as a node of the plan."""
        raise NotImplementedError(type(self).__name__)

    def title(self) -> str:
        """The operator in one line, as descriptions of plans write it."""
        raise NotImplementedError(type(self).__name__)


@dataclass(frozen=True, slots=True)
class Single(Operator):
    """An operator with one input whose columns, changes and keys it keeps unless it says otherwise."""

    input: Operator

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return (self.input,)

    def with_inputs(self, inputs: tuple[Operator, ...]) -> Operator:
        return replace(self, input=inputs[0])

    @property
    def row_type(self) -> RowType:
        return self.input.row_type

    def upsert_keys(self, inputs: tuple[Facts, ...]) -> Keys:
        return inputs[0].upsert_keys

    def trends(self, inputs: tuple[Facts, ...]) -> tuple[Trend, ...]:
        found = inputs[0].trends
        return found if len(found) == len(self.row_type.fields) else super(Single, self).trends(inputs)


class Lowering:
    """Turns relational nodes into operators, each shared node once.

    Args:
        settings: the program's options.
        statements: all that is lowered, to know which nodes are read more than once.
    """

    def __init__(self, settings: Settings, statements: Sequence[RelNode]) -> None:
        self.settings = settings
        self._readers = Counter(id(child) for rel in nodes(statements) for child in rel.inputs)
        self._statements = tuple(statements)
        self._done: dict[int, Operator] = {}
        self._kept: list[RelNode] = []
        self._facts: dict[int, tuple[Operator, Facts]] = {}

    def lower(self, rel: RelNode) -> Operator:
        """The operator that computes a relational node.

        Raises:
            UnsupportedError: no operator is known for the node; names it.
        """
        found = self._done.get(id(rel))
        if found is None:
            rule = _rule(type(rel))
            if rule is None:
                raise unsupported(type(rel).__name__)
            found = self._done[id(rel)] = rule(rel, self)
            self._kept.append(rel)
        return found

    def is_shared(self, rel: RelNode) -> bool:
        """Whether more than one node reads this one."""
        return self._readers[id(rel)] > 1

    def facts(self, operator: Operator) -> Facts:
        """What is known of an operator's output."""
        found = self._facts.get(id(operator))
        if found is None:
            inputs = tuple(map(self.facts, operator.inputs))
            facts = Facts(
                operator.kinds(inputs),
                operator.upsert_keys(inputs),
                operator.local_keys(inputs),
                operator.trends(inputs),
            )
            found = self._facts[id(operator)] = (operator, facts)
        return found[1]


R = TypeVar("R", bound=RelNode)
Rule = Callable[[R, Lowering], Operator]
_RULES: dict[type[RelNode], Callable[..., Operator]] = {}


#: Which module makes operators of the nodes that only some programs have; it is loaded when one does.
_ELSEWHERE = {
    "Aggregate": "aggregate",
    "Correlate": "table_function",
    "Deduplicate": "rank",
    "GroupWindowAggregate": "window_aggregate",
    "Join": "join",
    "Match": "match",
    "OverAggregate": "over",
    "Rank": "rank",
    "Sort": "rank",
    "TemporalJoin": "temporal_join",
    "WindowAggregate": "window_aggregate",
    "WindowDeduplicate": "window_join",
    "WindowJoin": "window_join",
    "WindowRank": "window_join",
    "WindowTable": "windowing",
}


def _rule(kind: type[RelNode]) -> Callable[..., Operator] | None:
    if kind not in _RULES and kind.__name__ in _ELSEWHERE:
        import_module(f"planner.physical.{_ELSEWHERE[kind.__name__]}")
    return _RULES.get(kind)


def lowers(kind: type[R]) -> Callable[[Rule[R]], Rule[R]]:
    """Register the function that makes an operator of a kind of relational node."""

    def register(rule: Rule[R]) -> Rule[R]:
        _RULES[kind] = rule
        return rule

    return register


def unsupported(what: str, *, where: str = "", remedy: str = "") -> UnsupportedError:
    """The error for a program that uses what the planner has no operator for."""
    return UnsupportedError(
        f"{what} is not supported in a streaming plan",
        where=where,
        remedy=remedy or "rewrite the query without it",
    )


def map_keys(keys: Keys, mapping: Mapping[int, int]) -> Keys:
    """The keys all of whose columns are still there, over the new columns."""
    return frozenset(
        frozenset(mapping[index] for index in key) for key in keys if all(index in mapping for index in key)
    )


def keys_within(keys: Keys, columns: Key) -> Keys:
    """The keys that hold all of `columns`.

    Rows are spread by `columns`: changes of one row stay in order only under a key that holds them.
    """
    return frozenset(key for key in keys if columns <= key)


def smallest(keys: Keys) -> Key | None:
    """The key of the fewest columns, of those the leftmost; None when there is none."""
    return min(keys, key=lambda key: (len(key), sorted(key)), default=None)


def listed_keys(keys: Keys) -> tuple[tuple[int, ...], ...]:
    """The keys in the order in which plans list them, the smallest first."""
    return tuple(tuple(sorted(key)) for key in sorted(keys, key=lambda key: (len(key), sorted(key))))


P = ParamSpec("P")
M = TypeVar("M", bound=PlanModel)


def make(model: Callable[P, M]) -> Callable[P, M]:
    """The constructor of a plan's model without validation.

    Values made here are of the declared types; validating them would first compile a validator for every class.
    """
    return cast("Callable[P, M]", cast("type[M]", model).model_construct)


def any_distribution(count: int = 1) -> tuple[InputProperty, ...]:
    """The properties of inputs of which nothing is asked."""
    return tuple(make(InputProperty)(required_distribution=make(Distribution)(type="UNKNOWN")) for _ in range(count))
