"""Data types in expressions: by SQL text, or as an object with a logical type."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from compiled_plan.planner.sql import parse
from compiled_plan.planner.sql.binding.source import SourceText
from compiled_plan.planner.sql.binding.types import bind_type
from compiled_plan.planner.sql.nodes import TypeSpec
from compiled_plan.plans.errors import PlanError, ProgramError, UnsupportedError
from compiled_plan.plans.types import LogicalType
from compiled_plan.plans.types.parse import parse_type

if TYPE_CHECKING:
    from compiled_plan.plans.types.conversions.data_type import DataType

_REMEDY = 'write it as in SQL, such as "INT" or "DECIMAL(10, 2)"'
#: Attributes or methods of an object with its logical type.
_ATTRIBUTES = ("logical_type", "get_logical_type")


def as_data_type(type_: LogicalType) -> DataType:
    """The data type of a logical type."""
    # Commands start faster without the classes of values.
    from compiled_plan.plans.types.conversions.data_types import DataTypes

    return DataTypes.of(type_.as_regular())


def type_node(type_: object) -> TypeSpec:
    """The node of a data type.

    Args:
        type_: its text ("DECIMAL(10, 2)", "ROW<a INT>"), a `LogicalType`, or an object with a `logical_type`.

    Raises:
        ProgramError: not a data type.
    """
    return _parsed(text_of_type(type_))


def logical_type(type_: object) -> LogicalType:
    """The logical type of an argument of `type_node`."""
    resolved = _logical(type_)
    if resolved is not None:
        return resolved
    text = text_of_type(type_)
    return bind_type(_parsed(text), SourceText(text))


def text_of_type(type_: object) -> str:
    """The SQL text of an argument of `type_node`."""
    resolved = _read(type_) if isinstance(type_, str) else _logical(type_)
    if resolved is None:
        raise ProgramError(f"{type_!r} is no data type", remedy=_REMEDY)
    return resolved.text() if resolved.nullable else f"{resolved.text()} NOT NULL"


def _logical(type_: object) -> LogicalType | None:
    if isinstance(type_, LogicalType):
        return type_
    for name in _ATTRIBUTES:
        candidate = getattr(type_, name, None)
        candidate = candidate() if callable(candidate) else candidate
        if isinstance(candidate, LogicalType):
            return candidate
    return None


def _read(text: str) -> LogicalType:
    """The type of a text in the API's syntax, where VARCHAR is VARCHAR(1), unlike in SQL's."""
    try:
        return parse_type(text)
    except PlanError as fault:
        _parsed(text)  # raises an error with the reason, unless SQL accepts the text
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
