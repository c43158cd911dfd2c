"""Enumerations of arguments of expressions: units of time, behaviours of JSON functions.

Source: PyFlink's `pyflink.table.expression`. Each method that takes one also takes its keyword as a text.
"""

from __future__ import annotations

from enum import Enum

from compiled_plan.planner.table.expressions.core import refuse


class KeywordEnum(Enum):
    """An enumeration whose values are keywords of SQL."""

    def __str__(self) -> str:
        return str(self.value)


class TimeIntervalUnit(KeywordEnum):
    """Units of `extract`, `floor` and `ceil`."""

    YEAR = "YEAR"
    YEAR_TO_MONTH = "YEAR TO MONTH"
    QUARTER = "QUARTER"
    MONTH = "MONTH"
    WEEK = "WEEK"
    DAY = "DAY"
    DAY_TO_HOUR = "DAY TO HOUR"
    DAY_TO_MINUTE = "DAY TO MINUTE"
    DAY_TO_SECOND = "DAY TO SECOND"
    HOUR = "HOUR"
    SECOND = "SECOND"
    HOUR_TO_MINUTE = "HOUR TO MINUTE"
    HOUR_TO_SECOND = "HOUR TO SECOND"
    MINUTE = "MINUTE"
    MINUTE_TO_SECOND = "MINUTE TO SECOND"


class TimePointUnit(KeywordEnum):
    """Units in which `timestamp_diff` counts, such as HOUR."""

    YEAR = "YEAR"
    MONTH = "MONTH"
    DAY = "DAY"
    HOUR = "HOUR"
    MINUTE = "MINUTE"
    SECOND = "SECOND"
    QUARTER = "QUARTER"
    WEEK = "WEEK"
    MILLISECOND = "MILLISECOND"
    MICROSECOND = "MICROSECOND"


class JsonType(KeywordEnum):
    """Kinds of JSON values, for `is_json`."""

    VALUE = "VALUE"
    SCALAR = "SCALAR"
    ARRAY = "ARRAY"
    OBJECT = "OBJECT"


class JsonExistsOnError(KeywordEnum):
    """Results of `json_exists` for an invalid path or text."""

    TRUE = "TRUE"
    FALSE = "FALSE"
    UNKNOWN = "UNKNOWN"
    ERROR = "ERROR"


class JsonValueOnEmptyOrError(KeywordEnum):
    """Results of `json_value` without a value, or for an invalid path or text."""

    NULL = "NULL"
    ERROR = "ERROR"
    DEFAULT = "DEFAULT"


class JsonQueryWrapper(KeywordEnum):
    """Wrapping of the result of `json_query` into an array."""

    WITHOUT_ARRAY = "WITHOUT ARRAY"
    CONDITIONAL_ARRAY = "WITH CONDITIONAL ARRAY"
    UNCONDITIONAL_ARRAY = "WITH UNCONDITIONAL ARRAY"


class JsonQueryOnEmptyOrError(KeywordEnum):
    """Results of `json_query` without a value, or for an invalid path or text."""

    NULL = "NULL"
    EMPTY_ARRAY = "EMPTY ARRAY"
    EMPTY_OBJECT = "EMPTY OBJECT"
    ERROR = "ERROR"


class JsonOnNull(KeywordEnum):
    """Treatment of NULLs by functions that create JSON."""

    NULL = "NULL"
    ABSENT = "ABSENT"


def keyword_of(value: object, known: type[KeywordEnum] | None = None) -> str:
    """The keyword of an argument: of an enumeration, or a text in any case.

    Raises:
        ProgramError: neither, or not a keyword of the known enumeration.
    """
    if isinstance(value, KeywordEnum):
        return str(value)
    keyword = value.strip().upper().replace("_", " ") if isinstance(value, str) else ""
    keywords = [str(item) for item in known or ()]
    if not keyword or (keywords and keyword not in keywords):
        what = known.__name__ if known is not None else "keyword of SQL"
        raise refuse(f"{value!r} is no {what}", f"write {', '.join(keywords)}" if keywords else 'write "YEAR"')
    return keyword
