"""Deduplicate, changelog normalize and sink upsert materializer against Flink's functions."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.kernel.harness import Change, Harness, OperatorError, Step, batches, short


def spec(type_: str, **fields: Any) -> dict[str, Any]:
    return {
        "uid": "it",
        "type": type_,
        "inputTypes": [["STRING", "INT"]],
        "outputTypes": ["STRING", "INT"],
        "ttl": [0],
        **fields,
    }


def rows(*values: tuple[Any, ...], kind: str = "+I") -> list[Change]:
    return [Change(kind, row) for row in values]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"keepLast": False}, ["+I(a, 5)"]),
        ({"keepLast": True}, ["+I(a, 5)", "-U(a, 5)", "+U(b, 3)", "-U(b, 3)", "+U(c, 5)"]),
        ({"keepLast": True, "generateUpdateBefore": False}, ["+I(a, 5)", "+U(b, 3)", "+U(c, 5)"]),
        ({"keepLast": True, "rowtime": 1}, ["+I(a, 5)", "-U(a, 5)", "+U(c, 5)"]),
        ({"keepLast": False, "rowtime": 1}, ["+I(a, 5)", "-U(a, 5)", "+U(b, 3)"]),
    ],
)
@pytest.mark.parametrize("split", [False, True])
def test_the_first_or_last_row_is_stored(
    harness: Harness, fields: dict[str, Any], expected: list[str], split: bool
) -> None:
    stream = rows(("a", 5), ("b", 3), ("c", 5))
    answers = harness.run(spec("deduplicate", **fields), batches([[row] for row in stream] if split else [stream]))
    assert [text for answer in answers for text in short(answer.out)] == expected
    assert answers[-1].state_rows == 1


def test_the_first_row_after_expiry_is_a_first_row(harness: Harness) -> None:
    steps = [Step(0, rows(("a", 1))), Step(999, rows(("a", 2))), Step(1000, rows(("a", 3)))]
    answers = harness.run(spec("deduplicate", keepLast=False, ttl=[1000]), steps)
    assert [short(a.out) for a in answers] == [["+I(a, 1)"], [], ["+I(a, 3)"]]


def test_deduplicate_refuses_retractions(harness: Harness) -> None:
    with pytest.raises(OperatorError, match="insert-only"):
        harness.run(spec("deduplicate"), batches([rows(("a", 1), kind="-D")]))


def test_normalize_completes_an_upsert_changelog(harness: Harness) -> None:
    stream = [
        *rows(("a", 1)),
        *rows(("a", 2), ("a", 2), kind="+U"),
        *rows(("a", None), ("a", None), kind="-D"),
        *rows(("a", 3), kind="+U"),
    ]
    (only,) = harness.run(spec("changelog-normalize"), batches([stream]))
    assert short(only.out) == ["+I(a, 1)", "-U(a, 1)", "+U(a, 2)", "-D(a, 2)", "+I(a, 3)"]


def test_normalize_repeats_updates_when_there_is_a_ttl(harness: Harness) -> None:
    stream = [*rows(("a", 1)), *rows(("a", 1), kind="+U")]
    (only,) = harness.run(spec("changelog-normalize", ttl=[1000], generateUpdateBefore=False), batches([stream]))
    assert short(only.out) == ["+I(a, 1)", "+U(a, 1)"]


def test_normalize_deletes_a_row_that_stops_to_pass_the_filter(harness: Harness) -> None:
    filtered = spec("changelog-normalize", filterColumn=1)
    filtered["inputTypes"] = [["STRING", "BOOLEAN", "INT"]]
    stream = [*rows(("a", False, 1)), *rows(("a", True, 2), ("a", None, 3), ("a", True, 4), kind="+U")]
    (only,) = harness.run(filtered, batches([stream]))
    assert short(only.out) == ["+I(a, 2)", "-D(a, 2)", "+I(a, 4)"]


def test_a_lookup_retracts_the_rows_that_it_has_met(harness: Harness) -> None:
    lookup = spec("lookup-materializer", rowsColumn=1, ttl=[1000])
    lookup |= {"inputTypes": [["STRING", "ARRAY<INT>"]], "outputTypes": ["STRING", "INT"]}
    steps = [
        Step(0, rows(("a", [1, 2]))),
        Step(1, [*rows(("a", None), kind="-U"), *rows(("a", [None]), kind="+U")]),
        Step(2, [*rows(("a", []), kind="-D"), *rows(("a", []), kind="-D"), *rows(("a", []))]),
        Step(3, rows(("a", None), kind="-D")),
        Step(4, rows(("a", [7]))),
        Step(1004, rows(("a", None), kind="-D")),
    ]
    answers = harness.run(lookup, steps)
    assert [short(answer.out) for answer in answers] == [
        ["+I(a, 1)", "+I(a, 2)"],
        ["-U(a, 1)", "-U(a, 2)", "+U(a, null)"],
        ["-D(a, null)"],
        [],
        ["+I(a, 7)"],
        [],
    ]
    assert [answer.keys for answer in answers] == [1, 1, 1, 0, 1, 0]


@pytest.mark.parametrize(
    ("upsert_key", "expected"),
    [
        (None, ["+I(x, 1)", "+U(y, 1)", "+U(x, 2)", "+U(x, 2)", "-D(x, 2)"]),
        ([0], ["+I(x, 1)", "+U(y, 1)", "+U(x, 2)", "+U(x, 2)", "-D(x, 2)"]),
    ],
)
def test_the_materializer_shows_the_last_row(
    harness: Harness, upsert_key: list[int] | None, expected: list[str]
) -> None:
    before = [] if upsert_key else rows(("x", 1), kind="-D")
    stream = [
        [*rows(("x", 1), ("y", 1)), *before, *rows(("x", 2), kind="+U")],
        [*rows(("y", 1), kind="-D")],
        [*rows(("x", 2), kind="-D")],
    ]
    answers = harness.run(spec("sink-upsert-materializer", upsertKey=upsert_key), batches(stream))
    out = [text for answer in answers for text in short(answer.out)]
    if upsert_key:
        # x replaced its row in place, before y, so y's deletion uncovers it.
        assert out == expected
    else:
        # x is behind y by then, so y's deletion changes nothing.
        assert out == [*expected[:3], expected[4]]
    assert answers[-1].keys == 0


def test_the_materializer_restores_the_row_before_a_deleted_last_row(harness: Harness) -> None:
    stream = [*rows(("x", 1), ("y", 1), ("z", 1)), *rows(("z", 1), ("y", 1), kind="-D")]
    answers = harness.run(spec("sink-upsert-materializer", upsertKey=None), batches([[row] for row in stream]))
    out = [text for answer in answers for text in short(answer.out)]
    assert out == ["+I(x, 1)", "+U(y, 1)", "+U(z, 1)", "+U(y, 1)", "+U(x, 1)"]
