"""Top-n and limits against Flink's TopN functions and a model that sorts from scratch each time."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.kernel.changelogs import Batches, retract_streams
from tests.support.kernel.harness import Change, Harness, Step, Table, Values, add_up, batches, short


def spec(strategy: str = "append", *, number: bool = False, **fields: Any) -> dict[str, Any]:
    columns = ["INT", "INT"]
    return {
        "uid": "rank",
        "type": "rank",
        "inputTypes": [columns],
        "outputTypes": [*columns, "BIGINT"] if number else columns,
        "strategy": strategy,
        "orderBy": [{"index": 1, "ascending": False, "nullsLast": True}],
        "start": 1,
        "end": 2,
        "outputRowNumber": number,
        "ttl": [0],
        **fields,
    }


def rows(*values: tuple[int, int | None], kind: str = "+I") -> list[Change]:
    return [Change(kind, row) for row in values]


def test_without_the_rank_rows_leave_and_enter(harness: Harness) -> None:
    (only,) = harness.run(spec(), batches([rows((1, 10), (2, 20), (3, 15), (4, 1))]))
    assert short(only.out) == ["+I(1, 10)", "+I(2, 20)", "-D(1, 10)", "+I(3, 15)"]
    assert only.state_rows == 2


def test_with_the_rank_the_ranks_change(harness: Harness) -> None:
    (only,) = harness.run(spec(number=True), batches([rows((1, 10), (2, 20))]))
    assert short(only.out) == ["+I(1, 10, 1)", "-U(1, 10, 1)", "+U(2, 20, 1)", "+I(1, 10, 2)"]


def test_a_retraction_brings_the_next_row_up(harness: Harness) -> None:
    stream = [rows((1, 10), (2, 20), (3, 15)), rows((2, 20), kind="-D")]
    assert short(harness.run(spec("retract"), batches(stream))[1].out) == ["-D(2, 20)", "+I(1, 10)"]
    numbered = harness.run(spec("retract", number=True, generateUpdateBefore=False), batches(stream))
    assert short(numbered[1].out) == ["+U(3, 15, 1)", "+U(1, 10, 2)"]


def test_equal_rows_rank_by_arrival(harness: Harness) -> None:
    (only,) = harness.run(spec(end=1), batches([rows((1, 10), (2, 10))]))
    assert short(only.out) == ["+I(1, 10)"]


def test_an_updated_row_is_known_by_its_key(harness: Harness) -> None:
    updates = [*rows((1, 10), (2, 20)), *rows((1, 30), (1, 30), kind="+U")]
    (only,) = harness.run(spec("update", primaryKeys=[0]), batches([updates]))
    assert short(only.out) == ["+I(1, 10)", "+I(2, 20)", "-U(1, 10)", "+U(1, 30)"]


def test_an_updated_row_of_equal_order_stays_in_its_place(harness: Harness) -> None:
    updates = [*rows((1, 10), (2, 10)), *rows((1, 10), kind="+U")]
    (only,) = harness.run(spec("update", number=True, primaryKeys=[0]), batches([updates]))
    assert short(only.out) == ["+I(1, 10, 1)", "+I(2, 10, 2)"]


def test_a_limit_takes_the_first_rows(harness: Harness) -> None:
    limit = spec(orderBy=[], start=2, end=3)
    (only,) = harness.run(limit, batches([rows((1, 1), (2, 2), (3, 3), (4, 4))]))
    assert short(only.out) == ["+I(2, 2)", "+I(3, 3)"]


def test_a_variable_end_comes_from_the_first_row(harness: Harness) -> None:
    variable = spec(end=None, endColumn=0)
    (only,) = harness.run(variable, batches([rows((1, 10), (1, 20), (1, 5))]))
    assert short(only.out) == ["+I(1, 10)", "-D(1, 10)", "+I(1, 20)"]


def test_rows_expire_one_by_one(harness: Harness) -> None:
    steps = [Step(0, rows((1, 30))), Step(500, rows((2, 20))), Step(1000, rows((3, 10)))]
    answers = harness.run(spec(ttl=[1000]), steps)
    assert short(answers[2].out) == ["+I(3, 10)"]
    assert answers[2].state_rows == 2


def ranked(table: Table, start: int, end: int | None, number: bool) -> Table:
    order = sorted(table.elements(), key=lambda r: (r[1] is None, -(r[1] or 0), r[0]))
    window = order[start - 1 : end]
    return Counter((*row, start + i) if number else row for i, row in enumerate(window))


ORDER = [{"index": 1, "ascending": False, "nullsLast": True}, {"index": 0, "ascending": True, "nullsLast": False}]
ROWS: st.SearchStrategy[Values] = st.tuples(st.integers(0, 4), st.none() | st.integers(0, 3))
RANGES = [(1, 1), (1, 3), (2, 2), (2, 3), (1, None)]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("strategy", ["append", "retract"])
@pytest.mark.parametrize(("start", "end"), RANGES)
@given(data=st.data(), number=st.booleans())
def test_changes_result_in_the_top_n(
    harness: Harness, strategy: str, start: int, end: int | None, data: st.DataObject, number: bool
) -> None:
    stream: Batches = data.draw(retract_streams(ROWS, insert_only=strategy == "append"))
    top = spec(strategy, number=number, start=start, end=end, orderBy=ORDER)
    came: Table = Counter()
    went: Table = Counter()
    for batch, answer in zip(stream, harness.run(top, batches(stream)), strict=True):
        add_up(batch, came)
        add_up(answer.out, went)
        assert went == ranked(came, start, end, number)
