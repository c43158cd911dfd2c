"""The function in Python that the examples of statements name."""

from __future__ import annotations

from compiled_plan import ScalarFunction


class Upper(ScalarFunction):
    """Letters as capitals."""

    def eval(self, text: str) -> str:
        """The text in capitals."""
        return text.upper()
