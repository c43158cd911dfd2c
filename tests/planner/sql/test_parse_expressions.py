"""Precedence, literals, special forms and calls."""

from __future__ import annotations

import pytest

PRECEDENCE = [
    ("a OR b AND c", "OR(a, AND(b, c))"),
    ("NOT a = b AND c", "AND(NOT(=(a, b)), c)"),
    ("NOT a IS NULL", "NOT(IsPredicate(a, kind=NULL))"),
    # IS binds weaker than comparisons, which bind weaker than IN, LIKE and BETWEEN.
    ("a = b IS NULL", "IsPredicate(=(a, b), kind=NULL)"),
    ("a = b IN (1)", "=(a, In(b, items=[1]))"),
    ("a = b BETWEEN c AND d", "=(a, Between(b, low=c, high=d))"),
    ("a LIKE b = c", "=(Like(a, pattern=b, kind=LIKE), c)"),
    ("a IS NULL = b", "=(IsPredicate(a, kind=NULL), b)"),
    ("a = NOT b", "=(a, NOT(b))"),
    ("a IS DISTINCT FROM b = c", "=(IS DISTINCT FROM(a, b), c)"),
    ("a = b = c", "=(=(a, b), c)"),
    ("a BETWEEN b + 1 AND c AND d", "AND(Between(a, low=+(b, 1), high=c), d)"),
    ("a + 1 IN (1)", "In(+(a, 1), items=[1])"),
    ("a - b - c", "-(-(a, b), c)"),
    # || is as strong as *, and stronger than +.
    ("a + b || c * d", "+(a, *(||(b, c), d))"),
    ("a / b * c % d", "%(*(/(a, b), c), d)"),
    ("-a[1] * b", "*(-(ItemAccess(a, item=1)), b)"),
    ("- 1", "-(1)"),
    ("+a", "+(a)"),
    ("(a + b) * c", "*(+(a, b), c)"),
]


@pytest.mark.parametrize(("text", "tree"), PRECEDENCE)
def test_precedence(expression, shape, text, tree):
    assert shape(expression(text)) == tree


LITERALS = [
    ("'it''s'", "'it's'"),
    ("U&'\\0041b\\\\'", "'Ab\\'"),
    ("U&'!0041!!' UESCAPE '!'", "'A!'"),
    ("U&'\\D83D\\DE00'", "'\U0001f600'"),
    ("_UTF-16LE'abc'", "'abc'"),
    ("'a'\n  'b'", "'ab'"),
    ("x'AB0c'", "BinaryLiteral(AB0c)"),
    (".5", ".5"),
    ("1.5E-3", "1.5E-3"),
    ("1e5-3", "-(1e5, 3)"),
    ("CASE WHEN a THEN 5else 6 END", "Case([When(a, result=5)], default=6)"),
    ("DATE '2020-01-01'", "TypedLiteral(DATE, value=2020-01-01)"),
    ("TIMESTAMP '2020-01-01 00:00:00'", "TypedLiteral(TIMESTAMP, value=2020-01-01 00:00:00)"),
    ("true", "TruthValue(True)"),
    ("Unknown", "TruthValue()"),
    ("null", "Null()"),
    ("INTERVAL '5' MINUTES", "IntervalLiteral(5, unit=IntervalQualifier(MINUTE))"),
    ("INTERVAL -'5' DAY", "IntervalLiteral(5, unit=IntervalQualifier(DAY), negative=True)"),
    (
        "INTERVAL '1 10:00:00.1' DAY(2) TO SECOND(3)",
        "IntervalLiteral(1 10:00:00.1, unit=IntervalQualifier(DAY, end=SECOND, precision=2, scale=3))",
    ),
    ("INTERVAL '1-2' YEAR TO MONTH", "IntervalLiteral(1-2, unit=IntervalQualifier(YEAR, end=MONTH))"),
    ("INTERVAL a DAY", "IntervalLiteral(a, unit=IntervalQualifier(DAY))"),
]


@pytest.mark.parametrize(("text", "tree"), LITERALS)
def test_literals(expression, shape, text, tree):
    assert shape(expression(text)) == tree


