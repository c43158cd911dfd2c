"""Queries, relations, joins, hints."""

from __future__ import annotations

import pytest

from compiled_plan.planner.sql import nodes as ast
from compiled_plan.plans.errors import ProgramWarning


def relation(query, text):
    return query(f"SELECT * FROM {text}").source


SET_OPERATIONS = [
    ("SELECT 1 UNION SELECT 2 INTERSECT SELECT 3", "UNION(1, INTERSECT(2, 3, distinct), distinct)"),
    ("SELECT 1 EXCEPT ALL SELECT 2 UNION ALL SELECT 3", "UNION(EXCEPT(1, 2), 3)"),
]


def sets(node):
    if isinstance(node, ast.SetOperation):
        distinct = ", distinct" if node.distinct else ""
        return f"{node.operator}({sets(node.left)}, {sets(node.right)}{distinct})"
    return node.items[0].text


@pytest.mark.parametrize(("text", "tree"), SET_OPERATIONS)
def test_intersect_binds_tighter(query, text, tree):
    assert sets(query(text)) == tree


def test_order_and_limit_belong_to_the_whole_set_operation(query):
    union = query("SELECT 1 UNION ALL (SELECT 2 LIMIT 3) ORDER BY 1 DESC NULLS LAST LIMIT 4 OFFSET 5 ROWS")
    assert isinstance(union, ast.SetOperation)
    assert (union.operator, union.limit, union.offset) == ("UNION", 4, 5)
    (key,) = union.order.keys
    assert (key.descending, key.nulls_first) == (True, False)
    inner = union.right
    assert isinstance(inner, ast.Subquery)
    assert inner.query.limit == 3


def test_the_order_of_nulls_is_unset_by_default(query):
    assert query("SELECT a ORDER BY a").order.keys[0].nulls_first is None


def test_fetch_is_limit(query):
    assert query("SELECT a FROM t FETCH FIRST 7 ROWS ONLY").limit == 7
    assert query("SELECT a FROM t LIMIT ALL").limit is None


def test_with(query):
    parsed = query("WITH a AS (SELECT 1), b (x, y) AS (VALUES (1, 2)) SELECT * FROM a UNION ALL SELECT 2")
    first, second = parsed.with_.queries
    assert isinstance(parsed, ast.SetOperation)
    assert (first.alias.name, [column.name for column in second.alias.columns]) == ("a", ["x", "y"])
    assert isinstance(second.query, ast.Values)


def test_values(query, shape):
    parsed = query("VALUES (1, 'a'), ROW(2, 'b'), 3")
    assert shape(parsed.rows) == ("[RowValue([1, 'a']), RowValue([2, 'b']), RowValue([3])]")


def test_explicit_table_is_select_star(query, shape):
    assert shape(query("TABLE a.b")) == "Select(items=[AllColumns()], source=TableRef([a, b]))"


@pytest.mark.parametrize(("text", "name"), [("0x1F", "x1F"), ("0e", "e"), ("0_000", "_000")])
def test_digits_end_where_no_number_goes_on(query, shape, text, name):
    assert shape(query(f"SELECT {text}").items) == f"[Alias(0, name={name})]"


def test_clauses_of_select(query, shape):
    parsed = query(
        "SELECT DISTINCT a AS x, b y, t.*, SUM(c) OVER w FROM t WHERE p GROUP BY a, b HAVING q "
        "WINDOW w AS (ORDER BY a) QUALIFY r"
    )
    assert parsed.distinct
    assert [item.name.name for item in parsed.items[:2]] == ["x", "y"]
    assert isinstance(parsed.items[2], ast.AllColumns)
    assert shape(parsed.where) == "p"
    assert shape(parsed.group) == "GroupBy([a, b])"
    assert shape(parsed.having) == "q"
    assert parsed.windows[0].name.name == "w"
    assert shape(parsed.qualify) == "r"


def test_grouping_sets(query, shape):
    parsed = query("SELECT 1 FROM t GROUP BY a, GROUPING SETS ((a, b), c, ()), ROLLUP(a, (b, c)), CUBE(d), ()")
    assert shape(parsed.group.items) == (
        "[a, GroupingSets([RowValue([a, b]), c, RowValue()]), Rollup([a, RowValue([b, c])]), Cube([d]), RowValue()]"
    )


JOINS = [
    ("a, b JOIN c ON x, d", "COMMA(INNER(COMMA(a, b), c), d)"),
    ("a LEFT OUTER JOIN b ON x RIGHT JOIN c ON y", "RIGHT(LEFT(a, b), c)"),
    ("a CROSS JOIN b NATURAL JOIN c", "NATURAL INNER(CROSS(a, b), c)"),
    ("a FULL JOIN (b JOIN c ON x) ON y", "FULL(a, INNER(b, c))"),
    ("((a JOIN b ON x) JOIN c ON y)", "INNER(INNER(a, b), c)"),
]


def joins(node):
    if isinstance(node, ast.Join):
        natural = "NATURAL " if node.natural else ""
        return f"{natural}{node.kind}({joins(node.left)}, {joins(node.right)})"
    return node.parts[-1].name


