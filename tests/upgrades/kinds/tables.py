"""Changes of the tables that a program reads and writes."""

from __future__ import annotations

from compiled_plan.plans.inspection.judging.verdicts import Verdict
from tests.upgrades.kinds.model import TABLES, Elsewhere, Kind, table, upserted

FULL, PARTIAL, INCOMPATIBLE = Verdict.FULL, Verdict.PARTIAL, Verdict.INCOMPATIBLE
RESTORED, REFUSED, WRONG = Elsewhere.RESTORED, Elsewhere.REFUSED, Elsewhere.WRONG
EMPTY, ABSENT, UNDEFINED = Elsewhere.EMPTY, Elsewhere.ABSENT, Elsewhere.UNDEFINED

SUM = "SELECT shop, SUM(price) FROM sales GROUP BY shop"
_FILES = TABLES["sales"]
_TOTALS = "SELECT shop, SUM(price), SUM(pieces) FROM sales GROUP BY shop"
_BY = "n BIGINT, m BIGINT, k STRING, PRIMARY KEY ({}) NOT ENFORCED"
_BY_N, _BY_M = (upserted(_BY.format(key)) for key in ("n", "m"))
_UPSERTED = "INSERT INTO up SELECT SUM(price), SUM(pieces), shop FROM stock GROUP BY shop ON CONFLICT DO {};"
_TIMED = "INSERT INTO up SELECT rate, fee, shop FROM rates ON CONFLICT DO {};"

KINDS = (
    Kind(
        "columns-of-a-table-permuted",
        "columns of a table change places",
        SUM,
        SUM,
        FULL,
        REFUSED,
        RESTORED,
        tables=("", table("sales", "pieces INT, price INT, town STRING, shop STRING, p AS PROCTIME()")),
    ),
    Kind(
        "column-added-to-a-table",
        "a table has a column more, which is not read",
        SUM,
        SUM,
        FULL,
        RESTORED,
        RESTORED,
        tables=("", _FILES.replace("shop STRING", "note STRING, shop STRING")),
        covered_by="columns-of-a-table-permuted",
    ),
    Kind(
        "table-renamed",
        "a table over the same files has another name",
        SUM,
        SUM.replace("sales", "sold"),
        FULL,
        RESTORED,
        RESTORED,
        tables=("", _FILES.replace("TABLE sales", "TABLE sold")),
        covered_by="columns-of-a-table-permuted",
    ),
    Kind(
        "another-monitor-interval",
        "an option that changes no row (`source.monitor-interval`)",
        SUM,
        SUM,
        FULL,
        RESTORED,
        RESTORED,
        tables=(
            _FILES.replace("'format'", "'source.monitor-interval' = '1 s', 'format'"),
            _FILES.replace("'format'", "'source.monitor-interval' = '2 s', 'format'"),
        ),
        covered_by="columns-of-a-table-permuted",
    ),
    Kind(
        "another-path",
        "a table is read from another path",
        SUM,
        SUM,
        PARTIAL,
        WRONG,
        UNDEFINED,
        plan=INCOMPATIBLE,
        names="sales",
        tables=("", _FILES.replace("{folder}/sales", "{folder}/shops")),
    ),
    Kind(
        "union-with-a-new-table",
        "rows of a table more are counted, too",
        "SELECT shop, COUNT(*) FROM sales GROUP BY shop",
        "SELECT shop, COUNT(*) FROM (SELECT shop FROM sales UNION ALL SELECT shop FROM shops) GROUP BY shop",
        FULL,
        REFUSED,
        REFUSED,
    ),
    Kind(
        "union-without-a-table",
        "rows of a table are no longer counted",
        "SELECT shop, COUNT(*) FROM (SELECT shop FROM sales UNION ALL SELECT shop FROM shops) GROUP BY shop",
        "SELECT shop, COUNT(*) FROM sales GROUP BY shop",
        PARTIAL,
        REFUSED,
        REFUSED,
        names="rows",
        note="what came of it before stays counted",
        result=[("x", 3), ("y", 4), ("z", 2)],
        covered_by="union-with-a-new-table",
    ),
    Kind(
        "another-sink",
        "another sink for the same query",
        f"INSERT INTO wide {_TOTALS};",
        f"INSERT INTO keyed {_TOTALS};",
        FULL,
        RESTORED,
        RESTORED,
        plan=PARTIAL,
        names="keyed",
        note="it gets what changes from now on",
        sink="keyed",
        covered_by="statements-swapped",
    ),
    Kind(
        "sink-columns-permuted",
        "columns of a sink with an `ON CONFLICT` of its own change places",
        _UPSERTED.format("DEDUPLICATE"),
        _UPSERTED.format("DEDUPLICATE").replace("SUM(price), SUM(pieces), shop", "shop, SUM(pieces), SUM(price)"),
        FULL,
        REFUSED,
        ABSENT,
        sink="up",
        tables=(
            _BY_N,
            upserted("k STRING, m BIGINT, n BIGINT, PRIMARY KEY (n) NOT ENFORCED"),
        ),
        covered_by="sink-column-added",
    ),
    Kind(
        "sink-column-added",
        "such a sink has a column more",
        "INSERT INTO up SELECT SUM(price), shop FROM stock GROUP BY shop ON CONFLICT DO DEDUPLICATE;",
        "INSERT INTO up SELECT SUM(price), shop, SUM(pieces) FROM stock GROUP BY shop ON CONFLICT DO DEDUPLICATE;",
        PARTIAL,
        REFUSED,
        ABSENT,
        names="columns",
        sink="up",
        tables=(
            upserted("n BIGINT, k STRING, PRIMARY KEY (n) NOT ENFORCED"),
            upserted("n BIGINT, k STRING, m BIGINT, PRIMARY KEY (n) NOT ENFORCED"),
        ),
        result=[("x", 4, 11), ("y", 5, -2), ("z", 9, 1)],
    ),
    Kind(
        "sink-primary-key",
        "another primary key of such a sink",
        _UPSERTED.format("DEDUPLICATE"),
        _UPSERTED.format("DEDUPLICATE"),
        INCOMPATIBLE,
        REFUSED,
        ABSENT,
        names="primary key",
        sink="up",
        tables=(_BY_N, _BY_M),
        says="primary key: checkpoint has n, plan has m",
        wrong=[("x", 3, 10), ("x", 4, 11), ("y", 5, 20), ("y", 55, 22), ("z", 9, 1)],
    ),
    Kind(
        "sink-conflict-strategy",
        "another `ON CONFLICT`",
        _TIMED.format("DEDUPLICATE"),
        _TIMED.format("NOTHING"),
        INCOMPATIBLE,
        WRONG,
        ABSENT,
        names="conflict strategy",
        sink="up",
        tables=(_BY_N, _BY_N),
    ),
)
