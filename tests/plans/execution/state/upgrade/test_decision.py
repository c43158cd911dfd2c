"""Decision of a start on a checkpoint: in place, in a new generation, or refused. Without Spark."""

from __future__ import annotations

from pathlib import Path

import pytest

from compiled_plan.plans.errors import CheckpointError, ExecutionError
from compiled_plan.plans.execution.session.options import GROUPS, NATIVE, TRANSFORM, RunOptions
from compiled_plan.plans.execution.state.checkpoint.description import Setting
from compiled_plan.plans.execution.state.upgrade.refusing import UpgradeError
from compiled_plan.plans.execution.state.upgrade.steps import DropState, MoveState, StartEmpty
from compiled_plan.plans.inspection.identity import with_uids
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from compiled_plan.plans.spark_versions import SPARK_VERSIONS
from tests.plans.execution.state.upgrade.checkpoints import compiled, decided, started, with_ttl

PRICES = "INSERT INTO totals SELECT shop, SUM(price) FROM orders GROUP BY shop"
PIECES = "INSERT INTO more SELECT shop, SUM(pieces) FROM orders GROUP BY shop"
JOINED = "INSERT INTO wide SELECT o.shop, price, {} FROM orders AS o JOIN shops AS s ON o.shop = s.shop"
CHEAP = "INSERT INTO totals SELECT shop, SUM(price) FROM orders WHERE price < 10 GROUP BY shop"


def test_the_same_program_continues_in_place(tmp_path: Path) -> None:
    store = started(tmp_path, compiled(PRICES))
    assert not decided(store, compiled(PRICES)).migrates
    decision = decided(store, compiled(PRICES), upgrade="migrate")
    assert [step.kind for step in decision.steps] == [
        "carry-source",
        "read-state",
        "move-state",
        "write-state",
        "publish",
    ]


@pytest.mark.parametrize(
    ("old", "new", "moves"),
    [
        ("0 ms", "1 d", True),
        ("1 d", "0 ms", False),
        ("1 d", "1 h", False),
        ("1 h", "1 d", False),
        ("0 ms", "0 s", False),
    ],
)
def test_a_ttl_moves_state_only_where_entries_were_kept_for_ever(
    tmp_path: Path, old: str, new: str, moves: bool
) -> None:
    store = started(tmp_path, with_ttl(compiled(PRICES), old))
    decision = decided(store, with_ttl(compiled(PRICES), new))
    assert decision.migrates is moves
    assert decision.verdict is Verdict.FULL
    if moves:
        (step,) = (step for step in decision.steps if isinstance(step, MoveState))
        assert step.mapping.is_identity
        assert "0 ms -> 1 d, from the last write of each entry" in step.text


def test_another_number_of_partitions_moves_state_and_the_default_does_not(tmp_path: Path) -> None:
    store = started(tmp_path, compiled(PRICES), Setting(TRANSFORM, 2))
    assert not decided(store, compiled(PRICES), Setting(TRANSFORM, 5)).migrates
    assert not decided(store, compiled(PRICES), Setting(TRANSFORM, 2, requested_partitions=2)).migrates
    decision = decided(store, compiled(PRICES), Setting(TRANSFORM, 5, requested_partitions=5))
    assert decision.partitions == decision.known.partitions == 5
    assert "write generation 2 (5 partitions, transformWithState)" in "\n".join(step.text for step in decision.steps)


def test_another_host_moves_state_but_not_to_and_from_the_native_one(tmp_path: Path) -> None:
    first = (
        "INSERT INTO totals SELECT shop, price FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY shop ORDER BY p) AS r "
        "FROM (SELECT *, PROCTIME() AS p FROM orders)) WHERE r = 1"
    )
    plan = with_ttl(compiled(first), "1 d")
    store = started(tmp_path / "a", plan)
    decision = decided(store, plan, Setting(GROUPS, 2))
    assert [step.text for step in decision.steps if step.kind in ("read-state", "write-state")] == [
        "read the state of generation 1 (2 partitions, transformWithState)",
        "write generation 2 (2 partitions, flatMapGroupsWithState), with new timers",
    ]
    with pytest.raises(UpgradeError, match="cannot be migrated to native") as refused:
        decided(store, plan, Setting(NATIVE, 2))
    assert "give --host transformWithState" in str(refused.value)
    native = started(tmp_path / "b", plan, Setting(NATIVE, 2))
    with pytest.raises(UpgradeError, match="the state of native cannot be migrated to transformWithState"):
        decided(native, plan)
    assert not decided(native, plan, Setting(NATIVE, 2)).migrates
    with pytest.raises(UpgradeError, match="the state of native cannot be migrated\n"):
        decided(native, plan, Setting(NATIVE, 2, requested_partitions=3))


def test_a_removed_operator_is_dropped_and_the_others_keep_their_names(tmp_path: Path) -> None:
    store = started(tmp_path, compiled(PRICES, PIECES))
    decision = decided(store, compiled(PIECES))
    (dropped,) = (step for step in decision.steps if isinstance(step, DropState))
    (move,) = (step for step in decision.steps if isinstance(step, MoveState))
    assert dropped.uid != move.uid == move.mapping.source
    assert decision.known.uids == {
        node.id: move.uid for node in compiled(PIECES).nodes if node.keeps_state and node.kind != "sink"
    }


