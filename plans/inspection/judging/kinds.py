"""Kinds of operators, each declared once: its words, and the verdicts on edits of its properties.

The declarations are in `plans.inspection.operators`, loaded with the nodes of a plan; a kind without one has defaults.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from compiled_plan.plans.inspection.lineage.operators import OperatorLineage

if TYPE_CHECKING:
    # Compiling reads the declarations, and judges nothing.
    from compiled_plan.plans.inspection.judging.edited import Edited, Judgement

#: The verdict on an edit of a property; None where the edit follows from others.
VerdictRule = Callable[["Edited"], "Judgement | None"]


class Texts:
    """The properties of an operator in words; empty where it has none of a name."""

    def __init__(self, operator: OperatorLineage) -> None:
        self.operator = operator
        self._texts = {each.name: ", ".join(item.text for item in each.items) for each in operator.properties}

    def __getitem__(self, name: str) -> str:
        return self._texts.get(name, "")

    @property
    def kind(self) -> str:
        """The kind in words."""
        return self.operator.kind.replace("-", " ")

    @property
    def by(self) -> str:
        """The key behind a space: " by customer"."""
        return f" by {self['key']}" if self["key"] else ""

    @property
    def for_each(self) -> str:
        """The key behind a space: " for each customer"."""
        return f" for each {self['key']}" if self["key"] else ""


@dataclass(frozen=True, slots=True)
class OperatorKind:
    """A kind of operators that keep state."""

    name: str  # as in `OperatorLineage.kind`
    #: The operator in words: `SUM(amount) by customer`.
    words: Callable[[Texts], str] = lambda texts: texts.kind + texts.by
    #: By property what its edit does; others are judged by `judging.common`.
    rules: Mapping[str, VerdictRule] = field(default_factory=dict)
    #: Of a kind that keeps rows until a time has come, which rows these are: " of windows that are open".
    waiting: str = ""
    stay: str = "stay"  # what becomes of rows that it should not have
    #: The property by which a row that is taken back is found: "key" alone, or one that may be empty; by all its
    #: columns if there is none.
    found_by: str = ""


_KINDS: dict[str, OperatorKind] = {}


def declare(*kinds: OperatorKind) -> None:
    """Register kinds of operators."""
    _KINDS.update({kind.name: kind for kind in kinds})


def kind_of(name: str) -> OperatorKind:
    """The declaration of a kind of operators."""
    return _KINDS.get(name) or OperatorKind(name)
