"""Precedence, literals, special forms and calls."""

from __future__ import annotations

import pytest

PRECEDENCE = [
    ("a OR b AND c", "Or(a, And(b, c))"),
    ("NOT a = b AND c", "And(Not(EQ(a, b)), c)"),
    ("NOT a IS NULL", "Not(IsPredicate(a, kind=NULL))"),
    # IS binds weaker than comparisons, which bind weaker than IN, LIKE and BETWEEN.
    ("a = b IS NULL", "IsPredicate(EQ(a, b), kind=NULL)"),
    ("a = b IN (1)", "EQ(a, In(b, expressions=[1]))"),
    ("a = b BETWEEN c AND d", "EQ(a, Between(b, low=c, high=d))"),
    ("a LIKE b = c", "EQ(Like(a, pattern=b, kind=LIKE), c)"),
    ("a IS NULL = b", "EQ(IsPredicate(a, kind=NULL), b)"),
    ("a = NOT b", "EQ(a, Not(b))"),
    ("a IS DISTINCT FROM b = c", "EQ(IsDistinctFrom(a, b), c)"),
    ("a = b = c", "EQ(EQ(a, b), c)"),
    ("a BETWEEN b + 1 AND c AND d", "And(Between(a, low=Add(b, 1), high=c), d)"),
    ("a + 1 IN (1)", "In(Add(a, 1), expressions=[1])"),
    ("a - b - c", "Sub(Sub(a, b), c)"),
    # || is as strong as *, and stronger than +.
    ("a + b || c * d", "Add(a, Mul(DPipe(b, c), d))"),
    ("a / b * c % d", "Mod(Mul(Div(a, b), c), d)"),
    ("-a[1] * b", "Mul(Neg(ItemAccess(a, item=1)), b)"),
    ("- 1", "Neg(1)"),
    ("+a", "Plus(a)"),
    ("(a + b) * c", "Mul(Add(a, b), c)"),
]


@pytest.mark.parametrize(("text", "tree"), PRECEDENCE)
def test_precedence(expression, shape, text, tree):
    assert shape(expression(text)) == tree


LITERALS = [
    ("'it''s'", "'it's'"),
    ("U&'\\0041b\\\\'", "'Ab\\'"),
    ("U&'!0041!!' UESCAPE '!'", "'A!'"),
    ("_UTF-16LE'abc'", "'abc'"),
    ("'a'\n  'b'", "'ab'"),
    ("x'AB0c'", "BinaryLiteral(value=AB0c)"),
    (".5", ".5"),
    ("1.5E-3", "1.5E-3"),
    ("DATE '2020-01-01'", "TypedLiteral(kind=DATE, value=2020-01-01)"),
    ("TIMESTAMP '2020-01-01 00:00:00'", "TypedLiteral(kind=TIMESTAMP, value=2020-01-01 00:00:00)"),
    ("true", "Boolean(True)"),
    ("Unknown", "Var(UNKNOWN)"),
    ("null", "Null()"),
    ("INTERVAL '5' MINUTES", "IntervalLiteral(value=5, unit=IntervalQualifier(start=MINUTE))"),
    ("INTERVAL -'5' DAY", "IntervalLiteral(value=5, negative=True, unit=IntervalQualifier(start=DAY))"),
    (
        "INTERVAL '1 10:00:00.1' DAY(2) TO SECOND(3)",
        "IntervalLiteral(value=1 10:00:00.1, unit=IntervalQualifier(start=DAY, end=SECOND, precision=2, scale=3))",
    ),
    ("INTERVAL '1-2' YEAR TO MONTH", "IntervalLiteral(value=1-2, unit=IntervalQualifier(start=YEAR, end=MONTH))"),
    ("INTERVAL a DAY", "IntervalLiteral(a, unit=IntervalQualifier(start=DAY))"),
]


@pytest.mark.parametrize(("text", "tree"), LITERALS)
def test_literals(expression, shape, text, tree):
    assert shape(expression(text)) == tree


