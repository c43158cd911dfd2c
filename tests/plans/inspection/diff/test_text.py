"""A difference as text and as Markdown."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from compiled_plan.plans.inspection.diff.advice import Advice, advice
from compiled_plan.plans.inspection.diff.markdown import diff_markdown
from compiled_plan.plans.inspection.diff.model import PlanDiff
from compiled_plan.plans.inspection.diff.text import advice_lines, diff_lines, verdict_line
from compiled_plan.plans.inspection.judging.verdicts import PropertyEdit, Verdict
from tests.plans.inspection.diff.samples import (
    ADDED,
    BROKEN,
    CHANGED,
    KEPT,
    MOVED,
    SAME,
    SOURCES,
    everything,
)

GOLDEN = Path(__file__).with_name("golden.md")


def text(diff: PlanDiff, **options: bool) -> str:
    return "\n".join(line.text for line in diff_lines(diff, **options))


def test_changes_are_shown_and_unchanged_operators_counted() -> None:
    output = text(everything())
    assert KEPT.words not in output
    assert "    1 operator kept" in output and "    1 source kept" in output
    for part in (
        "  ~ SUM(a.x), COUNT(*) by a.id, of a: changed, partially compatible",
        "aggregate-a-3 (was aggregate-a-old), node 7 -> 8",
        "aggregates: SUM(a.x) -> SUM(a.x), COUNT(*)",
        "partially compatible: COUNT(*) counts from now on",
        "TTL of groupAggregateState: 0 ms (never expires) -> 1 h",
        "  > top 3 by a.x, of a: moved, fully compatible",
        "now behind the filter `x > 1`",
        "  + first of a.id, of a: added, partially compatible",
        "  - over a: removed, fully compatible",
        "  + filter `x > 1`: a",
        "offsets new: read from its beginning",
        "gets nothing any more",
    ):
        assert part in output, part


def test_all_shows_unchanged_operators() -> None:
    output = text(everything(), everything=True)
    assert f"    {KEPT.words}" in output
    assert "1 operator kept" not in output


def test_a_reason_is_said_once() -> None:
    assert text(PlanDiff((CHANGED,), (), ())).count("COUNT(*) counts from now on") == 1
    changed = replace(CHANGED, why="because of both")
    assert "      because of both" in text(PlanDiff((changed,), (), ())).splitlines()


def test_long_values_stand_below_each_other() -> None:
    long = PropertyEdit("aggregates", "SUM(" + "x" * 60 + ")", "MAX(" + "y" * 60 + ")")
    lines = text(PlanDiff((replace(CHANGED, edits=(long,)),), (), ())).splitlines()
    at = lines.index("      aggregates:")
    assert lines[at + 1].strip().startswith("- SUM(x") and lines[at + 2].strip().startswith("+ MAX(y")


def test_passwords_are_hidden() -> None:
    diff = PlanDiff((), SOURCES, ())
    for output in (text(diff), diff_markdown(diff, "a", "b", advice(diff))):
        assert "password" in output and "url" in output
        assert "secret" not in output and "hush" not in output


def test_verdicts_are_coloured() -> None:
    styles = {line.text.strip(): line.style for line in diff_lines(everything(BROKEN))}
    assert styles["~ MAX(b.y) by b.k, of b: changed, incompatible"] == "red"
    assert styles["~ SUM(a.x), COUNT(*) by a.id, of a: changed, partially compatible"] == "yellow"
    assert styles["+ c: added, fully compatible"] == "green"


@pytest.mark.parametrize(
    ("diff", "line"),
    [
        (SAME, "no difference"),
        (everything(), "partially compatible: of 6 operators with state 1 changed, 1 added, 1 removed, 1 moved"),
        (PlanDiff((KEPT,), (), (), everything().stateless), "fully compatible"),
        (everything(BROKEN, verdict=Verdict.INCOMPATIBLE), "incompatible: of 7 operators with state 2 changed"),
    ],
)
def test_the_verdict(diff: PlanDiff, line: str) -> None:
    assert verdict_line(diff).text.startswith(line)


@pytest.mark.parametrize(
    ("diff", "command"),
    [
        (SAME, ""),
        (PlanDiff((MOVED,), (), ()), "execute-plan new.json --checkpoint c"),
        (everything(), "execute-plan new.json --checkpoint c --upgrade migrate-partial"),
        (
            everything(BROKEN, verdict=Verdict.INCOMPATIBLE),
            "execute-plan new.json --checkpoint c --upgrade migrate-partial --reset aggregate-b-7",
        ),
        (
            PlanDiff((KEPT, BROKEN), (), (), (), Verdict.INCOMPATIBLE),
            "execute-plan new.json --checkpoint c --reset aggregate-b-7",
        ),
        (
            PlanDiff((ADDED,), (replace(SOURCES[0], verdict=Verdict.INCOMPATIBLE),), (), (), Verdict.INCOMPATIBLE),
            "execute-plan new.json --checkpoint NEW_DIR",
        ),
    ],
)
def test_advice_on_the_next_command(diff: PlanDiff, command: str) -> None:
    actual = advice(diff, "new.json", "c")
    assert actual.command == command
    assert [line.text for line in advice_lines(actual)] == [actual.what, *([f"  try: {command}"] if command else [])]


def test_markdown_as_it_was() -> None:
    diff = everything(BROKEN, verdict=Verdict.INCOMPATIBLE)
    assert diff_markdown(diff, "old.json", "new.json", advice(diff)) == GOLDEN.read_text(encoding="utf-8")


def test_markdown_of_texts_with_markup() -> None:
    odd = replace(CHANGED, words="`a`.`b` | 1", edits=(), ttls=(), why="a*b*c <b> `x*y*` | z")
    markdown = diff_markdown(PlanDiff((odd,), (), ()), "o", "n", Advice("so"))
    (row,) = [line for line in markdown.splitlines() if line.startswith("| `` `a`")]
    assert "`` `a`.`b` \\| 1 ``" in row
    assert r"a\*b\*c \<b> `x*y*` \| z" in row