FORMS = [
    ("a IS NOT DISTINCT FROM b", "IS NOT DISTINCT FROM(a, b)"),
    ("a IS NOT TRUE", "IsPredicate(a, kind=TRUE, negated=True)"),
    ("a IS JSON", "IsPredicate(a, kind=JSON VALUE)"),
    ("a IS NOT JSON ARRAY", "IsPredicate(a, kind=JSON ARRAY, negated=True)"),
    ("a NOT BETWEEN SYMMETRIC 1 AND 2", "NOT(Between(a, low=1, high=2, symmetric=True))"),
    ("a NOT LIKE 'x' ESCAPE '!'", "NOT(Like(a, pattern='x', escape='!', kind=LIKE))"),
    ("a SIMILAR TO 'x'", "Like(a, pattern='x', kind=SIMILAR TO)"),
    ("(a, b) IN ((1, 2))", "In(RowValue([a, b]), items=[RowValue([1, 2])])"),
    ("a > SOME (1, 2)", "Quantified(a, operator=>, quantifier=ANY, items=[1, 2])"),
    ("a IN ((SELECT 1), 2)", "In(a, items=[Subquery(query=Select(items=[1])), 2])"),
    ("((SELECT 1)) + 1", "+(Subquery(query=Subquery(query=Select(items=[1]))), 1)"),
    ("EXISTS (SELECT 1)", "Exists(Select(items=[1]))"),
    ("CASE WHEN a THEN 1 ELSE 2 END", "Case([When(a, result=1)], default=2)"),
    ("CASE a WHEN 1 THEN 2 END", "Case([When(=(a, 1), result=2)])"),
    ("CASE a WHEN 1, 2 THEN 3 END", "Case([When(In(a, items=[1, 2]), result=3)])"),
    ("TRY_CAST(a AS INT)", "Cast(a, type=TypeSpec(INT), safe=True)"),
    ("ROW(a, 1)", "RowValue([a, 1], explicit=True)"),
    ("ROW (SELECT 1)", "RowValue([Subquery(query=Select(items=[1]))], explicit=True)"),
    ("CONVERT(INT, a)", "Cast(a, type=TypeSpec(INT))"),
    ("CONVERT(BIGINT, a, 1)", "Cast(a, type=TypeSpec(BIGINT))"),
    ("(a - b) DAY", "Difference(a, right=b, unit=IntervalQualifier(DAY))"),
    ("(a - b) YEAR TO MONTH > c", ">(Difference(a, right=b, unit=IntervalQualifier(YEAR, end=MONTH)), c)"),
    ("ARRAY[a, 1]", "Collection(ARRAY, items=[a, 1])"),
    ("MAP['k', 1]", "Collection(MAP, items=['k', 1])"),
    ("MAP[]", "Collection(MAP)"),
    ("ARRAY(SELECT 1)", "QueryConstructor(ARRAY, query=Select(items=[1]))"),
    ("a.b.c", "a.b.c"),
    ("a.b[1].c.d", "FieldAccess(FieldAccess(ItemAccess(a.b, item=1), field=c), field=d)"),
    ("(a).b", "FieldAccess(a, field=b)"),
    ("`select`.`a b`", "select.`a b`"),
    ("`a``b`", "`a`b`"),
    ("t.*", "AllColumns([t])"),
    ("(a, b) OVERLAPS (c, d)", "OVERLAPS(RowValue([a, b]), RowValue([c, d]))"),
]


@pytest.mark.parametrize(("text", "tree"), FORMS)
def test_forms(expression, shape, text, tree):
    assert shape(expression(text)) == tree


