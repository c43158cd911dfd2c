"""Tables in a notebook and an interpreter."""

from __future__ import annotations

from compiled_plan import TableEnvironment


def test_a_table_shows_its_columns_and_runs_nothing() -> None:
    table = TableEnvironment().sql_query("SELECT 1 AS `<i>`, CAST('a' AS STRING) AS name, TRUE AS done")
    assert repr(table) == "Table(`<i>` INT NOT NULL, name STRING NOT NULL, done BOOLEAN NOT NULL)"
    html = table._repr_html_()
    assert "&lt;i&gt;<br><small>INT NOT NULL</small>" in html
    assert "<tbody></tbody>" in html
    assert "show() and head() run it" in html
