"""Patterns of MATCH_RECOGNIZE as variables in order: those that Flink 2.3 translates, and those that it refuses."""

from __future__ import annotations

import pytest

from compiled_plan.planner.sql.binding.patterns import parse_pattern
from compiled_plan.plans.errors import CompiledPlanError, ProgramWarning


@pytest.mark.parametrize(
    ("pattern", "variables"),
    [("A (B C) D", "A B C D"), ("((A) (B))", "A B"), ("(A B) C+ D", "A B C+ D"), ("A (B+) C", "A B+ C")],
)
def test_parentheses_without_a_quantifier_have_no_meaning(pattern: str, variables: str) -> None:
    assert parse_pattern(pattern) == parse_pattern(variables)


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("(A B)+ C", "a group with a quantifier"),
        ("A (B)? C", "a group with a quantifier"),
        ("(A+)", "greedy quantifier"),
        ("A ()", "unexpected"),
        ("A)", "unexpected"),
        ("(A", "pairs of parentheses"),
    ],
)
def test_other_groups_are_refused(pattern: str, message: str) -> None:
    with pytest.raises(CompiledPlanError, match=message):
        parse_pattern(pattern)


@pytest.mark.parametrize(
    ("pattern", "variables", "anchors"),
    [("^ A B", "A B", "^"), ("A (B) $", "A B", "$"), ("^ (A B) $", "A B", "^$")],
)
def test_anchors_have_no_effect(pattern: str, variables: str, anchors: str) -> None:
    with pytest.warns(ProgramWarning) as warned:
        assert parse_pattern(pattern) == parse_pattern(variables)
    assert [str(item.message)[len("the anchor ")] for item in warned] == list(anchors)


@pytest.mark.parametrize("pattern", ["A ^ B", "A $ B", "(^ A) B", "(A $)"])
def test_anchors_within_a_pattern_are_refused(pattern: str) -> None:
    with pytest.raises(CompiledPlanError, match="an anchor within a pattern"):
        parse_pattern(pattern)
