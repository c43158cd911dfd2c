"""What verdict rules are made with, and where they are registered.

A rule stands for one property of operators of some kinds: it is given both operators and says what the edit does to
their state. A property that no rule stands for is judged by its role: state under another key is never found, of
anything else nobody can tell. The rules of a kind are in the module that `_MODULES` names, loaded with the first edit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

from compiled_plan.plans.inspection.diff.lists import ListEdit, list_edit
from compiled_plan.plans.inspection.diff.model import PropertyEdit, Verdict
from compiled_plan.plans.inspection.diff.sides import Both
from compiled_plan.plans.inspection.lineage import OperatorLineage, Property, Role

_RULES_FOLDER = "compiled_plan.plans.inspection.diff.rules"
_MODULES = ("aggregate", "common", "deduplicate", "join", "match", "over", "rank", "sink", "window")

#: Kinds that keep rows until a time has come: what is said of rows from before holds for those.
UNTIL = {
    "window-aggregate": " of windows that are open",
    "window-join": " of windows that are open",
    "window-rank": " of windows that are open",
    "window-deduplicate": " of windows that are open",
    "session-rows": " of sessions that are open",
    "temporal-sort": " that wait for their time",
    "match": " of matches that are under way",
    "interval-join": " that wait for others",
}


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
        both: the two plans.
        old: the operator in the old plan.
        new: the operator in the new plan.
    """

    both: Both
    old: OperatorLineage
    new: OperatorLineage

    def property(self, name: str) -> tuple[Property | None, Property | None]:
        """A property of both."""
        return self.old.property(name), self.new.property(name)

    def values(self, name: str) -> tuple[Any, Any]:
        """The typed values of a property of both."""
        return self.old.value(name), self.new.value(name)

    def appends(self, at: int = 0) -> bool:
        """Whether neither plan ever takes back a row that comes to an input."""
        return self.both.old.input_appends(self.old.node, at) and self.both.new.input_appends(self.new.node, at)


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

    def finding(self, verdict: Verdict, why: str = "", *, given: str = "", listed: bool = False) -> Judgement:
        """The edit with its verdict; `listed` shows of a list what differs alone."""
        old, new = self.list.texts if listed else self.texts
        return Judgement(PropertyEdit(self.name, old, new, verdict, why or given), given)


Rule = Callable[[Edited], Iterator[Judgement]]
_RULES: dict[tuple[str, str], Rule] = {}


def verdict(*properties: str, of: tuple[str, ...] = ("",)) -> Callable[[Rule], Rule]:
    """Register the rule for properties of operators of some kinds; of all that have no rule of their own by default."""

    def register(found: Rule) -> Rule:
        for kind in of:
            for name in properties:
                _RULES[kind, name] = found
        return found

    return register


def judged(edited: Edited) -> Iterator[Judgement]:
    """What an edit of a property does."""
    for module in _MODULES:
        import_module(f"{_RULES_FOLDER}.{module}")
    kind = edited.pair.new.kind
    subject = edited.present.subject
    rule = _RULES.get((kind, subject)) or _RULES.get(("", subject)) or _by_role
    for found in rule(edited):
        if found.given or found.edit.verdict is not Verdict.FULL or edited.list.says_something:
            yield found


def _by_role(edited: Edited) -> Iterator[Judgement]:
    if edited.present.role is Role.KEY:
        yield edited.finding(Verdict.INCOMPATIBLE, "state is kept by it: under another one nothing is found again")
    else:
        yield edited.finding(Verdict.UNKNOWN, f"no rule says what another {edited.name} does to what is kept")
