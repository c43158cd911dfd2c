"""Every change that gives wrong results without comparison has a row in the table, and a test that shows it.

`test_kinds.test_it_would_be_silently_wrong` shows a kind; changes that no two programs of a kind express have tests
of their own.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.upgrades.kinds import KINDS
from tests.upgrades.kinds.model import Elsewhere

STARTS = "tests/plans/execution/state/checkpoint/test_checkpoint_starts.py"
#: A change of the program and its kind.
BY_KIND = {
    "GROUP BY another column of the same type": "another-grouping",
    "SUM of another column": "sum-of-another-column",
    "another expression under SUM": "another-expression-under-a-sum",
    "two SUMs swapped": "aggregates-swapped",
    "another join output column": "another-column-behind-a-join",
    "another column kept by deduplicate": "another-column-of-the-last-row",
    "another ORDER BY column of a top-n": "another-order-of-a-top-n",
    "another partition of OVER": "another-partition-of-over",
    "another argument of OVER": "another-argument-of-over",
    "another time column of an interval join": "another-time-of-an-interval-join",
    "two chained aggregates swapped": "chained-aggregates-swapped",
    "another zone for days of LTZ": "another-zone",
    "another zone for LTZ windows": "another-zone-of-windows",
    "a filter added before an aggregate": "filter-in-front-of-an-aggregate",
    "a filter added before a join": "filter-in-front-of-a-join",
    "primary key of a materialising sink": "sink-primary-key",
}
#: The same, with the kind, if there is one, and the test that starts it without comparison.
BY_TEST = {
    "statements of a set swapped": (
        "statements-swapped",
        f"{STARTS}::test_state_that_goes_by_the_order_of_statements_would_be_swapped",
    ),
    "conflict strategy of a materialising sink": (
        "sink-conflict-strategy",
        f"{STARTS}::test_the_conflict_strategy_of_a_sink_is_compared",
    ),
    "the code of a Python function": ("", f"{STARTS}::test_the_code_of_a_function_is_compared"),
}
_FOUND = {kind.name: kind for kind in KINDS}


@pytest.mark.parametrize("change", BY_KIND)
def test_a_kind_is_shown_wrong_and_not_so_here(change: str) -> None:
    kind = _FOUND[BY_KIND[change]]
    assert kind.wrong
    assert kind.says
    assert kind.names, "what becomes of it here is below fully compatible and says so"


@pytest.mark.parametrize("change", BY_TEST)
def test_others_have_tests_of_their_own(change: str, root: Path) -> None:
    name, test = BY_TEST[change]
    assert not name or _FOUND[name]
    file, _, function = test.partition("::")
    body = re.search(rf"^def {function}\(.*?(?=^def |\Z)", (root / file).read_text(), re.S | re.M)
    assert body is not None
    assert "guarded=False" in body[0]


def test_all_that_is_shown_is_listed() -> None:
    assert {kind.name for kind in KINDS if kind.wrong is not None} == set(BY_KIND.values())


def test_what_is_silently_wrong_elsewhere_is_not_so_here() -> None:
    """A change that others start on wrong state is refused here, has a verdict below full, or finds its state."""
    silent = [kind for kind in KINDS if Elsewhere.WRONG in (kind.flink, kind.spark)]
    assert len(silent) >= 15
    assert all(kind.verdict.rank == 0 or kind.names for kind in silent)
