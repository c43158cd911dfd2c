from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from compiled_plan.plans.execution.session.kept import keeps_session, kept_session, session_of_command


class Sessions:
    """Sessions that were started, and the number of those that have ended."""

    def __init__(self) -> None:
        self.started: list[dict[str, Any]] = []
        self.ended = 0

    @contextmanager
    def start(self, *_: Any, **how: Any) -> Iterator[object]:
        self.started.append(how)
        yield object()
        self.ended += 1


@pytest.fixture
def sessions(monkeypatch: pytest.MonkeyPatch) -> Sessions:
    sessions = Sessions()
    monkeypatch.setattr("compiled_plan.plans.execution.session.spark_session.spark_session", sessions.start)
    monkeypatch.setattr("compiled_plan.plans.execution.session.kept.missing_lakes", lambda *_: ())
    return sessions


def test_commands_start_their_own_sessions(sessions: Sessions) -> None:
    for number in (1, 2):
        with session_of_command("", {}, verbose=False, meanwhile=None):
            assert len(sessions.started) == number
        assert sessions.ended == number


def test_commands_share_a_session_that_is_kept(sessions: Sessions) -> None:
    with kept_session():
        for verbose in (True, False):
            with session_of_command("", {}, verbose=verbose, meanwhile=None):
                assert keeps_session()
            assert [start["verbose"] for start in sessions.started] == [True]
        assert not sessions.ended
    assert sessions.ended == 1
    assert not keeps_session()


def test_a_session_that_is_kept_ends_after_a_failure(sessions: Sessions) -> None:
    with pytest.raises(KeyError), kept_session(), session_of_command("", {}, verbose=False, meanwhile=None):
        raise KeyError
    assert sessions.ended == 1
    assert not keeps_session()
