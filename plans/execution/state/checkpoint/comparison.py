"""The checkpoint as the start of a plan uses it; check that this release reads the bytes of its state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.stages.descriptions import FieldForm, StateForm
from compiled_plan.plans.inspection.diff.description import Description

if TYPE_CHECKING:
    from compiled_plan.plans.execution.spark.storage import Folder


@dataclass(frozen=True, slots=True)
class StartingPoint:
    """The checkpoint as the start of a plan uses it.

    Args:
        uids: the uid under which the checkpoint stores a node's state, by node.
        partitions: the number of shuffle partitions of its state.
        description: the description of the last program started on it.
    """

    uids: Mapping[int, str]
    partitions: int
    description: Description


#: By a former release's form: the form that this release writes; it reads both.
_SUCCESSORS = {("python", 1): ("python-value", 1)}


def check_states(old: Mapping[str, StateForm], new: Mapping[str, StateForm], folder: Folder) -> None:
    """Compare the formats of operators' bytes, by uid, as the kernel declares them.

    Raises:
        CheckpointError: the kernel cannot read a format.
    """
    differences = [
        f"operator {uid}: checkpoint has state {_state_text(old[uid])}, this release has {_state_text(new[uid])}"
        for uid in sorted(old.keys() & new.keys())
        if not _reads(old[uid], new[uid])
    ]
    if differences:
        raise CheckpointError(
            "the checkpoint's state has an incompatible format:\n"
            + "\n".join(f"  - {difference}" for difference in differences),
            where=folder.shown,
            remedy="run it with the release that wrote it, or start with an empty checkpoint",
        )


def _reads(old: StateForm, new: StateForm) -> bool:
    """Return True if bytes of the old state can be read as the new one."""
    old_forms, new_forms = (
        [(str(state.get("kind")), int(state.get("version") or 0)), *_forms(state.get("fields", ()))]
        for state in (old, new)
    )
    return len(old_forms) == len(new_forms) and all(
        form == now or _SUCCESSORS.get(form) == now for form, now in zip(old_forms, new_forms, strict=True)
    )


def _state_text(state: StateForm) -> str:
    forms = ", ".join(f"{form} {version}" for form, version in _forms(state.get("fields", ())))
    return f"{state.get('kind')} {state.get('version')}" + (f" of {forms}" if forms else "")


def _forms(fields: Iterable[FieldForm]) -> Iterator[tuple[str, int]]:
    """The forms of accumulators with their versions, in order."""
    for field in fields:
        if "form" in field:
            yield field["form"], field["version"]
        yield from _forms(field.get("parts", ()))
        yield from _forms(field.get("fields", ()))
