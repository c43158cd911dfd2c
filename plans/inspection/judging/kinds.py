"""Kinds of operators, each declared once: its label, and the verdicts on edits of its properties.

The declarations are in `plans.inspection.operators`, loaded with the nodes of a plan; a kind without one has defaults.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from compiled_plan.plans.inspection.lineage.operators import OperatorLineage

if TYPE_CHECKING:
    # Compiling reads the declarations, but judges nothing.
    from compiled_plan.plans.inspection.judging.edited import Edited, Judgement

#: The verdict on an edit of a property; None if the edit follows from others.
VerdictRule = Callable[["Edited"], "Judgement | None"]


class Texts:
    """The properties of an operator in words; empty if there is none of this name."""

    def __init__(self, operator: OperatorLineage) -> None:
        self.operator = operator
        self._texts = {
            property_.name: ", ".join(item.text for item in property_.items) for property_ in operator.properties
        }

    def __getitem__(self, name: str) -> str:
        return self._texts.get(name, "")

    @property
    def kind(self) -> str:
        return self.operator.kind.replace("-", " ")

    @property
    def by(self) -> str:
        """The key with a prefix: " by customer"."""
        return f" by {self['key']}" if self["key"] else ""

    @property
    def for_each(self) -> str:
        """The key with a prefix: " for each customer"."""
        return f" for each {self['key']}" if self["key"] else ""


@dataclass(frozen=True, slots=True)
class OperatorKind:
    """A kind of stateful operators."""

    name: str  # as in `OperatorLineage.kind`
    #: Label of the operator: `SUM(amount) by customer`.
    words: Callable[[Texts], str] = lambda texts: texts.kind + texts.by
    #: Verdict rules by property; other properties are judged by `judging.shared_properties`.
    rules: Mapping[str, VerdictRule] = field(default_factory=dict)
    #: Description of the rows that a kind buffers until their time comes: " of open windows".
    waiting: str = ""
    stay: str = "stay"  # verb for stale rows
    #: The property that finds a retracted row: "key", or one that may be empty; empty compares all its columns.
    retract_key: str = ""


_KINDS: dict[str, OperatorKind] = {}


def declare(*kinds: OperatorKind) -> None:
    _KINDS.update({kind.name: kind for kind in kinds})


def kind_of(name: str) -> OperatorKind:
    return _KINDS.get(name) or OperatorKind(name)
