"""Literals of plans as Python values."""

from __future__ import annotations

import base64
from decimal import Decimal
from typing import Any

from compiled_plan.plans.rex import Literal
from compiled_plan.plans.types import BytesType, DecimalType, IntegerType, NumericType


def literal_value(rex: Literal) -> Any:
    """A literal's value as Python has it; dates, times and intervals as the plan's text."""
    value = rex.value
    if value is None or isinstance(value, bool):
        return value
    match rex.type:
        case IntegerType():
            return int(value)
        case DecimalType():
            return Decimal(str(value))
        case NumericType():
            return float(value)
        case BytesType():
            return base64.b64decode(str(value))
    return value
