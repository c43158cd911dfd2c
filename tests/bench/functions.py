"""The function that the bench calls for each row."""

from compiled_plan.plans.functions import ScalarFunction


class Label(ScalarFunction):
    """A text of two numbers."""

    def eval(self, key: int | None, value: int | None) -> str | None:
        return f"{key}/{(value or 0) % 97}"
