"""Queries with holes, at least one for every stateful operator; each gives rows (k STRING, n BIGINT, m BIGINT).

A hole has a few fillings; a query is a shape with its holes filled, and changes when one is filled otherwise. If
`{x:y}` stands for a list, fillings are lists of SQL.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Fill = Mapping[str, str]


@dataclass(frozen=True)
class Shape:
    """A query with holes.

    Args:
        operator: the kind of node that it covers.
        sql: the query, a hole as `{name}`.
        holes: by name, the possible fillings.
        needs: the settings that it needs.
        sink: the table of its rows.
    """

    operator: str
    sql: str
    holes: Mapping[str, tuple[str, ...]]
    needs: str = ""
    sink: str = "wide"

    def filled(self, fill: Fill) -> str:
        """The query."""
        text = self.sql
        for name in fill:
            text = text.replace(f"{{{name}}}", fill[name])
        return text


UPSERTS = "SET 'table.exec.source.cdc-events-duplicate' = 'true';\n"
MULTI = "SET 'table.optimizer.multi-join.enabled' = 'true';\n"
_CALLS = (
    "SUM(price), SUM(pieces)",
    "SUM(pieces), SUM(price)",
    "SUM(price), CAST(0 AS BIGINT)",
    "SUM(price), COUNT(*)",
    "COUNT(*), SUM(price)",
    "AVG(price), CAST(0 AS BIGINT)",
    "COUNT(price), SUM(price)",
    "MAX(price), MIN(pieces)",
    "MIN(price), MAX(pieces)",
    "MAX(price), CAST(0 AS BIGINT)",
    "COUNT(DISTINCT town), SUM(price)",
    "SUM(DISTINCT pieces), SUM(price)",
    "SUM(price) FILTER (WHERE pieces > 40), COUNT(*)",
    "SUM(price * 2), SUM(price)",
    "FIRST_VALUE(price), LAST_VALUE(pieces)",
)
_PLAIN = tuple(call for call in _CALLS if "FILTER" not in call and "DISTINCT" not in call)
_WHERE = ("", "WHERE pieces > 30", "WHERE pieces > 50", "WHERE town <> 'u'")
_PAIR = ("price, pieces", "pieces, price", "price, CAST(0 AS INT)", "pieces, CAST(0 AS INT)")
_JOINED = (
    "s.price, h.rent",
    "s.pieces, h.rent",
    "s.price, h.tax",
    "h.rent, s.price",
    "s.price, CAST(0 AS INT)",
    "h.rent, h.tax",
)
_KINDS = ("JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN")
_RIGHT = ("shops", "(SELECT * FROM shops WHERE rent > 30)", "(SELECT tax, half, rent, shop FROM shops)")
_WINDOW = (
    "TUMBLE(TABLE clicks, DESCRIPTOR(at1), INTERVAL '1' HOUR)",
    "TUMBLE(TABLE clicks, DESCRIPTOR(at1), INTERVAL '30' MINUTE)",
    "HOP(TABLE clicks, DESCRIPTOR(at1), INTERVAL '30' MINUTE, INTERVAL '1' HOUR)",
    "CUMULATE(TABLE clicks, DESCRIPTOR(at1), INTERVAL '20' MINUTE, INTERVAL '1' HOUR)",
    "SESSION(TABLE clicks PARTITION BY shop, DESCRIPTOR(at1), INTERVAL '7' MINUTE)",
)
_FRAME = ("ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW", "ROWS BETWEEN 2 PRECEDING AND CURRENT ROW")
_OVER = (
    "SUM(price) OVER w, SUM(pieces) OVER w",
    "SUM(price) OVER w, CAST(0 AS BIGINT)",
    "MAX(price) OVER w, COUNT(*) OVER w",
    "SUM(pieces) OVER w, SUM(price) OVER w",
)
_VISITED = ("c.price, v.guests", "c.pieces, v.guests", "c.price, v.kids", "c.price, CAST(0 AS INT)")

SHAPES: tuple[Shape, ...] = (
    Shape(
        "group-aggregate",
        "SELECT {key}, {calls} FROM {table} {where} GROUP BY {key}{more}",
        {"key": ("shop", "town"), "calls": _CALLS, "table": ("sales",), "where": _WHERE, "more": ("", "", ", pieces")},
    ),
    Shape(
        "group-aggregate",
        "SELECT {key}, {calls} FROM stock {where} GROUP BY {key}",
        {
            "key": ("shop", "town"),
            "calls": tuple(call for call in _CALLS if "FIRST" not in call),
            "where": _WHERE,
        },
    ),
    Shape(
        "group-aggregate",
        "SELECT shop, SUM(a), MAX(b) FROM (SELECT shop, town, {calls} FROM {table} {where} GROUP BY shop, town) "
        "AS t (shop, town, a, b) GROUP BY shop",
        {"calls": _PLAIN[:-1], "table": ("sales", "stock"), "where": _WHERE},
    ),
    Shape(
        "group-aggregate",
        "SELECT DISTINCT {columns} FROM {table} {where}",
        {
            "columns": (
                "shop, price, pieces",
                "town, price, pieces",
                "shop, price, CAST(0 AS INT)",
                "shop, CHAR_LENGTH(town), 1",
            ),
            "table": ("sales", "stock"),
            "where": _WHERE,
        },
    ),
    Shape(
        "join",
        "SELECT {who}.shop, {columns} FROM {left} AS s {kind} {right} AS h ON s.shop = h.shop{condition}",
        {
            "who": ("s", "h"),
            "columns": _JOINED,
            "left": ("sales", "stock", "(SELECT * FROM sales WHERE pieces > 40)"),
            "kind": _KINDS,
            "right": _RIGHT,
            "condition": ("", "", " AND s.price > h.rent", " AND s.price > h.tax"),
        },
    ),
    Shape(
        "join",
        "SELECT shop, {columns} FROM {left} AS s WHERE {exists} (SELECT 1 FROM {right} AS h WHERE h.shop = "
        "s.shop{condition})",
        {
            "columns": _PAIR,
            "left": ("sales", "stock"),
            "exists": ("EXISTS", "NOT EXISTS"),
            "right": _RIGHT,
            "condition": ("", " AND s.price > h.rent", " AND s.price > h.tax"),
        },
    ),
    Shape(
        "join",
        "SELECT a.shop, {columns} FROM (SELECT shop, {calls} FROM sales {where} GROUP BY shop) AS a (shop, x, y) "
        "{kind} {right} AS h ON a.shop = h.shop",
        {
            "columns": ("a.x, h.rent", "a.y, h.rent", "a.x, a.y", "a.x, h.tax"),
            "calls": _PLAIN,
            "where": _WHERE,
            "kind": _KINDS[:3],
            "right": _RIGHT,
        },
    ),
    Shape(
        "multi-join",
        "SELECT s.shop, {columns} FROM {left} AS s JOIN {right} AS h ON s.shop = h.shop JOIN stock AS k "
        "ON s.shop = k.shop",
        {
            "columns": ("h.rent, k.price", "s.price, k.price", "s.price, h.tax", "k.pieces, h.rent"),
            "left": ("sales", "(SELECT * FROM sales WHERE pieces > 40)"),
            "right": _RIGHT,
        },
        MULTI,
    ),
    Shape(
        "deduplicate",
        "SELECT shop, {columns} FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY {by} ORDER BY p {order}) AS r FROM "
        "sales {where}) WHERE r = 1",
        {"columns": _PAIR, "by": ("shop", "town", "shop, town"), "order": ("ASC", "DESC"), "where": _WHERE},
    ),
    Shape(
        "rank",
        "SELECT shop, {columns} FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY {by} ORDER BY {order}) AS r FROM "
        "{table} {where}) WHERE r <= {n}",
        {
            "columns": (*_PAIR, "price, r"),
            "by": ("shop", "town"),
            "order": ("price", "price DESC", "pieces, price"),
            "table": ("sales", "stock"),
            "where": _WHERE,
            "n": ("1", "2", "3"),
        },
    ),
    Shape(
        "changelog-normalize",
        "SELECT dev, {columns} FROM devices {where}",
        {
            "columns": ("fw, CHAR_LENGTH(owner)", "fw, age", "age, fw", "fw, CAST(0 AS INT)"),
            "where": ("WHERE fw > 0", "WHERE fw > 30", "WHERE fw > 60", "WHERE owner <> 'ann'"),
        },
        UPSERTS,
        "keyed",
    ),
    Shape(
        "sink",
        "SELECT n, k, {columns} FROM (SELECT SUM(price), shop, {calls} FROM stock GROUP BY shop) AS t (n, k, a, b)",
        {"columns": ("a", "b", "CAST(0 AS BIGINT)"), "calls": ("SUM(pieces), COUNT(*)", "COUNT(*), SUM(pieces)")},
        sink="up",
    ),
    Shape(
        "over-aggregate",
        "SELECT shop, {calls} FROM sales {where} WINDOW w AS (PARTITION BY {by} ORDER BY p {frame})",
        {"calls": _OVER, "where": _WHERE, "by": ("shop", "town"), "frame": _FRAME},
    ),
    Shape(
        "window-aggregate",
        "SELECT {key}, {calls} FROM TABLE({window}) {where} GROUP BY {key}, window_start, window_end",
        {"key": ("shop", "town"), "calls": _PLAIN, "window": _WINDOW, "where": _WHERE},
    ),
    Shape(
        "window-join",
        "SELECT {who}.shop, {columns} FROM (SELECT * FROM TABLE(TUMBLE(TABLE clicks, DESCRIPTOR(at1), INTERVAL "
        "'{size}' MINUTE)) {where}) AS c {kind} (SELECT * FROM TABLE(TUMBLE(TABLE visits, DESCRIPTOR(at1), INTERVAL "
        "'{size}' MINUTE))) AS v ON c.shop = v.shop AND c.window_start = v.window_start "
        "AND c.window_end = v.window_end",
        {
            "who": ("c", "v"),
            "columns": _VISITED,
            "size": ("30", "60"),
            "where": _WHERE,
            "kind": _KINDS,
        },
    ),
    Shape(
        "window-rank",
        "SELECT shop, {columns} FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, {by} "
        "ORDER BY {order}) AS r FROM TABLE(TUMBLE(TABLE clicks, DESCRIPTOR(at1), INTERVAL '{size}' MINUTE)) {where}) "
        "WHERE r <= {n}",
        {
            "columns": _PAIR,
            "by": ("shop", "town"),
            "order": ("price", "pieces DESC, price"),
            "size": ("30", "60"),
            "where": _WHERE,
            "n": ("1", "2"),
        },
    ),
    Shape(
        "window-deduplicate",
        "SELECT shop, {columns} FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, shop "
        "ORDER BY at1 {order}) AS r FROM TABLE(TUMBLE(TABLE clicks, DESCRIPTOR(at1), INTERVAL '{size}' MINUTE)) "
        "{where}) WHERE r = 1",
        {"columns": _PAIR, "order": ("ASC", "DESC"), "size": ("30", "60"), "where": _WHERE},
    ),
    Shape(
        "over-aggregate",
        "SELECT shop, {calls} FROM clicks {where} WINDOW w AS (PARTITION BY {by} ORDER BY at1 RANGE BETWEEN {frame} "
        "PRECEDING AND CURRENT ROW)",
        {
            "calls": _OVER,
            "where": _WHERE,
            "by": ("shop", "town"),
            "frame": ("INTERVAL '10' MINUTE", "INTERVAL '40' MINUTE", "UNBOUNDED"),
        },
    ),
    Shape(
        "interval-join",
        "SELECT {who}.shop, {columns} FROM (SELECT * FROM clicks {where}) AS c {kind} visits AS v ON c.shop = v.shop "
        "AND v.at1 BETWEEN c.at1 - INTERVAL '{before}' MINUTE AND c.at1 + INTERVAL '{after}' MINUTE",
        {
            "who": ("c", "v"),
            "columns": _VISITED,
            "where": _WHERE,
            "kind": _KINDS,
            "before": ("5", "15"),
            "after": ("2", "10"),
        },
    ),
    Shape(
        "temporal-join",
        "SELECT c.shop, {columns} FROM (SELECT * FROM clicks {where}) AS c {kind} rates FOR SYSTEM_TIME AS OF c.at1 "
        "AS r ON c.shop = r.shop",
        {
            "columns": ("c.price * r.rate, r.fee", "c.price, r.rate", "c.pieces, r.rate", "r.rate, CAST(0 AS INT)"),
            "where": _WHERE,
            "kind": ("JOIN", "LEFT JOIN"),
        },
        UPSERTS,
    ),
    Shape(
        "match",
        "SELECT shop, n, m FROM (SELECT * FROM clicks {where}) MATCH_RECOGNIZE (PARTITION BY {by} ORDER BY at1 "
        "MEASURES {measures} AFTER MATCH SKIP {skip} PATTERN (A {pattern} C) DEFINE B AS B.price {sign} A.price, "
        "C AS C.price > A.price)",
        {
            "where": _WHERE,
            "by": ("shop",),
            "measures": ("C.price AS n, A.price AS m", "C.pieces AS n, A.price AS m"),
            "skip": ("PAST LAST ROW", "TO NEXT ROW"),
            "pattern": ("B*", "B+", "B?"),
            "sign": ("<", "<="),
        },
    ),
    Shape(
        "temporal-sort",
        "SELECT shop, {columns} FROM clicks {where} ORDER BY at1{then}",
        {"columns": _PAIR, "where": _WHERE, "then": ("", ", price", ", pieces DESC")},
    ),
)

#: By operator, for tests that all are covered.
OPERATORS = frozenset(shape.operator for shape in SHAPES)
