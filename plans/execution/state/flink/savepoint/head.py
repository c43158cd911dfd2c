"""The head of a savepoint in the neutral form: its operators, their states and the files of their entries.

`docs/reference/savepoint-form.md` describes the form.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import Base64Bytes, BeforeValidator, ConfigDict, TypeAdapter
from pydantic.alias_generators import to_camel

FILE = "savepoint.json"
VERSION = 1

#: A type: a text for scalars, or one of `{"row": [...]}`, `{"list": ...}`, `{"map": [...]}`, `{"tuple": [...]}`,
#: `{"raw": "..."}`.
TypeForm: TypeAlias = str | dict[str, Any]


class _Item:
    """Base of the items, with camel-case names in JSON."""

    __slots__ = ()
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(
        alias_generator=to_camel, validate_by_name=True, validate_by_alias=True
    )


@dataclass(frozen=True, slots=True)
class KeyedState(_Item):
    """A keyed state of an operator.

    Args:
        name: the name of the state; the timers of a service have `_timer_state/event_` or `_timer_state/processing_`
            before its name.
        kind: the kind of state.
        key: the type of the key.
        namespace: the type of the namespace; None if the state has none.
        user_key: the type of the keys of a map.
        value: the type of the value, or of an element of a list or map; None for timers.
        ttl: True if entries have a time of last write.
        entries: number of entries.
    """

    name: str
    kind: Literal["VALUE", "LIST", "MAP", "TIMERS"]
    key: TypeForm
    namespace: TypeForm | None
    user_key: TypeForm | None
    value: TypeForm | None
    ttl: bool
    entries: int


@dataclass(frozen=True, slots=True)
class OperatorList(_Item):
    """A list of operator state.

    Args:
        name: the name of the list.
        mode: the distribution over subtasks at a restore.
        type: the type of an element.
        elements: the elements, per subtask.
    """

    name: str
    mode: Literal["UNION", "SPLIT_DISTRIBUTE", "BROADCAST"]
    type: TypeForm
    elements: tuple[tuple[Any, ...], ...]


def _encoded(value: object) -> object:
    return value.encode() if isinstance(value, str) else value


@dataclass(frozen=True, slots=True)
class SavepointOperator(_Item):
    """An operator of the job.

    Args:
        id: 32 hexadecimal digits, the hash of the uid.
        uid: the uid; None without one, and in older metadata.
        name: the name; None in older metadata.
        parallelism: number of subtasks.
        max_parallelism: number of key groups.
        states: the keyed states, by name.
        lists: the operator state, by name.
        coordinator: the state of the coordinator of a source or sink.
        files: paths of the files of entries, relative to the head.
        entries: number of entries in them, of all states.
        bytes: size of the keyed state in the savepoint.
        finished: True if all subtasks had ended, such as those of a source that has read its table.
    """

    id: str
    uid: str | None
    name: str | None
    parallelism: int
    max_parallelism: int
    states: tuple[KeyedState, ...]
    lists: tuple[OperatorList, ...]
    coordinator: Annotated[Base64Bytes, BeforeValidator(_encoded)] | None
    files: tuple[str, ...]
    entries: int
    bytes: int
    finished: bool = False

    @property
    def converted_states(self) -> tuple[KeyedState, ...]:
        """The states with entries, without timers."""
        return tuple(state for state in self.states if state.entries and state.kind != "TIMERS")


@dataclass(frozen=True, slots=True)
class SavepointHead(_Item):
    """A savepoint.

    Args:
        version: version of the neutral form.
        savepoint: URI of its folder.
        checkpoint_id: Flink's number.
        format: the format of the keyed state; None without keyed state.
        time: the time at which its metadata was last modified, in ms: when it was taken, unless it was copied since.
        operators: the operators, by id.
        stopped: True if the job stopped with it, after which Flink commits the output of sinks.
    """

    version: Literal[1]
    savepoint: str
    checkpoint_id: int
    format: Literal["CANONICAL", "NATIVE", "INCREMENTAL"] | None
    time: int
    operators: tuple[SavepointOperator, ...]
    stopped: bool = False


_HEAD = TypeAdapter(SavepointHead)


def head_in(folder: Path) -> SavepointHead:
    """The head in a folder that the reader wrote."""
    return _HEAD.validate_json((folder / FILE).read_bytes())
