"""Telling lookup joins from other temporal joins."""

from __future__ import annotations

from planner.algebra.nodes import Filter, Project, RelNode, Scan
from planner.algebra.timed import TemporalJoin
from planner.catalog.connectors import can_look_up


def is_lookup(rel: TemporalJoin) -> bool:
    """Whether the join asks a table for the rows of each key, as the table is at that moment."""
    source: RelNode = rel.right
    while isinstance(source, Project | Filter):
        source = source.input
    return rel.version is None and isinstance(source, Scan) and can_look_up(source.table)
