"""Findings: what is wrong, or doubtful, in a plan, as data."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from compiled_plan.plans.deep import deeply
from compiled_plan.plans.errors import PlanError
from compiled_plan.plans.trees import fold_tree

_dumps = deeply(json.dumps)


class Severity(Enum):
    """An error makes the plan unusable; a warning does not."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault of a plan.

    Args:
        pointer: JSON pointer (RFC 6901) of the place in the file.
        message: what is wrong, in one sentence.
        remedy: what to do about it.
        value: the JSON value found there; None where there is none.
        node: the id and type of the node, `5 (stream-exec-join_1)`; empty outside of nodes.
        severity: whether the plan can be used all the same.
        editable: for errors, whether the plan can be edited all the same, and only not run here.
    """

    pointer: str
    message: str
    remedy: str = ""
    value: Any = None
    node: str = ""
    severity: Severity = Severity.ERROR
    editable: bool = False

    @property
    def is_error(self) -> bool:
        """Whether the plan cannot run."""
        return self.severity is Severity.ERROR

    @property
    def is_unreadable(self) -> bool:
        """Whether the plan can be neither run nor edited."""
        return self.is_error and not self.editable

    @property
    def where(self) -> str:
        """The node and the pointer, for people."""
        pointer = self.pointer or "the root"
        return f"node {self.node}, {pointer}" if self.node else pointer

    def as_error(self, source: str = "", more: int = 0) -> PlanError:
        """The finding as an error to raise. `more` is how many further errors there are."""
        where = f"{source}: {self.where}" if source else self.where
        also = f" (and {more} more: `edit-plan --check` lists them)" if more else ""
        return PlanError(self.message + also, where=where, remedy=self.remedy)

    def to_dict(self) -> dict[str, Any]:
        """The finding for machines."""
        return {
            "severity": self.severity.value,
            "editable": self.editable or not self.is_error,
            "pointer": self.pointer,
            "node": self.node,
            "message": self.message,
            "value": self.value if _levels(self.value) <= _LEVELS else shown(self.value),
            "remedy": self.remedy,
        }


#: Levels of a value that machines are given as it is; what nests more is no plan, and few could read it.
_LEVELS = 100


def _levels(value: Any) -> int:
    return fold_tree(value, _inside, lambda _, below: 1 + max(below, default=0))


def _inside(value: Any) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault within one node."""

    path: tuple[str | int, ...]  # where in the node's JSON, as parts of a JSON pointer
    message: str
    remedy: str = ""
    value: Any = None  # the JSON value found there; None where there is none
    editable: bool = False  # whether the plan can be edited all the same, and only not run here


def refusal(path: tuple[str | int, ...], message: str, remedy: str = "", value: Any = None) -> Fault:
    """The fault of a valid plan that cannot run here; the same reason refuses it in a check and at a start."""
    return Fault(path, message, remedy, value, editable=True)


def pointer_of(parts: Iterable[str | int]) -> str:
    """A JSON pointer from its parts."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


def shown(value: Any, limit: int = 60) -> str:
    """A JSON value for a message, cut to `limit` characters."""
    text = _dumps(value, ensure_ascii=False)
    return text if len(text) <= limit else text[: limit - 3] + "..."


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """A remedy that names the known name nearest to a misspelt one."""
    names = list(known)
    lowered = {candidate.lower(): candidate for candidate in names}
    import difflib  # for errors alone

    near = difflib.get_close_matches(name.lower(), lowered, n=1, cutoff=0.6)
    if near:
        return f"did you mean `{lowered[near[0]]}`?"
    return otherwise or (f"known: {', '.join(names)}" if names else "")


def raise_unreadable(findings: Iterable[Finding], source: str) -> None:
    """Raise the first finding for which a plan cannot be read as PlanError; `source` is the name of its file."""
    errors = [finding for finding in findings if finding.is_unreadable]
    if errors:
        raise errors[0].as_error(source, more=len(errors) - 1)
