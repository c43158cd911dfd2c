"""Ages of used entries in the figures of a checkpoint."""

from __future__ import annotations

from fractions import Fraction

import pytest

from compiled_plan.plans.inspection.checkpoints import StateFigures
from compiled_plan.plans.inspection.use_ages import UseAges, carried

AGES = UseAges(0, 7, {100: 90, 200: 9, 4000: 1})


@pytest.mark.parametrize(("share", "met"), [("0.5", 100), ("0.9", 100), ("0.9001", 200), ("0.99", 200), ("1", 4000)])
def test_the_age_below_which_a_share_of_uses_lies(share: str, met: int) -> None:
    assert AGES.met(Fraction(share)) == met
    assert UseAges(0, 7).met(Fraction(share)) is None


def test_figures_of_a_checkpoint() -> None:
    figures = StateFigures({"a": 3, "b": 1}, {"a": 30}, {"a": (AGES, UseAges(5, 8))})
    assert StateFigures.read(figures.text()) == figures


@pytest.mark.parametrize("ages", ["[{}]", "3", "null", '[{"ttl": 1, "since": 2, "uses": {"x": 1}}]', '["a"]'])
def test_damaged_ages_are_none(ages: str) -> None:
    figures = StateFigures.read(f'{{"a": {{"rows": 3, "ages": {ages}}}}}')
    assert (figures.rows, figures.ages) == ({"a": 3}, {"a": ()})


def test_the_observation_of_an_entry_begins_anew_with_another_ttl() -> None:
    before = (AGES, UseAges(50, 7, {1: 1}))
    assert carried(before, [0, 50], 9) == before
    assert carried(before, [10, 50, 0], 9) == (UseAges(10, 9), before[1], UseAges(0, 9))
    assert carried((), [0], 9) == (UseAges(0, 9),)
