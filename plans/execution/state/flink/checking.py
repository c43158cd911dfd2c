"""Checks that the import and the export of savepoints share."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.inspection.named_operators import NamedOperator, suggested

#: The value of `--reset` for all operators.
ALL = "all"


class Refused(NamedTuple):
    """A part that is refused, with the reason and the remedy."""

    name: str
    why: str
    remedy: str


def check_refused(task: str, parts: Iterable[Refused], where: str) -> None:
    """Raise if there are refused parts.

    Args:
        task: the sentence that the error begins with.
        parts: the refused parts.
        where: the savepoint or checkpoint.

    Raises:
        CheckpointError: names each part, with the reason and the remedy.
    """
    parts = tuple(parts)
    if parts:
        lines = "".join(f"\n  - {part.name}: {part.why}" for part in parts)
        remedies = dict.fromkeys(part.remedy for part in parts if part.remedy)
        raise CheckpointError(f"{task}:{lines}", where=where, remedy="; ".join(remedies))


def check_reset(reset: Collection[str], uids: Collection[str], holder: str) -> None:
    """Raise if `--reset` names an operator without state; `holder` is the plan or the checkpoint.

    Raises:
        CheckpointError: names the operator, and those with state.
    """
    unknown = set(reset) - {ALL, *uids}
    if unknown:
        raise CheckpointError(
            f"--reset {min(unknown)}: no operator of the {holder} has state and this uid",
            remedy=suggested(min(unknown), map(NamedOperator, uids)),
        )


def check_starts(starts: Collection[str], tables: Collection[str]) -> None:
    """Raise if `--start` names a table that the plan does not read.

    Raises:
        CheckpointError: names the table, and those that the plan reads.
    """
    unknown = set(starts) - set(tables)
    if unknown:
        raise CheckpointError(
            f"--start {min(unknown)}: the plan reads no table of this name",
            remedy=f"tables that it reads: {', '.join(sorted(tables))}",
        )
