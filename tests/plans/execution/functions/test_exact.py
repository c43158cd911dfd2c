"""Accumulators as values of their type: a round trip preserves them, or they are not values of the type."""

from __future__ import annotations

import datetime as dt
import marshal
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from typing import Annotated, Any, NamedTuple

import pytest

from compiled_plan.plans.execution.functions.exact import UnfitError, exact
from compiled_plan.plans.functions import DataTypeHint
from compiled_plan.plans.types.python.bridge import Bridged
from compiled_plan.plans.types.python.extraction import Place, extract
from compiled_plan.plans.types.row import Row


class Pair(NamedTuple):
    left: int
    right: str | None


@dataclass
class Stats:
    count: int = 0
    pairs: list[Pair] = field(default_factory=list)
    total: float = 0.0

    def __post_init__(self) -> None:
        self.count += 100


@dataclass(frozen=True, slots=True)
class Frozen:
    low: int


class Plain:
    def __init__(self, low: int) -> None:
        self.low = low

    def __eq__(self, other: object) -> bool:
        return vars(self) == vars(other)

    def __repr__(self) -> str:
        return f"Plain({self.low})"


class Hidden:
    total: int

    def __init__(self, total: int) -> None:
        self.total, self.seen = total, {1}


class Stated(Plain):
    def __getstate__(self) -> Any:
        return {"low": 0}


HINTED = Annotated[Row, DataTypeHint("ROW<a BIGINT, b STRING>")]
NAIVE, AWARE = dt.datetime(2024, 1, 2, 3, 4, 5, 678901), dt.datetime(1950, 1, 2, 3, 4, 5, 678901, dt.UTC)
TIMESTAMP_LTZ = Annotated[dt.datetime, DataTypeHint("TIMESTAMP_LTZ(6)")]
DECIMAL = Annotated[Decimal, DataTypeHint("DECIMAL(38, 2)")]


def of(annotation: Any) -> Bridged:
    return extract(annotation, Place("the accumulator"))


FIT = [
    (bool, True),
    (int, -(1 << 62)),
    (float, -0.0),
    (str, "é\0"),
    (bytes, b"\0"),
    (dt.date, dt.date(1, 1, 1)),
    (dt.datetime, NAIVE),
    (TIMESTAMP_LTZ, AWARE),
    (dt.timedelta, dt.timedelta(days=-1, milliseconds=5)),
    (DECIMAL, Decimal("-123456789012345678901234567890123456.78")),
    (list[int], []),
    (list[str | None], ["a", None]),
    (tuple[float, ...], (1.0, 2.0)),
    (dict[str, list[dt.timedelta]], {"b": [dt.timedelta(0)], "a": []}),
    (dict[int, float | None], {1: None, 2: 3.5}),
    (Pair, Pair(1, None)),
    (Stats, Stats(1, [Pair(2, "b"), Pair(3, None)], 4.0)),
    (Plain, Plain(3)),
    (list[Stats | None], [None, Stats()]),
    (HINTED, Row(a=1, b=None)),
]


@pytest.mark.parametrize(("annotation", "value"), FIT)
def test_values_survive_a_round_trip(annotation: Any, value: Any) -> None:
    """Objects are created without their constructors, which may compute; the user's decimal context has no effect."""
    codec = exact(of(annotation))
    assert codec is not None
    with localcontext(prec=3):
        restored = codec.read(marshal.loads(marshal.dumps(codec.write(value), 2)))
    assert restored == value and type(restored) is type(value) and repr(restored) == repr(value)


UNFIT = [
    (int, True),
    (int, 1.0),
    (int, 1 << 63),
    (float, 1),
    (str, "\ud800"),
    (bytes, bytearray(b"a")),
    (dt.date, NAIVE),
    (dt.datetime, AWARE),
    (TIMESTAMP_LTZ, AWARE.astimezone(dt.timezone(dt.timedelta(hours=1)))),
    (dt.timedelta, dt.timedelta(microseconds=1)),
    (DECIMAL, Decimal("0.001")),
    (DECIMAL, Decimal("1E+37")),
    (DECIMAL, Decimal("NaN")),
    (list[int], (1,)),
    (list[int], [None]),
    (list[int], [1, "a"]),
    (dict[str, int], Counter("a")),
    (dict[str, int], defaultdict(int)),
    (dict[str, int], {None: 1}),
    (Pair, (1, "a")),
    (Stats, Plain(1)),
    (HINTED, Row(1, "a")),
    (HINTED, [1, "a"]),
    (Hidden, Hidden(1)),
]


@pytest.mark.parametrize(("annotation", "value"), UNFIT)
def test_values_that_do_not_survive_a_round_trip_are_refused(annotation: Any, value: Any) -> None:
    codec = exact(of(annotation))
    assert codec is not None
    with pytest.raises(UnfitError):
        codec.write(value)


@pytest.mark.parametrize("annotation", [Stated, dt.time, Annotated[Counter[str], DataTypeHint("MULTISET<STRING>")]])
def test_types_without_a_round_trip(annotation: Any) -> None:
    assert exact(of(annotation)) is None


def test_a_frozen_class_with_slots() -> None:
    """A class with its own pickling methods."""
    assert exact(of(Frozen)) is None
