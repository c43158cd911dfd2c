"""A handmade difference with every feature."""

from __future__ import annotations

from compiled_plan.plans.inspection.diff.model import Change, OperatorEdit, PlanDiff, SinkEdit, SourceEdit, TtlChange
from compiled_plan.plans.inspection.judging.verdicts import PropertyEdit, Verdict

KEPT = OperatorEdit(Change.KEPT, "join-a-b-1", "join", "join by a.id, of a, b", 5, 5, "join-a-b-1")
MOVED = OperatorEdit(
    Change.MOVED, "rank-a-2", "rank", "top 3 by a.x, of a", 6, 9, "rank-a-2", place="behind the filter `x > 1`"
)
CHANGED = OperatorEdit(
    Change.CHANGED,
    "aggregate-a-3",
    "group-aggregate",
    "SUM(a.x), COUNT(*) by a.id, of a",
    7,
    8,
    "aggregate-a-old",
    (
        PropertyEdit("aggregates", "SUM(a.x)", "SUM(a.x), COUNT(*)", Verdict.PARTIAL, "COUNT(*) counts from now on"),
        PropertyEdit("rows", "a", "a where x > 1", Verdict.PARTIAL, "rows of the past stay counted"),
    ),
    (TtlChange(0, "groupAggregateState", 0, 3_600_000),),
    verdict=Verdict.PARTIAL,
    why="COUNT(*) counts from now on",
)
ADDED = OperatorEdit(
    Change.ADDED, "dedup-a-4", "deduplicate", "first of a.id, of a", None, 4, verdict=Verdict.PARTIAL, why="it is empty"
)
REMOVED = OperatorEdit(Change.REMOVED, "over-a-5", "over", "over a", 3, None, "over-a-5", why="its state is dropped")
TTL = OperatorEdit(
    Change.TTL_CHANGED, "limit-a-6", "limit", "limit of a", 10, 10, "limit-a-6", ttls=(TtlChange(0, "rankState", 5, 0),)
)
BROKEN = OperatorEdit(
    Change.CHANGED,
    "aggregate-b-7",
    "group-aggregate",
    "MAX(b.y) by b.k, of b",
    11,
    11,
    "aggregate-b-7",
    (PropertyEdit("key", "b.id", "b.k", Verdict.INCOMPATIBLE, "state is kept by the old key"),),
    verdict=Verdict.INCOMPATIBLE,
    why="state is kept by the old key",
)
SOURCES = (
    SourceEdit(Change.KEPT, "a", "kept"),
    SourceEdit(Change.ADDED, "c", "new: read from its beginning"),
    SourceEdit(
        Change.CHANGED,
        "b",
        "kept",
        (PropertyEdit("password", "old-secret", "new-secret"), PropertyEdit("url", "jdbc:x://u:hush@h", "jdbc:x://h")),
    ),
)
SINKS = (
    SinkEdit(Change.KEPT, "out", "what changes from now on"),
    SinkEdit(Change.REMOVED, "gone", "nothing any more"),
)
STATELESS = (PropertyEdit("filter `x > 1`", "", "a"), PropertyEdit("calc of b", "y", "y, z"))


def everything(*more: OperatorEdit, verdict: Verdict = Verdict.PARTIAL) -> PlanDiff:
    """All of it."""
    return PlanDiff((KEPT, MOVED, CHANGED, ADDED, TTL, *more, REMOVED), SOURCES, SINKS, STATELESS, verdict)


SAME = PlanDiff((KEPT,), SOURCES[:1], SINKS[:1])
