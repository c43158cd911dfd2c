"""Documents about state. Times are ms since 1970, or None."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import RootModel

from compiled_plan.plans.inspection.advice import Advice
from compiled_plan.plans.text import documents
from compiled_plan.plans.text.documents import Item


@dataclass(frozen=True, slots=True)
class Bucket(Item):
    """Entries of a range of ages, or of times to expiry, in ms; `until` is None for an unbounded range."""

    since: int
    until: int | None
    entries: int


@dataclass(frozen=True, slots=True)
class WhatIf(Item):
    """The effect of another TTL, in ms; 0 never expires.

    Args:
        ttl: the TTL.
        expired: entries that would expire at once.
        kept: entries that would be retained for now.
        next_expiry: the first expiry of the retained ones.
        last_expiry: their last expiry, if none is written again.
        bytes: size of the entries that would expire and have not under the present TTL, an estimate as in `Part`.
    """

    ttl: int
    expired: int
    kept: int
    next_expiry: int | None
    last_expiry: int | None
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class Part(Item):
    """The entries of one input of an operator, which share a TTL.

    Args:
        index: number of the input.
        name: the name of the state entry in the plan, `leftState`; empty if it has no TTL.
        of: the tables that the input's rows come from.
        ttl: in ms; 0 never expires.
        entries: number of entries.
        written: number of entries with a known time of last write; others never expire by TTL, or wait for a watermark.
        unknown: number of entries whose time of last write a savepoint of Flink does not have.
        oldest_write, newest_write: the first and the last time of last write.
        oldest_time, newest_time: of the rows themselves, or the ends of windows on their clock.
        expired: entries past their TTL, which are invisible and about to be removed.
        next_expiry, last_expiry: the first and last expiry of the others, if none is written again.
        ages: histogram of the time since the last write.
        expiries: histogram of the time to expiry, without expired entries.
        what_if: the effect of another TTL, if requested.
        bytes: their size without expired entries, an estimate: that of a key is divided evenly over its entries.
    """

    index: int
    name: str
    of: str
    ttl: int
    entries: int = 0
    written: int = 0
    unknown: int = 0
    oldest_write: int | None = None
    newest_write: int | None = None
    oldest_time: int | None = None
    newest_time: int | None = None
    expired: int = 0
    next_expiry: int | None = None
    last_expiry: int | None = None
    ages: tuple[Bucket, ...] = ()
    expiries: tuple[Bucket, ...] = ()
    what_if: WhatIf | None = None
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class Window(Item):
    """An open window: its end in ms on its clock, and its number of entries."""

    end: int
    entries: int


@dataclass(frozen=True, slots=True)
class KeyColumn(Item):
    """A key column, with its type."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class OperatorState(Item):
    """The state of an operator.

    Args:
        uid: its name in the checkpoint.
        node: id of its node in the plan.
        words: its description.
        kind: the form of its state, `join`.
        columns: the key columns of each input.
        keys: number of keys with state.
        entries: number of their entries.
        bytes: size of the keys and their state, before the store compresses them.
        event_time: True if its timers fire by watermark, False if by processing time.
        next_timer: time of the first timer.
        parts: figures by input.
        windows: the open windows that end first.
        more_windows: number of further open windows.
    """

    uid: str
    node: int
    words: str
    kind: str
    columns: tuple[tuple[KeyColumn, ...], ...]
    keys: int
    entries: int
    bytes: int
    event_time: bool
    next_timer: int | None
    parts: tuple[Part, ...]
    windows: tuple[Window, ...] = ()
    more_windows: int = 0


@dataclass(frozen=True, slots=True)
class UnreadState(Item):
    """State of a savepoint that is not shown.

    Args:
        name: the uid of the operator of the plan; if there is none, the uid, name or id in the savepoint.
        node: id of its node in the plan; None if the plan does not have the operator.
        words: its description in the plan.
        entries: number of its entries in the savepoint.
        bytes: their size there.
        why: the reason.
    """

    name: str
    node: int | None
    words: str
    entries: int
    bytes: int
    why: str


@dataclass(frozen=True, slots=True)
class SavepointOrigin(Item):
    """The savepoint of Flink that state is from.

    Args:
        uri: its folder.
        taken_at: the time at which it was taken.
        watermark: the watermark of the job, if the savepoint has one.
        unread: the state that is not shown.
    """

    uri: str
    taken_at: int
    watermark: int | None
    unread: tuple[UnreadState, ...]


@dataclass(frozen=True, slots=True)
class Retention(Item):
    """The micro-batches to which `--rewind-to` can return.

    Args:
        first: the first one.
        last: the last one.
        bytes: bytes of state that only those before the last one need.
    """

    first: int
    last: int
    bytes: int


