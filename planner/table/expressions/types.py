"""Data types in expressions: by their text, or as an object that has a logical type."""

from __future__ import annotations

from functools import lru_cache

from compiled_plan.planner.sql import parse
from compiled_plan.planner.sql.binding.source import SourceText
from compiled_plan.planner.sql.binding.types import bind_type
from compiled_plan.planner.sql.nodes import TypeSpec
from compiled_plan.plans.errors import PlanError, ProgramError, UnsupportedError
from compiled_plan.plans.types import LogicalType
from compiled_plan.plans.types.parse import parse_type

_REMEDY = 'write it as in SQL, such as "INT" or "DECIMAL(10, 2)"'
#: The attributes by which an object tells its logical type.
_ATTRIBUTES = ("logical_type", "get_logical_type")


def type_node(type_: object) -> TypeSpec:
    """The node of a data type.

    Args:
        type_: its text ("DECIMAL(10, 2)", "ROW<a INT>"), a `LogicalType`, or an object with a `logical_type`.

    Raises:
        ProgramError: no data type.
    """
    return _parsed(text_of_type(type_))


def logical_type(type_: object) -> LogicalType:
    """The logical type of what `type_node` takes."""
    resolved = _logical(type_)
    if resolved is not None:
        return resolved
    text = text_of_type(type_)
    return bind_type(_parsed(text), SourceText(text))


def text_of_type(type_: object) -> str:
    """SQL's text of what `type_node` takes."""
    resolved = _read(type_) if isinstance(type_, str) else _logical(type_)
    if resolved is None:
        raise ProgramError(f"{type_!r} is no data type", remedy=_REMEDY)
    return resolved.text() if resolved.nullable else f"{resolved.text()} NOT NULL"


def _logical(type_: object) -> LogicalType | None:
    if isinstance(type_, LogicalType):
        return type_
    for name in _ATTRIBUTES:
        constructor = getattr(type_, name, None)
        constructor = constructor() if callable(constructor) else constructor
        if isinstance(constructor, LogicalType):
            return constructor
    return None


def _read(text: str) -> LogicalType:
    """The type of a text. It is one of the API's, where VARCHAR is VARCHAR(1), not one of SQL."""
    try:
        return parse_type(text)
    except PlanError as fault:
        _parsed(text)  # which says what is wrong, unless SQL takes the text
        raise ProgramError(f"{text!r} is no data type: {fault.message}", remedy=fault.remedy) from None


@lru_cache(maxsize=256)
def _parsed(text: str) -> TypeSpec:
    try:
        spec = parse.parse_type(text)
        bind_type(spec, SourceText(text))
    except UnsupportedError:
        raise
    except ProgramError as fault:
        raise ProgramError(f"{text!r} is no data type: {fault.message}", remedy=fault.remedy or _REMEDY) from None
    return spec
