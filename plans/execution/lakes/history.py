"""The commits of a table, and the one whose content is the output of a history of micro-batches."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.interfaces.outputs import OutputHistory

_WRITER = re.compile(r"compiled-plan-([^-]+)-")


def writer_of(run: str, sink: str) -> str:
    """The name of a sink among the writers of a table."""
    return f"compiled-plan-{run}-{sink}"


@dataclass(frozen=True, slots=True)
class LakeCommit:
    """A version or snapshot of a table.

    Args:
        id: its number.
        content: the commit on whose content it is based, or to which it restores the table; None for the first.
        what: the operation, for messages.
        writer: the writer that it records; empty without one.
        batch: the micro-batch that it records.
        adds_nothing: True if its content is that of `content`: a compaction, a restoration.
    """

    id: int
    content: int | None
    what: str
    writer: str = ""
    batch: int = -1
    adds_nothing: bool = False

    @property
    def run(self) -> str:
        """The run that wrote it; empty for other writers."""
        match = _WRITER.match(self.writer)
        return "" if match is None else match[1]


def commit_for(commits: Iterable[LakeCommit], current: int | None, history: OutputHistory, title: str) -> int | None:
    """The commit to which a table returns; None if its content is that of the history already.

    Args:
        commits: the commits that the log of the table still has, newest first.
        current: the current one.
        history: the output that the table is to have.
        title: the table, for messages.

    Raises:
        CheckpointError: another writer has changed the table since that commit, or the commits do not reach back to it.
    """
    if current is None:
        return None
    known, places = _read(commits, current, history)
    lineage = list(_contents(known, current))
    if not lineage:
        raise _unknown(title)
    later = [commit for commit in lineage if commit.run in history.runs and commit.id not in places]
    # Commits are read from the newest on: of several of one micro-batch, the first is the last.
    target = max(places, key=lambda commit: places[commit], default=later[-1].content if later else current)
    if not later and target in {commit.id for commit in lineage}:
        return None
    if target not in known:
        raise _unknown(title)
    remaining = {commit.id for commit in _contents(known, target)}
    dropped = [commit for commit in lineage if commit.id not in remaining and not commit.adds_nothing]
    others = [commit for commit in dropped if commit.run not in history.runs]
    if others:
        raise CheckpointError(
            f"{title} cannot return to {target}: that would undo {others[-1].id}, {others[-1].what} by another writer",
            where=title,
            remedy="give --keep-output to leave the tables of all sinks as they are, and correct this one yourself",
        )
    return target


def _read(
    commits: Iterable[LakeCommit], current: int, history: OutputHistory
) -> tuple[dict[int, LakeCommit], dict[int, tuple[int, int]]]:
    """Read commits up to the last one that both the table and the history have; also the places in the history."""
    known, places = dict[int, LakeCommit](), dict[int, tuple[int, int]]()
    content: int | None = current
    for commit in commits:
        known[commit.id] = commit
        place = history.position(commit.run, commit.batch) if commit.run in history.runs else None
        if place is not None:
            places[commit.id] = place
        if commit.id == content:
            if place is not None:
                break
            content = commit.content
    return known, places


def _contents(known: Mapping[int, LakeCommit], commit: int | None) -> Iterator[LakeCommit]:
    """The commits in the content of one, newest first, as far as they are known."""
    while commit is not None and commit in known:
        yield known[commit]
        commit = known[commit].content


def _unknown(title: str) -> CheckpointError:
    return CheckpointError(
        f"the log of {title} does not reach back to the micro-batch of the rewind",
        where=title,
        remedy="give --keep-output to leave the tables of all sinks as they are, and correct this one yourself",
    )