def test_a_partial_change_is_refused_and_names_the_accepting_flag(tmp_path: Path) -> None:
    store = started(tmp_path, compiled(PRICES))
    for upgrade in ("check", "migrate"):
        with pytest.raises(UpgradeError, match="cannot start: 1 of 2 operators is partially compatible") as refused:
            decided(store, compiled(PRICES, PIECES), upgrade=upgrade)
        assert "--upgrade migrate-partial continues and accepts this" in str(refused.value)
        assert refused.value.diff is not None
    decision = decided(store, compiled(PRICES, PIECES), upgrade="migrate-partial")
    assert [step.why for step in decision.steps if isinstance(step, StartEmpty)] == ["added"]
    assert decision.findings
    assert decision.verdict is Verdict.PARTIAL


def test_a_refusal_counts_the_operators_by_verdict(tmp_path: Path) -> None:
    """The aggregate by another key is incompatible, the one over fewer rows partially compatible."""
    store = started(tmp_path, compiled(PRICES, PIECES))
    by_piece = "INSERT INTO more SELECT CAST(pieces AS STRING), SUM(pieces) FROM orders GROUP BY CAST(pieces AS STRING)"
    with pytest.raises(UpgradeError) as refused:
        decided(store, compiled(CHEAP, by_piece))
    first = str(refused.value).splitlines()[0]
    counts = "1 of 2 operators is incompatible and 1 is partially compatible with the checkpoint"
    assert first == f"cannot start: {counts}"


def test_an_operator_with_another_meaning_starts_empty_on_request(tmp_path: Path) -> None:
    old, new = (
        compiled(f"INSERT INTO totals SELECT {k}, SUM(price) FROM orders GROUP BY {k}")
        for k in ("shop", "CAST(pieces AS STRING)")
    )
    named = [
        with_uids(plan).with_nodes(
            [n.model_copy(update={"uid": "mine"}) if n.kind == "group-aggregate" else n for n in with_uids(plan).nodes]
        )
        for plan in (old, new)
    ]
    store = started(tmp_path, named[0])
    with pytest.raises(UpgradeError, match="operator mine") as refused:
        decided(store, named[1], upgrade="migrate-partial")
    assert "--reset mine starts that operator empty" in str(refused.value)
    decision = decided(store, named[1], reset=("mine",), upgrade="migrate-partial")
    assert [step.kind for step in decision.steps if step.kind.endswith(("state", "empty"))][1:-1] == [
        "drop-state",
        "start-empty",
    ]


def test_a_reset_of_an_unknown_operator_is_refused_by_name(tmp_path: Path) -> None:
    store = started(tmp_path, compiled(PRICES))
    with pytest.raises(CheckpointError, match="--reset nobody: the plan has no such operator") as refused:
        decided(store, compiled(PRICES), reset=("nobody",))
    assert "group-aggregate-orders" in str(refused.value)
    with pytest.raises(ExecutionError, match="without a checkpoint"):
        RunOptions(reset=("x",))
    with pytest.raises(ExecutionError, match="unknown upgrade mode: sometimes"):
        RunOptions(upgrade="sometimes")


def test_a_batch_that_was_begun_is_finished_first(tmp_path: Path) -> None:
    store = started(tmp_path, compiled(PRICES, PIECES), batches=3, begun=True)
    decision = decided(store, compiled(PRICES))
    assert decision.steps[0].text == "finish micro-batch 3, which was begun, with the old plan"


def test_a_checkpoint_without_a_batch_has_no_state_to_move(tmp_path: Path) -> None:
    store = started(tmp_path, compiled(PRICES, PIECES), batches=0)
    assert [step.kind for step in decided(store, compiled(PRICES)).steps] == ["carry-source", "publish"]


def test_positions_follow_their_tables(tmp_path: Path) -> None:
    store = started(tmp_path, compiled(JOINED.format("rent")))
    decision = decided(store, compiled(PRICES), upgrade="migrate-partial")
    texts = [step.text for step in decision.steps if step.kind == "carry-source"]
    assert texts == [
        "source orders: resume at its position",
        "source shops: keep its position, though it is no longer read: it may come back",
    ]


def test_an_older_spark_than_wrote_the_checkpoint_is_refused(tmp_path: Path) -> None:
    store = started(tmp_path, compiled(PRICES), Setting(TRANSFORM, 2, spark="99.1.0"))
    with pytest.raises(UpgradeError, match=r"written by Spark 99\.1\.0") as refused:
        decided(store, compiled(PIECES), Setting(TRANSFORM, 2, spark="4.3.0"))
    assert "run it with Spark 99.1.0 or newer" in str(refused.value)


@pytest.mark.parametrize("after", [*map(str, SPARK_VERSIONS)])
def test_a_checkpoint_moves_between_versions_of_spark(tmp_path: Path, after: str) -> None:
    store = started(tmp_path, compiled(PRICES), Setting(TRANSFORM, 2, spark=SPARK_VERSIONS[0].tested))
    assert not decided(store, compiled(PRICES), Setting(TRANSFORM, 2, spark=f"{after}.9")).migrates


def test_steps_are_data_and_text(tmp_path: Path) -> None:
    store = started(tmp_path, compiled(PRICES, PIECES))
    steps = [step.to_dict() for step in decided(store, compiled(PRICES)).steps]
    assert steps[-1] == {
        "step": "publish",
        "generation": 2,
        "before": 1,
        "text": "put generation 2 in force; generation 1 remains for --rollback, until --prune",
    }
    (moved,) = (step for step in steps if step["step"] == "move-state")
    assert moved["mapping"]["from"] == moved["mapping"]["to"] == moved["uid"]
