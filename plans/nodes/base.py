"""What every plan node and every object inside one is built on.

A node class is the one declaration of its operator: the type's name and version, its typed fields (snake_case in
Python, camelCase in JSON), its state entries, and which fields are *enforcing* (they shape the state) and which
*passive*. Reading, writing, the JSON Schema, the editor and the executor's registry are derived from it.

Source of names, versions and fields: Flink 2.3's plans and `ExecNodeMetadata`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field

from compiled_plan.plans.findings import Fault
from compiled_plan.plans.nodes.declared import Declared
from compiled_plan.plans.nodes.fields import RowTypeJson
from compiled_plan.plans.nodes.model import Always, FieldMark, Int, Json, PlanModel
from compiled_plan.plans.nodes.tables import CatalogTable
from compiled_plan.plans.text.visible import counted
from compiled_plan.plans.types import LogicalType, RowType
from compiled_plan.plans.types.changelog import ChangelogMode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from compiled_plan.plans.nodes.flink_state import Row, StateItem


DistributionKind = Literal["HASH", "KEEP_INPUT_AS_IS", "BROADCAST", "SINGLETON", "ANY", "UNKNOWN"]


class Distribution(PlanModel):
    """How an input must be spread over the parallel tasks. `keys` (column indices) with HASH alone."""

    type: DistributionKind
    keys: tuple[Int, ...] | None = None


class InputProperty(PlanModel):
    """What a node asks of one of its inputs."""

    required_distribution: Distribution
    dam_behavior: Literal["PIPELINED", "END_INPUT", "BLOCKING"]
    priority: Always[Int] = 0

    @classmethod
    def spread(
        cls, kind: DistributionKind = "UNKNOWN", keys: tuple[int, ...] | None = None, priority: int = 0
    ) -> InputProperty:
        """The property of an input whose rows are spread in a way; without validation."""
        distribution = Distribution.model_construct(type=kind, keys=keys)
        return cls.model_construct(required_distribution=distribution, dam_behavior="PIPELINED", priority=priority)


class StateEntry(PlanModel):
    """One entry of a node's `state` array: the TTL of what the node keeps of its input number `index`.

    `ttl` is the duration's text as in the file (`3600000 ms`, `1 h`); `0 ms` never expires, a bare number is
    milliseconds.
    """

    index: Int
    ttl: Annotated[str, Field(coerce_numbers_to_str=True, json_schema_extra={"type": ["string", "integer"]})]
    name: str

    @property
    def ttl_ms(self) -> int:
        """The TTL in milliseconds; 0 never expires. Raises PlanError for what is no duration."""
        from compiled_plan.plans.text.durations import parse_duration

        return parse_duration(self.ttl)


@dataclass(frozen=True, slots=True)
class StateSlot:
    """A state entry that a node type has: its name and the number of the input it belongs to."""

    name: str
    index: int


@dataclass(frozen=True, slots=True)
class Arity:
    """How many inputs a node type takes; `most` is None where there is no limit."""

    least: int
    most: int | None

    def accepts(self, count: int) -> bool:
        """Whether a node may have this many inputs."""
        return count >= self.least and (self.most is None or count <= self.most)

    def __str__(self) -> str:
        if self.least == self.most:
            return counted(self.least, "input")
        return f"{self.least} or more inputs" if self.most is None else f"{self.least} to {self.most} inputs"


INSERTS = ChangelogMode.INSERT
NO_INPUT, ONE_INPUT, TWO_INPUTS, SOME_INPUTS = Arity(0, 0), Arity(1, 1), Arity(2, 2), Arity(1, None)
#: What the names of all node types of streams begin with.
PREFIX = "stream-exec-"
#: The option whose TTL holds for idle keys, and the name of that entry for people.
TTL, IDLE_ENTRY = "table.exec.state.ttl", "idleState"
_LAST = ("input_properties", "output_type", "description")


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a rule may look at: the row type of each input, and the node that it comes from, exchanges stepped over."""

    rows: tuple[RowType, ...]
    nodes: tuple[PlanNode, ...]
    #: The inputs of those nodes.
    before: tuple[tuple[RowType, ...], ...] = ()
    #: The kinds of rows that certainly come.
    received: ChangelogMode = ChangelogMode.INSERT
    #: What connectors and formats declare.
    declared: Declared = field(kw_only=True)

    @property
    def types(self) -> tuple[LogicalType, ...]:
        """The columns of the first input."""
        return self.rows[0].types

    @property
    def all_types(self) -> tuple[LogicalType, ...]:
        """The columns of all inputs, one after another."""
        return tuple(type_ for row in self.rows for type_ in row.types)


