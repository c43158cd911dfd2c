"""Details of explanations.

Source: PyFlink's `ExplainDetail`.
"""

from __future__ import annotations

from enum import StrEnum


class ExplainDetail(StrEnum):
    """Details that `explain` adds to the operators."""

    ESTIMATED_COST = "ESTIMATED_COST"
    CHANGELOG_MODE = "CHANGELOG_MODE"
    JSON_EXECUTION_PLAN = "JSON_EXECUTION_PLAN"
    PLAN_ADVICE = "PLAN_ADVICE"
