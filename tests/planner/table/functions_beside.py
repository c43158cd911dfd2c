"""Functions for the tests of inline calls."""

from __future__ import annotations

from collections.abc import Iterator

from plans.functions import ScalarFunction, TableFunction


class Twice(ScalarFunction):
    def eval(self, number: int) -> int:
        return 2 * number


class Add(ScalarFunction):
    def __init__(self, amount: int = 1) -> None:
        self.amount = amount

    def eval(self, number: int) -> int:
        return number + self.amount


class Letters(TableFunction):
    def eval(self, text: str) -> Iterator[str]:
        yield from text
