"""Types that columns of a run cannot hold."""

from __future__ import annotations

from compiled_plan.plans.types.logical import (
    PICKLE,
    DescriptorType,
    LogicalType,
    RawType,
    SymbolType,
    TimestampTzType,
)

#: Remedy for values of such a type.
REMEDY = "cast it to another type before it is stored or sent on, such as STRING, BYTES or TIMESTAMP_LTZ"


def unheld(type_: LogicalType) -> LogicalType | None:
    """The first component of a type that cannot be held; None if all can."""
    todo = [type_]
    while todo:
        part = todo.pop()
        plain = isinstance(part, RawType) and part.serializer != PICKLE
        if plain or isinstance(part, TimestampTzType | DescriptorType | SymbolType):
            return part
        todo += part.children()
    return None


def unheld_text(type_: LogicalType) -> str:
    """The message for such a type."""
    return f"values of type {type_} cannot be held in Spark"
