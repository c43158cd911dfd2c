"""Functions for the tests of inline calls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from compiled_plan.plans.functions import AggregateFunction, ScalarFunction, TableFunction


class Twice(ScalarFunction):
    def eval(self, number: int) -> int:
        return 2 * number


class Add(ScalarFunction):
    def __init__(self, amount: int = 1) -> None:
        self.amount = amount

    def eval(self, number: int) -> int:
        return number + self.amount


class Letters(TableFunction[str]):
    def eval(self, text: str) -> Iterator[str]:
        yield from text


class Span(NamedTuple):
    low: int
    high: int


class SpanOf(AggregateFunction[Span, list[int]]):
    def create_accumulator(self) -> list[int]:
        return []

    def accumulate(self, seen: list[int], number: int) -> None:
        seen.append(number)

    def get_value(self, seen: list[int]) -> Span:
        return Span(min(seen), max(seen))
