"""Findings: errors and warnings about a plan, as data."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from compiled_plan.plans.deep import deeply
from compiled_plan.plans.errors import NestingError, PlanError
from compiled_plan.plans.text.nearest import nearest_word
from compiled_plan.plans.text.position import Span, place_in, span_at
from compiled_plan.plans.trees import fold_tree

_dumps = deeply(json.dumps)


class Severity(Enum):
    """An error makes the plan unusable; a warning does not."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Finding:
    """One error or warning about a plan.

    Args:
        pointer: JSON pointer (RFC 6901) of the place in the file.
        message: what is wrong, in one sentence.
        remedy: what to do about it.
        value: the JSON value found there; None where there is none.
        node: the id and type of the node, `5 (stream-exec-join_1)`; empty outside of nodes.
        severity: whether the plan can be used all the same.
        editable: for errors, whether the plan can be edited all the same, and only not run here.
        span: position in the text of the plan; None if it is unknown.
        excerpt: the lines there, with carets.
    """

    pointer: str
    message: str
    remedy: str = ""
    value: Any = None
    node: str = ""
    severity: Severity = Severity.ERROR
    editable: bool = False
    span: Span | None = None
    excerpt: str = ""

    @property
    def is_error(self) -> bool:
        """Return True if the plan cannot run."""
        return self.severity is Severity.ERROR

    @property
    def is_unreadable(self) -> bool:
        """Return True if the plan can be neither run nor edited."""
        return self.is_error and not self.editable

    @property
    def where(self) -> str:
        """Node and pointer, for messages."""
        pointer = self.pointer or "the root"
        return f"node {self.node}, {pointer}" if self.node else pointer

    def where_in(self, source: str) -> str:
        """File, line and column, node and pointer, then the lines with carets; `source` is as for `place_in`."""
        if self.span is None:
            return f"{source}: {self.where}" if source else self.where
        return f"{place_in(source, self.span)}, {self.where}\n{self.excerpt}"

    def as_error(self, source: str = "", more: int = 0) -> PlanError:
        """Convert to an exception; `more` is the number of further errors."""
        also = f" (and {more} more: `edit-plan --check` lists them)" if more else ""
        return PlanError(self.message + also, where=self.where_in(source), remedy=self.remedy)

    def to_dict(self) -> dict[str, object]:
        """The finding as JSON values."""
        return {
            "severity": self.severity.value,
            "editable": self.editable or not self.is_error,
            "pointer": self.pointer,
            "line": self.span.line if self.span else None,
            "column": self.span.column if self.span else None,
            "node": self.node,
            "message": self.message,
            "value": self.value if _levels(self.value) <= _LEVELS else shown(self.value),
            "remedy": self.remedy,
        }


#: Deepest nesting at which a value is reported unchanged. No plan nests deeper; deeper values become text.
_LEVELS = 100


def _levels(value: object) -> int:
    return fold_tree(value, _inside, lambda _, below: 1 + max(below, default=0))


def _inside(value: object) -> list[object]:
    return list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault within one node."""

    path: tuple[str | int, ...]  # location in the node's JSON, as parts of a JSON pointer
    message: str
    remedy: str = ""
    value: Any = None  # the JSON value at the path; None if there is none
    editable: bool = False  # True if the plan can be edited, but not run here


def refusal(path: tuple[str | int, ...], message: str, remedy: str = "", value: Any = None) -> Fault:
    """A fault of a valid plan that cannot run here, raised by both the check and the start of a run."""
    return Fault(path, message, remedy, value, editable=True)


def shown(value: object, limit: int = 60) -> str:
    """Format a JSON value for a message, cut to `limit` characters."""
    text = _dumps(value, ensure_ascii=False)
    return text if len(text) <= limit else text[: limit - 3] + "..."


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """A remedy that suggests the known name closest to a misspelt one."""
    names = list(known)
    lowered = {candidate.lower(): candidate for candidate in names}
    near = nearest_word(name.lower(), lowered)
    if near:
        return f"did you mean `{lowered[near]}`?"
    return otherwise or (f"known: {', '.join(names)}" if names else "")


def located(findings: Iterable[Finding], text: str) -> list[Finding]:
    """Findings with their positions in the text of the plan; unchanged if it is nested too deeply."""
    from compiled_plan.plans.text.json_faults import shown_line  # for errors alone
    from compiled_plan.plans.text.spans import nearest

    findings = list(findings)
    if not findings:
        return findings
    try:
        places = deeply(nearest)(text, {finding.pointer for finding in findings})
    except NestingError:
        return findings
    spans = {pointer: span_at(text, *place) for pointer, place in places.items()}
    return [
        replace(finding, span=spans[finding.pointer], excerpt=shown_line(spans[finding.pointer], text))
        for finding in findings
    ]


def raise_unreadable(findings: Iterable[Finding], source: str, text: str = "") -> None:
    """Raise the first finding that makes a plan unreadable as PlanError.

    Args:
        findings: of the plan.
        source: the quoted path of its file, or the name of another text.
        text: its text, to show the line; empty if it was read from JSON values.
    """
    errors = [finding for finding in findings if finding.is_unreadable]
    if errors:
        first = located(errors[:1], text)[0] if text else errors[0]
        raise first.as_error(source, more=len(errors) - 1)
