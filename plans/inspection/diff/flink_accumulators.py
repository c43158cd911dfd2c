"""What the accumulators of aggregate functions are made of in Flink.

Source: the aggregate functions of Flink 2.3's planner, `getAggBufferTypes`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from compiled_plan.plans.nodes.specs import AggregateCall
from compiled_plan.plans.types import LogicalType


@dataclass(frozen=True, slots=True)
class Item:
    """Something that a state's serializers or names are made of.

    Args:
        name: what it is, for people.
        value: what it is like.
        sure: whether another value is certainly refused.
    """

    name: str
    value: str
    sure: bool = True


#: How plans write STRING.
_LONGEST = "VARCHAR(2147483647)"


def row_text(types: Sequence[LogicalType]) -> str:
    """The types of columns, for people and to be compared."""
    return ", ".join(str(type_).replace(_LONGEST, "STRING") for type_ in types) or "nothing"


_BIGINT = "BIGINT"


def _average(result: str) -> str:
    """The sum that an average keeps, for the type of its result, which is that of its operand."""
    decimal = re.fullmatch(r"DECIMAL\(\d+, (\d+)\)", result)
    if decimal:
        return f"DECIMAL(38, {decimal[1]})"
    return "DOUBLE" if result in ("FLOAT", "DOUBLE") else _BIGINT


@dataclass(frozen=True, slots=True)
class Accumulator:
    """What a function keeps, for the type of its result.

    Args:
        plain: where rows are never taken back.
        retracting: where they are.
    """

    plain: Callable[[str], tuple[str, ...]]
    retracting: Callable[[str], tuple[str, ...]]


#: Of other functions only equal calls are known to have equal accumulators.
ACCUMULATORS: Mapping[str, Accumulator] = {
    "$SUM$1": Accumulator(lambda result: (result,), lambda result: (result, _BIGINT)),
    "$$SUM0$1": Accumulator(lambda result: (result,), lambda result: (result, _BIGINT)),
    "$COUNT$1": Accumulator(lambda _: (_BIGINT,), lambda _: (_BIGINT,)),
    "$AVG$1": Accumulator(lambda result: (_average(result), _BIGINT), lambda result: (_average(result), _BIGINT)),
    # The class of what holds all values is part of it, and each function has its own.
    "$MIN$1": Accumulator(lambda result: (result,), lambda result: (f"all values of {result}, for MIN",)),
    "$MAX$1": Accumulator(lambda result: (result,), lambda result: (f"all values of {result}, for MAX",)),
}


def accumulators_item(
    calls: Sequence[AggregateCall], types: Sequence[LogicalType], back: Sequence[bool], counted: bool
) -> Item:
    """The accumulators of calls, over columns of some types."""
    shown: list[str] = []
    known = True
    for call, retracts in zip(calls, back, strict=False):
        made = ACCUMULATORS.get(call.function)
        of = None if made is None or call.distinct else made.retracting if retracts else made.plain
        known = known and of is not None
        if of is None:
            words = [f"{call.function}({row_text([types[at] for at in call.arg_list if at < len(types)])})"]
            words += ["DISTINCT"] * call.distinct + ["with retraction"] * retracts
            shown.append(" ".join(words))
        else:
            shown += of(str(call.type).removesuffix(" NOT NULL"))
    # Rows are counted by a COUNT(*) that is there, or is added.
    if counted and not any(call.function == "$COUNT$1" and not call.arg_list for call in calls):
        shown.append(_BIGINT)
    return Item("accumulators", ", ".join(shown) or "nothing", sure=known)
