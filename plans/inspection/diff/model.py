"""A difference of two plans as data: edits of operators, sources and sinks, each with its verdict and reason."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum

from compiled_plan.plans.inspection.judging.verdicts import PropertyEdit, Verdict, worst


class Change(Enum):
    """Kind of change to an operator, source or sink."""

    KEPT = "kept"
    MOVED = "moved"
    CHANGED = "changed"
    ADDED = "added"
    REMOVED = "removed"
    TTL_CHANGED = "ttl changed"


@dataclass(frozen=True, slots=True)
class TtlChange:
    index: int
    name: str  # its name in the plan, such as "groupAggregateState"
    old: int  # TTL in ms, 0 never expires
    new: int  # the same


@dataclass(frozen=True, slots=True)
class OperatorEdit:
    """A stateful operator in one or both plans."""

    change: Change
    uid: str  # uid in the new plan; in the old plan if it was removed
    kind: str  # kind of operator, such as "group-aggregate"
    words: str  # readable label: `SUM(amount) by customer, of orders`
    old_node: int | None  # node in the old plan, None if it is new
    new_node: int | None  # node in the new plan, None if it was removed
    old_uid: str = ""  # uid in the old plan, empty if it is new
    edits: tuple[PropertyEdit, ...] = ()
    ttls: tuple[TtlChange, ...] = ()  # state entries whose TTL differs
    place: str = ""  # new position if it moved: "behind the new filter", "before the join of ..."
    verdict: Verdict = Verdict.FULL  # the worst of its edits
    why: str = ""  # reason in one sentence; of an added operator what it misses, of a removed one what is dropped
    state_bytes: int | None = None  # size of its state in the checkpoint of the old plan; None if unknown

    @property
    def uids(self) -> str:
        """The uid, and the one in the old plan where it differs."""
        return self.uid + (f" (was {self.old_uid})" if self.old_uid not in ("", self.uid) else "")


@dataclass(frozen=True, slots=True)
class SourceEdit:
    change: Change  # KEPT, CHANGED, ADDED or REMOVED
    name: str
    offsets: str  # effect on the offsets: "kept", "lost", "new: read from its beginning"
    edits: tuple[PropertyEdit, ...] = ()  # options and columns that differ
    verdict: Verdict = Verdict.FULL  # effect on the results
    why: str = ""
    old_nodes: tuple[int, ...] = field(default=(), compare=False)  # its scans in the old plan, empty if it is new
    new_nodes: tuple[int, ...] = field(default=(), compare=False)  # the same in the new plan, empty if it was removed


@dataclass(frozen=True, slots=True)
class SinkEdit:
    change: Change  # KEPT, CHANGED, ADDED or REMOVED
    name: str
    gets: str  # rows that it will and will not receive again: "what changes from now on; nothing of the past again"
    edits: tuple[PropertyEdit, ...] = ()  # options, columns and keys that differ
    verdict: Verdict = Verdict.FULL  # effect on the sink's content
    why: str = ""
    old_nodes: tuple[int, ...] = field(default=(), compare=False)  # its node in the old plan, empty if it is new
    new_nodes: tuple[int, ...] = field(default=(), compare=False)  # the same in the new plan, empty if it was removed


def nodes_in_both(part: SourceEdit | SinkEdit) -> tuple[tuple[int, int], ...]:
    """The nodes of a table in the old plan, each with that in the new one."""
    return tuple(zip(part.old_nodes, part.new_nodes, strict=False))


Part = OperatorEdit | SourceEdit | SinkEdit


@dataclass(frozen=True, slots=True)
class PlanDiff:
    """Differences between two plans, and the verdict on the state."""

    operators: tuple[OperatorEdit, ...]  # in the order of the new plan, then removed ones
    sources: tuple[SourceEdit, ...]  # the same
    sinks: tuple[SinkEdit, ...]  # the same
    #: Edits of stateless operators: "filter `amount > 10`: added".
    stateless: tuple[PropertyEdit, ...] = ()
    verdict: Verdict = Verdict.FULL  # the worst of all
    whole: tuple[PropertyEdit, ...] = ()  # edits of the whole program: all sources, the version of Spark
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
        """Build a difference; its verdict is the worst of its parts."""
        parts: tuple[Part | PropertyEdit, ...] = (*operators, *sources, *sinks, *whole)
        verdict = worst(part.verdict for part in parts)
        return cls(operators, sources, sinks, stateless, verdict, whole, unchecked)

    def with_operators(self, operators: Iterable[OperatorEdit]) -> PlanDiff:
        """Copy the difference with new edits of operators."""
        return PlanDiff.of(tuple(operators), self.sources, self.sinks, self.stateless, self.whole, self.unchecked)

    @property
    def parts(self) -> tuple[Part, ...]:
        return (*self.operators, *self.sources, *self.sinks)

    @property
    def is_empty(self) -> bool:
        """Return True if the plans do not differ at all."""
        return (
            not self.stateless
            and not self.whole
            and all(
                part.change is Change.KEPT and not part.edits and not getattr(part, "ttls", ()) for part in self.parts
            )
        )