class PlanNode(PlanModel):
    """Base of all plan nodes.

    A subclass with a NAME is registered under `NAME_VERSION`, the `type` of its JSON.
    """

    #: The type's name and version in the plan, `stream-exec-join` and 1.
    NAME: ClassVar[str] = ""
    VERSION: ClassVar[int] = 1
    #: How many inputs the node takes.
    INPUTS: ClassVar[Arity] = ONE_INPUT
    #: The entries of the `state` array.
    STATE: ClassVar[tuple[StateSlot, ...]] = ()
    #: Own fields before `state`, where Flink's order is not the declared one.
    ORDER: ClassVar[tuple[str, ...]] = ()
    #: Own fields that Flink writes after the description.
    TAIL: ClassVar[tuple[str, ...]] = ()
    #: Whether operators of the type keep anything between rows (windows do, without a `state` array).
    KEEPS_STATE: ClassVar[bool] = False
    #: Why a node without entries in `state` has none, where it is not that it keeps no state.
    WITHOUT_ENTRIES: ClassVar[str] = ""
    #: The transformation of Flink that keeps the operator's state, a part of its uid; empty where it is not known.
    TRANSFORMATION: ClassVar[str] = ""
    #: A few words for the operator in a drawing; see `title`.
    TITLE: ClassVar[str] = ""
    #: Whether the product can run the node; one that it cannot is read, written and refused at execution by name.
    RUNNABLE: ClassVar[bool] = True

    id: Int
    input_properties: tuple[InputProperty, ...] = ()
    output_type: RowTypeJson
    description: str
    #: Persisted options that the node was planned with.
    configuration: dict[str, str] = Field(default_factory=dict)
    #: Name of the operator's state across plans; a field that Flink ignores.
    uid: str | None = None
    #: By name of entry the TTL that the planner gave, by which edits are known; a field that Flink ignores.
    ttl_as_compiled: dict[str, str] | None = None

    @property
    def runnable(self) -> bool:
        """Whether the product can run this node; of some types only some."""
        return self.RUNNABLE

    @classmethod
    def type_name(cls) -> str:
        """The `type` of the node's JSON: name and version."""
        return f"{cls.NAME}_{cls.VERSION}"

    @property
    def type(self) -> str:
        """The `type` of the node's JSON: name and version."""
        return self.type_name()

    @property
    def kind(self) -> str:
        """The operator's short name, `join` of `stream-exec-join_1`."""
        return self.NAME.removeprefix(PREFIX)

    @property
    def title(self) -> str:
        """A few words for the operator in a drawing: `Aggregate {of}{by}`.

        Placeholders: `of`, `left` and `right` (tables of the first and last input), `inputs` and `distinct` (tables of
        all inputs, each once), `table` (read or written), `by` and `for_each` (the key), `ranks`.
        """
        return self.TITLE or self.kind.replace("-", " ").capitalize()

    @property
    def columns_end(self) -> int | None:
        """From which number on indices stand for something else than columns of the input; None: all are columns."""
        return None

    @property
    def keeps_state(self) -> bool:
        """Whether this operator keeps anything between rows; of some types only some do."""
        return self.KEEPS_STATE

    @classmethod
    def why_no_entries(cls) -> str:
        """Why a node of the type has no entries in `state`."""
        return cls.WITHOUT_ENTRIES or ("watermarks clean its state" if cls.KEEPS_STATE else "it keeps no state")

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        if cls.__dict__.get("NAME"):
            NODE_TYPES[cls.type_name()] = cls

    @classmethod
    def enforcing_fields(cls) -> tuple[str, ...]:
        """Names of the fields that shape the node's state."""
        return tuple(n for n, info in cls.model_fields.items() if FieldMark.ENFORCING in info.metadata)

    @classmethod
    def field_order(cls) -> list[str]:
        """All fields in the order of Flink's JSON: own fields, then state, inputs, output type, description."""
        shared = set(PlanNode.model_fields) | {"state"}
        own = list(cls.ORDER) or [name for name in cls.model_fields if name not in shared and name not in cls.TAIL]
        state = ["state"] if "state" in cls.model_fields else []
        return ["id", "configuration", *own, *state, *_LAST, *cls.TAIL, "uid", "ttl_as_compiled"]

    def state_slots(self, input_count: int) -> tuple[StateSlot, ...]:
        """The entries that this node's `state` array must have."""
        return self.STATE

    @property
    def state_entries(self) -> tuple[StateEntry, ...]:
        """The node's `state` array, in the order of the file; empty for a node without one."""
        return ()

    def tables(self) -> tuple[tuple[tuple[str, ...], CatalogTable], ...]:
        """The tables that the node reads or writes, with their places in its JSON."""
        return ()

    @property
    def forgets_idle_keys(self) -> bool:
        """Whether keys to which nothing happens for `table.exec.state.ttl` are forgotten as a whole.

        Flink has no `state` array for such a node: it takes the option from the node's `configuration`, else from the
        session that runs the plan.
        """
        return False

    @property
    def ttl_entries(self) -> tuple[StateEntry, ...]:
        """All that has a TTL: the `state` array, and the option where idle keys are forgotten."""
        if not self.forgets_idle_keys:
            return self.state_entries
        return (*self.state_entries, StateEntry(index=0, ttl=self.configuration.get(TTL, "0 ms"), name=IDLE_ENTRY))

    def faults(self, inputs: Inputs) -> Iterator[Fault]:
        """What does not fit: the node's rule, how its fields and its output follow from its inputs."""
        return iter(())

    def sends(self, received: ChangelogMode) -> ChangelogMode:
        """The kinds of rows that it certainly sends, given those that come from all its inputs; or from its table."""
        return received if not self.KEEPS_STATE else INSERTS

    def may_send(self, received: Sequence[ChangelogMode]) -> ChangelogMode:
        """The kinds of rows that it may send, given those that may come to each input; or from its table."""
        return reduce(or_, received)

    def flink_state(self, rows: Sequence[Row]) -> Iterator[StateItem]:
        """The items that the serializers of its state are made of in Flink, given the columns of its inputs."""
        return iter(())

    def ttl_ms(self, index: int) -> int:
        """TTL in milliseconds of what is kept of input `index`; 0 never expires."""
        return next((entry.ttl_ms for entry in self.state_entries if entry.index == index), 0)

    def to_dict(self) -> dict[str, Json]:
        entries = super().to_dict()
        if not self.configuration:
            entries.pop("configuration", None)
        return {"id": entries.pop("id"), "type": self.type} | entries


class StatefulNode(PlanNode):
    """Base of the nodes with a `state` array, one entry for each input that is kept."""

    KEEPS_STATE: ClassVar[bool] = True
    WITHOUT_ENTRIES: ClassVar[str] = "it keeps no state"

    state: tuple[StateEntry, ...] = ()

    @property
    def state_entries(self) -> tuple[StateEntry, ...]:
        return self.state


#: The node types declared in the modules loaded so far: `stream-exec-join_1` -> class. See `registry`.
NODE_TYPES: dict[str, type[PlanNode]] = {}
