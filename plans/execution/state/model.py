"""What is told of state. Times are ms since 1970; where a thing has none, None."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, RootModel
from pydantic.alias_generators import to_camel


class _Item:
    """Base of the items of documents, whose names are in camel case in JSON."""

    __slots__ = ()
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(alias_generator=to_camel, populate_by_name=True)


@dataclass(frozen=True, slots=True)
class Bucket(_Item):
    """Entries of a range of ages, or of times to go, in ms; `until` is None for all beyond."""

    since: int
    until: int | None
    entries: int


@dataclass(frozen=True, slots=True)
class WhatIf(_Item):
    """What another TTL would do, in ms; 0 never expires.

    Args:
        ttl: the TTL.
        expired: entries that would be gone at once.
        kept: entries that would stay for now.
        next_expiry: when the first of those would go.
        last_expiry: when the last of those would be gone, if none is written again.
    """

    ttl: int
    expired: int
    kept: int
    next_expiry: int | None
    last_expiry: int | None


@dataclass(frozen=True, slots=True)
class Part(_Item):
    """The entries of one input of an operator: those of one TTL.

    Args:
        index: number of the input.
        name: of the state entry in the plan, `leftState`; empty where nothing of it expires by a TTL.
        of: the tables that the input's rows come from.
        ttl: in ms; 0 never expires.
        entries: how many there are.
        written: those of them that have a time of last write; the others expire with no TTL, or wait for a watermark.
        oldest_write, newest_write: the first and the last time of last write.
        oldest_time, newest_time: of the rows themselves, or the ends of windows on the clock that they lie on.
        expired: entries that are past their TTL: nobody sees them any more, and they are about to be removed.
        next_expiry, last_expiry: when the first of the others expires and when the last, if none is written again.
        ages: entries by the time since their last write.
        expiries: entries that are not expired by the time that they have left.
        what_if: under another TTL, where that was asked for.
    """

    index: int
    name: str
    of: str
    ttl: int
    entries: int = 0
    written: int = 0
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


@dataclass(frozen=True, slots=True)
class Window(_Item):
    """An open window: its end in ms on the clock that it lies on, and the entries that it has."""

    end: int
    entries: int


@dataclass(frozen=True, slots=True)
class KeyColumn(_Item):
    """A column that keys are made of, with its type."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class OperatorState(_Item):
    """The state of an operator.

    Args:
        uid: its name in the checkpoint.
        node: id of its node in the plan.
        words: what it does.
        kind: the form of its state, `join`.
        columns: of each input the columns that its keys are made of.
        keys: how many keys have state.
        entries: how many entries they have.
        bytes: of the keys and what is kept for them, before the store packs them.
        event_time: whether its timers fire by watermark; else by processing time.
        next_timer: when the first timer fires.
        parts: by input.
        windows: the open windows that end first.
        more_windows: how many more there are.
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
class StateReport(_Item):
    """The state in a checkpoint.

    Args:
        checkpoint: its folder.
        generation: number of the generation that counts.
        batch: number of the last micro-batch that is done; None before the first.
        at: the time for which ages and expiries are told.
        operators: in the order of the stages that they run in.
    """

    checkpoint: str
    generation: int
    batch: int | None
    at: int
    operators: tuple[OperatorState, ...]


@dataclass(frozen=True, slots=True)
class Field(_Item):
    """A field of state: its name, its type, and its value.

    The value of a part is its fields, that of a list a tuple of such for each element; decimals, times and bytes (as
    hexadecimal digits) are texts.
    """

    name: str
    type: str
    value: str | int | float | bool | tuple[Field, ...] | tuple[tuple[Field, ...], ...] | tuple[str | None, ...] | None


@dataclass(frozen=True, slots=True)
class KeyState(_Item):
    """What is kept for a key.

    Args:
        key: the key as text.
        timer: when the operator looks at it next.
        fields: what is kept.
    """

    key: str
    timer: int | None
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class KeyReport(_Item):
    """What an operator keeps for keys that were asked for; see `StateReport`."""

    checkpoint: str
    generation: int
    batch: int | None
    uid: str
    words: str
    kind: str
    keys: tuple[KeyState, ...]


VERSION: Literal[1] = 1


class _Document(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True)

    version: Literal[1] = VERSION


class Figures(_Document):
    """Figures of operators; times and durations are in ms."""

    state: StateReport


class KeyEntries(_Document):
    """What an operator keeps for a key."""

    entries: KeyReport


class Exported(_Document):
    """Entries that were written to a folder."""

    uid: str
    path: str
    rows: int


class Document(RootModel[Figures | KeyEntries | Exported]):
    """What `inspect-state --json` prints."""


def to_json(document: _Document) -> str:
    """The document as text."""
    return json.dumps(document.model_dump(mode="json", by_alias=True), indent=2, ensure_ascii=False) + "\n"


def schema() -> dict[str, Any]:
    """The JSON Schema of the documents."""
    document = Document.model_json_schema(by_alias=True, mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **document, "title": "State in a checkpoint"}
