"""An edit of one INSERT of a set, or of a view, leaves the other statements fully compatible.

A few sets run always, and a thousand with `make test-deep`: `UPGRADE_SEED` is the seed of the first.
"""

from __future__ import annotations

import os

import pytest

from tests.upgrades.chance.sets import touched

SEED = int(os.environ.get("UPGRADE_SEED", "1"))
#: Sets in which the edit changes what statements share: a filter, columns that one of them reads, or which two
#: of three have an aggregate in common.
TELLING = (70, 115, 303, 531, 621, 860)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", TELLING)
def test_an_edit_of_one_statement_leaves_the_others(seed: int) -> None:
    assert list(touched(seed)) == []


@pytest.mark.deep
def test_an_edit_of_one_statement_leaves_the_others_in_many_sets() -> None:
    assert [text for seed in range(SEED, SEED + 1000) for text in touched(seed)] == []
