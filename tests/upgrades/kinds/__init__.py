"""Kinds of change, a module per family of operators: source of the table in `docs/reference/changes.md` and its tests.

Flink's verdict is that of `diff-plan --for flink` for the plans of both programs and a savepoint of the old one: state
belongs to an operator by the number and the type of its node in the plan ("Configuration", `table.exec.uid.format`),
is restored if the types of keys and values match ("State Schema Evolution"), whatever they mean, and a savepoint with
unclaimed state is refused ("Savepoints"); "the framework cannot guarantee that state can be mapped" to a
changed query ("Streaming Concepts"). A filter or a projection in front is an additional node, hence
refused; if there was one already the result is silently wrong.

Spark's verdict follows the Structured Streaming guide ("Recovery Semantics after Changes in a Streaming
Query"), for an equivalent query: filters and projections may change, the number and the type of grouping keys
and aggregates may not and are checked, their columns are not checked; the schema and keys of a join and its type may
not change, "other changes in the join condition are ill-defined"; sources and sinks of another number or type may not.
There is no such query ("-") if Spark has no such operator in streams, as rankings, OVER, MATCH_RECOGNIZE, and
upserts from a source, or has no TTL.
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
