"""TTLs and keys as users write them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.state.reading.figures import tried_of
from compiled_plan.plans.execution.state.reading.keys import key_of
from compiled_plan.plans.execution.state.reading.reader import StoredOperator
from compiled_plan.plans.inspection.entries import StateLine

DAY = 86_400_000


def operator(*entries: str) -> StoredOperator:
    lines = [StateLine(1, "u", "join", "", name, at, "1 h", 3_600_000, "") for at, name in enumerate(entries)]
    return StoredOperator("u", 1, "", {"ttl": [3_600_000] * len(entries)}, {"kind": "join"}, tuple(lines), ("", ""))


JOIN, ONE, NONE = operator("leftState", "rightState"), operator("idleState"), operator()


@pytest.mark.parametrize(
    ("texts", "of", "ttls"),
    [
        ((), JOIN, [None, None]),
        (("1 d",), JOIN, [DAY, DAY]),
        (("1d", "right=0"), JOIN, [DAY, 0]),
        (("left=1d",), JOIN, [DAY, None]),
        (("leftState=PT24H",), JOIN, [DAY, None]),
        (("1=1d",), JOIN, [None, DAY]),
        # One entry applies to all inputs.
        (("idle=1d",), ONE, [DAY, DAY]),
        (("1d",), NONE, [None, None]),
    ],
)
def test_what_if_ttls(texts: Sequence[str], of: StoredOperator, ttls: list[int | None]) -> None:
    tried = tried_of(texts, of)
    assert [tried(of, at) for at in (0, 1)] == ttls


def test_without_an_operator_a_ttl_is_for_all() -> None:
    tried = tried_of(["1d"], None)
    assert (tried(JOIN, 1), tried(NONE, 0)) == (DAY, None)


@pytest.mark.parametrize(
    ("text", "of", "says"),
    [
        ("soon", JOIN, "--what-if soon: not a duration"),
        ("left=soon", JOIN, "--what-if left=soon"),
        ("middle=1d", JOIN, "has no state entry middle with a TTL\n  try: its entries: leftState, rightState"),
        ("2=1d", JOIN, "has no state entry 2"),
        ("left=1d", None, "names an entry, and no operator is named"),
    ],
)
def test_invalid_ttls(text: str, of: StoredOperator | None, says: str) -> None:
    with pytest.raises(CheckpointError) as refused:
        tried_of([text], of)
    assert says in str(refused.value)


def test_keys() -> None:
    assert key_of(["id=5", "name=a=b", "empty="]) == {"id": "5", "name": "a=b", "empty": ""}


@pytest.mark.parametrize(
    ("texts", "says"), [(["id"], "not of the form COLUMN=VALUE"), (["a=1", "a=2"], "a is there twice")]
)
def test_invalid_keys(texts: list[str], says: str) -> None:
    with pytest.raises(CheckpointError, match=says):
        key_of(texts)
