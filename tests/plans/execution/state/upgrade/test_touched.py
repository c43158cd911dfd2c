"""Scope of correcting upgrades: operators filled, tables compared, sinks refused. Without Spark."""

from __future__ import annotations

from pathlib import Path

import pytest

from compiled_plan.plans.errors import CheckpointError, ExecutionError
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.execution.state.upgrade.decision import Decision
from compiled_plan.plans.execution.state.upgrade.refusing import UpgradeError
from compiled_plan.plans.execution.state.upgrade.steps import CompareTable, MoveState, SendCorrections, Step, WarmUp
from tests.plans.execution.state.upgrade.checkpoints import compiled, decided, started, with_ttl

KEYED = "shop STRING, n BIGINT, PRIMARY KEY (shop) NOT ENFORCED"


def sink(name: str, columns: str = KEYED, place: str = "", **options: str) -> str:
    chosen = {"connector": "jdbc", "url": "jdbc:sqlite:/data/x.db", "table-name": place or name} | options
    text = ", ".join(f"'{key.replace('_', '.')}' = '{value}'" for key, value in chosen.items())
    return f"CREATE TABLE {name} ({columns}) WITH ({text});\n"


SINKS = sink("a") + sink("b")
PRICES = "INSERT INTO a SELECT shop, SUM(price) FROM orders GROUP BY shop"
PIECES = "INSERT INTO b SELECT shop, SUM(pieces) FROM orders GROUP BY shop"
SIZES = (
    "INSERT INTO a SELECT CAST(n AS STRING), COUNT(*) FROM (SELECT shop, SUM(price) AS n FROM orders {} GROUP BY shop) "
    "GROUP BY n"
)
WHERE = PRICES.replace("GROUP", "WHERE price > 1 GROUP")


def correcting(folder: Path, old: str, new: str, **options: object) -> Decision:
    store = started(folder, compiled(old))
    return decided(store, compiled(new), upgrade="correct", **options)


def both(*statements: str, sinks: str = SINKS) -> str:
    return f"{sinks}EXECUTE STATEMENT SET BEGIN {'; '.join(statements)}; END"


def steps_of(decision: Decision, kind: type[Step]) -> list[str]:
    return [step.text for step in decision.steps if isinstance(step, kind)]


def test_the_same_program_continues_in_place(tmp_path: Path) -> None:
    assert not correcting(tmp_path, SINKS + PRICES, SINKS + PRICES).migrates


def test_the_other_statement_keeps_its_state_and_its_table(tmp_path: Path) -> None:
    decision = correcting(tmp_path, both(PRICES, PIECES), both(WHERE, PIECES))
    (filled,), (moved,) = (steps_of(decision, kind) for kind in (WarmUp, MoveState))
    assert "the change touches it" in filled and "keep" in moved
    name = "default_catalog.default_database.a"
    assert steps_of(decision, CompareTable) == [
        f"compare the table {name}, read back by SELECT, with the result over that history"
    ]
    assert [step.tables for step in decision.steps if isinstance(step, SendCorrections)] == [(name,)]
    assert [step.kind for step in decision.steps][-3:] == ["compare-table", "publish", "send-corrections"]


def test_operators_downstream_are_filled_too(tmp_path: Path) -> None:
    decision = correcting(tmp_path, SINKS + SIZES.format(""), SINKS + SIZES.format("WHERE price > 1"))
    assert len(steps_of(decision, WarmUp)) == 2
    assert not steps_of(decision, MoveState)


def test_a_change_behind_kept_state_fills_nothing(tmp_path: Path) -> None:
    decision = correcting(tmp_path, SINKS + PRICES, SINKS + PRICES.replace("SUM(price)", "SUM(price) * 2"))
    assert len(steps_of(decision, CompareTable)) == len(steps_of(decision, MoveState)) == 1
    assert not steps_of(decision, WarmUp)


def test_a_new_table_gets_the_past(tmp_path: Path) -> None:
    decision = correcting(tmp_path, both(PRICES), both(PRICES, PIECES))
    assert len(steps_of(decision, WarmUp)) == len(steps_of(decision, CompareTable)) == 1


def test_forgetting_state_alone_is_no_reason(tmp_path: Path) -> None:
    plan = with_ttl(compiled(SINKS + PRICES), "1 d")
    assert not decided(started(tmp_path, plan), plan, upgrade="correct").migrates


ADDED = "INSERT INTO a SELECT shop, price FROM orders", "INSERT INTO a SELECT shop, price + 1 FROM orders"
PRINT = "CREATE TABLE a (shop STRING, n BIGINT) WITH ('connector' = 'print');\n"


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (*(both(query, sinks=PRINT) for query in ADDED), "what its table has cannot be read from the connector print"),
        (*(both(query, sinks=sink("a", "shop STRING, n BIGINT")) for query in ADDED), "its table has no primary key"),
        (
            *(both(query, PIECES, sinks=sink("a") + sink("b", place="a")) for query in (PRICES, WHERE)),
            "2 statements write into its table",
        ),
    ],
)
def test_sinks_that_cannot_be_corrected_are_refused_by_name(tmp_path: Path, old: str, new: str, reason: str) -> None:
    with pytest.raises(UpgradeError) as refused:
        correcting(tmp_path, old, new)
    assert f"- sink default_catalog.default_database.a: {reason}" in str(refused.value)
    assert "delta, iceberg, jdbc, upsert-kafka" in str(refused.value)


def test_a_result_that_history_does_not_yield_is_refused(tmp_path: Path) -> None:
    old, new = (SINKS + PRICES.replace("FROM", f"{more} FROM") for more in ("", "+ CAST(RAND() AS INT)"))
    with pytest.raises(CheckpointError) as refused:
        correcting(tmp_path, old, new)
    assert "sink default_catalog.default_database.a: node" in str(refused.value)
    assert "calls RAND" in str(refused.value)
    assert "--upgrade migrate-partial starts without correcting the past" in str(refused.value)


def test_real_time_mode_is_refused() -> None:
    with pytest.raises(ExecutionError, match="--upgrade correct starts in micro-batch mode"):
        RunOptions(checkpoint="c", upgrade="correct", trigger="real-time")
