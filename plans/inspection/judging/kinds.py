"""Kinds of operators, each declared once: its words, and the verdicts on edits of its properties.

The declarations are in `plans.inspection.operators`, loaded with the nodes of a plan; a kind without one has defaults.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from compiled_plan.plans.inspection.judging.lists import ListEdit, list_edit
from compiled_plan.plans.inspection.judging.verdicts import PropertyEdit, Verdict
from compiled_plan.plans.inspection.lineage.operators import OperatorLineage, Property


@dataclass(frozen=True, slots=True)
class Judgement:
    """An edit, and what it does to the rows that the operator gave before.

    Args:
        edit: the edit with its verdict.
        given: why these rows are not those that the new program would have given, where the state itself is right.
    """

    edit: PropertyEdit
    given: str = ""


@dataclass(frozen=True)
class Pair:
    """An operator as it was and as it is to be.

    Args:
        old: the operator in the old plan.
        new: the operator in the new plan.
        append_only: the inputs of which neither plan ever takes back a row.
    """

    old: OperatorLineage
    new: OperatorLineage
    append_only: frozenset[int] = frozenset()

    @property
    def kind(self) -> OperatorKind:
        """The declaration of its kind."""
        return kind_of(self.new.kind)

    def property(self, name: str) -> tuple[Property | None, Property | None]:
        """A property of both."""
        return self.old.property(name), self.new.property(name)

    def of_input(self, subject: str, at: int) -> tuple[Property | None, Property | None]:
        """A property of an input of both."""
        found = [{each.subject: each for each in side.properties if each.input == at} for side in (self.old, self.new)]
        return found[0].get(subject), found[1].get(subject)

    def values(self, name: str) -> tuple[Any, Any]:
        """The typed values of a property of both."""
        return self.old.value(name), self.new.value(name)

    def appends(self, at: int = 0) -> bool:
        """Whether neither plan ever takes back a row that comes to an input."""
        return at in self.append_only


@dataclass(frozen=True)
class Edited:
    """A property that differs.

    Args:
        name: its name.
        old: what it was, None where the old operator had none of this name.
        new: what it is to be.
        pair: the operator.
    """

    name: str
    old: Property | None
    new: Property | None
    pair: Pair

    @property
    def present(self) -> Property:
        """The property as it is to be; as it was where the new operator has none of this name."""
        found = self.new or self.old
        assert found is not None
        return found

    @property
    def values(self) -> tuple[Any, Any]:
        """Old and new typed value; None where the property lists meanings, or is not there."""
        old, new = (None if side is None else side.value for side in (self.old, self.new))
        return old, new

    @cached_property
    def list(self) -> ListEdit:
        """What became of the items."""
        return list_edit(*(each.items if each is not None else () for each in (self.old, self.new)))

    @property
    def texts(self) -> tuple[str, str]:
        """Old and new value in words; "none" where there was none."""
        old, new = ("none" if each is None else each.text for each in (self.old, self.new))
        return old, new

    # The verdicts; `listed` shows of a list what differs alone.

    def full(self, given: str = "", *, listed: bool = False) -> Judgement:
        """The state is right; for `given` see `Judgement`."""
        return self._judged(Verdict.FULL, given, given, listed)

    def partial(self, why: str, *, listed: bool = False) -> Judgement:
        """The state is used, and the result differs."""
        return self._judged(Verdict.PARTIAL, why, "", listed)

    def unknown(self, why: str) -> Judgement:
        """Nobody can tell."""
        return self._judged(Verdict.UNKNOWN, why, "", False)

    def incompatible(self, why: str, *, listed: bool = False) -> Judgement:
        """The state cannot be used."""
        return self._judged(Verdict.INCOMPATIBLE, why, "", listed)

    def _judged(self, verdict: Verdict, why: str, given: str, listed: bool) -> Judgement:
        old, new = self.list.texts if listed else self.texts
        return Judgement(PropertyEdit(self.name, old, new, verdict, why), given)


#: The verdict on an edit of a property; None where the edit follows from others.
VerdictRule = Callable[[Edited], Judgement | None]


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
    """A kind of operators that keep state.

    Args:
        name: as in `OperatorLineage.kind`.
        words: the operator in words: `SUM(amount) by customer`.
        rules: by property what its edit does; others are judged by `judging.common`.
        waiting: of a kind that keeps rows until a time has come, which rows these are: " of windows that are open".
        stay: what becomes of rows that it should not have.
        found_by: the property by which a row that is taken back is found: "key" alone, or one that may be empty; by
            all its columns if there is none.
    """

    name: str
    words: Callable[[Texts], str] = lambda texts: texts.kind + texts.by
    rules: Mapping[str, VerdictRule] = field(default_factory=dict)
    waiting: str = ""
    stay: str = "stay"
    found_by: str = ""


_KINDS: dict[str, OperatorKind] = {}


def declare(*kinds: OperatorKind) -> None:
    """Register kinds of operators."""
    _KINDS.update({kind.name: kind for kind in kinds})


def kind_of(name: str) -> OperatorKind:
    """The declaration of a kind of operators."""
    return _KINDS.get(name) or OperatorKind(name)
