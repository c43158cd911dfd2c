"""Results in notebooks."""

from __future__ import annotations

from compiled_plan import TableEnvironment
from compiled_plan.plans.execution.chunks import Chunk
from compiled_plan.plans.types import RowType, parse_type, row_of
from compiled_plan.results.html import block, columns_text, note, table_html, with_kinds
from compiled_plan.results.tableau import Display


def _columns(text: str) -> RowType:
    type_ = parse_type(text)
    assert isinstance(type_, RowType)
    return type_


ROWS = _columns("ROW<`<i>id</i>` INT, name STRING>")


def test_names_and_values_are_escaped_and_have_types() -> None:
    chunks = [Chunk([0, 0], [[1, None], ["<script>alert(1)</script>\x1b[2J", "b" * 400]])]
    html = table_html(*with_kinds(ROWS, chunks, Display()), "2 <rows>")
    assert "&lt;i&gt;id&lt;/i&gt;<br><small>INT</small>" in html
    assert "name<br><small>STRING</small>" in html
    assert "<script" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;\\u001b[2J" in html
    assert "<i>NULL</i>" in html
    assert "b" * 300 + "…" in html
    assert "b" * 301 not in html
    assert "2 &lt;rows&gt;" in html
    assert "<small>STRING</small></th></tr>" in html, "inserts have no column for their kind"


def test_updates_have_their_kind() -> None:
    row_type, rows = with_kinds(ROWS, [Chunk([0, 1, 2], [[1, 1, 2], ["a"] * 3])], Display())
    assert row_type.names == ("op", "<i>id</i>", "name")
    assert rows == [["+I", "1", "a"], ["-U", "1", "a"], ["+U", "2", "a"]]


def test_values_are_those_of_print() -> None:
    row_type = _columns("ROW<a BOOLEAN, b TIMESTAMP_LTZ(3), c DECIMAL(5, 2)>")
    import datetime as dt
    from decimal import Decimal

    moment = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    chunk = Chunk([0], [[True], [moment], [Decimal("1.50")]])
    _, rows = with_kinds(row_type, [chunk], Display("Europe/Berlin"))
    assert rows == [["TRUE", "2026-01-01 01:00:00.000", "1.50"]]


def test_secrets_in_texts_are_hidden() -> None:
    for html in (note("'password' = 'open-sesame'"), block("jdbc:postgresql://h/d?password=open-sesame")):
        assert "open-sesame" not in html


def test_results_of_statements_are_whole_and_masked() -> None:
    env = TableEnvironment()
    env.execute_sql(
        "CREATE TABLE t (a INT) COMMENT '" + "c" * 400 + "' WITH ('connector' = 'x', 'password' = 'open-sesame')"
    )
    html = env.execute_sql("SHOW CREATE TABLE t")._repr_html_()
    assert "c" * 400 in html
    assert "<pre>CREATE TABLE" in html
    assert "open-sesame" not in html
    explained = env.execute_sql("EXPLAIN SELECT 1 AS `<i>`")._repr_html_()
    assert explained.startswith("<pre>") and "&lt;i&gt;" in explained


def test_many_columns_are_cut() -> None:
    whole = row_of([f"c{at}" for at in range(11)], [parse_type("INT NOT NULL")] * 11)
    assert columns_text(RowType(fields=whole.fields[:2])) == "c0 INT NOT NULL, c1 INT NOT NULL"
    assert columns_text(whole).endswith("c7 INT NOT NULL, ... 3 more")
    assert columns_text(_columns("ROW<`two words` STRING>")) == "`two words` STRING"
