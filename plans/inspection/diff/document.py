"""A difference as a JSON document with a version; its schema is made from the models here.

A document of version 1 keeps its fields: more may come, none goes or changes its meaning without another version.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.alias_generators import to_camel

from compiled_plan.plans.inspection.diff.advice import Advice
from compiled_plan.plans.inspection.diff.flink import FlinkDiff
from compiled_plan.plans.inspection.diff.masked import masked_diff
from compiled_plan.plans.inspection.diff.model import Change, PlanDiff
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from compiled_plan.plans.text.masking import masked_text

VERSION: Literal[1] = 1


def _word(value: object) -> object:
    """A verdict or a change in a word."""
    match value:
        case Verdict():
            return value.name.lower()
        case Change():
            return to_camel(value.value.replace(" ", "_"))
    return value


VerdictWord = Annotated[Literal["full", "partial", "unknown", "incompatible"], BeforeValidator(_word)]
ChangeWord = Annotated[Literal["kept", "moved", "changed", "added", "removed", "ttlChanged"], BeforeValidator(_word)]


class _Part(BaseModel):
    """A part of the document, made of the attributes of a part of a difference."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True, from_attributes=True)


class Side(_Part):
    """One of the two that are compared."""

    name: str = Field(description="as it was given: a path, or `-` for standard input")
    kind: Literal["plan", "checkpoint", "program"]


class Property(_Part):
    """A property that differs."""

    property: str
    old: str = Field(description="in words; empty where it was not there")
    new: str
    verdict: VerdictWord
    why: str


class Ttl(_Part):
    """A state entry whose TTL differs."""

    index: int
    entry: str = Field(validation_alias=AliasChoices("entry", "name"))
    old_ms: int = Field(validation_alias=AliasChoices("oldMs", "old"), description="milliseconds; 0 never expires")
    new_ms: int = Field(validation_alias=AliasChoices("newMs", "new"))


class Operator(_Part):
    """An operator that keeps state."""

    change: ChangeWord
    uid: str
    old_uid: str = Field(description="empty where it is new")
    kind: str
    words: str
    old_node: int | None
    new_node: int | None
    place: str
    edits: list[Property]
    ttls: list[Ttl]
    verdict: VerdictWord
    why: str


class Source(_Part):
    """A table that is read."""

    change: ChangeWord
    name: str
    offsets: str
    edits: list[Property]
    verdict: VerdictWord
    why: str


class Sink(_Part):
    """A table that is written."""

    change: ChangeWord
    name: str
    gets: str
    edits: list[Property]
    verdict: VerdictWord
    why: str


class Next(_Part):
    """What to do."""

    what: str
    command: str = Field(description="empty where nothing is to be run")


class FlinkOperator(_Part):
    """What becomes of an operator's state in Flink."""

    words: str
    uid: str = Field(description="of the transformation; empty where it is not known")
    was: str = Field(description="in the old plan; empty where it is new")
    fate: Literal["restored", "wrong", "others", "empty", "dropped", "refused", "unknown"]
    verdict: VerdictWord
    why: str


class Flink(_Part):
    """What real Flink restores from a savepoint of the old plan."""

    verdict: VerdictWord
    needs_permission: bool = Field(description="whether the start needs --allowNonRestoredState")
    operators: list[FlinkOperator]


class Document(_Part):
    """What differs between two plans."""

    version: Literal[1]
    old: Side
    new: Side
    same: bool
    verdict: VerdictWord
    operators: list[Operator]
    sources: list[Source]
    sinks: list[Sink]
    stateless: list[Property]
    whole: list[Property] = Field(description="what concerns the whole program: all that it reads, Spark's version")
    unchecked: list[str] = Field(description="facts that only a start can compare")
    next: Next
    flink: Flink | None = Field(description="with `--for flink`")


def document(diff: PlanDiff, old: Side, new: Side, found: Advice, flink: FlinkDiff | None = None) -> Document:
    """The difference as a document; passwords in it are hidden here."""
    shown = masked_diff(diff)
    return Document(
        version=VERSION,
        old=old,
        new=new,
        same=diff.is_empty,
        verdict=diff.verdict,  # type: ignore[arg-type]
        operators=list(map(Operator.model_validate, shown.operators)),
        sources=list(map(Source.model_validate, shown.sources)),
        sinks=list(map(Sink.model_validate, shown.sinks)),
        stateless=list(map(Property.model_validate, shown.stateless)),
        whole=list(map(Property.model_validate, shown.whole)),
        unchecked=list(shown.unchecked),
        next=Next.model_validate(found),
        flink=None if flink is None else _flink(flink),
    )


def to_json(found: Document) -> str:
    """The document as text."""
    return json.dumps(found.model_dump(by_alias=True, exclude_none=False), indent=2, ensure_ascii=False) + "\n"


def schema() -> dict[str, Any]:
    """The JSON Schema of the document."""
    found = Document.model_json_schema(by_alias=True, mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **found, "title": "Difference of two plans"}


def _flink(found: FlinkDiff) -> Flink:
    operators = [
        FlinkOperator(
            words=masked_text(each.words),
            uid=each.uid,
            was=each.was,
            fate=each.fate.name.lower(),  # type: ignore[arg-type]
            verdict=each.verdict,  # type: ignore[arg-type]
            why=masked_text(each.why),
        )
        for each in found.operators
    ]
    return Flink(
        verdict=found.verdict,  # type: ignore[arg-type]
        needs_permission=found.needs_permission,
        operators=operators,
    )
