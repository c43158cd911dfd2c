"""Syntax errors: position and advice."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from compiled_plan.planner.sql.grammar.reserved_words import BARE_FUNCTIONS, CALLABLE, RESERVED
from compiled_plan.planner.sql.nodes import statements as st
from compiled_plan.planner.sql.parse import parse_script
from compiled_plan.plans.errors import CompiledPlanError, ProgramError, UnsupportedError
from tests.support.tables import failures

ERRORS = [
    # text, line, column, length of the carets, part of message or remedy
    ("CREATE TABLE t (\n  id INT,\n  method STRING)", 3, 3, 6, "`method`"),
    ("SELECT a FROM t WHERE (a = 1", 1, 29, 1, "expected ')'"),
    ("SELECT a) FROM t", 1, 9, 1, "')' without '('"),
    ("SELECT a FROM t\nINSERT INTO u SELECT 1", 2, 1, 6, "semicolon"),
    ("SELECT 'abc", 1, 8, 1, "not closed"),
    ("SELECT 'it''s', 'abc\nFROM t", 1, 17, 1, "not closed"),
    ("SELECT `abc FROM t", 1, 8, 1, "not closed"),
    ("SELECT 1 /* abc", 1, 10, 2, "comment"),
    ('SELECT "a" FROM t', 1, 8, 1, "backticks"),
    ("SELECT a FROM t WHERE a != 1", 1, 25, 2, "<>"),
    ("SELECT a FROM", 1, 14, 1, "the end of the program"),
    ("SELECT FROM t", 1, 8, 4, "an expression"),
    ("SELECT a, FROM t", 1, 9, 1, "a comma with nothing after it"),
    ("SELECT a b c FROM t", 1, 12, 1, "unexpected 'c'"),
    ("SELECT a 'x' FROM t", 1, 10, 3, "alias"),
    ("SELECT a FROM t JOIN u", 1, 17, 4, "CROSS JOIN"),
    ("SELECT a FROM t LEFT SEMI JOIN u ON x", 1, 22, 4, "EXISTS"),
    ("SELECT a FROM t MINUS SELECT b FROM u", 1, 17, 5, "EXCEPT"),
    ("SELECT a FROM t LIMIT 1, 2", 1, 24, 1, "OFFSET"),
    ("CREATE TABLE t (a INT) WITH (connector = 'x')", 1, 30, 9, "single quotes"),
    ("CREATE TABLE t (a INT, PRIMARY KEY (a))", 1, 24, 15, "NOT ENFORCED"),
    ("CREATE TABLE t (a)", 1, 17, 1, "has no type"),
    ("CREATE TABLE t (a INT, WATERMARK FOR a AS a, WATERMARK FOR a AS a)", 1, 46, 20, "at most one"),
    ("CREATE TABLE t (a TIMESTAMP(3) WITH TIME ZONE)", 1, 32, 4, "TIMESTAMP_LTZ"),
    ("EXECUTE STATEMENT SET BEGIN CREATE TABLE t AS SELECT 1; END", 1, 29, 6, "write BEGIN STATEMENT SET; ... END"),
    ("BEGIN STATEMENT SET; CREATE MATERIALIZED TABLE t AS SELECT 1; END", 1, 22, 6, "expected INSERT or END"),
    ("BEGIN STATEMENT SET; CREATE VIEW v AS SELECT 1; END", 1, 22, 6, "expected INSERT or END"),
    ("EXECUTE STATEMENT SET BEGIN END", 1, 1, 31, "empty"),
    ("SELECT x'0g'", 1, 8, 5, "hexadecimal"),
    ("EXECUTE STATEMENT SET BEGIN INSERT INTO t SELECT 1 END", 1, 52, 3, "semicolon"),
    ("SELECT CAST(a AS INT NOT NULL) FROM t", 1, 22, 3, "nullability"),
    ("SELECT INTERVAL '1' FORTNIGHT", 1, 21, 9, "time unit"),
    ("SELECT U&'\\00zz'", 1, 8, 9, "Unicode"),
    ("SELECT U&'\\DE00\\D83D'", 1, 8, 14, "half of a surrogate pair"),
    ("SELECT x'ABC'", 1, 8, 6, "even number"),
    ("FROM t SELECT a", 1, 1, 4, "a statement"),
]


@pytest.mark.parametrize(("text", "line", "column", "width", "part"), ERRORS)
def test_the_error_points_at_the_spot(text, line, column, width, part):
    with pytest.raises(ProgramError) as caught:
        parse_script(text)
    error = caught.value
    place, source, carets = error.where.split("\n")
    assert place == f"line {line}, column {column}"
    assert source.strip() == text.split("\n")[line - 1].strip()
    assert carets == " " * (4 + column - 1) + "^" * width
    assert part in f"{error.message}\n{error.remedy}"


UNSUPPORTED = [
    "SELECT * FROM t TABLESAMPLE BERNOULLI(10)",
    "SELECT * FROM t PIVOT (SUM(a) FOR b IN ('x'))",
    "SELECT MULTISET[1]",
    "SELECT {d '2020-01-01'}",
    "SELECT ?",
    "SELECT E'a'",
    "CREATE MODEL m WITH ('provider' = 'x') AS SELECT 1",
    "SELECT * FROM ML_PREDICT(INPUT => TABLE t, MODEL => MODEL m, ARGS => DESCRIPTOR(a))",
    "SELECT * FROM ML_EVALUATE(TABLE t, MODEL m, DESCRIPTOR(a), DESCRIPTOR(b), 'regression')",
    "SELECT * FROM t, LATERAL VECTOR_SEARCH(TABLE u, DESCRIPTOR(v), t.v, 10)",
    "SELECT * FROM t, LATERAL TABLE(VECTOR_SEARCH(TABLE u, DESCRIPTOR(v), t.v, 10))",
]


@pytest.mark.parametrize("text", UNSUPPORTED)
def test_unsupported_flink_statements_are_refused_by_name(text):
    with pytest.raises(UnsupportedError, match="is not supported"):
        parse_script(text)


def test_a_table_can_be_named_model():
    assert type(parse_script("DROP TABLE model")[0]).__name__ == "Drop"
    assert type(parse_script("DESCRIBE model")[0]).__name__ == "Describe"


def test_a_function_of_a_database_can_have_the_name_of_a_refused_one():
    (statement,) = parse_script("SELECT shop.ml_predict(a) FROM t, LATERAL TABLE(shop.vector_search(b))")
    assert type(statement).__name__ == "Query"


def check_reserved(word):
    with pytest.raises(ProgramError):
        parse_script(f"CREATE TABLE t (a INT, {word.lower()} INT)")
    with pytest.raises(ProgramError):
        parse_script(f"SELECT a AS {word} FROM t")
    parse_script(f"CREATE TABLE t (`{word}` INT); SELECT `{word}`, t.`{word}` AS `{word}` FROM `{word}`")


def test_reserved_words_are_names_only_in_backticks():
    assert failures(check_reserved, sorted(RESERVED)) == {}


@pytest.mark.parametrize("word", ["type", "name", "key", "status", "level", "data", "id", "json", "week", "hours"])
def test_other_keywords_are_names(word):
    create, select = parse_script(
        f"CREATE TABLE {word} ({word} INT); SELECT {word}, t.{word} AS {word} FROM {word} {word}"
    )
    assert (type(create), type(select)) == (st.CreateTable, st.Query)


def test_reserved_words_are_functions_where_flink_has_them(expression):
    for word in sorted(CALLABLE - {"TRIM", "JSON_ARRAY"}):
        assert expression(f"{word}(a)").name == word
    for word in sorted(BARE_FUNCTIONS):
        assert expression(word.lower()).bare


WORDS = (
    "SELECT FROM WHERE a t ( ) , . * + - = < > <> || [ ] ' ` 1 'x' `q` /*+ */ => AS ON JOIN LEFT GROUP BY ORDER IN NOT "
    "NULL IS CASE WHEN THEN END CAST INT ROW ARRAY MAP INTERVAL DAY TABLE CREATE INSERT INTO VALUES WITH UNION ALL ; "
    "OVER PARTITION LATERAL UNNEST BETWEEN AND EXISTS SET EXECUTE STATEMENT BEGIN COUNT JSON_VALUE TRIM EXPLAIN"
).split()


@given(some.lists(some.sampled_from(WORDS), max_size=25).map(" ".join))
def test_any_text_is_parsed_or_refused_with_a_place(text):
    try:
        parse_script(text)
    except CompiledPlanError as error:
        assert error.where.startswith("line ")


@pytest.mark.wide
@pytest.mark.slow
def test_deep_nesting_is_an_error_and_no_traceback():
    assert parse_script(f"SELECT {'(' * 10_000}1{')' * 10_000}")
    with pytest.raises(UnsupportedError, match="10,000 levels"):
        parse_script(f"SELECT {'(' * 20_000}1{')' * 20_000}")
