"""Changes that keep a program's operators, and changes of its settings."""

from __future__ import annotations

from compiled_plan.plans.execution.session.options import GROUPS, TRANSFORM
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from tests.upgrades.kinds.model import Elsewhere, Kind

FULL, PARTIAL, INCOMPATIBLE = Verdict.FULL, Verdict.PARTIAL, Verdict.INCOMPATIBLE
RESTORED, REFUSED, WRONG = Elsewhere.RESTORED, Elsewhere.REFUSED, Elsewhere.WRONG
EMPTY, ABSENT, UNDEFINED = Elsewhere.EMPTY, Elsewhere.ABSENT, Elsewhere.UNDEFINED

SUM = "SELECT shop, SUM(price) FROM sales GROUP BY shop"
JOIN = "SELECT s.shop, h.rent FROM sales AS s JOIN shops AS h ON s.shop = h.shop"
_TOTAL = f"INSERT INTO sink {SUM};"
_COUNT = "INSERT INTO other SELECT town, COUNT(*) FROM sales GROUP BY town;"
_RENTS = "INSERT INTO other SELECT shop, SUM(rent) FROM shops GROUP BY shop;"
_DAYS = "SELECT CAST(CAST(seen AS DATE) AS STRING), COUNT(*) FROM points GROUP BY CAST(seen AS DATE)"

#: Starts with other TTLs, partitions and hosts.
_MOVES = "tests/plans/execution/state/upgrade/test_upgrade_moves.py"


def _ttl(text: str) -> str:
    return f"SET 'table.exec.state.ttl' = '{text}';\n"


