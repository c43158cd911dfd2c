"""Steps for sources, and unreported losses of state: the last check before a move."""

from __future__ import annotations

from typing import Any

import pytest

from compiled_plan.plans.execution.state.checkpoint.sources import Names
from compiled_plan.plans.execution.state.upgrade.planning import loses, steps_of_sources
from compiled_plan.plans.inspection.diff.mapping import OldColumn, StateMapping

ROWS = {"name": "rows", "is": "rows", "columns": [{"type": "INT", "input": 0, "column": 0}]}
FRAMES = {"name": "accumulators", "is": "frames", "parts": []}


def state(kind: str, *fields: dict[str, Any]) -> dict[str, Any]:
    return {"kind": kind, "version": 1, "keys": [[0]], "inputs": [], "fields": list(fields)}


@pytest.mark.parametrize(
    ("kind", "fields", "column", "call", "lost"),
    [
        ("join", (ROWS,), OldColumn(0, 0), 0, False),
        ("join", (ROWS,), None, 0, True),
        ("group-aggregate", (FRAMES,), None, 0, False),
        ("group-aggregate", (FRAMES,), OldColumn(0, 0), None, True),
        ("deduplicate", (), None, None, False),
        ("over-rowtime", (ROWS, FRAMES), OldColumn(0, 0), None, False),
        ("over-rowtime", (ROWS, FRAMES), None, 0, True),
    ],
)
def test_a_column_of_kept_rows_or_a_call_that_is_added_up_may_not_be_missing(
    kind: str, fields: tuple[dict[str, Any], ...], column: OldColumn | None, call: int | None, lost: bool
) -> None:
    mapping = StateMapping("a", "a", ((column,),), (call,), (("x",),), ("SUM(x)",), ((False,),), (False,))
    assert loses(mapping, state(kind, *fields)) is lost


def test_a_new_count_of_all_rows_begins_with_those_of_the_group() -> None:
    mapping = StateMapping("a", "a", ((OldColumn(0, 0),),), (None,), (("x",),), ("COUNT(*)",), ((False,),), (True,))
    assert not loses(mapping, state("group-aggregate", FRAMES))


@pytest.mark.parametrize(("kind", "lost"), [("deduplicate", False), ("join", True)])
def test_a_first_row_that_is_kept_by_its_key_alone_needs_no_other_column(kind: str, lost: bool) -> None:
    mapping = StateMapping("a", "a", ((OldColumn(0, 0), None),), (), (("k", "x"),), (), ((False, False),))
    old_state = state(kind, ROWS) | {"keys": [[{"type": "INT", "input": 0, "column": 0}]]}
    assert loses(mapping, old_state) is lost


def test_a_column_that_is_always_null_is_that_without_an_old_one() -> None:
    mapping = StateMapping("a", "a", ((OldColumn(0, 0), None),), (), (("k", "NULL"),), (), ((False, True),))
    assert not loses(mapping, state("temporal-sort", ROWS))


def test_known_names_of_a_table_resume_new_ones_begin_and_gone_ones_wait() -> None:
    """A table that one more operator reads has a known name and a new one; a table that returns resumes."""
    read = (
        {"name": "orders", "names": ["a", "b"]},
        {"name": "rates", "names": ["c"]},
        {"name": "towns", "names": ["d"]},
    )
    old = {"sources": [{"name": "orders", "names": ["a"]}], "gone": [{"name": "towns", "names": ["d"]}]}
    steps = steps_of_sources(Names({}, read, ({"name": "shops", "names": ["e"]},)), old)
    assert [step.text for step in steps] == [
        "source orders: resume at its position",
        "source orders: read from its beginning, for it is new",
        "source rates: read from its beginning, for it is new",
        "source towns: resume at its position",
        "source shops: keep its position, though it is no longer read: it may come back",
    ]
