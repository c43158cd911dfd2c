"""Functions that tests replace."""

from __future__ import annotations

from compiled_plan.plans.functions.definitions import ScalarFunction


class City(ScalarFunction):
    def eval(self, name: str) -> str:
        raise NotImplementedError


class Factor(ScalarFunction):
    def eval(self, name: str) -> float:
        raise NotImplementedError