@pytest.mark.parametrize(("text", "tree"), JOINS)
def test_joins(query, text, tree):
    assert joins(relation(query, text)) == tree


def test_join_conditions(query, shape):
    assert shape(relation(query, "a JOIN b ON a.x = b.x").on) == "=(a.x, b.x)"
    assert [column.name for column in relation(query, "a JOIN b USING (x, y)").using] == ["x", "y"]


RELATIONS = [
    ("t AS u (x, y)", "TableRef([t], alias=TableAlias(u, columns=[x, y]))"),
    ("(SELECT 1) u", "Subquery(query=Select(items=[1]), alias=TableAlias(u))"),
    (
        "(VALUES (1)) AS u(x)",
        "Subquery(query=Values(rows=[RowValue([1])]), alias=TableAlias(u, columns=[x]))",
    ),
    ("LATERAL (SELECT 1) u", "Subquery(query=Select(items=[1]), alias=TableAlias(u), lateral=True)"),
    (
        "UNNEST(a, b) WITH ORDINALITY AS u(x)",
        "Unnest([a, b], ordinality=True, alias=TableAlias(u, columns=[x]))",
    ),
    (
        "LATERAL TABLE(f(a)) AS u(x)",
        "TableFunction(Call([f], arguments=[a]), alias=TableAlias(u, columns=[x]))",
    ),
    ("f(a)", "TableFunction(Call([f], arguments=[a]))"),
    ("t FOR SYSTEM_TIME AS OF o.ts AS u", "TableRef([t], as_of=o.ts, alias=TableAlias(u))"),
    (
        "((SELECT 1) UNION (SELECT 2)) u",
        "Subquery(query=SetOperation(operator=UNION, left=Subquery(query=Select(items=[1])), "
        "right=Subquery(query=Select(items=[2])), distinct=True), alias=TableAlias(u))",
    ),
]


@pytest.mark.parametrize(("text", "tree"), RELATIONS)
def test_relations(query, shape, text, tree):
    assert shape(relation(query, text)) == tree


@pytest.mark.parametrize("form", ["TABLE({})", "{}"])
def test_window_table_functions(query, shape, form):
    text = form.format("HOP(TABLE t PARTITION BY (a, b) ORDER BY c, DESCRIPTOR(ts), SIZE => INTERVAL '5' MINUTE)")
    call = relation(query, text).call
    table, descriptor, size = call.arguments
    assert call.name == "HOP"
    assert shape(table) == ("TableArgument(TableRef([t]), partition_by=[a, b], order=OrderBy([Ordered(c)]))")
    assert shape(descriptor) == "Descriptor([ts])"
    assert shape(size) == "NamedArgument(SIZE, value=IntervalLiteral(5, unit=IntervalQualifier(MINUTE)))"


def test_one_partition_column_of_a_table_argument_needs_no_parentheses(query):
    call = relation(query, "SESSION(TABLE t PARTITION BY a, DESCRIPTOR(ts), gap => INTERVAL '5' MINUTE)").call
    assert len(call.arguments) == 3
    assert len(call.arguments[0].partition_by) == 1


def test_hints(query):
    parsed = query(
        "SELECT /*+ state_ttl('o' = '3s', u = '9s'), BROADCAST(a, `b c`) */ * "
        "FROM t /*+ OPTIONS('k'='v', 'k'='w') */ AS u"
    )
    ttl, broadcast = parsed.hints
    assert (ttl.name, ttl.options) == ("STATE_TTL", {"o": "3s", "u": "9s"})
    assert (broadcast.name, broadcast.arguments) == ("BROADCAST", ["a", "b c"])
    table = parsed.source
    assert table.hints[0].options == {"k": "w"}
    assert table.alias.name == "u"


def test_a_substituted_sample_has_no_effect(query, shape):
    with pytest.warns(ProgramWarning, match=r"TABLESAMPLE SUBSTITUTE\('k'\) has no effect"):
        parsed = query("SELECT * FROM t AS u TABLESAMPLE SUBSTITUTE('k') JOIN v ON TRUE")
    assert shape(parsed.source) == shape(query("SELECT * FROM t AS u JOIN v ON TRUE").source)


def test_match_recognize(query, shape):
    match = relation(
        query,
        "t MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES A.x AS a, FINAL LAST(B.x) AS b ONE ROW PER MATCH "
        "AFTER MATCH SKIP TO LAST B PATTERN (A (B | C)+? D{2,3}) WITHIN INTERVAL '1' HOUR "
        "SUBSET U = (A, B) DEFINE A AS A.x > 1, B AS TRUE) AS m",
    )
    assert isinstance(match, ast.MatchRecognize)
    assert shape(match.partition_by) == "[k]"
    assert [measure.name.name for measure in match.measures] == ["a", "b"]
    assert (match.after, match.after_variable.name) == ("SKIP TO LAST", "B")
    assert match.pattern == "A (B | C)+? D{2,3}"
    assert [definition.name.name for definition in match.definitions] == ["A", "B"]
    assert match.alias.name == "m"
