"""Operators with what they keep as data: named properties, each with a text for people and a digest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from compiled_plan.plans.inspection.lineage.meaning import Meaning, digest_of
from compiled_plan.plans.inspection.lineage.rows import Rows
from compiled_plan.plans.rex import PythonFunction
from compiled_plan.plans.types import LogicalType


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that a property lists."""

    text: str  # for people
    digest: str  # equal for equal meanings
    full: str = ""  # a longer text, for where texts are equal and digests are not
    type: str = ""  # the type of its values, where it has any
    #: The name that it is listed under, of a measure or a column of a sink.
    name: str = field(default="", compare=False, repr=False)
    #: What it means, where it was read from a plan.
    meaning: Meaning | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, meaning: Meaning, type_: str = "") -> Item:
        """A meaning, of a type if that counts."""
        return cls(meaning.text, meaning.digest, meaning.full, type_, meaning=meaning)

    def to_dict(self) -> dict[str, str]:
        """The JSON form; what says nothing is left out."""
        found = {"text": self.text, "digest": self.digest}
        if self.full and self.full != self.text:
            found["full"] = self.full
        return found | ({"type": self.type} if self.type else {})

    @classmethod
    def from_dict(cls, found: Mapping[str, str]) -> Item:
        """Read the JSON form."""
        return cls(found["text"], found["digest"], found.get("full", ""), found.get("type", ""))


def listed(items: Sequence[Item], *, typed: bool = False) -> str:
    """Items in words, "none" of none."""
    return ", ".join(dict.fromkeys(f"{each.text} {each.type}".strip() if typed else each.text for each in items)) or (
        "none"
    )


class Role(Enum):
    """What a property says of its operator."""

    KEY = "what tells its keys apart"
    OWN = "what it does, of which rows"
    AROUND = "what follows from what stands around it: columns that others want, the kinds of rows that come"


@dataclass(frozen=True, slots=True)
class Property:
    """A property that shapes the state of an operator: its key, its aggregates, the filter in front of it."""

    subject: str  # the name without the input's and without a number: "key", "aggregates"
    items: tuple[Item, ...]  # the values that the property lists
    role: Role = Role.OWN  # see `Role`
    value: Any = None  # the typed value of a property that lists no meanings; rules go by it, `text` is for people
    of: str = ""  # the name of the input that the property belongs to, "left"; empty where the operator has one
    input: int = 0
    number: int = 0  # counted from 1, of a subject that an operator has several times; 0 of any other

    @property
    def name(self) -> str:
        """The subject with its input and number, unique within an operator."""
        return " ".join(filter(None, (self.of, self.subject, str(self.number or ""))))

    @property
    def text(self) -> str:
        """All items in a row."""
        return ", ".join(item.text for item in self.items) or "none"

    @property
    def digest(self) -> str:
        """Equal for equal items in the same order."""
        return digest_of([[item.digest, item.type] for item in self.items])


@dataclass(frozen=True, slots=True)
class OperatorLineage:
    """An operator that keeps something, or a sink that takes updates back."""

    node: int  # the node's id in the plan
    kind: str  # what it does; operators of different kinds have no properties in common
    uid: str  # its name, empty where the plan gives none
    #: What shapes its state. Properties of the same name are comparable between operators of one kind.
    properties: tuple[Property, ...]
    identity: str  # digest of the properties and of everything above them
    #: Digest of what the operator is by itself: its key, what it computes and of which rows. What follows from what
    #: stands around it is no part: columns that are kept because others want them, the kinds of rows that come, filters
    #: of operators above.
    own: str = ""
    zones: frozenset[str] = frozenset()  # the time zones that what it keeps depends on; "default" for that of the run
    functions: tuple[PythonFunction, ...] = ()  # the Python functions that what it keeps is computed by
    key_types: tuple[LogicalType, ...] = ()  # types of the columns of its keys

    def property(self, name: str) -> Property | None:
        """The property of a name."""
        return next((item for item in self.properties if item.name == name), None)

    def value(self, name: str) -> Any:
        """The typed value of a property; None where the operator has no such property or it lists meanings."""
        found = self.property(name)
        return None if found is None else found.value

    def text(self, name: str) -> str:
        """The text of a property for people; empty where the operator has no such property."""
        found = self.property(name)
        return "" if found is None else found.text


@dataclass(frozen=True, slots=True)
class SourceLineage:
    """A table that is read, or constant rows."""

    nodes: tuple[int, ...]
    name: str  # for people
    identity: str  # equal for equal content
    properties: tuple[Property, ...]  # what it is read from and how


@dataclass(frozen=True, slots=True)
class Lineage:
    """All sources and all operators of a plan."""

    #: By identity, then name: an order that node ids and the order of statements have no part in.
    sources: tuple[SourceLineage, ...]
    operators: tuple[OperatorLineage, ...]  # in the order of the plan
    tables: Mapping[int, tuple[str, ...]]  # by node, the names of the tables above it
    rows: Mapping[int, str] = field(default_factory=dict)  # by node, a digest of which rows it gives
    flows: Mapping[int, Rows] = field(default_factory=dict)  # by node, what flows out of it

    def of(self, node: int) -> OperatorLineage | None:
        """The operator of a node; None where it keeps nothing."""
        return next((each for each in self.operators if each.node == node), None)
