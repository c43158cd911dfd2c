"""Kinds of change, a module per family of operators: source of the table in `docs/reference/changes.md` and its tests.

What Flink does is what `diff-plan --for flink` says of the plans of both programs and a savepoint of the old one: state
belongs to an operator by the number and the type of its node in the plan ("Configuration", `table.exec.uid.format`), it
is restored where the types of keys and values fit ("State Schema Evolution"), whatever they mean, and a savepoint with
state that nobody takes is refused ("Savepoints"); "the framework cannot guarantee that state can be mapped" to a
changed query ("Streaming Concepts"). A filter or a projection in front is a node more, hence
refused; where there was one already it is silently wrong.

What plain Spark does is what the Structured Streaming guide says ("Recovery Semantics after Changes in a Streaming
Query"), for a query of the same meaning: filters and projections may change, the number and the type of grouping keys
and aggregates may not and are checked, which columns they are is not; the schema and keys of a join and its type may
not change, "other changes in the join condition are ill-defined"; sources and sinks of another number or type may not.
There is no such query ("-") where Spark has no such operator in streams, as rankings, OVER, MATCH_RECOGNIZE, and
upserts from a source, or keeps no TTL.
"""

from __future__ import annotations

from tests.upgrades.kinds import aggregates, filled, joins, matches, over, ranks, surroundings, tables, windows
from tests.upgrades.kinds.model import Kind

FAMILIES: dict[str, tuple[Kind, ...]] = {
    "Around the operators": surroundings.KINDS,
    "Tables that are read and written": tables.KINDS,
    "Aggregates": aggregates.KINDS,
    "Joins": joins.KINDS,
    "Deduplication, top-n, upserts": ranks.KINDS,
    "OVER": over.KINDS,
    "Windows": windows.KINDS,
    "Interval joins, temporal joins, MATCH_RECOGNIZE": matches.KINDS,
    "New operators over tables that were read before, with `--warm-up all`": filled.KINDS,
}
KINDS: tuple[Kind, ...] = tuple(kind for family in FAMILIES.values() for kind in family)
