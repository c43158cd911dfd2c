"""Reports of shadow runs as text, Markdown and JSON."""

from __future__ import annotations

import json
from dataclasses import replace

from compiled_plan.plans.execution.shadow.report import Example, Outcome, Parting, Rows, ShadowReport

TOTALS = Rows("c.d.totals", ("shop",), equal=5, other_sequence=1, other_values=2, columns={"total": 2}, named=True)
LOG = Rows("c.d.log", (), equal=1, only_new=1, examples=(Example("new", '{"id":1}', None, "2"),))

PARTS = (
    Parting("SUM(price) by shop, of sales", "group-aggregate-1", (4,), (5,), ("GroupAggregate(...)",), 2),
    Parting("the input of c.d.log", "", (2,), (), ("Calc(where=[(price > 2)])",), 1, LOG.examples),
)


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
    assert text.startswith("### Shadow run: differs otherwise\n\nSince micro-batch 7: 30 rows in 2 rounds, 1.2 s.\n")
    assert "| `c.d.totals` | differs as named | 8 | 5 | 2 | 0 | 0 | 1 |\n" in text
    assert text.endswith('```text\n{"id":1}: old no row, new 2\n```\n\n</details>\n')
    assert "- c.d.more: written by the new program alone\n" in text


def test_names_and_values_are_no_markup() -> None:
    example = Example("new", '{"id":"```\n</details>"}', None, "2")
    text = "\n".join(report(replace(LOG, table="c.d.<b>", examples=(example,))).markdown())
    assert "<summary>c.d.&lt;b&gt;</summary>" in text
    assert "\n````text\n" in text


def test_json() -> None:
    document = json.loads(json.dumps(report(TOTALS).to_dict()))
    assert (document["outcome"], document["tables"][0]["columns"]) == ("differs as named", {"total": 2})


def test_the_first_places_are_in_all_forms() -> None:
    parted = report(replace(LOG, parts=PARTS))
    assert [*parted.lines()][4:7] == [
        "  first parts at SUM(price) by shop, of sales, group-aggregate-1: equal input, other output",
        "  first parts at the input of c.d.log: node 2 of the old plan Calc(where=[(price > 2)])",
        '    {"id":1}: old no row, new 2',
    ]
    line = "- `c.d.log` first parts at SUM(price) by shop, of sales, group-aggregate-1: equal input, other output"
    assert line in [*parted.markdown()]
    (table,) = json.loads(json.dumps(parted.to_dict()))["tables"]
    assert [(part["uid"], part["new_nodes"]) for part in table["parts"]] == [("group-aggregate-1", [5]), ("", [])]


def test_a_promotion_is_reported() -> None:
    promoted = replace(report(), promoted=3)
    assert "promoted: generation 3 is in force" in [*promoted.lines()]
    assert "Promoted: generation 3 is in force." in [*promoted.markdown()]
    assert promoted.to_dict()["promoted"] == 3
