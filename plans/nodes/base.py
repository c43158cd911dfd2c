"""Base classes of plan nodes and of the objects within them.

A node class is the only declaration of its operator: the type's name and version, its typed fields (snake_case in
Python, camelCase in JSON), its state entries, and the division of fields into *enforcing* (they shape the state) and
*passive*. Reading, writing, the JSON Schema, the editor and the executor's registry are derived from it.

Source of names, versions and fields: Flink 2.3's plans and `ExecNodeMetadata`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import Field
from pydantic.alias_generators import to_camel

from compiled_plan.plans.findings import Fault, refusal
from compiled_plan.plans.nodes.declared import Declared
from compiled_plan.plans.nodes.fields import RowTypeJson
from compiled_plan.plans.nodes.flink_state import FlinkMapping
from compiled_plan.plans.nodes.model import Always, FieldMark, Int, PlanModel
from compiled_plan.plans.nodes.tables import CatalogTable
from compiled_plan.plans.text.durations import parse_duration
from compiled_plan.plans.text.jsontext import Json
from compiled_plan.plans.text.visible import counted
from compiled_plan.plans.types import LogicalType, RowType
from compiled_plan.plans.types.changelog import ChangelogMode

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from compiled_plan.plans.nodes.flink_state import Row, StateItem


DistributionKind = Literal["HASH", "KEEP_INPUT_AS_IS", "BROADCAST", "SINGLETON", "ANY", "UNKNOWN"]


class Distribution(PlanModel):
    """Required distribution of an input over the parallel tasks. Only HASH has `keys` (column indices)."""

    type: DistributionKind
    keys: tuple[Int, ...] | None = None


class InputProperty(PlanModel):
    """Requirements of a node on one of its inputs."""

    required_distribution: Distribution
    dam_behavior: Literal["PIPELINED", "END_INPUT", "BLOCKING"]
    priority: Always[Int] = 0

    @classmethod
    def spread(
        cls, kind: DistributionKind = "UNKNOWN", keys: tuple[int, ...] | None = None, priority: int = 0
    ) -> InputProperty:
        """The property of an input with this distribution; not validated."""
        distribution = Distribution.model_construct(type=kind, keys=keys)
        return cls.model_construct(required_distribution=distribution, dam_behavior="PIPELINED", priority=priority)


class StateEntry(PlanModel):
    """One entry of a node's `state` array: the TTL of the state of input number `index`.

    `ttl` is the duration's text as in the file (`3600000 ms`, `1 h`); `0 ms` never expires, a bare number is
    milliseconds.
    """

    index: Int
    ttl: Annotated[str, Field(coerce_numbers_to_str=True, json_schema_extra={"type": ["string", "integer"]})]
    name: str

    @property
    def ttl_ms(self) -> int:
        """The TTL in milliseconds; 0 never expires. Raises PlanError for an invalid duration."""
        return parse_duration(self.ttl)


@dataclass(frozen=True, slots=True)
class StateSlot:
    """Declaration of a state entry: its name and the number of its input."""

    name: str
    index: int


@dataclass(frozen=True, slots=True)
class TtlField:
    """Declaration of a TTL in a field of its own, in milliseconds, instead of the `state` array.

    Without a value the option `table.exec.state.ttl` holds.
    """

    name: str  # of the entry, in output and edits
    index: int  # number of the input whose state it is
    field: str  # the node's field, an `Int | None`

    @property
    def alias(self) -> str:
        """Name of the field in JSON."""
        return to_camel(self.field)


@dataclass(frozen=True, slots=True)
class TtlPlace:
    """Place of a TTL in a node's JSON, and its form there."""

    path: tuple[str | int, ...]
    in_milliseconds: bool = False  # a number; else the text of a duration

    def value(self, ttl: str) -> Json:
        """The JSON value of a TTL given as a duration's text."""
        return parse_duration(ttl) if self.in_milliseconds else ttl


@dataclass(frozen=True, slots=True)
class Arity:
    """Number of inputs of a node type; `most` is None if unlimited."""

    least: int
    most: int | None

    def accepts(self, count: int) -> bool:
        """Return True if a node may have `count` inputs."""
        return count >= self.least and (self.most is None or count <= self.most)

    def __str__(self) -> str:
        if self.least == self.most:
            return counted(self.least, "input")
        return f"{self.least} or more inputs" if self.most is None else f"{self.least} to {self.most} inputs"


INSERTS = ChangelogMode.INSERT
NO_INPUT, ONE_INPUT, TWO_INPUTS, SOME_INPUTS = Arity(0, 0), Arity(1, 1), Arity(2, 2), Arity(1, None)
#: Prefix of the names of all streaming node types.
PREFIX = "stream-exec-"
#: The option that holds the TTL of idle keys, and the name of that entry in output.
TTL, IDLE_ENTRY = "table.exec.state.ttl", "idleState"
_LAST = ("input_properties", "output_type", "description")


