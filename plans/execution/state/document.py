"""What is told of state as JSON documents with a version; their schema is made from the models here.

A document of version 1 keeps its fields: more may come, none goes or changes its meaning without another version.
"""

from __future__ import annotations

import json
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, RootModel
from pydantic.alias_generators import to_camel

from compiled_plan.plans.execution.state.model import KeyReport, StateReport

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


def to_json(found: _Document) -> str:
    """The document as text."""
    return json.dumps(found.model_dump(mode="json", by_alias=True), indent=2, ensure_ascii=False) + "\n"


def schema() -> dict[str, Any]:
    """The JSON Schema of the documents."""
    found = Document.model_json_schema(by_alias=True, mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **found, "title": "State in a checkpoint"}