FORMS = [
    ("a IS NOT DISTINCT FROM b", "IsDistinctFrom(a, b, negated=True)"),
    ("a IS NOT TRUE", "IsPredicate(a, kind=TRUE, negated=True)"),
    ("a IS JSON", "IsPredicate(a, kind=JSON VALUE)"),
    ("a IS NOT JSON ARRAY", "IsPredicate(a, kind=JSON ARRAY, negated=True)"),
    ("a NOT BETWEEN SYMMETRIC 1 AND 2", "Not(Between(a, low=1, high=2, symmetric=True))"),
    ("a NOT LIKE 'x' ESCAPE '!'", "Not(Like(a, pattern='x', escape='!', kind=LIKE))"),
    ("a SIMILAR TO 'x'", "Like(a, pattern='x', kind=SIMILAR TO)"),
    ("(a, b) IN ((1, 2))", "In(RowValue(expressions=[a, b]), expressions=[RowValue(expressions=[1, 2])])"),
    ("a > SOME (1, 2)", "Quantified(a, op=>, quantifier=ANY, expressions=[1, 2])"),
    ("a IN ((SELECT 1), 2)", "In(a, expressions=[Subquery(Select(expressions=[1])), 2])"),
    ("((SELECT 1)) + 1", "Add(Subquery(Subquery(Select(expressions=[1]))), 1)"),
    ("EXISTS (SELECT 1)", "Exists(Select(expressions=[1]))"),
    ("CASE WHEN a THEN 1 ELSE 2 END", "Case(ifs=[If(a, true=1)], default=2)"),
    ("CASE a WHEN 1 THEN 2 END", "Case(ifs=[If(EQ(a, 1), true=2)])"),
    ("CASE a WHEN 1, 2 THEN 3 END", "Case(ifs=[If(In(a, expressions=[1, 2]), true=3)])"),
    ("TRY_CAST(a AS INT)", "TryCast(a, to=TypeSpec(root=INT))"),
    ("ROW(a, 1)", "RowValue(expressions=[a, 1], explicit=True)"),
    ("ARRAY[a, 1]", "ArrayValue(expressions=[a, 1])"),
    ("MAP['k', 1]", "MapValue(expressions=['k', 1])"),
    ("MAP[]", "MapValue()"),
    ("ARRAY(SELECT 1)", "QueryConstructor(kind=ARRAY, query=Select(expressions=[1]))"),
    ("a.b.c", "a.b.c"),
    ("a.b[1].c.d", "FieldAccess(FieldAccess(ItemAccess(a.b, item=1), field=c), field=d)"),
    ("(a).b", "FieldAccess(a, field=b)"),
    ("`select`.`a b`", "`select`.`a b`"),
    ("`a``b`", "`a`b`"),
    ("t.*", "AllColumns(parts=[t])"),
    ("(a, b) OVERLAPS (c, d)", "Overlaps(RowValue(expressions=[a, b]), RowValue(expressions=[c, d]), kind=OVERLAPS)"),
]


@pytest.mark.parametrize(("text", "tree"), FORMS)
def test_forms(expression, shape, text, tree):
    assert shape(expression(text)) == tree


CALLS = [
    ("Upper(a)", "Call(parts=[Upper], expressions=[a])"),
    ("db.f()", "Call(parts=[db, f])"),
    ("coalesce(a, b)", "Call(parts=[coalesce], expressions=[a, b])"),
    ("COUNT(*)", "Call(parts=[COUNT], expressions=[AllColumns()])"),
    ("COUNT(DISTINCT a, b)", "Call(parts=[COUNT], distinct=True, expressions=[a, b])"),
    ("SUM(a) FILTER (WHERE b)", "Call(parts=[SUM], expressions=[a], filter=b)"),
    ("current_timestamp", "Call(parts=[current_timestamp], bare=True)"),
    ("PROCTIME()", "Call(parts=[PROCTIME])"),
    ("EXTRACT(year FROM a)", "Call(parts=[EXTRACT], expressions=[Keyword(YEAR), a])"),
    ("FLOOR(a TO day)", "Call(parts=[FLOOR], expressions=[a, Keyword(DAY)])"),
    ("CEIL(a)", "Call(parts=[CEIL], expressions=[a])"),
    ("TRIM(a)", "Call(parts=[TRIM], expressions=[Keyword(BOTH), ' ', a])"),
    ("TRIM(LEADING 'x' FROM a)", "Call(parts=[TRIM], expressions=[Keyword(LEADING), 'x', a])"),
    ("TRIM(TRAILING FROM a)", "Call(parts=[TRIM], expressions=[Keyword(TRAILING), ' ', a])"),
    ("TRIM('x' FROM a)", "Call(parts=[TRIM], expressions=[Keyword(BOTH), 'x', a])"),
    ("POSITION('a' IN b)", "Call(parts=[POSITION], expressions=['a', b])"),
    ("SUBSTRING(a FROM 1 FOR 2)", "Call(parts=[SUBSTRING], expressions=[a, 1, 2])"),
    ("SUBSTRING(a, 1)", "Call(parts=[SUBSTRING], expressions=[a, 1])"),
    ("OVERLAY(a PLACING b FROM 1 FOR 2)", "Call(parts=[OVERLAY], expressions=[a, b, 1, 2])"),
    ("TIMESTAMPDIFF(SQL_TSI_DAY, a, b)", "Call(parts=[TIMESTAMPDIFF], expressions=[Keyword(DAY), a, b])"),
    (
        "f(x => 1, y => DEFAULT)",
        "Call(parts=[f], expressions=[NamedArgument(name_=x, 1), NamedArgument(name_=y, Keyword(DEFAULT))])",
    ),
    ("LISTAGG(DISTINCT a, ',')", "Call(parts=[LISTAGG], distinct=True, expressions=[a, ','])"),
    ("ARRAY_AGG(a ORDER BY b)", "Call(parts=[ARRAY_AGG], expressions=[a], order=Order(expressions=[Ordered(b)]))"),
    (
        "JSON_OBJECTAGG(KEY a VALUE b ABSENT ON NULL)",
        "Call(parts=[JSON_OBJECTAGG], expressions=[a, b], on_null=ABSENT)",
    ),
    ("JSON_ARRAYAGG(a NULL ON NULL)", "Call(parts=[JSON_ARRAYAGG], expressions=[a], on_null=NULL)"),
    (
        "JSON_VALUE(a, '$' RETURNING INT DEFAULT 1 ON EMPTY ERROR ON ERROR)",
        "JsonValue(a, path='$', returning=TypeSpec(root=INT), on_empty=1, on_error=ERROR)",
    ),
    (
        "JSON_QUERY(a, '$' WITH CONDITIONAL WRAPPER EMPTY ARRAY ON ERROR)",
        "JsonQuery(a, path='$', wrapper=WITH CONDITIONAL ARRAY, on_error=EMPTY ARRAY)",
    ),
    ("JSON_EXISTS(a, '$' UNKNOWN ON ERROR)", "JsonExists(a, path='$', on_error=UNKNOWN)"),
    (
        "JSON_OBJECT('k' VALUE 1, KEY 'l' VALUE 2 ABSENT ON NULL)",
        "JsonObject(expressions=[JsonPair('k', value=1), JsonPair('l', value=2)], on_null=ABSENT)",
    ),
    ("JSON_ARRAY(1, 2 NULL ON NULL)", "JsonArray(expressions=[1, 2], on_null=NULL)"),
]


