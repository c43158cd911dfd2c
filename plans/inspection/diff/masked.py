"""Masking of passwords in a difference, before any output."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from compiled_plan.plans.inspection.diff.model import OperatorEdit, PlanDiff, SinkEdit, SourceEdit
from compiled_plan.plans.inspection.judging.verdicts import PropertyEdit
from compiled_plan.plans.text.masking import is_sensitive, masked_text, masked_value

T = TypeVar("T", SourceEdit, SinkEdit)


def masked_diff(diff: PlanDiff) -> PlanDiff:
    """Mask the values of sensitive options in the difference."""
    return replace(
        diff,
        operators=tuple(map(_operator, diff.operators)),
        sources=tuple(map(_table, diff.sources)),
        sinks=tuple(map(_table, diff.sinks)),
        stateless=tuple(map(_edit, diff.stateless)),
        whole=tuple(map(_edit, diff.whole)),
    )


def _operator(part: OperatorEdit) -> OperatorEdit:
    return replace(
        part,
        words=masked_text(part.words),
        place=masked_text(part.place),
        why=masked_text(part.why),
        edits=tuple(map(_edit, part.edits)),
    )


def _table(part: T) -> T:
    return replace(part, why=masked_text(part.why), edits=tuple(map(_edit, part.edits)))


def _edit(edit: PropertyEdit) -> PropertyEdit:
    hides = is_sensitive(edit.property)
    old, new = (
        masked_value(edit.property, text) if hides and text else masked_text(text) for text in (edit.old, edit.new)
    )
    why, remedy = masked_text(edit.why), masked_text(edit.remedy)
    return replace(edit, property=masked_text(edit.property), old=old, new=new, why=why, remedy=remedy)