KINDS = (
    Kind(
        "other-ttl",
        "another TTL",
        SUM,
        SUM,
        FULL,
        RESTORED,
        ABSENT,
        tables=(_ttl("1 d"), _ttl("2 d")),
        covered_by=f"{_MOVES}::test_other_changes_of_a_ttl_start_in_place",
    ),
    Kind(
        "ttl-from-zero",
        "a TTL where there was none",
        SUM,
        SUM,
        FULL,
        RESTORED,
        ABSENT,
        tables=("", _ttl("2 d")),
        covered_by=f"{_MOVES}::test_idle_entries_that_were_kept_for_ever_follow_a_ttl_and_are_removed",
    ),
    Kind(
        "ttl-to-zero",
        "no TTL any more",
        SUM,
        SUM,
        FULL,
        RESTORED,
        ABSENT,
        tables=(_ttl("2 d"), ""),
        covered_by=f"{_MOVES}::test_other_changes_of_a_ttl_start_in_place",
    ),
    Kind(
        "ttl-of-one-side",
        "another TTL for one side of a join",
        JOIN.replace("SELECT", "SELECT /*+ STATE_TTL('s' = '1 d', 'h' = '2 d') */"),
        JOIN.replace("SELECT", "SELECT /*+ STATE_TTL('s' = '1 d', 'h' = '5 d') */"),
        FULL,
        RESTORED,
        ABSENT,
    ),
    Kind(
        "other-names",
        "other aliases, a view",
        SUM,
        "WITH sold AS (SELECT price AS pr, shop AS who FROM sales AS a) SELECT who, SUM(pr) FROM sold GROUP BY who",
        FULL,
        RESTORED,
        RESTORED,
        covered_by="columns-of-a-table-permuted",
    ),
    Kind(
        "statements-swapped",
        "statements of a set change places",
        _TOTAL + _COUNT,
        _COUNT + _TOTAL,
        FULL,
        REFUSED,
        ABSENT,
    ),
    Kind(
        "statement-removed",
        "a query is removed beside another",
        _COUNT + _TOTAL,
        _TOTAL,
        FULL,
        REFUSED,
        ABSENT,
        covered_by=f"{_MOVES}::test_a_removed_statement_that_returns_starts_empty",
    ),
    Kind(
        "query-added-over-a-new-table",
        "a query is added beside another, over a table that was not read before",
        _TOTAL,
        _TOTAL + _RENTS,
        FULL,
        EMPTY,
        ABSENT,
        covered_by="union-with-a-new-table",
    ),
    Kind(
        "query-added-over-a-known-table",
        "a query is added beside another, over a table that was read before",
        _TOTAL,
        _TOTAL + _COUNT,
        PARTIAL,
        REFUSED,
        ABSENT,
        names="group-aggregate",
        note="the new one starts empty",
        sink="other",
        result=[("u", 1), ("v", 2)],
    ),
    Kind(
        "filter-in-front-of-an-aggregate",
        "a filter in front of an aggregate",
        SUM,
        "SELECT shop, SUM(price) FROM sales WHERE pieces > 10 GROUP BY shop",
        PARTIAL,
        REFUSED,
        WRONG,
        names="filter",
        note="what came before stays counted",
        result=[("x", 103), ("y", 62), ("z", 9)],
        says="filter: checkpoint has none, plan has (sales.pieces > 10)",
        wrong=[("x", 103), ("y", 62), ("z", 9)],
    ),
    Kind(
        "filter-removed",
        "a filter in front of an aggregate goes",
        "SELECT shop, SUM(price) FROM sales WHERE pieces > 10 GROUP BY shop",
        SUM,
        PARTIAL,
        REFUSED,
        WRONG,
        names="filter",
        note="what it held back stays away",
        result=[("x", 100), ("y", 12), ("z", 1)],
        covered_by="filter-in-front-of-an-aggregate",
    ),
    Kind(
        "filter-in-front-of-a-join",
        "a filter in front of a join",
        JOIN,
        "SELECT s.shop, h.rent FROM sales AS s JOIN (SELECT * FROM shops WHERE rent > 7) AS h ON s.shop = h.shop",
        PARTIAL,
        REFUSED,
        WRONG,
        names="right filter",
        note="what came before is still joined",
        result=[("x", 7), ("x", 7), ("y", 8), ("y", 8), ("y", 8), ("z", 9), ("z", 9)],
        says="right filter: checkpoint has none, plan has (shops.rent > 7)",
        wrong=[("x", 7), ("x", 7), ("y", 8), ("y", 8), ("y", 8), ("z", 9), ("z", 9)],
    ),
    Kind(
        "projection-of-rows",
        "another projection of rows that are only appended",
        "SELECT shop, CAST(price AS BIGINT) FROM sales",
        "SELECT shop, CAST(pieces AS BIGINT) FROM sales",
        FULL,
        RESTORED,
        RESTORED,
        note="rows that the sink was given stay",
        plan=PARTIAL,
        names="sink",
        result=[("x", 1000), ("x", 3), ("y", 5), ("y", 50), ("y", 70), ("z", 4), ("z", 9)],
        covered_by="columns-of-a-table-permuted",
    ),
    Kind(
        "another-zone",
        "another time zone where days are grouped",
        _DAYS,
        _DAYS,
        INCOMPATIBLE,
        WRONG,
        WRONG,
        names="time zone",
        zones=("UTC", "Europe/Berlin"),
        says="time zone: checkpoint has UTC, plan has Europe/Berlin",
        wrong=[("2024-01-01", 1), ("2024-01-02", 1)],
    ),
    Kind(
        "another-zone-elsewhere",
        "another time zone where nothing depends on it",
        SUM,
        SUM,
        FULL,
        RESTORED,
        RESTORED,
        zones=("UTC", "Europe/Berlin"),
        covered_by="columns-of-a-table-permuted",
    ),
    Kind(
        "other-partitions",
        "another number of partitions (Flink: another parallelism)",
        SUM,
        SUM,
        FULL,
        RESTORED,
        ABSENT,
        partitions=3,
        covered_by=f"{_MOVES}::test_the_number_of_partitions_and_the_host_change",
    ),
    Kind(
        "another-host",
        "another of Spark's operators that hosts the state (`--host`)",
        SUM,
        SUM,
        FULL,
        ABSENT,
        REFUSED,
        hosts=(TRANSFORM, GROUPS),
        covered_by=f"{_MOVES}::test_the_number_of_partitions_and_the_host_change",
    ),
)
