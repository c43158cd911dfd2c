"""State of Flink's operators: the items that its serializers are made of.

A savepoint of Flink holds state by the uid of a transformation, each state with serializers. The serializer of rows
takes state of exactly the same column types and no other (`RowDataSerializer`), and so does the one of keys. Of an item
that is not `sure`, another value may or may not be refused.

Source: the transformations of Flink 2.3's planner (`*_TRANSFORMATION`), the states of its runtime's operators,
`RowDataSerializerSnapshot.resolveSchemaCompatibility`, and `getAggBufferTypes` of its aggregate functions.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from compiled_plan.plans.nodes.model import value_to_json
from compiled_plan.plans.nodes.specs import AggregateCall
from compiled_plan.plans.types import LogicalType

#: The types of the columns of an input.
Row = Sequence[LogicalType]


@dataclass(frozen=True, slots=True)
class StateItem:
    """Something that a state's serializers or names are made of."""

    name: str  # what it is, for people
    value: str  # what it is like
    sure: bool = True  # whether another value is certainly refused


#: How plans write STRING.
_LONGEST = "VARCHAR(2147483647)"


def row_text(types: Row) -> str:
    """The types of columns, for people and to be compared."""
    return ", ".join(str(type_).replace(_LONGEST, "STRING") for type_ in types) or "nothing"


def types_at(row: Row, columns: Sequence[int]) -> str:
    """The types of some columns of a row."""
    return row_text([row[at] for at in columns if at < len(row)])


def key_types(row: Row, columns: Sequence[int]) -> StateItem:
    """The key of a state."""
    return StateItem("types of the key", types_at(row, columns))


def row_types(rows: Sequence[Row]) -> Iterator[StateItem]:
    """Whole rows of each input."""
    count = len(rows)
    names = {1: ("row",), 2: ("left row", "right row")}.get(count, [f"row of input {at}" for at in range(count)])
    for name, row in zip(names, rows, strict=True):
        yield StateItem(f"types of the {name}", row_text(row))


def unsure(name: str, *values: object) -> StateItem:
    """Fields of a node of which it is not known what another value does."""
    return StateItem(name, "; ".join(json.dumps(value_to_json(value), sort_keys=True) for value in values), sure=False)


# ------------------------------------------------------------ accumulators

_BIGINT = "BIGINT"


def _average(result: str) -> str:
    """The sum that an average keeps, for the type of its result, which is that of its operand."""
    decimal = re.fullmatch(r"DECIMAL\(\d+, (\d+)\)", result)
    if decimal:
        return f"DECIMAL(38, {decimal[1]})"
    return "DOUBLE" if result in ("FLOAT", "DOUBLE") else _BIGINT


@dataclass(frozen=True, slots=True)
class Accumulator:
    """The accumulator of a function, for the type of its result."""

    plain: Callable[[str], tuple[str, ...]]  # where rows are never taken back
    retracting: Callable[[str], tuple[str, ...]]  # where they are


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


def accumulators(calls: Sequence[AggregateCall], types: Row, retracting: Sequence[bool], *, counted: bool) -> StateItem:
    """The accumulators of calls over columns of such types, in order.

    `retracting` says which calls take rows back, `counted` whether rows are counted beside the calls.
    """
    shown: list[str] = []
    known = True
    for call, retracts in zip(calls, retracting, strict=False):
        accumulator = None if call.distinct else ACCUMULATORS.get(call.function)
        if accumulator is None:
            known = False
            words = [f"{call.function}({types_at(types, call.arg_list)})"]
            words += ["DISTINCT"] * call.distinct + ["with retraction"] * retracts
            shown.append(" ".join(words))
        else:
            form = accumulator.retracting if retracts else accumulator.plain
            shown += form(str(call.type).removesuffix(" NOT NULL"))
    # Rows are counted by a COUNT(*) that is there, or is added.
    if counted and not any(call.function == "$COUNT$1" and not call.arg_list for call in calls):
        shown.append(_BIGINT)
    return StateItem("accumulators", ", ".join(shown) or "nothing", sure=known)