@dataclass(frozen=True, slots=True)
class StateReport(Item):
    """The state in a checkpoint.

    Args:
        checkpoint: its folder.
        generation: number of the current generation.
        batch: number of the last committed micro-batch; None before the first.
        at: the time to which ages and expiries are relative.
        operators: in the order of their stages.
        savepoint: the savepoint, if the folder is one of Flink.
        retention: the retained micro-batches; None before the first, and of a savepoint.
    """

    checkpoint: str
    generation: int
    batch: int | None
    at: int
    operators: tuple[OperatorState, ...]
    savepoint: SavepointOrigin | None = None
    retention: Retention | None = None


@dataclass(frozen=True, slots=True)
class Field(Item):
    """A field of state: its name, its type, and its value.

    The value of a composite field is its fields, that of a list a tuple of such for each element; decimals, times and
    bytes (as hexadecimal digits) are texts.
    """

    name: str
    type: str
    value: str | int | float | bool | tuple[Field, ...] | tuple[tuple[Field, ...], ...] | tuple[str | None, ...] | None


@dataclass(frozen=True, slots=True)
class KeyState(Item):
    """The state of a key.

    Args:
        key: the key as text.
        timer: the time of its next timer.
        fields: the fields of its state.
    """

    key: str
    timer: int | None
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class KeyReport(Item):
    """The state of the requested keys of an operator; see `StateReport`."""

    checkpoint: str
    generation: int
    batch: int | None
    uid: str
    words: str
    kind: str
    keys: tuple[KeyState, ...]


@dataclass(frozen=True, slots=True)
class PathStep(Item):
    """A stateful operator on the way to a sink, and its state for a key of the sink.

    Args:
        uid: its name.
        words: its description.
        kind: the form of its state.
        columns: by input, the columns with the values of the key: the sink's column by that of the input.
        by_key: whether the values determine the operator's key, or the first columns of it; otherwise all its entries
            were searched for rows with these values.
        keys: the state of its keys; empty if it is searched.
        entries: the entries with these values, as JSON; the first of them if there are many.
        count: the number of keys, or of entries.
    """

    uid: str
    words: str
    kind: str
    columns: tuple[dict[str, str], ...]
    by_key: bool
    keys: tuple[KeyState, ...]
    entries: tuple[str, ...]
    count: int


@dataclass(frozen=True, slots=True)
class PathReport(Item):
    """The state of all operators upstream of a sink for one of its keys, from the sink on; see `StateReport`.

    `watermark` is that of the micro-batch, in ms; None without event time.
    """

    checkpoint: str
    generation: int
    batch: int | None
    watermark: int | None
    sink: str
    steps: tuple[PathStep, ...]


VERSION: Literal[1] = 1


class _Document(documents.Document):
    version: Literal[1] = VERSION


class Figures(_Document):
    """Figures of operators; times and durations are in ms."""

    state: StateReport


class KeyEntries(_Document):
    """The state of a key of an operator."""

    entries: KeyReport


class PathEntries(_Document):
    """The state on the way to a sink for one of its keys."""

    path: PathReport


class Exported(_Document):
    """Entries that were written to a folder."""

    uid: str
    path: str
    rows: int


@dataclass(frozen=True, slots=True)
class StoredState(Item):
    """A keyed state of an operator in a savepoint; see docs/reference/savepoint-form.md for the kind."""

    name: str
    kind: str
    entries: int
    ttl: bool


@dataclass(frozen=True, slots=True)
class SavepointOperator(Item):
    """An operator in a savepoint.

    Args:
        id: 32 hexadecimal digits, the hash of the uid.
        uid, name: None if the savepoint does not have them.
        entries: number of entries.
        bytes: their size.
        states: the keyed states.
        elements: by name of a list of operator state, its number of elements.
        position: the offsets of a Kafka source, in words; empty for other operators.
    """

    id: str
    uid: str | None
    name: str | None
    entries: int
    bytes: int
    states: tuple[StoredState, ...]
    elements: dict[str, int]
    position: str


@dataclass(frozen=True, slots=True)
class SavepointReport(Item):
    """A savepoint of Flink, without its plan.

    Args:
        uri: its folder.
        taken_at: the time at which it was taken.
        format: CANONICAL, NATIVE or INCREMENTAL; None without keyed state.
        operators: the operators that have state.
    """

    uri: str
    taken_at: int
    format: str | None
    operators: tuple[SavepointOperator, ...]


class SavepointHeads(_Document):
    """The operators and states of a savepoint of Flink."""

    savepoint: SavepointReport


class Document(RootModel[Figures | KeyEntries | PathEntries | Exported | SavepointHeads | Advice]):
    """The output of `inspect-state --json`."""


def schema() -> dict[str, object]:
    return documents.schema_of(Document, "State in a checkpoint")
