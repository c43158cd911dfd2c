"""The parser accepts and refuses what Flink's parser does; and parses all programs of the repository."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.source import SourceText
from compiled_plan.planner.sql.nodes.statements import Insert, StatementSet
from compiled_plan.planner.sql.parse import parse_script
from compiled_plan.plans.errors import CompiledPlanError
from tests.conformance.cases import CASES
from tests.support.tables import failures

HERE = Path(__file__).parent


def lines(name):
    return [line for line in (HERE / name).read_text().splitlines() if line and not line.startswith("-- ")]


def check_accepted(text):
    assert len(parse_script(text)) == 1


def check_refused(text):
    with pytest.raises(CompiledPlanError):
        parse_script(text)


@pytest.mark.parametrize(
    ("file", "count", "check"), [("flink_takes.txt", 600, check_accepted), ("flink_refuses.txt", 370, check_refused)]
)
def test_statements_are_accepted_and_refused_as_in_flink(file, count, check):
    assert len(lines(file)) > count
    assert failures(check, lines(file)) == {}


def programs():
    paths = sorted(CASES.glob("*/*/program.sql"))
    return [path for path in paths if path.parent.name != "reserved_word_column"]


def inserts(text):
    for statement in parse_script(text):
        if isinstance(statement, Insert):
            yield statement
        elif isinstance(statement, StatementSet):
            yield from statement.inserts


def check_places(path):
    text = path.read_text()
    statements = list(inserts(text))
    assert statements
    for insert in statements:
        assert text[insert.target_span.start : insert.target_span.end].split(".")[-1].strip("`") == insert.target[-1]
        for node in ast.walk(insert.query):
            spot = text[node.span.start : node.span.end]
            if isinstance(node, ast.Identifier):
                assert spot.strip("`").replace("``", "`") == node.name
            elif isinstance(node, ast.Constant) and not node.is_string and spot:
                assert spot.strip("()") == node.text
            elif isinstance(node, ast.Call):
                assert spot.upper().startswith(node.parts[0].name.upper()) or spot.startswith("`")
            assert SourceText(text).where(node).startswith(f"line {node.span.line}, column {node.span.column}\n")


def test_the_programs_parse_and_every_node_knows_its_place():
    assert len(programs()) > 250
    assert failures(check_places, programs()) == {}


def test_the_place_of_a_node_in_the_middle_of_a_line():
    text = "SELECT 1,\n\tUPPER(abc + 1) FROM t"
    call = parse_script(text)[0].query.items[1]
    assert SourceText(text).where(call) == "line 2, column 2\n    \tUPPER(abc + 1) FROM t\n    \t^^^^^^^^^^^^^^"
    column = call.arguments[0].left
    assert SourceText(text).where(column).endswith("\n    \t      ^^^")


def test_the_parser_starts_quickly():
    """Load no heavy module."""
    code = (
        "import sys, planner.sql.parse as p; p.parse_script('SELECT 1');"
        "print([m for m in ('pyspark', 'pandas', 'jsonschema') if m in sys.modules])"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert loaded.strip() == "[]"
