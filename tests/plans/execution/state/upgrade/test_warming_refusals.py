"""Warm-ups: refusals by name, and supported cases. Without Spark."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from compiled_plan.plans.errors import CheckpointError, ExecutionError
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.execution.state.upgrade.decision import Decision
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from compiled_plan.plans.plan import CompiledPlan
from tests.plans.execution.state.upgrade.checkpoints import TABLES, Times, compiled, decided, started, with_ttl

PRICES = "INSERT INTO totals SELECT shop, SUM(price) FROM orders GROUP BY shop"
PIECES = "INSERT INTO more SELECT shop, SUM(pieces) FROM orders GROUP BY shop"
VISITS = "INSERT INTO more SELECT shop, COUNT(*) FROM visits GROUP BY shop"
HIGHEST = (
    "INSERT INTO more SELECT shop, COUNT(n) FROM (SELECT shop, SUM({}) AS n FROM orders GROUP BY shop) GROUP BY shop"
)
#: The sums of shops, and below the same operator the greatest of them.
GREATEST = (
    "INSERT INTO totals SELECT shop, n FROM (SELECT *, ROW_NUMBER() OVER (ORDER BY n DESC) AS r FROM "
    "(SELECT shop, SUM(price) AS n FROM orders GROUP BY shop)) WHERE r < 3"
)
JOINED = "INSERT INTO wide SELECT o.shop, price, rent FROM orders AS o JOIN shops AS s ON o.shop = s.shop"
HOURS = (
    "INSERT INTO more SELECT shop, COUNT(*) FROM TABLE(TUMBLE(TABLE {}, DESCRIPTOR(at1), INTERVAL '{}' HOUR)) "
    "GROUP BY shop, window_start, window_end"
)
LESS = "INSERT INTO totals SELECT shop, SUM(price) FROM orders WHERE pieces > 3 GROUP BY shop"
NOW = "INSERT INTO more SELECT shop, COUNT(*) FROM orders WHERE CURRENT_DATE > DATE '2000-01-01' GROUP BY shop"
ALL = {"upgrade": "migrate-partial", "warm_up": ("all",)}


def steps(decision: Decision) -> list[str]:
    return [step.text for step in decision.steps if step.kind in ("read-history", "warm-up", "start-empty")]


def refused(root: Path, old: CompiledPlan, new: CompiledPlan, times: Times | None = None, **options: Any) -> str:
    store = started(root, old, batches=2)
    with pytest.raises(CheckpointError) as error:
        decided(store, new, times=times, **{**ALL, **options})
    return str(error.value)


def test_a_new_operator_is_filled_and_only_the_new_sink_misses_what_was(tmp_path: Path) -> None:
    store = started(tmp_path, compiled(PRICES), batches=2)
    decision = decided(store, compiled(PRICES, PIECES), **ALL)  # type: ignore[arg-type]
    uid = decision.filled[0].target
    assert steps(decision) == [
        "read again what the source orders has read: 2 files",
        f"fill {uid} from history in 1 micro-batch, without sinks: it is new",
    ]
    assert [finding.what for finding in decision.findings] == ["sink more"]
    assert decision.steps[-3].to_dict()["batches"] == 1
    assert decided(store, compiled(PRICES, PIECES), upgrade="migrate-partial", warm_up=(uid,)).steps == decision.steps


def test_an_inner_join_with_a_new_table_has_given_no_row_so_nothing_is_missing(tmp_path: Path) -> None:
    store = started(tmp_path, compiled(PRICES), batches=2)
    decision = decided(store, compiled(PRICES, JOINED), warm_up=("all",))
    assert decision.verdict is Verdict.FULL
    outer = decided(store, compiled(PRICES, JOINED.replace("JOIN", "LEFT JOIN")), **ALL)  # type: ignore[arg-type]
    assert outer.verdict is Verdict.PARTIAL


def test_operators_over_new_tables_need_no_history(tmp_path: Path) -> None:
    store = started(tmp_path, compiled(PRICES), batches=2)
    decision = decided(store, compiled(PRICES, VISITS), warm_up=("all",))
    assert decision.filling is None
    assert decision.verdict is Verdict.FULL
    assert [step.split()[0] for step in steps(decision)] == ["start"]


def test_a_warm_up_without_empty_operators_changes_nothing(tmp_path: Path) -> None:
    store = started(tmp_path, compiled(PRICES), batches=2)
    assert not decided(store, compiled(PRICES), warm_up=("all",)).migrates


def test_a_reset_operator_is_made_anew(tmp_path: Path) -> None:
    store = started(tmp_path, compiled(PRICES), batches=2)
    uid = decided(store, compiled(PRICES), upgrade="migrate").steps[2].to_dict()["uid"]
    decision = decided(store, compiled(PRICES), reset=(uid,), warm_up=(uid,))
    assert f"fill {uid} from history in 1 micro-batch, without sinks: it is reset" in steps(decision)
    assert decision.verdict is Verdict.FULL
    with pytest.raises(CheckpointError, match="the operator keeps its state") as error:
        decided(store, compiled(PRICES), warm_up=(uid,))
    assert f"--reset {uid} --warm-up {uid} rebuilds it from history" in str(error.value)


def test_unknown_operators_are_named(tmp_path: Path) -> None:
    said = refused(tmp_path, compiled(PRICES), compiled(PRICES, PIECES), warm_up=("nobody",))
    assert "--warm-up nobody: no operator of this uid starts empty" in said
    assert "operators that start empty: group-aggregate-orders-" in said
    with pytest.raises(ExecutionError, match="no effect without --warm-up"):
        RunOptions(checkpoint="c", warm_up_from={"orders": {}})
    with pytest.raises(ExecutionError, match="without a checkpoint"):
        RunOptions(warm_up=("all",))


SUM_AND_MAX = "INSERT INTO wide SELECT shop, SUM(price), MAX(pieces) FROM orders GROUP BY shop"
SUM_TWICE = "INSERT INTO wide SELECT shop, SUM(price), SUM(price) FROM orders GROUP BY shop"
BY_PIECES = "INSERT INTO totals SELECT CAST(pieces AS STRING), SUM(price) FROM orders GROUP BY pieces"
RANKED = GREATEST.replace("SUM(price) AS n", "MAX(pieces) AS n")


@pytest.mark.parametrize(
    ("old", "new", "options"),
    [
        (SUM_TWICE, SUM_AND_MAX, ["--upgrade --reset --warm-up"]),
        (PRICES, BY_PIECES, ["--upgrade --reset --warm-up"]),
        (PRICES, JOINED.replace("JOIN", "LEFT JOIN"), ["--upgrade --warm-up"]),
        (PRICES, LESS, ["--upgrade --reset --warm-up"]),
        (GREATEST, RANKED, ["--upgrade --reset --warm-up --reset --warm-up"]),
        (SUM_TWICE, SUM_AND_MAX.replace("MAX(pieces)", "MAX(IF(CURRENT_DATE > DATE '2000-01-01', pieces, 0))"), []),
    ],
)
def test_a_refusal_offers_a_fill_from_history_where_it_yields_the_state(
    tmp_path: Path, old: str, new: str, options: list[str]
) -> None:
    store = started(tmp_path, compiled(old), batches=2)
    for times in (Times(), Times({"file:///data/orders/1.json": None})):
        with pytest.raises(CheckpointError) as error:
            decided(store, compiled(new), times=times)
        offered = [remedy for remedy in (error.value.remedy or "").split("; ") if "from what was read before" in remedy]
        flags = [remedy.partition(" fills ")[0].split() for remedy in offered]
        assert [" ".join(words[::2]) for words in flags] == ([] if times.others else options)
        for words in flags:
            named = {name: [uid for flag, uid in pairwise(words) if flag == name] for name in words[::2]}
            upgrade = named.get("--upgrade", ["check"])[0]
            decided(store, compiled(new), upgrade=upgrade, reset=named.get("--reset", ()), warm_up=named["--warm-up"])


@pytest.mark.parametrize(("time", "how"), [(None, "is gone"), (2000, "was written again since it was read")])
def test_removed_and_changed_files_are_refused(tmp_path: Path, time: int | None, how: str) -> None:
    times = Times({"file:///data/orders/1.json": time})
    said = refused(tmp_path, compiled(PRICES), compiled(PRICES, PIECES), times)
    assert f"the history of table orders has gaps: file:///data/orders/1.json {how}" in said
    assert "--warm-up-from \"orders=('connector' = 'filesystem', ...)\"" in said
    assert "leave --warm-up out" in said


def test_unrepeatable_sources_are_refused(tmp_path: Path) -> None:
    tables = (
        "CREATE TABLE made (k STRING, v INT) WITH ('connector' = 'datagen', 'number-of-rows' = '10');\n"
        "CREATE TABLE a (k STRING, n BIGINT) WITH ('connector' = 'blackhole');\n"
    )
    plans = [_compiled(tables, *calls) for calls in (("SUM(v)",), ("SUM(v)", "MAX(v)"))]
    said = refused(tmp_path, *plans)
    assert "the rows of table made cannot be had again from the connector datagen" in said
    times = Times({"/archive/1.json": 5})
    history = {"made": {"connector": "filesystem", "path": "/archive", "format": "json"}}
    decision = decided(started(tmp_path / "b", plans[0]), plans[1], times=times, **ALL, warm_up_from=history)  # type: ignore[arg-type]
    assert steps(decision)[0] == "read 1 file of /archive for the rows of made so far"
    assert [*decision.partly.values()] == ["it was filled from another table than the one that is read"]
    said = refused(tmp_path / "c", *plans, warm_up_from=history)
    assert "--warm-up-from made: there is no file below /archive" in said
    said = refused(tmp_path / "d", *plans, warm_up_from={"mad": history["made"]})
    assert "--warm-up-from mad: the plan reads no such table" in said


DELTA = "'connector' = 'delta', 'path' = '/lake/t'"
ICEBERG = "'connector' = 'iceberg', 'catalog-name' = 'c', 'catalog-table' = 't'"
STREAM = f"{ICEBERG}, 'streaming' = 'true'"
CHANGES = f"{STREAM}, 'changelog' = 'true'"
LAST = "SELECT k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY {} DESC) AS r FROM t) WHERE r {}"


def of_lake(options: str, query: str = "SELECT k, COUNT(*) FROM t GROUP BY k") -> CompiledPlan:
    """Sums over a table of a lake, and another query."""
    from compiled_plan.environment import TableEnvironment

    tables = f"CREATE TABLE t (k STRING, v INT, at1 TIMESTAMP(3), p AS PROCTIME(){{}}) WITH ({options});\n"
    watermark = ", WATERMARK FOR at1 AS at1" if "TUMBLE" in query else ""
    tables = tables.format(watermark) + "CREATE TABLE a (k STRING, n BIGINT) WITH ('connector' = 'blackhole');\n"
    sums = "INSERT INTO a SELECT k, SUM(v) FROM t GROUP BY k"
    return TableEnvironment().compile_script(
        f"{tables}EXECUTE STATEMENT SET BEGIN {sums};INSERT INTO a {query}; END;" if query else tables + sums
    )


@pytest.mark.parametrize("options", [DELTA, f"{DELTA}, 'startingVersion' = '0'", STREAM, CHANGES])
def test_a_stream_of_a_lake_is_read_again_up_to_its_position(tmp_path: Path, options: str) -> None:
    decision = decided(started(tmp_path, of_lake(options, ""), batches=2), of_lake(options), **ALL)  # type: ignore[arg-type]
    assert steps(decision) == [
        "read again the table t, up to the position of the checkpoint",
        f"fill {decision.filled[0].target} from history in 1 micro-batch, without sinks: it is new",
    ]
    later = of_lake(options, LAST.format("at1", "<= 2"))
    decided(started(tmp_path / "later", of_lake(options, "")), later, **ALL)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "query", "message"),
    [
        (f"{DELTA}, 'scan.mode' = 'batch'", "", "a batch read is of a version that the checkpoint does not record"),
        (
            f"{DELTA}, 'startingVersion' = 'latest'",
            "",
            "does not record which version 'startingVersion' = 'latest'",
        ),
        (f"{DELTA}, 'skipChangeCommits' = 'true'", "", "the table has the changes that 'skipChangeCommits' skips"),
        (f"{DELTA}, 'ignoreDeletes' = 'true'", "", "the table has the changes that 'ignoreDeletes' skips"),
        (ICEBERG, "", "a batch read is of a snapshot that the checkpoint does not record"),
        (f"{STREAM}, 'streaming-skip-delete-snapshots' = 'true'", "", "the table has the changes that"),
        (DELTA, LAST.format("p", "= 1"), "goes by the order in which rows arrived, and a table does not keep it"),
        (DELTA, LAST.format("p", "<= 2"), "goes by the order in which rows arrived, and a table does not keep it"),
    ],
)
def test_a_table_of_a_lake_with_other_rows_is_refused(tmp_path: Path, options: str, query: str, message: str) -> None:
    new = of_lake(options, query) if query else of_lake(options)
    assert message in refused(tmp_path, of_lake(options, ""), new)


def test_another_start_of_a_stream_of_a_lake_is_refused(tmp_path: Path) -> None:
    starts = ((DELTA, "startingVersion", 3), (STREAM, "start-snapshot-timestamp", 3), (STREAM, "changelog", "true"))
    for options, name, value in starts:
        said = refused(tmp_path / name, of_lake(options, ""), of_lake(f"{options}, '{name}' = '{value}'"))
        assert f"with another '{name}'" in said


def _compiled(tables: str, *calls: str) -> CompiledPlan:
    from compiled_plan.environment import TableEnvironment

    inserts = "".join(f"INSERT INTO a SELECT k, {call} FROM made GROUP BY k;" for call in calls)
    return TableEnvironment().compile_script(f"{tables}EXECUTE STATEMENT SET BEGIN {inserts} END;")


def test_the_output_of_a_kept_operator_above_must_be_known(tmp_path: Path) -> None:
    decision = decided(started(tmp_path / "a", compiled(PRICES)), compiled(GREATEST), **ALL)  # type: ignore[arg-type]
    assert [step.kind for step in decision.steps if "state" in step.kind] == ["read-state", "move-state", "write-state"]
    assert steps(decision)[1].startswith("fill rank-")
    said = refused(tmp_path / "b", *(with_ttl(compiled(program), "1 h") for program in (PRICES, GREATEST)))
    assert "above it is unknown: it forgets after its TTL" in said
    assert "--reset group-aggregate-orders-" in said
    said = refused(tmp_path / "c", compiled(LESS), compiled(GREATEST))
    assert "above it is unknown: rows from before" in said
    history = {"orders": {"connector": "filesystem", "path": "/archive", "format": "json"}}
    times = Times({"/archive/1.json": 5})
    said = refused(tmp_path / "d", compiled(PRICES), compiled(GREATEST), times, warm_up_from=history)
    assert "above it has read orders itself, and not the table of --warm-up-from" in said


def test_an_earlier_partial_upgrade_is_remembered(tmp_path: Path) -> None:
    decision = decided(started(tmp_path, compiled(LESS)), compiled(PRICES), upgrade="migrate-partial")
    assert [*decision.partly.values()] == ["rows from before that `(orders.pieces > 3)` rejected are missing"]
    decision = decided(started(tmp_path / "b", compiled(PRICES)), compiled(PRICES, PIECES), upgrade="migrate-partial")
    assert [*decision.partly.values()] == ["it started empty in an upgrade"]


def test_an_operator_above_that_starts_empty_is_to_be_filled_too(tmp_path: Path) -> None:
    old, new = compiled(PRICES), compiled(PRICES, HIGHEST.format("pieces"))
    store = started(tmp_path, old, batches=2)
    decision = decided(store, new, **ALL)  # type: ignore[arg-type]
    first, second = (fill.target for fill in decision.filled)
    with pytest.raises(CheckpointError, match="above it starts empty") as said:
        decided(store, new, upgrade="migrate-partial", warm_up=(second,))
    assert f"--warm-up {first} fills that, too" in str(said.value)


def test_values_of_the_moment(tmp_path: Path) -> None:
    said = refused(tmp_path, compiled(PRICES), compiled(PRICES, NOW))
    assert "calls CURRENT_DATE, which returns another value now than when the rows arrived" in said


def test_the_clock(tmp_path: Path) -> None:
    from compiled_plan.environment import TableEnvironment

    tables = TABLES.replace("pieces INT)", "pieces INT, at1 AS PROCTIME())")
    old, new = (
        TableEnvironment().compile_script(f"{tables}EXECUTE STATEMENT SET BEGIN {'; '.join(statements)}; END;")
        for statements in ((PRICES,), (PRICES, HOURS.format("orders", 1)))
    )
    said = refused(tmp_path, old, new)
    assert "uses processing time, and the arrival times of the rows are unknown" in said


def test_the_log_of_a_query_in_event_time_gives_its_micro_batches(tmp_path: Path) -> None:
    old, new = compiled(HOURS.format("visits", 1)), compiled(HOURS.format("visits", 1), HOURS.format("visits", 2))
    store = started(tmp_path / "a", old, batches=2)
    decision = decided(store, new, **ALL)  # type: ignore[arg-type]
    assert decision.filling is not None
    assert [batch.watermark for batch in decision.filling.batches] == [0, 0]
    assert [len(batch.files["visits"]) for batch in decision.filling.batches] == [1, 1]
    for name in ("offsets/0", "commits/0"):
        store.generation(1).folder.remove(name)
    decision = decided(store, new, **ALL)  # type: ignore[arg-type]
    assert decision.filling is not None
    assert [batch.watermark for batch in decision.filling.batches] == [None, None, 0], "one source: as its files come"
