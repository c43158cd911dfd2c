from __future__ import annotations

import pytest

from compiled_plan.planner.sql.grammar.expecting import expected_after


@pytest.mark.parametrize(
    ("text", "words", "names"),
    [
        ("", "SELECT INSERT CREATE SHOW SET STOP", "a statement"),
        ("SHOW ", "TABLES JOBS CATALOGS CREATE", ""),
        ("SELECT a ", "FROM AS UNION", ""),
        ("SELECT a FROM ", "TABLE LATERAL", "a table name"),
        ("SELECT a FROM t ", "WHERE GROUP JOIN LIMIT", ""),
        ("SELECT a FROM t WHERE ", "NOT", "an expression"),
        ("SELECT a FROM t GROUP ", "BY", ""),
        ("CREATE ", "TABLE VIEW FUNCTION TEMPORARY", ""),
        ("INSERT INTO ", "", "a table name"),
        ("INSERT INTO t ", "SELECT VALUES WITH", ""),
        ("USE CATALOG ", "", "a catalog name"),
        ("STOP ", "JOB", ""),
    ],
)
def test_the_words_and_names_that_may_follow(text: str, words: str, names: str) -> None:
    next_words, next_names = expected_after(text)
    assert {*words.split()} <= next_words
    assert {names} <= {*next_names, ""}


@pytest.mark.parametrize("text", ["SELECT 'a", "nonsense ", "SELECT 1 FROM t WHERE ) ", "SELECT `a"])
def test_nothing_follows_a_wrong_beginning(text: str) -> None:
    assert expected_after(text) == (frozenset(), frozenset())
