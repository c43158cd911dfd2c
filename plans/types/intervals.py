"""Resolution of interval types, as in plans: `DAY(2) TO SECOND(6)`.

Source: Flink's "Data Types" page, INTERVAL; the type strings of Flink 2.3's plans.
"""

from __future__ import annotations

from compiled_plan.plans.errors import PlanError

#: The units allowed after TO, by the first unit.
ENDS = {
    "YEAR": ("MONTH",),
    "MONTH": (),
    "DAY": ("HOUR", "MINUTE", "SECOND"),
    "HOUR": ("MINUTE", "SECOND"),
    "MINUTE": ("SECOND",),
    "SECOND": (),
}
#: Maximum digits of the first unit, if plans have them.
DIGITS = {"YEAR": 4, "DAY": 6}


def resolution(start: str, end: str | None = None, digits: int = 2, fraction: int = 6) -> str:
    """The text after INTERVAL in a plan, with all precisions.

    Plans have the digits of the first unit only for YEAR and DAY; `fraction` is the digits of a fraction of a second.
    Raises PlanError for an invalid pair of units, and for too few or too many digits.
    """
    if start not in ENDS or (end is not None and end not in ENDS[start]):
        raise PlanError(
            f"there is no interval {start}{f' TO {end}' if end else ''}",
            remedy="intervals go from YEAR to MONTH, or from DAY over HOUR and MINUTE to SECOND",
        )
    most = DIGITS.get(start)
    if most is not None and not 1 <= digits <= most:
        raise PlanError(f"an interval {start}({digits}) is out of bounds", remedy=f"write a number from 1 to {most}")
    if not 0 <= fraction <= 9:
        raise PlanError(f"an interval of SECOND({fraction}) is out of bounds", remedy="write a number from 0 to 9")
    if start == "SECOND":
        return f"SECOND({fraction})"
    first = start if most is None else f"{start}({digits})"
    if end is None:
        return first
    return f"{first} TO {end}" + (f"({fraction})" if end == "SECOND" else "")