@dataclass(frozen=True, slots=True)
class Inputs:
    """Context of a node's rule: row type and origin (skipping exchanges) of each input."""

    rows: tuple[RowType, ...]
    nodes: tuple[PlanNode, ...]
    #: The inputs of those nodes.
    before: tuple[tuple[RowType, ...], ...] = ()
    #: The kinds of rows that certainly arrive.
    received: ChangelogMode = ChangelogMode.INSERT
    #: The declarations of connectors and formats.
    declared: Declared = field(kw_only=True)

    @property
    def types(self) -> tuple[LogicalType, ...]:
        """The columns of the first input."""
        return self.rows[0].types

    @property
    def all_types(self) -> tuple[LogicalType, ...]:
        """The concatenated columns of all inputs."""
        return tuple(type_ for row in self.rows for type_ in row.types)


class PlanNode(PlanModel):
    """Base of all plan nodes.

    A subclass with a NAME is registered under `NAME_VERSION`, the `type` of its JSON.
    """

    #: The type's name and version in the plan, `stream-exec-join` and 1.
    NAME: ClassVar[str] = ""
    VERSION: ClassVar[int] = 1
    #: The number of inputs.
    INPUTS: ClassVar[Arity] = ONE_INPUT
    #: The entries of the `state` array.
    STATE: ClassVar[tuple[StateSlot, ...]] = ()
    #: The TTLs outside the `state` array.
    TTL_FIELDS: ClassVar[tuple[TtlField, ...]] = ()
    #: Own fields before `state`, if Flink's order differs from the declared one.
    ORDER: ClassVar[tuple[str, ...]] = ()
    #: Own fields that Flink writes after the description.
    TAIL: ClassVar[tuple[str, ...]] = ()
    #: True if operators of the type have state (windows do, without a `state` array).
    KEEPS_STATE: ClassVar[bool] = False
    #: The reason why a node that has state has no entries in `state`.
    WITHOUT_ENTRIES: ClassVar[str] = ""
    #: Flink's transformation that holds the operator's state, part of its uid; empty if unknown.
    TRANSFORMATION: ClassVar[str] = ""
    #: Label of the operator in a drawing; see `title`.
    TITLE: ClassVar[str] = ""
    #: False if the product cannot run the node: it is read, written, and refused by name at execution.
    RUNNABLE: ClassVar[bool] = True
    #: The way to the same rows without a node that does not run.
    INSTEAD: ClassVar[str] = "write the query without it, or run the plan in Flink"

    id: Int
    input_properties: tuple[InputProperty, ...] = ()
    output_type: RowTypeJson
    description: str
    #: Persisted options that the node was planned with.
    configuration: dict[str, str] = Field(default_factory=dict)
    #: Name of the operator's state across plans; Flink ignores the field.
    uid: str | None = None
    #: The planner's TTL by entry name, to detect edits; Flink ignores the field.
    ttl_as_compiled: dict[str, str] | None = None

    @property
    def runnable(self) -> bool:
        """True if the product can run this node; of some types it runs only some nodes."""
        return self.RUNNABLE

    def refusal(self) -> Fault:
        """The fault of a node that is not `runnable`."""
        return self.type_refusal()

    @classmethod
    def type_refusal(cls) -> Fault:
        """The fault of a type that is not `RUNNABLE`."""
        name = cls.type_name()
        return refusal(("type",), f"a plan with {name} cannot run here", cls.INSTEAD, name)

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
        """Label of the operator in a drawing: `Aggregate {of}{by}`.

        Placeholders: `of`, `left` and `right` (tables of the first and last input), `inputs` and `distinct` (tables of
        all inputs, each once), `table` (read or written), `by` and `for_each` (the key), `ranks`.
        """
        return self.TITLE or self.kind.replace("-", " ").capitalize()

    @property
    def columns_end(self) -> int | None:
        """The first index that refers to something else than columns of the input; None: all refer to columns."""
        return None

    @property
    def keeps_state(self) -> bool:
        """True if this operator has state; of some types only some operators do."""
        return self.KEEPS_STATE

    @property
    def flink_mapping(self) -> FlinkMapping:
        """The mapping of its state in a savepoint of Flink."""
        return FlinkMapping(refusal=f"Flink's state of a {self.kind} is not converted")

    @classmethod
    def why_no_entries(cls) -> str:
        """The reason why nodes of the type have no entries in `state`."""
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

    @property
    def shaping_fields(self) -> frozenset[str]:
        """Names in JSON of the fields that shape this node's state."""
        return frozenset(to_camel(name) for name in self.enforcing_fields())

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
    def listed_entries(self) -> tuple[StateEntry, ...]:
        """The node's `state` array, in file order; empty if there is none."""
        return ()

    @property
    def state_entries(self) -> tuple[StateEntry, ...]:
        """The TTLs of the state of single inputs: the `state` array, and fields of their own."""
        return (*self.listed_entries, *(self._field_entry(field) for field in self.TTL_FIELDS))

    def _field_entry(self, field: TtlField) -> StateEntry:
        milliseconds = getattr(self, field.field)
        ttl = f"{milliseconds} ms" if milliseconds is not None else self.configuration.get(TTL, "0 ms")
        return StateEntry(index=field.index, ttl=ttl, name=field.name)

    def tables(self) -> tuple[tuple[tuple[str, ...], CatalogTable], ...]:
        """The tables that the node reads or writes, with their paths in its JSON."""
        return ()

    @property
    def forgets_idle_keys(self) -> bool:
        """True if the state of keys that are idle for `table.exec.state.ttl` expires as a whole.

        Flink has no `state` array for such a node: it reads the option from the node's `configuration`, else from the
        session that runs the plan.
        """
        return False

    @property
    def ttl_entries(self) -> tuple[StateEntry, ...]:
        """All entries with a TTL: those of inputs, and the option if idle keys expire."""
        if not self.forgets_idle_keys:
            return self.state_entries
        return (*self.state_entries, StateEntry(index=0, ttl=self.configuration.get(TTL, "0 ms"), name=IDLE_ENTRY))

    def ttl_place(self, number: int) -> TtlPlace:
        """The place of entry `number` of `ttl_entries` in the node's JSON."""
        listed = len(self.listed_entries)
        if number < listed:
            return TtlPlace(("state", number, "ttl"))
        if number < len(self.state_entries):
            return TtlPlace((self.TTL_FIELDS[number - listed].alias,), in_milliseconds=True)
        return TtlPlace(("configuration", TTL))

    def with_ttls(self, ttls: Mapping[str, str]) -> Self:
        """Copy the node with other TTLs, by names of entries."""
        update: dict[str, object] = {
            field.field: parse_duration(ttls[field.name]) for field in self.TTL_FIELDS if field.name in ttls
        }
        if self.listed_entries:
            entries = self.listed_entries
            update["state"] = tuple(
                entry.model_copy(update={"ttl": ttls[entry.name]}) if entry.name in ttls else entry for entry in entries
            )
        node = self.model_copy(update=update) if update else self
        return node.with_option(TTL, ttls[IDLE_ENTRY]) if IDLE_ENTRY in ttls else node

    def with_option(self, key: str, value: str) -> Self:
        """Copy the node with an option added to its sorted `configuration`."""
        return self.model_copy(update={"configuration": dict(sorted((self.configuration | {key: value}).items()))})

    @property
    def reads_session_ttl(self) -> bool:
        """True if the option `table.exec.state.ttl` holds for state of the node."""
        return self.forgets_idle_keys or bool(self.TTL_FIELDS)

    def faults(self, inputs: Inputs) -> Iterator[Fault]:
        """Faults by the node's rule: contradictions between its fields, its output and its inputs."""
        return iter(())

    def sends(self, received: ChangelogMode) -> ChangelogMode:
        """The kinds of rows that it certainly sends if its inputs, or its table, send `received`."""
        return received if not self.KEEPS_STATE else INSERTS

    def may_send(self, received: Sequence[ChangelogMode]) -> ChangelogMode:
        """The kinds of rows that it may send if its inputs, or its table, may send `received`."""
        return reduce(or_, received)

    def flink_state(self, rows: Sequence[Row]) -> Iterator[StateItem]:
        """Items that determine the serializers of its state in Flink, by the columns of its inputs."""
        return iter(())

    def ttl_ms(self, index: int) -> int:
        """The TTL of the state of input `index` in milliseconds; 0 never expires."""
        return next((entry.ttl_ms for entry in self.state_entries if entry.index == index), 0)

    def to_dict(self) -> dict[str, Json]:
        entries = super().to_dict()
        if not self.configuration:
            entries.pop("configuration", None)
        return {"id": entries.pop("id"), "type": self.type} | entries


class StatefulNode(PlanNode):
    """Base of the nodes with a `state` array, with one entry per input that is stored."""

    KEEPS_STATE: ClassVar[bool] = True
    WITHOUT_ENTRIES: ClassVar[str] = "it keeps no state"

    state: tuple[StateEntry, ...] = ()

    @property
    def listed_entries(self) -> tuple[StateEntry, ...]:
        return self.state


#: The node types of the modules imported so far: `stream-exec-join_1` -> class. See `registry`.
NODE_TYPES: dict[str, type[PlanNode]] = {}
