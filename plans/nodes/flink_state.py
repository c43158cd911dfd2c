"""State of Flink's operators: the items that determine its serializers.

A savepoint of Flink holds state by the uid of a transformation, each state with serializers. The serializers of rows
(`RowDataSerializer`) and of keys accept only state of exactly the same column types. For an item that is not `sure`, it
is unknown if Flink refuses another value.

Source: the transformations of Flink 2.3's planner (`*_TRANSFORMATION`), the states of its runtime's operators,
`RowDataSerializerSnapshot.resolveSchemaCompatibility`, and `getAggBufferTypes` of its aggregate functions.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from compiled_plan.plans.nodes.model import value_to_json
from compiled_plan.plans.nodes.specs import AggregateCall
from compiled_plan.plans.types import LogicalType

#: The types of the columns of an input.
Row = Sequence[LogicalType]


@dataclass(frozen=True, slots=True)
class StateItem:
    """An item that determines a state's serializers or names."""

    name: str  # for output
    value: str
    sure: bool = True  # whether Flink certainly refuses another value


@dataclass(frozen=True, slots=True)
class FlinkMapping:
    """The mapping of an operator's state in a savepoint of Flink to its state here.

    Args:
        computation: what is computed; empty if entries are converted one to one.
        refusal: why the state cannot be imported; empty if it can.
        stateless: True if Flink runs the node without an operator that has state.
        timed: True if the conversion needs Flink's timers.
        states: patterns of the names of the states that are converted; timers have none.
        refusals: by pattern of a state that is not converted, the reason.
        unless: the forms of entries that are refused; only reading the entries tells.
    """

    computation: str = ""
    refusal: str = ""
    stateless: bool = False
    timed: bool = False
    states: tuple[str, ...] = ()
    refusals: Mapping[str, str] = field(default_factory=dict)
    unless: str = ""

    def refusal_of(self, states: Iterable[str]) -> str:
        """The reason why state with entries in these states cannot be imported; empty if it can."""
        if self.refusal:
            return self.refusal
        for state in states:
            refusal = next((why for pattern, why in self.refusals.items() if fnmatchcase(state, pattern)), "")
            if refusal:
                return f"{refusal}: its state {state}"
            if not any(fnmatchcase(state, pattern) for pattern in self.states):
                return f"Flink's state {state} of it is not converted, only {', '.join(self.states)}"
        return ""


#: Rows that Flink emits with its next timer, and that cannot be told from rows that it has emitted.
RECENT_ROWS = "rows arrived in the last millisecond before the savepoint"

#: STRING in plans.
_LONGEST = "VARCHAR(2147483647)"


def row_text(types: Row) -> str:
    """The types of columns as a text, for output and comparison."""
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
    """An item of node fields for which the effect of another value is unknown."""
    return StateItem(name, "; ".join(json.dumps(value_to_json(value), sort_keys=True) for value in values), sure=False)


# ------------------------------------------------------------ accumulators

_BIGINT = "BIGINT"


def _average(result: str) -> str:
    """The type of the sum in an average's accumulator, by the type of its result, which is that of its operand."""
    decimal = re.fullmatch(r"DECIMAL\(\d+, (\d+)\)", result)
    if decimal:
        return f"DECIMAL(38, {decimal[1]})"
    return "DOUBLE" if result in ("FLOAT", "DOUBLE") else _BIGINT


@dataclass(frozen=True, slots=True)
class Accumulator:
    """The accumulator of a function, by the type of its result."""

    plain: Callable[[str], tuple[str, ...]]  # without retraction
    retracting: Callable[[str], tuple[str, ...]]  # with retraction


#: For other functions, only equal calls are known to have equal accumulators.
ACCUMULATORS: Mapping[str, Accumulator] = {
    "$SUM$1": Accumulator(lambda result: (result,), lambda result: (result, _BIGINT)),
    "$$SUM0$1": Accumulator(lambda result: (result,), lambda result: (result,)),
    "$COUNT$1": Accumulator(lambda _: (_BIGINT,), lambda _: (_BIGINT,)),
    "$AVG$1": Accumulator(lambda result: (_average(result), _BIGINT), lambda result: (_average(result), _BIGINT)),
    # The collection of all values has a class of its own for every function.
    "$MIN$1": Accumulator(lambda result: (result,), lambda result: (f"all values of {result}, for MIN",)),
    "$MAX$1": Accumulator(lambda result: (result,), lambda result: (f"all values of {result}, for MAX",)),
}


#: The states of distinct values, and of the views of a call by its number.
_VIEWS = ("distinctAcc_*", "agg[0-9]*")


def accumulators_mapping(calls: Sequence[AggregateCall], *, counted: bool, states: tuple[str, ...]) -> FlinkMapping:
    """The conversion of the accumulators of calls.

    Args:
        calls: the calls.
        counted: True if Flink counts the rows.
        states: patterns of the states of the operator without those of views.
    """
    for call in calls:
        if call.python is not None:
            return FlinkMapping(refusal=f"the accumulator of the Python function {call.python.path} is not converted")
    views = {
        f"agg{number}$*": f"a view in the accumulator of the Java function {call.function} is not converted"
        for number, call in enumerate(calls)
        if call.java_function is not None
    }
    uncounted = any(call.distinct and call.arg_list for call in calls) and not counted
    return FlinkMapping(
        "a distinct value counts as seen once, since Flink does not count values of insert-only input"
        if uncounted
        else "",
        states=(*states, *_VIEWS),
        refusals=views,
    )


def accumulators(calls: Sequence[AggregateCall], types: Row, retracting: Sequence[bool], *, counted: bool) -> StateItem:
    """The accumulators of calls over columns of these types, in order.

    `retracting` marks the calls that retract; `counted` adds a count of rows to the calls.
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
    # An existing COUNT(*) counts the rows, or one is added.
    if counted and not any(call.function == "$COUNT$1" and not call.arg_list for call in calls):
        shown.append(_BIGINT)
    return StateItem("accumulators", ", ".join(shown) or "nothing", sure=known)
