"""The functions that the bench calls for each row, and for each batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compiled_plan.plans.functions import ScalarFunction
from compiled_plan.pyflink.udf import udf

if TYPE_CHECKING:
    import pandas as pd


class Label(ScalarFunction):
    """A text of two numbers."""

    def eval(self, key: int | None, value: int | None) -> str | None:
        return f"{key}/{(value or 0) % 97}"


def scaled(key: pd.Series, value: pd.Series) -> pd.Series:
    """A number of two columns."""
    return key * 0.5 + value


scaled_udf = udf(scaled, result_type="DOUBLE", func_type="pandas")
