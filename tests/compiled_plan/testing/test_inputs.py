from __future__ import annotations

from compiled_plan.testing.inputs import Event, Input


def row(value: int) -> dict[str, object]:
    return {"id": 1, "v": value}


CHAIN = Input(
    (Event("t", None, row(1)), Event("u", None, row(7)), Event("t", row(1), row(2))),
    (Event("t", row(2), row(3)), Event("t", row(3), None)),
)


def test_without_an_event_later_ones_follow_the_one_before() -> None:
    first, _, second, third, last = CHAIN.smaller(1)
    assert first.before[1] == Event("t", None, row(2)) and first.after == CHAIN.after
    assert second.before == CHAIN.before[:2] and second.after[0] == Event("t", row(1), row(3))
    assert third == Input(CHAIN.before, (Event("t", row(2), None),))
    assert last == Input(CHAIN.before, CHAIN.after[:1])
    assert all(input_.is_possible() for input_ in CHAIN.smaller(1))


def test_without_two_events() -> None:
    chain = Input(CHAIN.before[:1], CHAIN.before[2:])
    assert next(iter(CHAIN.without_two())) == Input((Event("t", None, row(2)),), CHAIN.after)
    assert [*chain.without_two()] == [Input((), ())]


def test_the_end_of_a_row_that_never_came_is_left_out() -> None:
    before, after = CHAIN.smaller(3)
    assert before == Input((), (Event("t", None, row(3)), Event("t", row(3), None)))
    assert after == Input(CHAIN.before, ())
    assert [*before.smaller(1)] == [Input((), ()), Input((), (Event("t", None, row(3)),))]
