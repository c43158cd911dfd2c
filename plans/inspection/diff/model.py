"""A difference of two plans as data: edits of operators, sources and sinks, each with its verdict and reason."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from compiled_plan.plans.inspection.judging.verdicts import PropertyEdit, Verdict, worst


class Change(Enum):
    """What happened to an operator, a source or a sink."""

    KEPT = "kept"
    MOVED = "moved"
    CHANGED = "changed"
    ADDED = "added"
    REMOVED = "removed"
    TTL_CHANGED = "ttl changed"


@dataclass(frozen=True, slots=True)
class TtlEdit:
    """A state entry whose TTL differs."""

    index: int
    name: str  # its name in the plan, such as "groupAggregateState"
    old: int  # TTL in ms, 0 never expires
    new: int  # the same


@dataclass(frozen=True, slots=True)
class OperatorEdit:
    """An operator that keeps state, in both plans or in one of them."""

    change: Change
    uid: str  # its uid in the new plan; of one that was removed, in the old plan
    kind: str  # what it does, such as "group-aggregate"
    words: str  # what a person calls it: `SUM(amount) by customer, of orders`
    old_node: int | None  # its node in the old plan, None where it is new
    new_node: int | None  # its node in the new plan, None where it was removed
    old_uid: str = ""  # its uid in the old plan, empty where it is new
    edits: tuple[PropertyEdit, ...] = ()
    ttls: tuple[TtlEdit, ...] = ()  # state entries whose TTL differs
    place: str = ""  # where it stands now in words, if it moved: "behind the new filter", "before the join of ..."
    verdict: Verdict = Verdict.FULL  # the worst of its edits
    why: str = ""  # the reason in one sentence; of an added one what it misses, of a removed one what is dropped


@dataclass(frozen=True, slots=True)
class SourceEdit:
    """A table that is read."""

    change: Change  # KEPT, CHANGED, ADDED or REMOVED
    name: str
    offsets: str  # what happens to how far it was read: "kept", "lost", "new: read from its beginning"
    edits: tuple[PropertyEdit, ...] = ()  # options and columns that differ
    verdict: Verdict = Verdict.FULL  # what it does to the results
    why: str = ""


@dataclass(frozen=True, slots=True)
class SinkEdit:
    """A table that is written."""

    change: Change  # KEPT, CHANGED, ADDED or REMOVED
    name: str
    gets: str  # what it will and will not get again: "what changes from now on; nothing of the past again"
    edits: tuple[PropertyEdit, ...] = ()  # options, columns and keys that differ
    verdict: Verdict = Verdict.FULL  # what it does to what the sink holds
    why: str = ""


Part = OperatorEdit | SourceEdit | SinkEdit


@dataclass(frozen=True, slots=True)
class PlanDiff:
    """Two plans beside each other."""

    operators: tuple[OperatorEdit, ...]  # in the order of the new plan, then those that were removed
    sources: tuple[SourceEdit, ...]  # the same
    sinks: tuple[SinkEdit, ...]  # the same
    #: Operators without state that came, went or changed: "filter `amount > 10`: added".
    stateless: tuple[PropertyEdit, ...] = ()
    verdict: Verdict = Verdict.FULL  # the worst of all
    whole: tuple[PropertyEdit, ...] = ()  # edits of the program as a whole: all that it reads, the version of Spark
    unchecked: tuple[str, ...] = ()  # facts that only a start can compare, in words

    @classmethod
    def of(
        cls,
        operators: tuple[OperatorEdit, ...],
        sources: tuple[SourceEdit, ...],
        sinks: tuple[SinkEdit, ...],
        stateless: tuple[PropertyEdit, ...] = (),
        whole: tuple[PropertyEdit, ...] = (),
        unchecked: tuple[str, ...] = (),
    ) -> PlanDiff:
        """The difference with the worst verdict of its parts."""
        parts: tuple[Part | PropertyEdit, ...] = (*operators, *sources, *sinks, *whole)
        verdict = worst(part.verdict for part in parts)
        return cls(operators, sources, sinks, stateless, verdict, whole, unchecked)

    def with_operators(self, operators: Iterable[OperatorEdit]) -> PlanDiff:
        """The difference with other edits of operators."""
        return PlanDiff.of(tuple(operators), self.sources, self.sinks, self.stateless, self.whole, self.unchecked)

    @property
    def parts(self) -> tuple[Part, ...]:
        """Operators, sources and sinks."""
        return (*self.operators, *self.sources, *self.sinks)

    @property
    def is_empty(self) -> bool:
        """Whether nothing differs at all."""
        return (
            not self.stateless
            and not self.whole
            and all(
                part.change is Change.KEPT and not part.edits and not getattr(part, "ttls", ()) for part in self.parts
            )
        )
