"""Removal of sorts without effect: ORDER BY without LIMIT only counts at the very end of a statement."""

from __future__ import annotations

from dataclasses import replace

from compiled_plan.planner.algebra.nodes import Project, RelNode, Sink, Sort
from compiled_plan.planner.algebra.traverse import rewrite_shared


def remove_sorts(rel: RelNode) -> RelNode:
    """The statement without sorts whose order is lost above them."""
    if isinstance(rel, Sink | Project):
        return replace(rel, input=remove_sorts(rel.input))
    if isinstance(rel, Sort):
        return replace(rel, input=rewrite_shared(rel.input, _without))
    return rewrite_shared(rel, _without)


def _without(rel: RelNode) -> RelNode:
    return rel.input if isinstance(rel, Sort) and rel.fetch is None and not rel.offset else rel
