"""A function that a test replaces."""

from __future__ import annotations

from compiled_plan.plans.functions.definitions import ScalarFunction


class City(ScalarFunction):
    def eval(self, name: str) -> str:
        raise NotImplementedError
