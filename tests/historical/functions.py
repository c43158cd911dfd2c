"""Functions of `programs/in_python.sql`. Frozen: checkpoints of releases hold a digest of this code."""

from __future__ import annotations

from collections.abc import Iterator

from compiled_plan import AggregateFunction, ScalarFunction, TableFunction


class Doubled(ScalarFunction):
    def eval(self, number: int) -> int:
        return number * 2


class Letters(TableFunction[str]):
    def eval(self, text: str) -> Iterator[str]:
        yield from text


class Longest(AggregateFunction[str | None, list[str]]):
    def create_accumulator(self) -> list[str]:
        return []

    def accumulate(self, accumulator: list[str], text: str | None) -> None:
        if text is not None:
            accumulator.append(text)

    def get_value(self, accumulator: list[str]) -> str | None:
        return max(accumulator, key=lambda text: (len(text), text), default=None)
