"""Process table functions: TO_CHANGELOG and FROM_CHANGELOG are supported, Java functions are not.

Source: Flink 2.3's plans, and the page "Changelog Functions" of its documentation.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

from compiled_plan.plans.findings import Fault, refusal
from compiled_plan.plans.nodes.base import SOME_INPUTS, Inputs, PlanNode
from compiled_plan.plans.nodes.model import Nullable
from compiled_plan.plans.nodes.rules import output
from compiled_plan.plans.nodes.specs import RowKind
from compiled_plan.plans.types import STRING, CharacterType, LogicalType, TimeKind, TimestampBase
from compiled_plan.plans.types.changelog import ChangelogMode

TO, FROM = "$TO_CHANGELOG$1", "$FROM_CHANGELOG$1"
KINDS: tuple[RowKind, ...] = ("INSERT", "UPDATE_BEFORE", "UPDATE_AFTER", "DELETE")
Direction = Literal["TO", "FROM"]
#: The remedy for functions of users, which are refused.
INSTEAD = (
    "run the part of the program with it in Flink, and pass its rows on through Kafka; or write it as an aggregate "
    "function, whose accumulator is the state of a key, or as MATCH_RECOGNIZE, which has timeouts"
)
#: The column of codes unless the call names another.
OP = "op"
#: The column that `on_time` appends.
ROWTIME = "rowtime"
#: The digits of a time attribute.
_TIME_PRECISION = 3
_UID = re.compile("[a-zA-Z_][a-zA-Z_0-9-]*")


class MappingError(ValueError):
    """An invalid `op_mapping`; the message has the reason."""


@dataclass(frozen=True, slots=True)
class ChangelogCall:
    """A call of TO_CHANGELOG or FROM_CHANGELOG."""

    direction: Direction
    column: str  # the column of codes
    #: Pairs of a code and a kind; rows of other kinds are dropped, rows with other codes fail.
    codes: tuple[tuple[str, RowKind], ...]
    #: The time attribute that TO_CHANGELOG repeats as its last column.
    on_time: str | None = None


def is_uid(text: str) -> bool:
    """Return True for a valid `uid` argument."""
    return _UID.fullmatch(text) is not None


def may_be_on_time(type_: LogicalType) -> bool:
    """Return True for the types of an `on_time` column."""
    return isinstance(type_, TimestampBase) and type_.precision <= _TIME_PRECISION


def event_time(type_: LogicalType) -> LogicalType:
    """The type of the column that `on_time` appends for a column of this type."""
    assert isinstance(type_, TimestampBase)
    kind = TimeKind.ROWTIME if type_.is_time_attribute else TimeKind.REGULAR
    return replace(type_, nullable=False, kind=kind)


def codes_of(direction: Direction, mapping: Mapping[str, str] | None) -> tuple[tuple[str, RowKind], ...]:
    """Codes and row kinds of an `op_mapping`, whose keys may be lists: of kinds for TO, of codes for FROM.

    Raises:
        MappingError: an unknown kind; a duplicate kind or code; updates that FROM cannot produce.
    """
    if mapping is None:
        return tuple((kind, kind) for kind in KINDS)
    split = [(key.strip(), value) for keys, value in mapping.items() for key in _parts(keys)]
    if direction == "TO":
        kinds = [kind for kind, _ in split]
        codes = [(code, kind) for kind, code in split]
    else:
        kinds = [kind.strip() for kind in mapping.values()]
        codes = [(code, kind.strip()) for code, kind in split]
        _once([code for code, _ in codes], "code")
        if "UPDATE_AFTER" in kinds and "UPDATE_BEFORE" not in kinds:
            raise MappingError("UPDATE_AFTER needs UPDATE_BEFORE: upserts are not supported")
    _once(kinds, "kind")
    known: dict[str, RowKind] = {kind: kind for kind in KINDS}
    for kind in kinds:
        if kind not in known:
            raise MappingError(f"unknown kind of change {kind!r}; there are {', '.join(KINDS)}")
    return tuple((code, known[kind]) for code, kind in codes)


def _parts(keys: str) -> list[str]:
    """The parts between commas without empty ones at the end, as Java splits a text."""
    text = keys.rstrip(",")
    return text.split(",") if text or not keys else []


def _once(names: list[str], noun: str) -> None:
    for name, count in Counter(names).items():
        if count > 1:
            raise MappingError(f"the {noun} {name!r} is there twice; several codes of a kind are one key, 'c, r'")


class ProcessTableFunction(PlanNode):
    """A function over a table: changes to rows with a code (TO_CHANGELOG), or the reverse (FROM_CHANGELOG)."""

    NAME = "stream-exec-process-table-function"
    TITLE = "Call a process table function"
    INPUTS = SOME_INPUTS
    PLACED_AFTER: ClassVar[dict[str, str]] = {"uid": "description"}
    TAIL = ("function_call", "input_changelog_modes", "output_changelog_mode")

    uid: Nullable[str] = None
    function_call: dict[str, Any]
    input_changelog_modes: tuple[tuple[RowKind, ...], ...]
    output_changelog_mode: tuple[RowKind, ...]

    @property
    def runnable(self) -> bool:
        return self.function_call.get("internalName") in (TO, FROM)

    def refusal(self) -> Fault:
        call = self.function_call
        name = call.get("catalogName") or call.get("systemName") or call.get("class") or call.get("internalName")
        return refusal(("functionCall",), f"the process table function {name} cannot run here", INSTEAD, name)

    def call(self) -> ChangelogCall:
        """The call of a runnable node. Raises MappingError for an invalid mapping."""
        direction: Direction = "TO" if self.function_call["internalName"] == TO else "FROM"
        _, column, mapping, on_time, _ = self.function_call["operands"]
        names = [operand["value"] for operand in column.get("operands", ())]
        times = [operand["value"] for operand in on_time.get("operands", ())]
        texts = [operand.get("value") for operand in mapping.get("operands", ())]
        pairs = dict(zip(texts[::2], texts[1::2], strict=True)) if texts else None
        codes = codes_of(direction, pairs)
        return ChangelogCall(direction, names[0] if names else OP, codes, times[0] if times else None)

    def sends(self, received: ChangelogMode) -> ChangelogMode:
        modes = ChangelogMode.NONE
        for kind in self.output_changelog_mode:
            modes |= ChangelogMode[kind]
        return modes

    def may_send(self, received: Sequence[ChangelogMode]) -> ChangelogMode:
        return self.sends(received[0])

    def faults(self, inputs: Inputs) -> Iterator[Fault]:
        operands = ("functionCall", "operands")
        try:
            call = self.call()
        except MappingError as fault:
            yield Fault((*operands, 2), f"op_mapping: {fault}", "correct the mapping")
            return
        except (KeyError, TypeError, ValueError, AttributeError):
            yield Fault(operands, "not a table, a descriptor and a map of constants", "compile the program again")
            return
        row = inputs.rows[0]
        if call.on_time is not None and call.on_time not in row.names:
            yield Fault((*operands, 3), f"the input has no column {call.on_time!r}", "name its time attribute")
            return
        if call.on_time is not None and not (inputs.received.insert_only and call.direction == "TO"):
            yield Fault((*operands, 3), "on_time needs inserts alone, received and sent", "leave on_time out")
        if call.direction == "TO":
            times = [] if call.on_time is None else [event_time(row.types[row.names.index(call.on_time)])]
            yield from output(self.output_type, (STRING, *row.types, *times), "the function", kinds=True)
            return
        if not inputs.received.insert_only:
            yield Fault(("inputChangelogModes",), "FROM_CHANGELOG takes inserts alone", "give it a table of inserts")
        if call.column not in row.names:
            yield Fault((*operands, 1), f"the input has no column {call.column!r}", "name its column of codes")
            return
        at = row.names.index(call.column)
        if not isinstance(row.types[at], CharacterType):
            yield Fault((*operands, 1), f"column {call.column!r} is {row.types[at]}, no text", "name another column")
        rest = [type_ for index, type_ in enumerate(row.types) if index != at]
        yield from output(self.output_type, rest, "the function", kinds=True)
