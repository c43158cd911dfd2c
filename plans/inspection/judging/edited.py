"""A property that differs between an operator's old and new version, and its judgement."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from compiled_plan.plans.inspection.judging.lists import ListEdit, list_edit
from compiled_plan.plans.inspection.judging.verdicts import PropertyEdit, Verdict
from compiled_plan.plans.inspection.lineage.operators import Item, OperatorLineage, Property

#: Predicates of the rows that a reason concerns, as digests: rows fail one of the first and were held back, or fail one
#: of the second and were emitted. They are of no concern behind a filter that rejects them.
Predicates = tuple[frozenset[str], frozenset[str]]
NO_PREDICATES: Predicates = (frozenset(), frozenset())


@dataclass(frozen=True, slots=True)
class Judgement:
    """An edit, and its effect on the operator's past output."""

    edit: PropertyEdit
    #: Reason that past output differs from the new program's, although the state is right.
    past_fault: str = ""
    #: Values that the reason concerns, as digests of their meanings; empty if it concerns all rows. It does not affect
    #: operators downstream that use none of them.
    values: frozenset[str] = frozenset()
    failing: Predicates = NO_PREDICATES


@dataclass(frozen=True)
class Pair:
    """The old and the new version of an operator."""

    old: OperatorLineage
    new: OperatorLineage
    append_only: frozenset[int] = frozenset()  # inputs whose rows neither plan ever retracts

    def property(self, name: str) -> tuple[Property | None, Property | None]:
        """Old and new version of a property."""
        return self.old.property(name), self.new.property(name)

    def of_input(self, subject: str, at: int) -> tuple[Property | None, Property | None]:
        """Old and new version of an input's property."""
        by_subject = [
            {property_.subject: property_ for property_ in side.properties if property_.input == at}
            for side in (self.old, self.new)
        ]
        return by_subject[0].get(subject), by_subject[1].get(subject)

    def list(self, name: str) -> ListEdit:
        return _list_edit(*self.property(name))

    def values(self, name: str) -> tuple[Any, Any]:
        """Old and new typed value of a property."""
        return self.old.value(name), self.new.value(name)

    def appends(self, at: int = 0) -> bool:
        """Return True if neither plan ever retracts a row of the input."""
        return at in self.append_only


@dataclass(frozen=True)
class Edited:
    name: str
    old: Property | None  # old version; None if the old operator has no such property
    new: Property | None
    pair: Pair

    @property
    def present(self) -> Property:
        """The new version of the property, or the old one if it was removed."""
        property_ = self.new or self.old
        assert property_ is not None
        return property_

    @property
    def values(self) -> tuple[Any, Any]:
        """Old and new typed value; None if the property lists meanings, or is missing."""
        old, new = (None if side is None else side.value for side in (self.old, self.new))
        return old, new

    @cached_property
    def list(self) -> ListEdit:
        return _list_edit(self.old, self.new)

    @property
    def texts(self) -> tuple[str, str]:
        """Old and new value in words; "none" if missing."""
        old, new = ("none" if property_ is None else property_.text for property_ in (self.old, self.new))
        return old, new

    # The verdicts; with `listed` the texts show only the differing items of a list.

    def full(self, past_fault: str = "", *, listed: bool = False) -> Judgement:
        """The state is right; see `Judgement` for the past fault."""
        return self._judged(Verdict.FULL, past_fault, past_fault, listed)

    def partial(
        self,
        why: str,
        *,
        listed: bool = False,
        values: Iterable[Item] = (),
        failing: tuple[Iterable[Item], Iterable[Item]] = ((), ()),
    ) -> Judgement:
        """The state is reused, and the result differs.

        If it differs only in some values, `values` has all of them; if only in rows that fail predicates, `failing` has
        those, see `Predicates`.
        """
        judgement = self._judged(Verdict.PARTIAL, why, "", listed)
        some, held, emitted = (_digests(items) for items in (values, *failing))
        if some is None or held is None or emitted is None:
            return judgement
        return replace(judgement, values=some, failing=(held, emitted))

    def unless_rounded(self, why: str) -> Judgement:
        """Fully compatible if no item of the list was rounded before, else partially."""
        return self.partial(why, listed=True) if self.list.rounded else self.full(listed=True)

    def unknown(self, why: str) -> Judgement:
        return self._judged(Verdict.UNKNOWN, why, "", False)

    def incompatible(self, why: str, *, listed: bool = False) -> Judgement:
        """The state cannot be reused."""
        return self._judged(Verdict.INCOMPATIBLE, why, "", listed)

    def _judged(self, verdict: Verdict, why: str, past_fault: str, listed: bool) -> Judgement:
        old, new = self.list.texts if listed else self.texts
        return Judgement(PropertyEdit(self.name, old, new, verdict, why), past_fault)


def _digests(items: Iterable[Item]) -> frozenset[str] | None:
    """The digests of the meanings of items; None if one has no meaning."""
    meanings = [item.meaning for item in items]
    known = frozenset(meaning.digest for meaning in meanings if meaning is not None)
    return None if None in meanings else known


def _list_edit(old: Property | None, new: Property | None) -> ListEdit:
    return list_edit(*(property_.items if property_ is not None else () for property_ in (old, new)))