@pytest.mark.parametrize(("text", "tree"), CALLS)
def test_calls(expression, shape, text, tree):
    assert shape(expression(text)) == tree


def test_a_call_keeps_its_spelling_and_knows_its_name(expression):
    call = expression("Cat.Db.`Upper`(a)")
    assert call.names == ("Cat", "Db", "Upper")
    assert call.name == "UPPER"


def test_windows(expression, shape):
    call = expression(
        "SUM(a) OVER (w PARTITION BY b ORDER BY c DESC RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW)"
    )
    window = call.over
    assert window.args["base"].name == "w"
    assert shape(window.partition_by) == "[b]"
    assert shape(window.args["order"]) == "Order(expressions=[Ordered(c, desc=True)])"
    frame = window.frame
    assert (frame.unit, frame.start.kind, frame.end.kind) == ("RANGE", "PRECEDING", "CURRENT ROW")
    assert shape(frame.start.this) == "IntervalLiteral(value=1, unit=IntervalQualifier(start=HOUR))"
    assert expression("SUM(a) OVER w").over.name == "w"
    short = expression("SUM(a) OVER (ORDER BY c ROWS UNBOUNDED PRECEDING)").over.frame
    assert (short.start.kind, short.end) == ("UNBOUNDED PRECEDING", None)


TYPES = [
    ("INTEGER", "TypeSpec(root=INT)"),
    ("DEC(10, 2)", "TypeSpec(root=DECIMAL, parameters=[10, 2])"),
    ("CHARACTER VARYING(3)", "TypeSpec(root=VARCHAR, parameters=[3])"),
    ("DOUBLE PRECISION", "TypeSpec(root=DOUBLE)"),
    ("TIMESTAMP(3) WITH LOCAL TIME ZONE", "TypeSpec(root=TIMESTAMP_LTZ, parameters=[3])"),
    ("TIMESTAMP WITHOUT TIME ZONE", "TypeSpec(root=TIMESTAMP)"),
    ("INTERVAL DAY TO SECOND(3)", "TypeSpec(root=INTERVAL, unit=IntervalQualifier(start=DAY, end=SECOND, scale=3))"),
    (
        "INT ARRAY MULTISET",
        "TypeSpec(root=MULTISET, expressions=[TypeSpec(root=ARRAY, expressions=[TypeSpec(root=INT)])])",
    ),
    ("ROW<>", "TypeSpec(root=ROW)"),
    ("RAW('c', 's')", "TypeSpec(root=RAW, class_name=c, snapshot=s)"),
    ("x.y.T", "TypeSpec(root=USER, parts=[x, y, T])"),
    (
        "MAP<STRING, ARRAY<INT NOT NULL>>",
        "TypeSpec(root=MAP, expressions=[TypeSpec(root=STRING), "
        "TypeSpec(root=ARRAY, expressions=[TypeSpec(root=INT)])])",
    ),
]


@pytest.mark.parametrize(("text", "tree"), TYPES)
def test_types(expression, shape, text, tree):
    assert shape(expression(f"CAST(NULL AS {text})").args["to"]) == tree


def test_nullability_and_fields_of_types(expression):
    spec = expression("CAST(NULL AS ROW<a INT NOT NULL 'first', `b c` ARRAY<INT NULL>>)").args["to"]
    first, second = spec.fields
    assert (first.name, first.kind.root, first.kind.nullable, first.comment) == ("a", "INT", False, "first")
    assert (second.name, second.kind.nullable, second.kind.children[0].nullable) == ("b c", None, True)
    structured = expression("CAST(NULL AS STRUCTURED<'com.x.U', a INT NOT NULL 'c', b STRING>)").args["to"]
    assert structured.class_name == "com.x.U"
    assert [field.name for field in structured.fields] == ["a", "b"]
