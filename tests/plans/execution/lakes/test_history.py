"""The commit to which a table returns, by its log and the output that it is to have."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.interfaces.outputs import OutputHistory, Span
from compiled_plan.plans.execution.lakes.history import LakeCommit, commit_for, writer_of

RUNS = frozenset({"one", "two", "three"})
ANOTHER = "etl"


def log(*batches: tuple[str, int] | int | str) -> list[LakeCommit]:
    """A log, oldest first: the creation, then micro-batches of runs, restorations, or operations of another writer."""
    commits = [LakeCommit(0, None, "CREATE TABLE")]
    for at, entry in enumerate(batches, 1):
        if isinstance(entry, int):
            commits.append(LakeCommit(at, entry, "RESTORE", adds_nothing=True))
        elif isinstance(entry, str):
            commits.append(LakeCommit(at, at - 1, entry, adds_nothing=entry == "OPTIMIZE"))
        else:
            commits.append(LakeCommit(at, at - 1, "MERGE", writer_of(entry[0], "t"), entry[1]))
    return commits


def target(commits: Sequence[LakeCommit], *spans: Span) -> int | None:
    history = OutputHistory(spans, RUNS)
    commit = commit_for(reversed(commits), commits[-1].id, history, "the table")
    if commit is not None:
        after = [*commits, LakeCommit(len(commits), commit, "RESTORE", adds_nothing=True)]
        assert commit_for(reversed(after), len(commits), history, "the table") is None, "a repetition does nothing"
    return commit


ONE = [("one", batch) for batch in range(5)]


@pytest.mark.parametrize(
    ("commits", "spans", "expected"),
    [
        (log(*ONE), [Span("one", -1, 2)], 3),
        (log(*ONE), [Span("one", -1, 4)], None),
        (log(*ONE), [Span("one")], None),
        (log(*ONE[3:]), [Span("one", -1, 2)], 0),
        (log(*ONE[:2], ONE[4]), [Span("one", -1, 3)], 2),
        (log(*ONE, "OPTIMIZE"), [Span("one", -1, 2)], 3),
        (log("INSERT", *ONE), [Span("one", -1, 0)], 2),
        (log(*ONE[:2], "INSERT"), [Span("one", -1, 1)], None),
        # Undone: the commit after which the table was restored, whatever was written since.
        (log(*ONE, 3), [Span("one")], 5),
        (log(*ONE, 3, ("two", 3)), [Span("one")], 5),
        (log(*ONE, 3, ("two", 3)), [Span("one", -1, 2), Span("two", 2)], None),
        # Rewound twice: to the second run, and behind it to the first.
        (log(*ONE, 3, ("two", 3), ("two", 4)), [Span("one", -1, 2), Span("two", 2, 3)], 7),
        (log(*ONE, 3, ("two", 3), ("two", 4)), [Span("one", -1, 1)], 2),
        (log(*ONE, 3, ("two", 3), 2, ("three", 2)), [Span("one", -1, 2), Span("two", 2)], 7),
    ],
)
def test_a_table_returns_to_the_last_commit_of_the_history(
    commits: list[LakeCommit], spans: list[Span], expected: int | None
) -> None:
    assert target(commits, *spans) == expected


@pytest.mark.parametrize(
    "commits", [log(*ONE, "INSERT"), log(*ONE[:4], "INSERT", ONE[4]), log(*ONE, ("elsewhere", 7)), log(*ONE, 5, "SET")]
)
def test_commits_of_another_writer_are_not_undone(commits: list[LakeCommit]) -> None:
    with pytest.raises(CheckpointError, match="by another writer") as refused:
        target(commits, Span("one", -1, 2))
    assert "--keep-output" in str(refused.value)


def test_a_log_that_does_not_reach_back_is_refused() -> None:
    history = OutputHistory([Span("one", -1, 1)], RUNS)
    for first in (4, 6):
        with pytest.raises(CheckpointError, match="does not reach back"):
            commit_for(reversed(log(*ONE)[first:]), 5, history, "the table")
    assert commit_for([], None, history, "the table") is None, "a table that does not exist has no output"
