"""Multi-way joins against a model that joins from scratch each time."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.kernel.changelogs import Batches, by_key, retract_streams, updates_alone
from tests.support.kernel.harness import Change, Harness, Step, Table, Values, add_up, batches, short


def spec(*types: str, **fields: Any) -> dict[str, Any]:
    return {
        "uid": "multi",
        "type": "multi-join",
        "inputTypes": [["INT", "INT"]] * 3,
        "outputTypes": ["INT"] * 6,
        "joinTypes": ["INNER", *types],
        "conditions": [None, "0=2", "1=5"],
        "inputUniqueKeys": [[], [], []],
        "ttl": [0, 0, 0],
        **fields,
    }


#: Types of both joins; `make test` has the first.
TYPES = [
    ("LEFT", "INNER"),
    *(
        pytest.param(types, marks=pytest.mark.wide)
        for types in (("INNER", "INNER"), ("INNER", "LEFT"), ("LEFT", "LEFT"))
    ),
]


def test_left_joins_pad_until_there_is_a_match(harness: Harness) -> None:
    stream = [Change("+I", (1, 5), 0), Change("+I", (9, 5), 2), Change("+I", (1, 7), 1), Change("-D", (9, 5), 2)]
    (only,) = harness.run(spec("LEFT", "LEFT"), batches([stream]))
    assert short(only.out) == [
        "+I(1, 5, null, null, null, null)",
        "-D(1, 5, null, null, null, null)",
        "+I(1, 5, null, null, 9, 5)",
        "-D(1, 5, null, null, 9, 5)",
        "+I(1, 5, 1, 7, 9, 5)",
        "-D(1, 5, 1, 7, 9, 5)",
        "+I(1, 5, 1, 7, null, null)",
    ]


def test_each_input_has_its_own_ttl(harness: Harness) -> None:
    steps = [
        Step(0, [Change("+I", (1, 5), 0), Change("+I", (1, 7), 1)]),
        Step(100, [Change("+I", (9, 5), 2)]),
        Step(200, [Change("+I", (8, 5), 2)]),
    ]
    answers = harness.run(spec("INNER", "INNER", ttl=[0, 200, 0]), steps)
    assert [short(a.out) for a in answers] == [[], ["+I(1, 5, 1, 7, 9, 5)"], []]


def joined(types: tuple[str, ...], tables: list[Table]) -> Table:
    result: list[Values] = list(tables[0].elements())
    for depth, (join_type, mine, theirs) in enumerate(zip(types, (0, 1), (0, 1), strict=True), 1):
        longer: list[Values] = []
        for row in result:
            partners = [o for o in tables[depth].elements() if row[mine] is not None and row[mine] == o[theirs]]
            if not partners and join_type == "LEFT":
                longer.append((*row, None, None))
            longer.extend((*row, *partner) for partner in partners)
        result = longer
    return Counter(result)


ROWS = st.tuples(st.none() | st.integers(0, 2), st.none() | st.integers(0, 2))


@pytest.mark.parametrize("types", TYPES)
@given(stream=retract_streams(ROWS, ports=3))
def test_changes_result_in_the_join_of_the_remaining_rows(
    harness: Harness, types: tuple[str, ...], stream: Batches
) -> None:
    tables: list[Table] = [Counter(), Counter(), Counter()]
    result: Table = Counter()
    for batch, answer in zip(stream, harness.run(spec(*types), batches(stream)), strict=True):
        for port in range(3):
            add_up([c for c in batch if c.port == port], tables[port])
        add_up(answer.out, result)
        assert result == joined(types, tables)


def joined_by_key(types: tuple[str, ...], condition: bool, tables: list[Table]) -> Table:
    """The joins of inputs with one row per key."""
    one, two = ({row[0]: row for row in table} for table in tables[1:])
    result: Table = Counter()
    for row in tables[0]:
        partners: list[Values | None] = []
        for matches in (one, two):
            partner = matches.get(row[0])
            partners.append(partner if partner and (not condition or row[1] < partner[1]) else None)
        if all(partner or join_type == "LEFT" for partner, join_type in zip(partners, types, strict=True)):
            result[(*row, *(partners[0] or (None, None)), *(partners[1] or (None, None)))] += 1
    return result


KEYED = st.tuples(st.integers(0, 1), st.integers(0, 3))


@pytest.mark.parametrize("types", TYPES)
@given(
    stream=retract_streams(KEYED, key=lambda row: str(row[0]), ports=3, upsert=True),
    condition=st.booleans(),
)
def test_updates_without_the_rows_before_them(
    harness: Harness, types: tuple[str, ...], stream: Batches, condition: bool
) -> None:
    conditions = [None, "1<3", "1<5"] if condition else [None] * 3
    keyed = spec(*types, conditions=conditions, inputUniqueKeys=[[[0]]] * 3)
    tables: list[Table] = [Counter(), Counter(), Counter()]
    shown: dict[Values, Values] = {}
    for batch, answer in zip(stream, harness.run(keyed, batches(updates_alone(stream))), strict=True):
        for port in range(3):
            add_up([c for c in batch if c.port == port], tables[port])
        by_key(answer.out, lambda row: (row[0], row[2], row[4]), shown)
        assert Counter(shown.values()) == joined_by_key(types, condition, tables)
