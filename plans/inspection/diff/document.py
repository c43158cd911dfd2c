"""A difference as a versioned JSON document; its schema is generated from the models here.

Version 1 keeps its fields: fields may be added, but removing or redefining one needs a new version.
"""

from __future__ import annotations

import json
from typing import Annotated, Literal, Self

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.alias_generators import to_camel

from compiled_plan.plans.inspection.diff.advice import Advice
from compiled_plan.plans.inspection.diff.flink import FlinkDiff
from compiled_plan.plans.inspection.diff.masked import masked_diff
from compiled_plan.plans.inspection.diff.model import Change, OperatorEdit, PlanDiff
from compiled_plan.plans.inspection.diff.outcomes import outcome
from compiled_plan.plans.inspection.diff.text import verdict_line
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from compiled_plan.plans.inspection.rules import plan_findings
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.text.masking import masked_text

VERSION: Literal[1] = 1


def _word(value: object) -> object:
    """Name of a verdict or a change in the document."""
    match value:
        case Verdict():
            return value.name.lower()
        case Change():
            return to_camel(value.value.replace(" ", "_"))
    return value


VerdictWord = Annotated[Literal["full", "partial", "unknown", "incompatible"], BeforeValidator(_word)]
ChangeWord = Annotated[Literal["kept", "moved", "changed", "added", "removed", "ttlChanged"], BeforeValidator(_word)]


class _Part(BaseModel):
    """A part of the document, built from the attributes of a part of a difference."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True, from_attributes=True)


class Refusal(_Part):
    """A reason why `execute-plan` refuses a plan."""

    message: str
    where: str
    remedy: str


class Side(_Part):
    """One of the two compared sides."""

    name: str = Field(description="the argument: a path, or `-` for standard input")
    kind: Literal["plan", "checkpoint", "program"]
    refusals: list[Refusal] = Field(default=[], description="why the plan does not run; empty if it does")

    @classmethod
    def of(cls, name: str, kind: Literal["plan", "checkpoint", "program"], plan: CompiledPlan) -> Self:
        """The side with a plan, passwords masked."""
        texts = [map(masked_text, (fault.message, fault.where, fault.remedy)) for fault in plan_findings(plan)]
        refusals = [Refusal(message=message, where=where, remedy=remedy) for message, where, remedy in texts]
        return cls(name=name, kind=kind, refusals=refusals)


class Property(_Part):
    """A property of an operator that differs, with its effect on state."""

    property: str
    old: str = Field(description="in words; empty if it is new")
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
    old_uid: str = Field(description="empty if it is new")
    kind: str
    words: str
    old_node: int | None
    new_node: int | None
    place: str
    edits: list[Property]
    ttls: list[Ttl]
    verdict: VerdictWord
    why: str
    state_bytes: int | None = Field(description="size of its state in the checkpoint of the old plan; null if unknown")
    kept_state: str = Field(default="", description="`all`, `all else`, `nothing`, `unknown`; empty if it is new")
    lost_state: str = Field(default="", description="`nothing`, `all`, or the loss in sentences")


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
    """Recommended next step with the new plan."""

    what: str
    command: str = Field(description="empty if there is nothing to run")


class FlinkOperator(_Part):
    """Fate of an operator's state in Flink."""

    words: str
    uid: str = Field(description="of the transformation; empty if unknown")
    was: str = Field(description="in the old plan; empty if it is new")
    fate: Literal["restored", "wrong", "others", "empty", "dropped", "refused", "unknown"]
    verdict: VerdictWord
    why: str


class Flink(_Part):
    """State that real Flink restores from a savepoint of the old plan."""

    verdict: VerdictWord
    needs_permission: bool = Field(description="true if the start needs --allowNonRestoredState")
    operators: list[FlinkOperator]


class Example(_Part):
    """The smallest input for which parts of the new program differ from those of a run from scratch."""

    parts: list[str] = Field(description="the operators, by uid, and tables")
    test: str = Field(description="a file for `test-plan`")


class Examples(_Part):
    """The result of a search for examples."""

    inputs: int = Field(description="the number of inputs over which both programs ran")
    ended: int = Field(description="the number of inputs that ended one of them")
    examples: list[Example]
    missing: list[str] = Field(description="the parts that are not fully compatible and did not differ")


class Document(_Part):
    """Differences between two plans, and their effect on state."""

    version: Literal[1]
    old: Side
    new: Side
    same: bool
    verdict: VerdictWord
    summary: str = Field(description="the verdict with the numbers of changes, in one line")
    operators: list[Operator]
    sources: list[Source]
    sinks: list[Sink]
    stateless: list[Property]
    whole: list[Property] = Field(description="edits of the whole program: all sources, Spark's version")
    unchecked: list[str] = Field(description="facts that only a start can compare")
    next: Next
    flink: Flink | None = Field(description="with `--for flink`")
    examples: Examples | None = Field(default=None, description="with `--example`")


def document(
    diff: PlanDiff,
    old: Side,
    new: Side,
    advice: Advice,
    flink: FlinkDiff | None = None,
    examples: Examples | None = None,
) -> Document:
    """Build the document of a difference, with passwords masked."""
    shown = masked_diff(diff)
    return Document(
        version=VERSION,
        old=old,
        new=new,
        same=diff.is_empty,
        verdict=diff.verdict,  # type: ignore[arg-type]
        summary=verdict_line(diff).text,
        operators=list(map(_operator, shown.operators)),
        sources=list(map(Source.model_validate, shown.sources)),
        sinks=list(map(Sink.model_validate, shown.sinks)),
        stateless=list(map(Property.model_validate, shown.stateless)),
        whole=list(map(Property.model_validate, shown.whole)),
        unchecked=list(shown.unchecked),
        next=Next.model_validate(advice),
        flink=None if flink is None else _flink(flink),
        examples=examples,
    )


def _operator(edit: OperatorEdit) -> Operator:
    result = outcome(edit)
    states = {"kept_state": result.kept_state, "lost_state": result.lost_state}
    return Operator.model_validate(edit).model_copy(update=states)


def to_json(difference: Document) -> str:
    """The document as JSON text."""
    return json.dumps(difference.model_dump(by_alias=True, exclude_none=False), indent=2, ensure_ascii=False) + "\n"


def schema() -> dict[str, object]:
    """The JSON Schema of the document."""
    generated = Document.model_json_schema(by_alias=True, mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **generated, "title": "Difference of two plans"}


def _flink(diff: FlinkDiff) -> Flink:
    operators = [
        FlinkOperator(
            words=masked_text(edit.words),
            uid=edit.uid,
            was=edit.was,
            fate=edit.fate.name.lower(),  # type: ignore[arg-type]
            verdict=edit.verdict,  # type: ignore[arg-type]
            why=masked_text(edit.why),
        )
        for edit in diff.operators
    ]
    return Flink(
        verdict=diff.verdict,  # type: ignore[arg-type]
        needs_permission=diff.needs_permission,
        operators=operators,
    )
