"""A property that differs between an operator as it was and as it is to be, and its judgement."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from compiled_plan.plans.inspection.judging.lists import ListEdit, list_edit
from compiled_plan.plans.inspection.judging.verdicts import PropertyEdit, Verdict
from compiled_plan.plans.inspection.lineage.operators import OperatorLineage, Property


@dataclass(frozen=True, slots=True)
class Judgement:
    """An edit, and what it does to the rows that the operator gave before."""

    edit: PropertyEdit
    #: Why these rows are not those that the new program would have given, where the state itself is right.
    given: str = ""


@dataclass(frozen=True)
class Pair:
    """An operator as it was and as it is to be."""

    old: OperatorLineage
    new: OperatorLineage
    append_only: frozenset[int] = frozenset()  # the inputs of which neither plan ever takes back a row

    def property(self, name: str) -> tuple[Property | None, Property | None]:
        """A property of both."""
        return self.old.property(name), self.new.property(name)

    def of_input(self, subject: str, at: int) -> tuple[Property | None, Property | None]:
        """A property of an input of both."""
        found = [{each.subject: each for each in side.properties if each.input == at} for side in (self.old, self.new)]
        return found[0].get(subject), found[1].get(subject)

    def list(self, name: str) -> ListEdit:
        """The edit of the items of a property."""
        return _list_edit(*self.property(name))

    def values(self, name: str) -> tuple[Any, Any]:
        """The typed values of a property of both."""
        return self.old.value(name), self.new.value(name)

    def appends(self, at: int = 0) -> bool:
        """True where neither plan ever takes back a row that comes to an input."""
        return at in self.append_only


@dataclass(frozen=True)
class Edited:
    """A property that differs."""

    name: str
    old: Property | None  # what it was, None where the old operator had none of this name
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
        """The edit of the items."""
        return _list_edit(self.old, self.new)

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

    def unless_rounded(self, why: str) -> Judgement:
        """The state is right if no item of the list was rounded before, else partially so."""
        return self.partial(why, listed=True) if self.list.rounded else self.full(listed=True)

    def unknown(self, why: str) -> Judgement:
        """Nobody can tell."""
        return self._judged(Verdict.UNKNOWN, why, "", False)

    def incompatible(self, why: str, *, listed: bool = False) -> Judgement:
        """The state cannot be used."""
        return self._judged(Verdict.INCOMPATIBLE, why, "", listed)

    def _judged(self, verdict: Verdict, why: str, given: str, listed: bool) -> Judgement:
        old, new = self.list.texts if listed else self.texts
        return Judgement(PropertyEdit(self.name, old, new, verdict, why), given)


def _list_edit(old: Property | None, new: Property | None) -> ListEdit:
    return list_edit(*(each.items if each is not None else () for each in (old, new)))
