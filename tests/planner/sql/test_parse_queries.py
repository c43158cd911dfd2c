"""Queries, relations, joins, hints."""

from __future__ import annotations

import pytest
from sqlglot import exp

from compiled_plan.planner.sql import nodes as ast


def relation(query, text):
    return query(f"SELECT * FROM {text}").args["from_"].this


SET_OPERATIONS = [
    ("SELECT 1 UNION SELECT 2 INTERSECT SELECT 3", "Union(1, Intersect(2, 3, distinct), distinct)"),
    ("SELECT 1 EXCEPT ALL SELECT 2 UNION ALL SELECT 3", "Union(Except(1, 2), 3)"),
]


def sets(node):
    if isinstance(node, exp.SetOperation):
        distinct = ", distinct" if node.args["distinct"] else ""
        return f"{type(node).__name__}({sets(node.this)}, {sets(node.expression)}{distinct})"
    return node.expressions[0].this


@pytest.mark.parametrize(("text", "tree"), SET_OPERATIONS)
def test_intersect_binds_tighter(query, text, tree):
    assert sets(query(text)) == tree


def test_order_and_limit_belong_to_the_whole_set_operation(query):
    union = query("SELECT 1 UNION ALL (SELECT 2 LIMIT 3) ORDER BY 1 DESC NULLS LAST LIMIT 4 OFFSET 5 ROWS")
    assert isinstance(union, exp.Union)
    assert union.args["limit"].expression.this == "4"
    assert union.args["offset"].expression.this == "5"
    key = union.args["order"].expressions[0]
    assert (key.args["desc"], key.args["nulls_first"]) == (True, False)
    inner = union.expression
    assert isinstance(inner, exp.Subquery)
    assert inner.this.args["limit"].expression.this == "3"


def test_nulls_are_unsaid_by_default(query):
    assert query("SELECT a ORDER BY a").args["order"].expressions[0].args.get("nulls_first") is None


def test_fetch_is_limit(query):
    assert query("SELECT a FROM t FETCH FIRST 7 ROWS ONLY").args["limit"].expression.this == "7"
    assert query("SELECT a FROM t LIMIT ALL").args.get("limit") is None


def test_with(query):
    parsed = query("WITH a AS (SELECT 1), b (x, y) AS (VALUES (1, 2)) SELECT * FROM a UNION ALL SELECT 2")
    first, second = parsed.args["with_"].expressions
    assert isinstance(parsed, exp.Union)
    assert (first.alias, [column.name for column in second.args["alias"].columns]) == ("a", ["x", "y"])
    assert isinstance(second.this, exp.Values)


def test_values(query, shape):
    parsed = query("VALUES (1, 'a'), ROW(2, 'b'), 3")
    assert shape(parsed.expressions) == (
        "[RowValue(expressions=[1, 'a']), RowValue(expressions=[2, 'b']), RowValue(expressions=[3])]"
    )


def test_explicit_table_is_select_star(query, shape):
    assert shape(query("TABLE a.b")) == "Select(expressions=[AllColumns()], from_=From(TableRef(parts=[a, b])))"


def test_clauses_of_select(query, shape):
    parsed = query(
        "SELECT DISTINCT a AS x, b y, t.*, SUM(c) OVER w FROM t WHERE p GROUP BY a, b HAVING q "
        "WINDOW w AS (ORDER BY a) QUALIFY r"
    )
    assert parsed.args["distinct"]
    assert [item.alias for item in parsed.expressions[:2]] == ["x", "y"]
    assert isinstance(parsed.expressions[2], ast.AllColumns)
    assert shape(parsed.args["where"].this) == "p"
    assert shape(parsed.args["group"]) == "GroupBy(expressions=[a, b])"
    assert shape(parsed.args["having"].this) == "q"
    assert parsed.args["windows"][0].this.name == "w"
    assert shape(parsed.args["qualify"].this) == "r"


