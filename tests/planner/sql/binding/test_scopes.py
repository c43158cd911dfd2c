"""Name resolution: columns, fields, aliases, qualifiers; and messages for unknown names."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from compiled_plan.planner.sql.binding.core import Bound
from compiled_plan.plans.errors import CompiledPlanError

Bind = Callable[[str], Bound]
Tree = Callable[[str], str]
Refused = Callable[[str], CompiledPlanError]


@pytest.mark.parametrize(
    ("query", "names", "unique"),
    [
        ("SELECT a, a + 1, b AS c, 1 FROM t", ("a", "EXPR$1", "c", "EXPR$3"), ("a", "EXPR$1", "c", "EXPR$3")),
        ("SELECT t.a, u.a FROM t, u", ("a", "a"), ("a", "a0")),
        ("SELECT r.x, t.r.y.z, arr[1] FROM t", ("x", "z", "EXPR$2"), ("x", "z", "EXPR$2")),
        ("SELECT CURRENT_DATE FROM t", ("CURRENT_DATE",), ("CURRENT_DATE",)),
        ("SELECT r.* FROM t", ("x", "y"), ("x", "y")),
        ("SELECT u.*, t.a FROM t, u", ("a", "d", "e", "a"), ("a", "d", "e", "a0")),
        ("VALUES (1, 'x')", ("EXPR$0", "EXPR$1"), ("EXPR$0", "EXPR$1")),
        ("SELECT * FROM u AS q(x, y, z)", ("x", "y", "z"), ("a", "d", "e")),
        ("SELECT a AS x FROM t UNION ALL SELECT a FROM u", ("x",), ("x",)),
    ],
)
def test_columns_are_named_as_flink_names_them(
    bind: Bind, query: str, names: tuple[str, ...], unique: tuple[str, ...]
) -> None:
    actual = bind(query)
    assert actual.names == names
    if " AS q(" not in query:
        assert actual.rel.row_type.names == unique


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("SELECT t.a FROM t", "Project(a=$0)"),
        ("SELECT default_catalog.default_database.t.a FROM t", "Project(a=$0)"),
        ("SELECT t.a FROM default_database.t", "Project(a=$0)"),
        ("SELECT q.r.x FROM t AS q", "Project(x=$3.x)"),
        ("SELECT x FROM t", "Project(x=$3.x)"),
        ("SELECT z FROM t", "Project(z=$3.y.z)"),
        ("SELECT r.y.z FROM t AS r", "Project(z=$3.y.z)"),
        ("SELECT u.a FROM t, u", "Project(a=$6)"),
        ("SELECT `a` FROM t", "Project(a=$0)"),
    ],
)
def test_names_resolve(tree: Tree, query: str, first: str) -> None:
    assert tree(query).splitlines()[0] == first


@pytest.mark.parametrize(
    ("query", "message", "remedy"),
    [
        ("SELECT nope FROM t", "column 'nope' not found in any table", "there are: "),
        ("SELECT A FROM t", "column 'A' not found in any table", "did you mean 'a'?"),
        ("SELECT T.a FROM t", "table 'T' not found", "did you mean 't'?"),
        ("SELECT t.bb FROM t", "column 'bb' not found in table 't'", "did you mean 'b'?"),
        ("SELECT r.y.zz FROM t", "field 'zz' not found", "did you mean 'z'?"),
        ("SELECT b.x FROM t", "has no fields", ""),
        ("SELECT a FROM t, u", "column 'a' is ambiguous", "t.a or u.a"),
        ("SELECT * FROM (SELECT t.a, u.a FROM t, u)", "column 'a' is ambiguous", "aliases"),
        ("SELECT * FROM u x, w x", "duplicate relation name 'x'", "another alias"),
        ("SELECT * FROM orders", "table or view 'orders' not found", "there are: "),
        ("SELECT * FROM tt", "table or view 'tt' not found", "did you mean 't'?"),
        ("SELECT t.a FROM t AS q", "table 't' not found", ""),
        ("SELECT * FROM t AS q(x, y)", "the list of column aliases 2", "name all columns"),
        ("SELECT frobnicate(a) FROM t", "no function is named 'frobnicate'", ""),
        ("SELECT uper(b) FROM t", "no function is named 'uper'", "did you mean 'UPPER'?"),
        ("SELECT contu(b) FROM t", "no function is named 'contu'", "did you mean 'COUNT'?"),
        ("SELECT rownumber() OVER (ORDER BY a) FROM t", "'rownumber'", "did you mean 'ROW_NUMBER'?"),
        ("SELECT tumble_strat(a) FROM t", "'tumble_strat'", "did you mean 'TUMBLE_START'?"),
        ("SELECT groping(a) FROM t GROUP BY a", "'groping'", "did you mean 'GROUPING'?"),
        (
            "SELECT * FROM TABLE(TUMBEL(TABLE t, DESCRIPTOR(a), INTERVAL '1' DAY))",
            "no table function is named 'TUMBEL'",
            "did you mean 'TUMBLE'?",
        ),
        ("SELECT NULL FROM t", "illegal use of NULL", "CAST(NULL AS type)"),
    ],
)
def test_unknown_names_are_refused_with_the_nearest(refused: Refused, query: str, message: str, remedy: str) -> None:
    error = refused(query)
    assert message in error.message
    assert remedy in error.remedy


def test_an_error_shows_the_place(refused: Refused) -> None:
    error = refused("SELECT a,\n  nope + 1\nFROM t")
    assert error.where == "line 2, column 3\n      nope + 1\n      ^^^^"


def test_an_unaliased_subquery_cannot_be_qualified_but_its_columns_are_seen(tree: Tree, refused: Refused) -> None:
    assert tree("SELECT a FROM (SELECT a, b FROM t)").startswith("Project(a=$0)")
    assert "ambiguous" in refused("SELECT a FROM (SELECT t.a, u.a FROM t, u)").message
