"""Types of the JSON that the kernel and a checkpoint hold of stages: their specs, and the forms of operators' state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Required, TypedDict


class OperatorSpec(TypedDict):
    """The kernel's parameters of an operator, of which Python reads these."""

    uid: str
    timeDomain: str
    ttl: Sequence[int]  # ms, of each input or of all


class StageSpec(TypedDict):
    """The kernel's parameters of a stage, of which Python reads these."""

    host: str
    operators: Sequence[OperatorSpec]


class ColumnForm(TypedDict, total=False):
    """A column of stored rows: one of an input, or the result of a call."""

    input: int
    column: int
    call: int
    type: str


FieldForm = TypedDict(
    "FieldForm",
    {
        "name": Required[str],
        "is": Required[str],
        "type": str,
        "form": str,
        "version": int,
        "fields": "Sequence[FieldForm]",
        "parts": "Sequence[FieldForm]",
        "columns": Sequence[ColumnForm],
    },
    total=False,
)


class StateForm(TypedDict):
    """The state of an operator: the form and version of its bytes, and the columns of its inputs."""

    kind: str
    version: int
    keys: Sequence[Sequence[ColumnForm]]
    fields: Sequence[FieldForm]
    columns: Sequence[Sequence[dict[str, str]]]  # name and type