CALLS = [
    ("Upper(a)", "Call([Upper], arguments=[a])"),
    ("db.f()", "Call([db, f])"),
    ("coalesce(a, b)", "Call([coalesce], arguments=[a, b])"),
    ("COUNT(*)", "Call([COUNT], arguments=[AllColumns()])"),
    ("COUNT(DISTINCT a, b)", "Call([COUNT], arguments=[a, b], distinct=True)"),
    ("SUM(a) FILTER (WHERE b)", "Call([SUM], arguments=[a], filter=b)"),
    ("current_timestamp", "Call([current_timestamp], bare=True)"),
    ("PROCTIME()", "Call([PROCTIME])"),
    ("EXTRACT(year FROM a)", "Call([EXTRACT], arguments=[Keyword(YEAR), a])"),
    ("FLOOR(a TO day)", "Call([FLOOR], arguments=[a, Keyword(DAY)])"),
    ("CEIL(a)", "Call([CEIL], arguments=[a])"),
    ("TRIM(a)", "Call([TRIM], arguments=[Keyword(BOTH), ' ', a])"),
    ("TRIM(LEADING 'x' FROM a)", "Call([TRIM], arguments=[Keyword(LEADING), 'x', a])"),
    ("TRIM(TRAILING FROM a)", "Call([TRIM], arguments=[Keyword(TRAILING), ' ', a])"),
    ("TRIM('x' FROM a)", "Call([TRIM], arguments=[Keyword(BOTH), 'x', a])"),
    ("POSITION('a' IN b)", "Call([POSITION], arguments=['a', b])"),
    ("SUBSTRING(a FROM 1 FOR 2)", "Call([SUBSTRING], arguments=[a, 1, 2])"),
    ("SUBSTRING(a, 1)", "Call([SUBSTRING], arguments=[a, 1])"),
    ("SUBSTRING(a, 1 FOR 2)", "Call([SUBSTRING], arguments=[a, 1, 2])"),
    ("SUBSTRING(a FROM 1, 2)", "Call([SUBSTRING], arguments=[a, 1, 2])"),
    ("YEAR(DISTINCT a)", "Call([YEAR], arguments=[a], distinct=True)"),
    ("OVERLAY(a PLACING b FROM 1 FOR 2)", "Call([OVERLAY], arguments=[a, b, 1, 2])"),
    ("TIMESTAMPDIFF(SQL_TSI_DAY, a, b)", "Call([TIMESTAMPDIFF], arguments=[Keyword(DAY), a, b])"),
    (
        "f(x => 1, y => DEFAULT)",
        "Call([f], arguments=[NamedArgument(x, value=1), NamedArgument(y, value=Keyword(DEFAULT))])",
    ),
    ("LISTAGG(DISTINCT a, ',')", "Call([LISTAGG], arguments=[a, ','], distinct=True)"),
    ("ARRAY_AGG(a ORDER BY b)", "Call([ARRAY_AGG], arguments=[a], order=OrderBy([Ordered(b)]))"),
    (
        "JSON_OBJECTAGG(KEY a VALUE b ABSENT ON NULL)",
        "Call([JSON_OBJECTAGG], arguments=[a, b], on_null=ABSENT)",
    ),
    ("JSON_ARRAYAGG(a NULL ON NULL)", "Call([JSON_ARRAYAGG], arguments=[a], on_null=NULL)"),
    (
        "JSON_VALUE(a, '$' RETURNING INT DEFAULT 1 ON EMPTY ERROR ON ERROR)",
        "JsonValue(a, path='$', returning=TypeSpec(INT), "
        "behaviors=[JsonBehavior(1, event=EMPTY), JsonBehavior(ERROR, event=ERROR)])",
    ),
    (
        "JSON_QUERY(a, '$' WITH CONDITIONAL WRAPPER EMPTY ARRAY ON ERROR)",
        "JsonQuery(a, path='$', wrapper=WITH CONDITIONAL ARRAY, on_error=EMPTY ARRAY)",
    ),
    ("JSON_EXISTS(a, '$' UNKNOWN ON ERROR)", "JsonExists(a, path='$', on_error=UNKNOWN)"),
    ("JSON_EXISTS(a, '$' PASSING b AS c, 1 AS d)", "JsonExists(a, path='$')"),
    (
        "JSON_OBJECT('k' VALUE 1, KEY 'l' VALUE 2 ABSENT ON NULL)",
        "JsonObject([JsonPair('k', value=1), JsonPair('l', value=2)], on_null=ABSENT)",
    ),
    ("JSON_ARRAY(1, 2 NULL ON NULL)", "JsonArray([1, 2], on_null=NULL)"),
]


