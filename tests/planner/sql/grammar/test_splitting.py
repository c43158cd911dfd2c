from __future__ import annotations

import pytest

from compiled_plan.planner.sql.grammar.splitting import split_script
from compiled_plan.planner.sql.parse import parse_script
from compiled_plan.plans.errors import ProgramError


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        ("", []),
        (" ; ;; -- nothing", []),
        ("SELECT 1", [("SELECT 1", False)]),
        ("SELECT 1; SELECT ';' -- ;\n;", [("SELECT 1", True), ("SELECT ';'", True)]),
        ("SELECT 'a;", [("SELECT 'a;", False)]),
        ("SELECT 1; 'x", [("SELECT 1", True), ("'x", False)]),
        ("/* a;", [("/* a;", False)]),
        ("SELECT `a;b`; quit", [("SELECT `a;b`", True), ("quit", False)]),
        ("BEGIN STATEMENT SET; INSERT INTO a SELECT 1;", [("BEGIN STATEMENT SET; INSERT INTO a SELECT 1;", False)]),
        (
            "begin statement set; INSERT INTO a SELECT CASE WHEN b THEN 1 END; END; quit;",
            [("begin statement set; INSERT INTO a SELECT CASE WHEN b THEN 1 END; END", True), ("quit", True)],
        ),
        (
            "COMPILE PLAN 'p' FOR STATEMENT SET BEGIN INSERT INTO a SELECT 1; END; SHOW TABLES",
            [("COMPILE PLAN 'p' FOR STATEMENT SET BEGIN INSERT INTO a SELECT 1; END", True), ("SHOW TABLES", False)],
        ),
    ],
)
def test_statements_end_with_semicolons_outside_of_texts_and_sets(
    text: str, statements: list[tuple[str, bool]]
) -> None:
    pieces = split_script(text)
    assert [(piece.text.lstrip().rstrip("; "), piece.complete) for piece in pieces] == [
        (statement.rstrip("; "), complete) for statement, complete in statements
    ]


def test_positions_are_those_of_the_script() -> None:
    *_, piece = split_script("SELECT 1;\nSELECT 2; SELECT FROM;")
    with pytest.raises(ProgramError) as caught:
        parse_script(piece.text)
    assert caught.value.where.startswith("line 2, column 18\n")


def test_words() -> None:
    assert [piece.words for piece in split_script("quit; SHOW 'x'; help")] == [("QUIT",), (), ("HELP",)]