def test_grouping_sets(query, shape):
    parsed = query("SELECT 1 FROM t GROUP BY a, GROUPING SETS ((a, b), c, ()), ROLLUP(a, (b, c)), CUBE(d), ()")
    assert shape(parsed.args["group"].expressions) == (
        "[a, GroupingSets(expressions=[RowValue(expressions=[a, b]), c, RowValue()]), "
        "Rollup(expressions=[a, RowValue(expressions=[b, c])]), Cube(expressions=[d]), RowValue()]"
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
    assert shape(relation(query, "a JOIN b ON a.x = b.x").on) == "EQ(a.x, b.x)"
    assert [column.name for column in relation(query, "a JOIN b USING (x, y)").using] == ["x", "y"]


RELATIONS = [
    ("t AS u (x, y)", "TableRef(parts=[t], alias=TableAlias(u, columns=[x, y]))"),
    ("(SELECT 1) u", "Subquery(Select(expressions=[1]), alias=TableAlias(u))"),
    (
        "(VALUES (1)) AS u(x)",
        "Subquery(Values(expressions=[RowValue(expressions=[1])]), alias=TableAlias(u, columns=[x]))",
    ),
    ("LATERAL (SELECT 1) u", "Subquery(Select(expressions=[1]), lateral=True, alias=TableAlias(u))"),
    (
        "UNNEST(a, b) WITH ORDINALITY AS u(x)",
        "Unnest(expressions=[a, b], ordinality=True, alias=TableAlias(u, columns=[x]))",
    ),
    (
        "LATERAL TABLE(f(a)) AS u(x)",
        "TableFunction(call=Call(parts=[f], expressions=[a]), form=LATERAL TABLE, lateral=True, "
        "alias=TableAlias(u, columns=[x]))",
    ),
    ("f(a)", "TableFunction(call=Call(parts=[f], expressions=[a]))"),
    ("t FOR SYSTEM_TIME AS OF o.ts AS u", "TableRef(parts=[t], as_of=o.ts, alias=TableAlias(u))"),
    (
        "((SELECT 1) UNION (SELECT 2)) u",
        "Subquery(Union(Subquery(Select(expressions=[1])), Subquery(Select(expressions=[2])), distinct=True), "
        "alias=TableAlias(u))",
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
    assert shape(table) == (
        "TableArgument(TableRef(parts=[t]), partition_by=[a, b], order=Order(expressions=[Ordered(c)]))"
    )
    assert shape(descriptor) == "Descriptor(expressions=[ts])"
    assert shape(size) == "NamedArgument(name_=SIZE, IntervalLiteral(value=5, unit=IntervalQualifier(start=MINUTE)))"


def test_one_partition_column_of_a_table_argument_needs_no_parentheses(query):
    call = relation(query, "SESSION(TABLE t PARTITION BY a, DESCRIPTOR(ts), gap => INTERVAL '5' MINUTE)").call
    assert len(call.arguments) == 3
    assert len(call.arguments[0].partition_by) == 1


def test_hints(query):
    parsed = query(
        "SELECT /*+ state_ttl('o' = '3s', u = '9s'), BROADCAST(a, `b c`) */ * "
        "FROM t /*+ OPTIONS('k'='v', 'k'='w') */ AS u"
    )
    ttl, broadcast = parsed.args["hint"].expressions
    assert (ttl.name, ttl.options) == ("STATE_TTL", {"o": "3s", "u": "9s"})
    assert (broadcast.name, broadcast.arguments) == ("BROADCAST", ["a", "b c"])
    table = parsed.args["from_"].this
    assert table.hints[0].options == {"k": "w"}
    assert table.table_alias.this.name == "u"


def test_match_recognize(query, shape):
    match = relation(
        query,
        "t MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES A.x AS a, FINAL LAST(B.x) AS b ONE ROW PER MATCH "
        "AFTER MATCH SKIP TO LAST B PATTERN (A (B | C)+? D{2,3}) WITHIN INTERVAL '1' HOUR "
        "SUBSET U = (A, B) DEFINE A AS A.x > 1, B AS TRUE) AS m",
    )
    assert isinstance(match, ast.MatchRecognize)
    assert shape(match.args["partition_by"]) == "[k]"
    assert [measure.alias for measure in match.args["measures"]] == ["a", "b"]
    assert (match.args["after"], match.args["after_variable"].name) == ("SKIP TO LAST", "B")
    assert match.args["pattern"] == "A (B | C)+? D{2,3}"
    assert [definition.alias for definition in match.args["define"]] == ["A", "B"]
    assert match.table_alias.this.name == "m"
