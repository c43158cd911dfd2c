"""Session options that would change the meaning of a plan, and are refused."""

from __future__ import annotations

from dataclasses import dataclass

from compiled_plan.planner.physical.draft import Draft
from compiled_plan.plans.errors import UnsupportedError


@dataclass(frozen=True, slots=True)
class Refused:
    """An unsupported value of an option (empty: any but the default) that would change results."""

    key: str
    value: str
    construct: str
    remedy: str


REFUSED: tuple[Refused, ...] = (
    Refused(
        "table.exec.legacy-cast-behaviour",
        "ENABLED",
        "the legacy behaviour of CAST",
        "leave it out, and write TRY_CAST where a failing cast is to give NULL",
    ),
    Refused("execution.runtime-mode", "BATCH", "a plan in batch mode", "leave it out: plans are those of streaming"),
    Refused("table.column-expansion-strategy", "", "a star that leaves metadata columns out", "name the columns"),
    Refused("table.legacy-nested-row-nullability", "TRUE", "nullability of rows as in older versions", "leave it out"),
    Refused("table.sql-dialect", "", "another dialect than Flink's", "write the program in Flink's SQL"),
)


def check_options(draft: Draft) -> Draft:
    """Raise for options under which the plan would differ from the program's meaning.

    Raises:
        UnsupportedError: names option and value.
    """
    for item in REFUSED:
        written = draft.settings.value(item.key)
        value = written.strip().upper()
        if value and (value == item.value or (not item.value and value != draft.settings.default(item.key).upper())):
            raise UnsupportedError(
                f"{item.construct} is not supported", where=f"SET '{item.key}' = '{written}'", remedy=item.remedy
            )
    return draft
