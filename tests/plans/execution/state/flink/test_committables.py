"""Output to commit in the state of a sink's committer."""

from __future__ import annotations

from base64 import b64decode

from compiled_plan.plans.execution.state.flink.committables import has_committables

#: The committer of an upsert-kafka sink that delivers at least once, in a savepoint of Flink 2.3.
EMPTY = b64decode("AAAAAgAAADy5HyUsAAAAAQAAAAEAAAAsAAAAAAAAAAEAAAABAAAAAgAAAAEAAAAUAAAAAAAAAAAAAAAAAAAAAAAAAAA=")


def test_a_sink_that_commits_nothing_has_nothing_to_commit() -> None:
    assert not has_committables(EMPTY)


def test_an_output_of_a_subtask_is_to_be_committed() -> None:
    """One output of four bytes."""
    grown = {7: 0x3C + 8, 23: 0x2C + 8, 47: 0x14 + 8, 59: 1}
    state = bytearray(EMPTY)
    for at, value in grown.items():
        state[at] = value
    assert has_committables(bytes(state[:60]) + b"\0\0\0\4data" + bytes(state[60:]))


def test_an_unknown_state_may_have_output_to_commit() -> None:
    assert has_committables(EMPTY[:40])
    assert has_committables(b"\0\0\0\7" + EMPTY[4:])
