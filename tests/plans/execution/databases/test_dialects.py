"""Statements for each database: names, inserts, upserts, deletes."""

from __future__ import annotations

from compiled_plan.plans.execution.databases.dialects import (
    MARIADB,
    MYSQL,
    POSTGRES,
    SQLITE,
    STANDARD,
    Target,
    delete,
    dialect_of,
    insert,
    update,
)
from compiled_plan.plans.execution.databases.scan import ranges

TARGET = Target("t", ("`id`", "`at`", "`n`"), (0, 1))
ONLY_KEY = Target("t", ("a", "b"), (0, 1))


def test_the_dialect_by_the_url() -> None:
    urls = ("jdbc:postgresql://h/d", "jdbc:mysql://h/d", "jdbc:mariadb://h/d", "jdbc:sqlite:a.db", "jdbc:h2:mem:x", "x")
    assert [dialect_of(url) for url in urls] == [POSTGRES, MYSQL, MARIADB, SQLITE, STANDARD, STANDARD]


def test_statements() -> None:
    assert insert(TARGET) == "INSERT INTO t (`id`, `at`, `n`) VALUES (?, ?, ?)"
    assert delete(TARGET) == "DELETE FROM t WHERE `id` = ? AND `at` = ?"
    assert update(TARGET) == "UPDATE t SET `n` = ? WHERE `id` = ? AND `at` = ?"
    assert update(ONLY_KEY) == "UPDATE t SET a = a WHERE a = ? AND b = ?"


def test_upserts() -> None:
    assert MYSQL.upsert is MARIADB.upsert and MYSQL.upsert is not None
    assert MYSQL.upsert(TARGET) == f"{insert(TARGET)} ON DUPLICATE KEY UPDATE `n` = VALUES(`n`)"
    assert MYSQL.upsert(ONLY_KEY) == f"{insert(ONLY_KEY)} ON DUPLICATE KEY UPDATE a = a"
    assert POSTGRES.upsert is SQLITE.upsert and POSTGRES.upsert is not None
    assert POSTGRES.upsert(TARGET) == f"{insert(TARGET)} ON CONFLICT (`id`, `at`) DO UPDATE SET `n` = EXCLUDED.`n`"
    assert POSTGRES.upsert(ONLY_KEY) == f"{insert(ONLY_KEY)} ON CONFLICT (a, b) DO NOTHING"
    assert STANDARD.upsert is None


def test_names() -> None:
    assert MYSQL.quoted("a`b") == "`a``b`" and POSTGRES.quoted('a"b') == '"a""b"'
    # Flink's dialect of MySQL quotes the whole name, that of PostgreSQL nothing.
    assert MYSQL.tables("shop.order") == ("`shop.order`", "`shop`.`order`")
    assert POSTGRES.tables("shop.order") == ("shop.order", '"shop"."order"', '"shop.order"')
    assert POSTGRES.tables("t") == ("t", '"t"')
    for dialect in (MYSQL, POSTGRES, STANDARD):
        for query in ("(SELECT 1) t", "a JOIN b", "t; DROP TABLE t", 't" WHERE "x', "t` WHERE `x", "f('x')"):
            assert all(name.startswith(dialect.quote) for name in dialect.tables(query))
            assert dialect.tables(query)[-1] == dialect.quoted(query) and dialect.written(query) == dialect.quoted(
                query
            )
    assert STANDARD.tables('a."b c"') == ('a."b c"', '"a"."b c"', '"a.b c"')
    assert MYSQL.tables('a."b`c"') == ("`a.b``c`", "`a`.`b``c`")
    assert (STANDARD.written("id"), MYSQL.written("id"), STANDARD.written("max(id)")) == ("id", "`id`", '"max(id)"')
    known = ["id", "userId", "order", "x", "X"]
    assert [POSTGRES.column(name, known) for name in ("id", "ID", "userid", "ORDER", "x", "X")] == [
        *("id", "id", "userId", "order", "x", "X")
    ]
    assert POSTGRES.column("y", known) is None
    # Two that differ only in case: ambiguous.
    assert POSTGRES.column("A b", ["a B", "a b"]) is None


def test_ranges_as_flink_parts_a_table() -> None:
    assert list(ranges(0, 9, 3)) == [(0, 3), (4, 6), (7, 9)]
    assert list(ranges(-5, 5, 2)) == [(-5, 0), (1, 5)]
    assert list(ranges(1, 2, 5)) == [(1, 1), (2, 2)]
    assert list(ranges(7, 7, 1)) == [(7, 7)]
    assert list(ranges(-(2**63), 2**63 - 1, 2)) == [(-(2**63), -1), (0, 2**63 - 1)]
