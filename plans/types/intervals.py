"""The resolution of an interval type, as plans write it: `DAY(2) TO SECOND(6)`.

Source: Flink's "Data Types" page, INTERVAL; the type strings of Flink 2.3's plans.
"""

from __future__ import annotations

from compiled_plan.plans.errors import PlanError

#: The units that may stand behind TO, by the first one.
ENDS = {
    "YEAR": ("MONTH",),
    "MONTH": (),
    "DAY": ("HOUR", "MINUTE", "SECOND"),
    "HOUR": ("MINUTE", "SECOND"),
    "MINUTE": ("SECOND",),
    "SECOND": (),
}
#: Most digits of the first unit, where plans tell their number.
DIGITS = {"YEAR": 4, "DAY": 6}


def resolution(start: str, end: str | None = None, digits: int = 2, fraction: int = 6) -> str:
    """The text behind INTERVAL in a plan, precisions always written.

    Only plans of YEAR and DAY tell the digits of the first unit; `fraction` are those of a fraction of a second. Raises
    PlanError for units that are no pair, and for too few or too many digits.
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
