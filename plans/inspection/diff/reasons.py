"""Reasons that past rows of an operator differ from those of the new program, and the operators that they affect.

A reason concerns all rows, or some values of them: rows of a join from before lack a new column, and all else is right.
Operators that use none of these values, such as those of another statement of a set, are not affected. Or it concerns
rows that fail a predicate, and does not affect operators behind a filter by it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from compiled_plan.plans.inspection.diff.sides import PlanSide
from compiled_plan.plans.inspection.judging.edited import NO_PREDICATES, Predicates
from compiled_plan.plans.inspection.lineage.meaning import Meaning, uses
from compiled_plan.plans.inspection.lineage.operators import Property
from compiled_plan.plans.inspection.lineage.rows import Rows
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.sink import Sink

#: Maximum number of reasons about all rows that are passed downstream; reports show the first.
_MOST = 3
#: Properties that use a value without an effect on the other values of the operator's rows.
_APART = ("columns", "aggregates")


@dataclass(frozen=True, slots=True)
class Reason:
    """Cause of past rows of a node that differ from those of the new program."""

    of: str  # the operator that causes it, in words
    why: str
    values: frozenset[str] = frozenset()  # values that it concerns, see `Judgement`; empty if all rows
    failing: Predicates = NO_PREDICATES  # predicates of the rows that it concerns; empty if all rows


def affects(reason: Reason, side: PlanSide, node: PlanNode) -> bool:
    """Return True if a node uses a value that a reason concerns; nodes that are no operators pass all values on."""
    if not reason.values or not (isinstance(node, Sink) or node.id in side.operators):
        return True
    ports = side.ports(node.id) if isinstance(node, Sink) else ()
    columns = (meaning for port in ports for meaning in (port.origin, *port.filter, *port.all_columns()))
    return _uses(reason, columns) or any(True for _ in _using(reason, side, node))


def rejects(reason: Reason, old: Rows, new: Rows) -> bool:
    """Return True if the rows that a reason concerns do not reach a node in any plan: filters reject them."""
    held, emitted = reason.failing
    return bool(held or emitted) and _hold(held, new) and _hold(emitted, old)


def _hold(predicates: Collection[str], rows: Rows) -> bool:
    return all({*predicates} <= {predicate.digest for predicate in branch.filter} for branch in rows)


def passed(reason: Reason, side: PlanSide, node: PlanNode) -> Reason:
    """The reason as it affects the operators downstream of an operator: all rows if more than a value depends on it."""
    apart = all(property_.subject in _APART for property_ in _using(reason, side, node))
    return replace(reason, values=reason.values if apart else frozenset(), failing=NO_PREDICATES)


def first(reasons: Collection[Reason]) -> tuple[Reason, ...]:
    """The first reasons about all rows, and all about some values."""
    about_all = [reason for reason in reasons if not reason.values][:_MOST]
    return tuple(reason for reason in reasons if reason.values or reason in about_all)


def _using(reason: Reason, side: PlanSide, node: PlanNode) -> Iterator[Property]:
    """The properties of an operator that use a value that a reason concerns."""
    operator = side.operators.get(node.id)
    for property_ in operator.properties if operator is not None else ():
        if _uses(reason, (item.meaning for item in property_.items)):
            yield property_


def _uses(reason: Reason, meanings: Iterable[Meaning | None]) -> bool:
    return any(uses(meaning, reason.values) for meaning in meanings if meaning is not None)
