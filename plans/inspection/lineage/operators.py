"""Operators with their state as data: named properties, each with a readable text and a digest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from compiled_plan.plans.inspection.lineage.meaning import Meaning, digest_of
from compiled_plan.plans.inspection.lineage.rows import Rows
from compiled_plan.plans.rex import UserFunction
from compiled_plan.plans.types import LogicalType


@dataclass(frozen=True, slots=True)
class Item:
    """One entry of a property."""

    text: str  # readable text
    digest: str  # equal for equal meanings
    full: str = ""  # a longer text, to distinguish items with equal texts
    type: str = ""  # type of its values, if any
    #: The name of a measure or a sink column.
    name: str = field(default="", compare=False, repr=False)
    #: Its meaning, if it was read from a plan.
    meaning: Meaning | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, meaning: Meaning, type_: str = "") -> Item:
        """Convert a meaning, with its type if relevant."""
        return cls(meaning.text, meaning.digest, meaning.full, type_, meaning=meaning)

    def to_dict(self) -> dict[str, str]:
        """The JSON form, without empty fields."""
        fields = {"text": self.text, "digest": self.digest}
        if self.full and self.full != self.text:
            fields["full"] = self.full
        return fields | ({"type": self.type} if self.type else {})

    @classmethod
    def from_dict(cls, fields: Mapping[str, str]) -> Item:
        return cls(fields["text"], fields["digest"], fields.get("full", ""), fields.get("type", ""))


def listed(items: Sequence[Item], *, typed: bool = False) -> str:
    """Items in words; "none" if empty."""
    return ", ".join(dict.fromkeys(f"{item.text} {item.type}".strip() if typed else item.text for item in items)) or (
        "none"
    )


class Role(Enum):
    """Relation of a property to its operator."""

    KEY = "what tells its keys apart"
    OWN = "what it does, of which rows"
    AROUND = "what follows from what stands around it: columns that others want, the kinds of rows that come"


@dataclass(frozen=True, slots=True)
class Property:
    """A property that affects the state of an operator: its key, its aggregates, the filter in front of it."""

    subject: str  # the name without the input's and without a number: "key", "aggregates"
    items: tuple[Item, ...]  # the values that the property lists
    role: Role = Role.OWN  # see `Role`
    value: Any = None  # the typed value of a property that lists no meanings; rules use it, reports show `text`
    of: str = ""  # the name of the input that the property belongs to, "left"; empty if there is only one
    input: int = 0
    number: int = 0  # counted from 1 if the subject occurs several times; otherwise 0

    @property
    def name(self) -> str:
        """The subject with its input and number, unique within an operator."""
        return " ".join(filter(None, (self.of, self.subject, str(self.number or ""))))

    @property
    def text(self) -> str:
        return ", ".join(item.text for item in self.items) or "none"

    @property
    def digest(self) -> str:
        """Digest of the items in order."""
        return digest_of([[item.digest, item.type] for item in self.items])


@dataclass(frozen=True, slots=True)
class OperatorLineage:
    """A stateful operator, or a sink that retracts rows."""

    node: int  # the node's id in the plan
    kind: str  # operators of different kinds have no properties in common
    uid: str  # empty if the plan sets none
    #: Properties that affect its state; comparable by name between operators of one kind.
    properties: tuple[Property, ...]
    identity: str  # digest of the properties and of everything upstream
    #: Digest of the operator itself: its key, its computation and its rows. Context is not part of it: columns stored
    #: for other operators, changelog modes of inputs, filters of upstream operators.
    own: str = ""
    zones: frozenset[str] = frozenset()  # time zones that the state depends on; "default" for that of the run
    functions: tuple[UserFunction, ...] = ()  # functions of users that compute the state
    key_types: tuple[LogicalType, ...] = ()  # types of the key columns

    def property(self, name: str) -> Property | None:
        """The property of this name."""
        return next((item for item in self.properties if item.name == name), None)

    def value(self, name: str) -> Any:
        """The typed value of a property; None if there is none or it lists meanings."""
        property_ = self.property(name)
        return None if property_ is None else property_.value

    def text(self, name: str) -> str:
        """The text of a property; empty if there is none."""
        property_ = self.property(name)
        return "" if property_ is None else property_.text


@dataclass(frozen=True, slots=True)
class SourceLineage:
    """A source table, or constant rows."""

    nodes: tuple[int, ...]
    name: str  # readable name
    identity: str  # equal for equal content
    properties: tuple[Property, ...]  # its location and read options


@dataclass(frozen=True, slots=True)
class Lineage:
    #: Sorted by identity, then name, so that node ids and the order of statements have no effect.
    sources: tuple[SourceLineage, ...]
    operators: tuple[OperatorLineage, ...]  # in the order of the plan
    tables: Mapping[int, tuple[str, ...]]  # by node, the names of the upstream tables
    rows: Mapping[int, str] = field(default_factory=dict)  # by node, the digest of its output rows
    flows: Mapping[int, Rows] = field(default_factory=dict)  # by node, its output rows

    def of(self, node: int) -> OperatorLineage | None:
        """The operator of a node; None if it is stateless."""
        return next((operator for operator in self.operators if operator.node == node), None)
