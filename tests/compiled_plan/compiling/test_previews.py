"""Plans of previews."""

from __future__ import annotations

import json
from typing import Any

import pytest

from compiled_plan.compiling.previews import preview_plan, statement_at
from compiled_plan.plans.errors import CompiledPlanError, ProgramError

SCRIPT = """CREATE TABLE orders (id INT, item STRING) WITH ('connector' = 'datagen');
CREATE VIEW items AS SELECT item FROM orders;
SELECT id AS first_id FROM orders;
CREATE TABLE counts (n BIGINT, item STRING) WITH ('connector' = 'print');
INSERT INTO counts SELECT COUNT(*), item FROM items GROUP BY item;
SELECT wrong FROM orders;
EXECUTE STATEMENT SET BEGIN INSERT INTO counts SELECT 1, 'a'; INSERT INTO counts SELECT 2, 'b'; END
"""


def sink(at: int | str) -> dict[str, Any]:
    """The sink of a preview: its columns, and the options of the connector."""
    plan = json.loads(preview_plan({}, SCRIPT, at, 7).to_json())
    table = plan["nodes"][-1]["dynamicTableSink"]["table"]["resolvedTable"]
    options = {key: value for key, value in table["options"].items() if key != "id"}
    return {"columns": [column["name"] for column in table["schema"]["columns"]], **options}


@pytest.mark.parametrize(
    ("at", "columns"),
    [
        ("orders", ["id", "item"]),
        ("items", ["item"]),
        (SCRIPT.index("CREATE TABLE orders"), ["id", "item"]),
        (SCRIPT.index("CREATE VIEW"), ["item"]),
        (SCRIPT.index("SELECT id"), ["first_id"]),
    ],
)
def test_tables_views_and_queries(at: int | str, columns: list[str]) -> None:
    assert sink(at) == {"connector": "collect", "columns": columns, "limit": "7", "ordered": "false"}


def test_the_query_of_an_insert_keeps_its_order_and_changes() -> None:
    at = SCRIPT.index("INSERT INTO counts SELECT COUNT")
    assert sink(at) == {"connector": "collect", "columns": ["n", "item"], "limit": "7"}
    assert '"print"' not in preview_plan({}, SCRIPT, at, 7).to_json()


@pytest.mark.parametrize(
    ("at", "message"),
    [
        (SCRIPT.index("SELECT wrong"), "wrong"),
        (SCRIPT.index("BEGIN INSERT"), "the rows of one query"),
        ("counts", "print"),
        ("nothing", "nothing"),
        ("orders; DROP TABLE orders", "the rows of one query"),
    ],
)
def test_refusals(at: int | str, message: str) -> None:
    with pytest.raises(CompiledPlanError, match=message):
        preview_plan({}, SCRIPT, at, 7)


def test_the_statement_at_a_cursor() -> None:
    script = "SELECT 1;\n\n  SELECT 2; SELECT 3"
    places = {"1": (0, 8, 9), "2": (10, 13, 22), "3": (24, len(script))}
    for number, cursors in places.items():
        assert {statement_at(script, cursor).split()[-1] for cursor in cursors} == {number}
    # Positions are those in the script.
    assert statement_at(script, 13).count("\n") == 2
    with pytest.raises(ProgramError, match="no statement"):
        statement_at(" -- nothing", 3)
