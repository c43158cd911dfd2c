"""Reports of shadow runs as text, Markdown and JSON."""

from __future__ import annotations

import json

from compiled_plan.plans.execution.shadow.report import Example, Outcome, Rows, ShadowReport

TOTALS = Rows("c.d.totals", ("shop",), equal=5, other_sequence=1, other_values=2, columns={"total": 2}, named=True)
LOG = Rows("c.d.log", (), equal=1, only_new=1, examples=(Example("new", '{"id":1}', None, "2"),))


def report(*tables: Rows) -> ShadowReport:
    return ShadowReport(7, rounds=2, rows_in=30, seconds=1.25, tables=tables, only_new=("c.d.more",))


def test_the_outcome_is_the_worst_of_all_tables() -> None:
    assert report().outcome is Outcome.EQUAL
    assert report(TOTALS).outcome is Outcome.NAMED
    assert report(TOTALS, LOG).outcome is Outcome.OTHERWISE


def test_text() -> None:
    assert [*report(TOTALS, LOG).lines()] == [
        "shadow since micro-batch 7: differs otherwise; 30 rows in 2 rounds, 1.2 s",
        "c.d.totals: differs as named; 8 keys (shop), 2 differ",
        "  2 other values (total 2)",
        "  1 the same row after other changes",
        "c.d.log: differs otherwise; 2 different rows, 1 differ",
        "  1 only in the new program",
        '  {"id":1}: old no row, new 2',
        "c.d.more: written by the new program alone",
    ]


def test_markdown() -> None:
    text = "\n".join(report(TOTALS, LOG).markdown())
    assert text.startswith("### Shadow run: differs otherwise\n\n30 rows in 2 rounds since micro-batch 7, 1.2 s.\n")
    assert "| `c.d.totals` | differs as named | 8 | 5 | 2 | 0 | 0 | 1 |\n" in text
    assert text.endswith('```text\n{"id":1}: old no row, new 2\n```\n\n</details>')


def test_json() -> None:
    document = json.loads(json.dumps(report(TOTALS).to_dict()))
    assert (document["outcome"], document["tables"][0]["columns"]) == ("differs as named", {"total": 2})
