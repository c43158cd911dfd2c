"""Scalar expressions: syntax to typed calls."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from compiled_plan.planner.algebra.explain import rex_text
from compiled_plan.planner.algebra.nodes import Project
from compiled_plan.planner.sql.binding.core import Bound
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.rex import RexNode

Bind = Callable[[str], Bound]


def value(bind: Bind, expression: str) -> RexNode:
    rel = bind(f"SELECT {expression} FROM t").rel
    assert isinstance(rel, Project)
    return rel.exprs[0]


@pytest.mark.parametrize(
    ("expression", "text", "type_"),
    [
        ("-1", "-1", "INT NOT NULL"),
        ("-9223372036854775808", "-9223372036854775808", "BIGINT NOT NULL"),
        ("+a", "$0", "INT"),
        ("- a", "-($0)", "INT"),
        ("1.50", "'1.50'", "DECIMAL(3, 2) NOT NULL"),
        ("TRUE AND UNKNOWN", None, "BOOLEAN"),
        ("x'AB'", None, "BINARY(1) NOT NULL"),
        ("DATE '2020-01-31'", "'2020-01-31'", "DATE NOT NULL"),
        ("INTERVAL -'1' DAY", "'-86400000'", "INTERVAL DAY(2) NOT NULL"),
        ("a + n", "+($0, $2)", "INT"),
        ("b || 'x'", "||($1, 'x')", "VARCHAR(2147483647)"),
        ("a = 1 AND b = 'x' AND n = 2", "AND(=($0, 1), =($1, 'x'), =($2, 2))", "BOOLEAN"),
        ("a = 1 OR n = 2 OR n = 3", "OR(=($0, 1), =($2, 2), =($2, 3))", "BOOLEAN"),
        ("a IS NULL", "IS NULL($0)", "BOOLEAN NOT NULL"),
        ("a = 1 IS NOT TRUE", "IS NOT TRUE(=($0, 1))", "BOOLEAN NOT NULL"),
        ("a BETWEEN 1 AND 2", "AND(>=($0, 1), <=($0, 2))", "BOOLEAN"),
        ("CASE a WHEN 1 THEN 'x' ELSE b END", None, "VARCHAR(2147483647)"),
        ("CASE WHEN a = 1 THEN 1 END", "CASE(=($0, 1), 1, None)", "INT"),
        ("CAST(a AS BIGINT)", "CAST($0 AS BIGINT)", "BIGINT"),
        ("CAST(n AS STRING)", None, "VARCHAR(2147483647) NOT NULL"),
        ("TRY_CAST(b AS INT)", "TRY_CAST($1)", "INT"),
        ("arr[1]", "ITEM($4, 1)", "INT"),
        ("m['k']", "ITEM($5, 'k')", "INT"),
        ("r[1]", "$3.x", "INT"),
        ("r['x']", "$3.x", "INT"),
        ("(r).y.z", "$3.y.z", "VARCHAR(2147483647)"),
        ("(a, b)", "ROW($0, $1)", None),
        ("ARRAY[a, n]", "ARRAY($0, $2)", "ARRAY<INT> NOT NULL"),
        ("UPPER(b)", "UPPER($1)", "VARCHAR(2147483647)"),
        ("upper(b)", "UPPER($1)", "VARCHAR(2147483647)"),
        ("POSITION('a' IN b)", "POSITION('a', $1)", "INT"),
        ("SUBSTRING(b FROM 1 FOR 2)", "SUBSTRING($1, 1, 2)", "VARCHAR(2147483647)"),
        ("JSON_VALUE(b, '$.a' RETURNING INT)", None, "INT"),
        ("JSON_VALUE(b, b PASSING a AS x)", "JSON_VALUE($1, $1)", "VARCHAR(2147483647)"),
        ("(DATE '2020-01-02' - DATE '2020-01-01') DAY", "-('2020-01-02', '2020-01-01')", "INTERVAL DAY(2) NOT NULL"),
        ("YEAR(DISTINCT DATE '2020-01-02')", None, "BIGINT NOT NULL"),
        ("COALESCE(INTERVAL '2' HOUR, a)", "COALESCE(2, $0)", "INT NOT NULL"),
        ("JSON_VALUE(b, '$.a' RETURNING BOOLEAN NULL ON EMPTY NULL ON ERROR)", None, "BOOLEAN"),
        ("JSON_VALUE(b, '$.a' RETURNING INT NULL ON ERROR DEFAULT CAST(NULL AS INT) ON EMPTY)", None, "INT"),
        ("JSON_VALUE(b, '$.a' RETURNING DOUBLE DEFAULT 0 ON EMPTY)", None, "DOUBLE"),
        ("JSON_QUERY(b, '$.a' RETURNING ARRAY<STRING> NULL ON EMPTY)", None, "ARRAY<VARCHAR(2147483647)>"),
        ("JSON_QUERY(b, '$.a' RETURNING STRING ARRAY NULL ON ERROR)", None, "ARRAY<VARCHAR(2147483647) NOT NULL>"),
        ("JSON_EXISTS(b, '$.a')", None, "BOOLEAN"),
        ("JSON_OBJECT(KEY 'a' VALUE n)", None, "VARCHAR(2147483647) NOT NULL"),
        ("JSON_QUERY(b, '$.a' WITH CONDITIONAL ARRAY WRAPPER)", None, "VARCHAR(2147483647)"),
        ("JSON_ARRAY(a, b)", None, "VARCHAR(2147483647) NOT NULL"),
    ],
)
def test_expressions(bind: Bind, expression: str, text: str | None, type_: str | None) -> None:
    rex = value(bind, expression)
    if text is not None:
        assert rex_text(rex) == text
    if type_ is not None:
        assert str(getattr(rex, "type", None)) == type_


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("a = b", "cannot be tested for equality"),
        ("a IS DISTINCT FROM b", "cannot be tested for equality"),
        ("NULLIF(a, b)", "cannot be tested for equality"),
        ("CASE a WHEN 'x' THEN 1 END", "cannot be tested for equality"),
        ("NOT a", "must be a condition"),
        ("(DATE '2020-01-01' - TIMESTAMP '2020-01-01 00:00:00') DAY", "no interval between DATE"),
        ("(a - n) DAY", "no interval between points of type INT"),
        ("arr[0]", "positions from 1, not 0"),
        ("UPPER(DISTINCT b)", "DISTINCT cannot stand here"),
        ("COALESCE(a, INTERVAL '1' HOUR)", "cannot apply COALESCE"),
        ("a AND TRUE", "must be a condition"),
        ("UPPER(b, b)", "invalid number of arguments"),
        ("a + b", "+"),
        ("r['nope']", "ITEM"),
        ("CAST(b AS ROW<x INT>)", "ROW"),
        ("JSON_VALUE(b, '$' RETURNING BIGINT)", "cannot return BIGINT"),
        ("JSON_VALUE(b, '$' RETURNING CHAR(3))", "cannot return CHAR(3)"),
        ("JSON_VALUE(b, '$' RETURNING INT DEFAULT n ON EMPTY)", "is not constant is not supported"),
        ("JSON_VALUE(b, '$' ERROR ON EMPTY DEFAULT b ON ERROR)", "is not constant is not supported"),
        ("JSON_VALUE(b, '$' RETURNING INT DEFAULT NULL ON EMPTY)", "must be a constant"),
        ("JSON_QUERY(b, '$' RETURNING CHAR(3))", "cannot return CHAR(3)"),
        ("JSON_QUERY(b, '$' RETURNING ARRAY<INT>)", "cannot return ARRAY<INT>"),
        ("JSON_QUERY(b, '$' RETURNING ARRAY<STRING> EMPTY OBJECT ON EMPTY)", "EMPTY OBJECT"),
    ],
)
def test_refused(bind: Bind, expression: str, message: str) -> None:
    with pytest.raises(CompiledPlanError) as caught:
        value(bind, expression)
    assert message in caught.value.message
    assert "line 1, column " in caught.value.where