@pytest.mark.parametrize(("text", "tree"), CALLS)
def test_calls(expression, shape, text, tree):
    assert shape(expression(text)) == tree


def test_a_call_keeps_its_spelling_and_knows_its_name(expression):
    call = expression("Cat.Db.`Upper`(a)")
    assert call.names == ("Cat", "Db", "Upper")
    assert call.name == "UPPER"


def test_node_equality_ignores_the_position(expression):
    assert expression("a + f(1)") == expression("  a+ f( 1 )")
    assert len({expression("a + 1"), expression("a  + 1"), expression("a - 1")}) == 2


def test_windows(expression, shape):
    call = expression(
        "SUM(a) OVER (w PARTITION BY b ORDER BY c DESC RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW)"
    )
    window = call.over
    assert window.base.name == "w"
    assert shape(window.partition_by) == "[b]"
    assert shape(window.order) == "OrderBy([Ordered(c, descending=True)])"
    frame = window.frame
    assert (frame.unit, frame.start.kind, frame.end.kind) == ("RANGE", "PRECEDING", "CURRENT ROW")
    assert shape(frame.start.offset) == "IntervalLiteral(1, unit=IntervalQualifier(HOUR))"
    assert expression("SUM(a) OVER w").over.name == "w"
    short = expression("SUM(a) OVER (ORDER BY c ROWS UNBOUNDED PRECEDING)").over.frame
    assert (short.start.kind, short.end) == ("UNBOUNDED PRECEDING", None)


TYPES = [
    ("INTEGER", "TypeSpec(INT)"),
    ("DEC(10, 2)", "TypeSpec(DECIMAL, parameters=[10, 2])"),
    ("CHARACTER VARYING(3)", "TypeSpec(VARCHAR, parameters=[3])"),
    ("DOUBLE PRECISION", "TypeSpec(DOUBLE)"),
    ("TIMESTAMP(3) WITH LOCAL TIME ZONE", "TypeSpec(TIMESTAMP_LTZ, parameters=[3])"),
    ("TIMESTAMP WITHOUT TIME ZONE", "TypeSpec(TIMESTAMP)"),
    ("INTERVAL DAY TO SECOND(3)", "TypeSpec(INTERVAL, unit=IntervalQualifier(DAY, end=SECOND, scale=3))"),
    (
        "INT ARRAY MULTISET",
        "TypeSpec(MULTISET, children=[TypeSpec(ARRAY, children=[TypeSpec(INT)])])",
    ),
    ("ROW<>", "TypeSpec(ROW)"),
    ("RAW('c', 's')", "TypeSpec(RAW, class_name=c, snapshot=s)"),
    ("x.y.T", "TypeSpec(USER, parts=[x, y, T])"),
    (
        "MAP<STRING, ARRAY<INT NOT NULL>>",
        "TypeSpec(MAP, children=[TypeSpec(STRING), TypeSpec(ARRAY, children=[TypeSpec(INT)])])",
    ),
]


@pytest.mark.parametrize(("text", "tree"), TYPES)
def test_types(expression, shape, text, tree):
    assert shape(expression(f"CAST(NULL AS {text})").type) == tree


def test_nullability_and_fields_of_types(expression):
    spec = expression("CAST(NULL AS ROW<a INT NOT NULL 'first', `b c` ARRAY<INT NULL>>)").type
    first, second = spec.fields
    assert (first.identifier.name, first.type.root, first.type.nullable, first.comment) == ("a", "INT", False, "first")
    assert (second.identifier.name, second.type.nullable, second.type.children[0].nullable) == ("b c", None, True)
    structured = expression("CAST(NULL AS STRUCTURED<'com.x.U', a INT NOT NULL 'c', b STRING>)").type
    assert structured.class_name == "com.x.U"
    assert [field.identifier.name for field in structured.fields] == ["a", "b"]
