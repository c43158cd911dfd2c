"""The start of a session: what is done beside it."""

from __future__ import annotations

import threading

import pytest

from compiled_plan.plans.execution.session import _beside


def test_work_beside_the_start_is_over_when_the_session_is_there() -> None:
    seen: list[str] = []
    with _beside(lambda: seen.append(threading.current_thread().name)):
        pass
    assert len(seen) == 1
    assert seen[0] != threading.current_thread().name


def test_a_failure_beside_the_start_does_not_end_it() -> None:
    reached = []
    with _beside(lambda: 1 / 0):
        reached.append("the session")
    assert reached == ["the session"]


def test_a_start_that_fails_says_so() -> None:
    with pytest.raises(ValueError, match="no Java"), _beside(lambda: None):
        raise ValueError("no Java")


def test_nothing_beside_it() -> None:
    threads = threading.active_count()
    with _beside(None):
        assert threading.active_count() == threads
