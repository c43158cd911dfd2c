"""Documents that commands print as JSON, with camel-case names and a JSON Schema."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


class Item:
    """Base of dataclasses in documents."""

    __slots__ = ()
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class Document(BaseModel):
    """Base of documents whose keys are in camel case."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True)


def to_json(document: Document) -> str:
    return document.model_dump_json(by_alias=True, indent=2) + "\n"


def schema_of(document: type[BaseModel], title: str) -> dict[str, Any]:
    """The JSON Schema of a document."""
    schema = document.model_json_schema(by_alias=True, mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": title}
