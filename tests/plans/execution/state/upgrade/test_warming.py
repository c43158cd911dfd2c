"""Operators filled from history: afterwards the result is the new program's over all rows."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.state.upgrade import replay
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from compiled_plan.plans.plan import CompiledPlan
from tests.plans.execution.state.checkpoint.places import Place, table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SALES = "shop STRING, price INT, pieces INT, p AS PROCTIME()"
KEYED = "k STRING, n BIGINT, m BIGINT, PRIMARY KEY (k) NOT ENFORCED"
TABLES = (
    table("sales", SALES)
    + table("shops", "shop STRING, rent INT")
    + table("stock", "shop STRING, piece INT", "debezium-json")
    + "".join(table(name, "k STRING, n BIGINT", "debezium-json") for name in ("sums", "again"))
    + "".join(table(name, KEYED, "debezium-json") for name in ("keyed", "other"))
)
SUMS = "INSERT INTO sums SELECT shop, SUM(price) FROM sales GROUP BY shop;"
#: By name a query over tables that are read already; each key of its sink occurs again after the upgrade.
QUERIES = {
    "group-aggregate": "SELECT shop, SUM(pieces), COUNT(*) FROM sales GROUP BY shop",
    "distinct": "SELECT shop, COUNT(DISTINCT price), MAX(pieces) FROM sales GROUP BY shop",
    "two-aggregates": (
        "SELECT shop, SUM(n), MAX(n) FROM (SELECT shop, price, SUM(pieces) AS n FROM sales GROUP BY shop, price) "
        "GROUP BY shop"
    ),
    "below-a-kept-one": "SELECT k, MAX(n), COUNT(*) FROM ({sums}) GROUP BY k",
    "join": (
        "SELECT s.shop, SUM(price + rent), COUNT(*) FROM sales AS s JOIN shops AS h ON s.shop = h.shop GROUP BY s.shop"
    ),
    "outer-join": (
        "SELECT s.shop, COUNT(rent), COUNT(*) FROM sales AS s LEFT JOIN shops AS h ON s.shop = h.shop GROUP BY s.shop"
    ),
    "semi-join": ("SELECT shop, SUM(price), COUNT(*) FROM sales WHERE shop IN (SELECT shop FROM shops) GROUP BY shop"),
    "last-row": (
        "SELECT shop, price, pieces FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY shop ORDER BY p DESC) AS r "
        "FROM sales) WHERE r = 1"
    ),
    "top": (
        "SELECT shop, SUM(price), COUNT(*) FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY shop ORDER BY price) "
        "AS r FROM sales) WHERE r <= 3 GROUP BY shop"
    ),
    "over": (
        "SELECT shop, SUM(t), COUNT(*) FROM (SELECT shop, SUM(price) OVER (PARTITION BY shop ORDER BY p ROWS BETWEEN "
        "UNBOUNDED PRECEDING AND CURRENT ROW) AS t FROM sales) GROUP BY shop"
    ),
    "changelog": "SELECT shop, SUM(piece), COUNT(*) FROM stock GROUP BY shop",
    "constants": (
        "SELECT s.shop, SUM(price * f), COUNT(*) FROM sales AS s JOIN (VALUES ('x', 2), ('y', 3)) AS v (shop, f) "
        "ON s.shop = v.shop GROUP BY s.shop"
    ),
}
READS = (
    "INSERT INTO again SELECT h.shop, SUM(rent) FROM shops AS h GROUP BY h.shop; "
    "INSERT INTO again SELECT shop, SUM(piece) FROM stock GROUP BY shop; "
    "INSERT INTO again SELECT shop, SUM(f) FROM (VALUES ('x', 2), ('y', 3)) AS v (shop, f) GROUP BY shop;"
)


def sale(shop: str, price: int, pieces: int) -> dict[str, Any]:
    return {"shop": shop, "price": price, "pieces": pieces}


def created(shop: str, piece: int) -> dict[str, Any]:
    return {"before": None, "after": {"shop": shop, "piece": piece}, "op": "c"}


def together(*statements: str) -> str:
    return f"EXECUTE STATEMENT SET BEGIN {' '.join(statements)} END"


def fill(place: Place) -> None:
    place.add({"sales": [sale("x", 3, 10), sale("y", 5, 20)], "shops": [{"shop": "x", "rent": 7}]})
    place.add({"stock": [created("x", 1), created("y", 5)]})


def fill_more(place: Place) -> None:
    place.add({"sales": [sale("x", 3, 1), sale("x", 50, 2), sale("y", 5, 2)], "shops": [{"shop": "y", "rent": 9}]})


def go_on(place: Place) -> None:
    place.add({"sales": [sale("x", 2, 7), sale("y", 60, 8)], "shops": [{"shop": "x", "rent": 1}]})
    change = {"before": {"shop": "x", "piece": 1}, "after": {"shop": "x", "piece": 9}, "op": "u"}
    place.add({"stock": [change, created("y", 1)]})


def keyed(place: Place, sink: str) -> dict[str, tuple[Any, ...]]:
    """The last row of each key."""
    result: dict[str, tuple[Any, ...]] = {}
    files = sorted((place.folder / sink).glob("part-*"), key=lambda path: (path.stat().st_mtime_ns, path.name))
    for file in files:
        for line in file.read_text().splitlines():
            after = json.loads(line)["after"]
            if after is not None:
                result[after["k"]] = tuple(after.values())
    return result


def uid_of(run: Run, kind: str) -> str:
    """The operator of that kind that starts empty."""
    (uid,) = (node.uid for node in run.prepared.plan.nodes if node.kind == kind and node.uid)
    return uid


@pytest.fixture
def place(spark: SparkSession, tmp_path: Path) -> Place:
    return Place(spark, tmp_path)


def query(name: str) -> str:
    sums = "SELECT shop AS k, SUM(price) AS n FROM sales GROUP BY shop"
    return QUERIES[name].format(sums=sums)


#: By query, the rows of a run over all input from scratch, by key.
FROM_SCRATCH: dict[str, dict[str, tuple[Any, ...]]] = {
    "group-aggregate": {"x": ("x", 20, 4), "y": ("y", 30, 3)},
    "distinct": {"y": ("y", 2, 20), "x": ("x", 3, 10)},
    "two-aggregates": {"x": ("x", 20, 11), "y": ("y", 30, 22)},
    "below-a-kept-one": {"x": ("x", 58, 1), "y": ("y", 70, 1)},
    "join": {"y": ("y", 97, 3), "x": ("x", 148, 8)},
    "outer-join": {"x": ("x", 8, 8), "y": ("y", 3, 3)},
    "semi-join": {"y": ("y", 70, 3), "x": ("x", 58, 4)},
    "last-row": {"y": ("y", 60, 8), "x": ("x", 2, 7)},
    "top": {"y": ("y", 70, 3), "x": ("x", 8, 3)},
    "over": {"y": ("y", 85, 3), "x": ("x", 123, 4)},
    "changelog": {"x": ("x", 9, 1), "y": ("y", 6, 2)},
    "constants": {"x": ("x", 116, 4), "y": ("y", 210, 3)},
}
TOTALS: list[tuple[Any, ...]] = [("x", 58), ("y", 70)]


def statements(names: Iterable[str]) -> list[str]:
    """The queries, each into a table of its own."""
    return [f"INSERT INTO {sink(name)} {query(name)};" for name in names]


def sink(name: str) -> str:
    return f"of_{name.replace('-', '_')}"


ALL_TABLES = TABLES + "".join(table(sink(name), KEYED, "debezium-json") for name in QUERIES)
#: Queries whose operators are filled by the other queries, too.
DEEP = ("group-aggregate", "two-aggregates", "semi-join")


@pytest.mark.wide
@pytest.mark.parametrize(
    "names",
    [
        pytest.param([name for name in QUERIES if name not in DEEP], id="default"),
        pytest.param(DEEP, id="deep", marks=pytest.mark.deep),
    ],
)
def test_filled_operators_equal_those_that_saw_all_rows(names: Sequence[str], place: Place) -> None:
    fill(place)
    fill_more(place)
    place.run(place.compiled(ALL_TABLES, together(SUMS, READS)))
    go_on(place)
    run = place.moved(
        place.compiled(ALL_TABLES, together(SUMS, READS, *statements(names))),
        upgrade="migrate-partial",
        warm_up=("all",),
    )
    assert run.upgrade is not None
    assert {step.kind for step in run.upgrade.steps} >= {"read-history", "warm-up"}
    assert not any(step.kind == "start-empty" for step in run.upgrade.steps)
    assert all(finding.what.startswith("sink ") for finding in run.upgrade.findings), "only sinks miss what was"
    for name in names:
        assert keyed(place, sink(name)) == FROM_SCRATCH[name], name
    assert place.rows("sums") == TOTALS
    assert not (place.checkpoint / "generations/2/compiled-plan/warm-up").exists()


@pytest.mark.deep
def test_recorded_rows_equal_those_of_a_run_over_all_rows(place: Place) -> None:
    for add in (fill, fill_more, go_on):
        add(place)
    place.run(place.compiled(ALL_TABLES, together(SUMS, READS, *statements(QUERIES))))
    assert {name: keyed(place, sink(name)) for name in QUERIES} == FROM_SCRATCH
    assert place.rows("sums") == TOTALS


@pytest.mark.wide
def test_an_operator_below_a_kept_one_is_filled_with_what_that_has_given(place: Place) -> None:
    """The operator above keeps its state; its output for history goes to the new one only."""
    sums = "SELECT shop AS k, SUM(price) AS n, COUNT(*) AS m FROM sales GROUP BY shop"
    least = f"SELECT k, n, m FROM (SELECT *, ROW_NUMBER() OVER (ORDER BY m DESC) AS r FROM ({sums})) WHERE r < 2"
    fill(place)
    place.add({"sales": [sale("y", 1, 1), sale("y", 1, 1)]})
    place.run(place.compiled(TABLES, f"INSERT INTO keyed {sums}"))
    place.add({"sales": [sale("x", 100, 1)]})
    new = place.compiled(TABLES, f"INSERT INTO keyed {least}")
    place.moved(new, upgrade="migrate-partial", warm_up=("all",))
    assert keyed(place, "keyed") == {"x": ("x", 3, 1), "y": ("y", 7, 3)}, "x is none of the first: it is never told of"
    place.add({"sales": [sale("x", 100, 1), sale("x", 100, 1), sale("y", 1, 1), sale("x", 1, 1)]})
    place.run(new)
    assert keyed(place, "keyed")["x"] == ("x", 304, 5)


@pytest.mark.wide
def test_a_reset_operator_is_made_anew_from_history(place: Place) -> None:
    """Instead of an aggregate that begins with the rows from now on."""
    old, new = (
        f"INSERT INTO keyed SELECT shop, SUM(price), {call} FROM sales GROUP BY shop" for call in ("1", "COUNT(*)")
    )
    fill(place)
    place.run(place.compiled(TABLES, old.replace("1 FROM", "CAST(1 AS BIGINT) FROM")))
    go_on(place)
    plan = place.compiled(TABLES, new)
    (uid,) = (node.uid for node in place.started(plan, upgrade="migrate-partial").prepared.plan.nodes if node.uid)
    assert uid is not None
    run = place.moved(plan, reset=(uid,), warm_up=(uid,), upgrade="migrate-partial")
    assert run.upgrade is not None
    assert not any(uid in finding.uids for finding in run.upgrade.findings)
    assert keyed(place, "keyed") == {"x": ("x", 5, 2), "y": ("y", 65, 2)}


WAITING = ("two", "sessions", "so_far", "near")
EVENTS_ONLY = ("two", "so_far")
EVENTS = "shop STRING, price INT, at1 TIMESTAMP(3), WATERMARK FOR at1 AS at1 - INTERVAL '1' SECOND"
TIMED = (
    table("events", EVENTS)
    + table("rates", "shop STRING, rate INT, at1 TIMESTAMP(3), WATERMARK FOR at1 AS at1")
    + "".join(table(name, "k STRING, n BIGINT, m BIGINT") for name in ("minutes", "seen", *WAITING))
)
MINUTES = (
    "INSERT INTO {} SELECT shop, COUNT(*), SUM(price) FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(at1), INTERVAL '{}' "
    "MINUTE)) GROUP BY shop, window_start, window_end;"
)
RATES = "INSERT INTO seen SELECT shop, rate, rate FROM rates;"
IN_EVENT_TIME = {
    "two": MINUTES.format("two", 2),
    "sessions": (
        "INSERT INTO sessions SELECT shop, COUNT(*), SUM(price) FROM TABLE(SESSION(TABLE events PARTITION BY shop, "
        "DESCRIPTOR(at1), INTERVAL '70' SECOND)) GROUP BY shop, window_start, window_end;"
    ),
    "so_far": (
        "INSERT INTO so_far SELECT shop, price, SUM(price) OVER (PARTITION BY shop ORDER BY at1 ROWS BETWEEN "
        "UNBOUNDED PRECEDING AND CURRENT ROW) FROM events;"
    ),
    "near": (
        "INSERT INTO near SELECT e.shop, price, rate FROM events AS e JOIN rates AS r ON e.shop = r.shop AND "
        "r.at1 BETWEEN e.at1 - INTERVAL '1' MINUTE AND e.at1 + INTERVAL '1' MINUTE;"
    ),
}


def event(second: int, price: int, shop: str = "x", name: str = "price") -> dict[str, Any]:
    return {"shop": shop, name: price, "at1": f"2024-01-01 00:{second // 60:02}:{second % 60:02}"}


def rate(second: int, rate: int) -> dict[str, Any]:
    return event(second, rate, name="rate")


EVENTS_BY_RUN = (
    {"events": [event(1, 1), event(30, 2), event(70, 4)], "rates": [rate(5, 3), rate(60, 5)]},
    # The first is late for minutes, and not for windows of two.
    {"events": [event(45, 8), event(80, 16), event(130, 32, "y"), event(140, 64)], "rates": [rate(120, 7)]},
    {"events": [event(20, 128), event(150, 256), event(250, 512)], "rates": [rate(150, 9), rate(255, 1)]},
)


def events_in(place: Place, sink: str) -> list[tuple[Any, ...]]:
    """The rows of an append-only sink."""
    lines = [line for file in (place.folder / sink).glob("part-*") for line in file.read_text().splitlines()]
    return sorted(tuple(json.loads(line).values()) for line in lines)


#: Rows of windows and timers that are emitted in the third run, from scratch; of `minutes` all.
AFTER_THE_CHANGE: dict[str, list[tuple[Any, ...]]] = {
    "two": [("x", 2, 320), ("y", 1, 32)],
    "sessions": [("x", 8, 479), ("y", 1, 32)],
    "so_far": [("x", 64, 87), ("x", 256, 343), ("y", 32, 32)],
    "near": [("x", 64, 9), ("x", 128, 3), ("x", 128, 5), ("x", 256, 7), ("x", 256, 9), ("x", 512, 1)],
    "minutes": [("x", 2, 3), ("x", 2, 20), ("x", 2, 320), ("y", 1, 32)],
}


#: Without the slower table of rates the watermark of the second run is later: it emits more rows before the change.
WITHOUT_RATES = AFTER_THE_CHANGE | {"so_far": [("x", 64, 87), ("x", 256, 343)]}


def compiled_at(place: Place, *added: str, reads: str = RATES) -> CompiledPlan:
    return place.compiled(TIMED, together(MINUTES.format("minutes", 1), reads, *added))


@pytest.mark.wide
@pytest.mark.parametrize("purged", [False, True])
def test_filled_timers_equal_those_of_a_run_over_all_rows(purged: bool, place: Place) -> None:
    """Open windows have the rows from before; late rows are the same as in the original micro-batches."""
    # With a log that begins later the micro-batches of only one table are known.
    added, reads, expected = (EVENTS_ONLY, "", WITHOUT_RATES) if purged else (WAITING, RATES, AFTER_THE_CHANGE)
    for rows in EVENTS_BY_RUN[:2]:
        place.add(rows)
        place.run(compiled_at(place, reads=reads))
    if purged:
        for entry in (place.checkpoint / "generations/1/offsets").glob("*"):
            if entry.name in ("0", "1", ".0.crc", ".1.crc"):
                entry.unlink()
    place.add(EVENTS_BY_RUN[2])
    new = compiled_at(place, *(IN_EVENT_TIME[name] for name in added), reads=reads)
    run = place.moved(new, upgrade="migrate-partial", warm_up=("all",))
    assert run.upgrade is not None
    assert sum(step.kind == "warm-up" for step in run.upgrade.steps) == len(added)
    for name in ("minutes", *added):
        assert events_in(place, name) == expected[name], name


@pytest.mark.deep
@pytest.mark.parametrize(
    ("names", "reads", "expected"),
    [(WAITING, RATES, AFTER_THE_CHANGE), (EVENTS_ONLY, "", WITHOUT_RATES)],
    ids=["with-rates", "without-rates"],
)
def test_recorded_rows_with_timers_equal_those_of_a_run_over_all_rows(
    names: Sequence[str], reads: str, expected: dict[str, list[tuple[Any, ...]]], place: Place
) -> None:
    plan = compiled_at(place, *(IN_EVENT_TIME[name] for name in names), reads=reads)
    before: dict[str, list[tuple[Any, ...]]] = {}
    for number, rows in enumerate(EVENTS_BY_RUN):
        if number == 2:
            before = {name: events_in(place, name) for name in names}
        place.add(rows)
        place.run(plan)
    for name in names:
        assert sorted((Counter(events_in(place, name)) - Counter(before[name])).elements()) == expected[name], name
    assert events_in(place, "minutes") == expected["minutes"]


@pytest.mark.wide
def test_windows_of_a_program_that_had_no_watermark(place: Place) -> None:
    """The watermark follows from history, too: rows behind it are late from then on."""
    for rows in EVENTS_BY_RUN[:2]:
        place.add(rows)
        place.run(place.compiled(TIMED, "INSERT INTO so_far SELECT shop, price, price FROM events"))
    place.add(EVENTS_BY_RUN[2])
    new = together("INSERT INTO so_far SELECT shop, price, price FROM events;", MINUTES.format("two", 2))
    place.moved(place.compiled(TIMED, new), upgrade="migrate-partial", warm_up=("all",))
    assert events_in(place, "two") == [("x", 2, 64 + 256), ("y", 1, 32)]


@pytest.mark.wide
def test_a_history_table_replaces_the_files_that_were_read(place: Place) -> None:
    fill(place)
    old = place.compiled(TABLES, SUMS)
    place.run(old)
    (archive := place.folder / "archive").mkdir()
    (read,) = (place.folder / "sales").iterdir()
    read.rename(archive / read.name)
    go_on(place)
    new = place.compiled(TABLES, together(SUMS, f"INSERT INTO keyed {QUERIES['group-aggregate']};"))
    with pytest.raises(CheckpointError, match="the history of table sales has gaps"):
        place.started(new, upgrade="migrate-partial", warm_up=("all",))
    history = {"sales": {"connector": "filesystem", "path": str(archive), "format": "json"}}
    place.moved(new, upgrade="migrate-partial", warm_up=("all",), warm_up_from=history)
    assert keyed(place, "keyed") == {"x": ("x", 17, 2), "y": ("y", 28, 2)}


@pytest.mark.wide
def test_a_warm_up_that_fails_leaves_the_old_generation_in_force(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(place)
    old = place.compiled(TABLES, SUMS)
    place.run(old)
    go_on(place)
    new = place.compiled(TABLES, together(SUMS, f"INSERT INTO keyed {QUERIES['group-aggregate']};"))
    with monkeypatch.context() as patched:
        patched.setattr(replay, "plan_batch", lambda *_: (_ for _ in ()).throw(OSError("no room")))
        with pytest.raises(Exception, match="no room"):
            place.run(new, upgrade="migrate-partial", warm_up=("all",))
    assert place.heads() == [(1, "start")]
    assert place.generations() == [1]
    assert not (place.folder / "keyed").exists()
    place.run(old)
    assert place.rows("sums") == [("x", 5), ("y", 65)]


KILLED = """
import os, sys
from compiled_plan.plans.execution.state.upgrade import replay
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from compiled_plan.cli.execute_plan import app
done = replay.follow
replay.follow = lambda *given: (done(*given), os.killpg(0, 9))
app(sys.argv[1:])
"""


@pytest.mark.deep
def test_a_process_that_is_killed_while_it_fills(place: Place) -> None:
    fill(place)
    old = place.compiled(TABLES, SUMS)
    place.run(old)
    go_on(place)
    new = place.compiled(TABLES, together(SUMS, f"INSERT INTO keyed {QUERIES['group-aggregate']};"))
    (plan := place.folder / "new.json").write_text(new.to_json())
    options = ["--checkpoint", str(place.checkpoint), "--available-now", "--warm-up", "all"]
    options += ["--upgrade", "migrate-partial", "--master", "local[1]", "--conf", "spark.driver.memory=1g"]
    command = [sys.executable, "-c", KILLED, str(plan), *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, start_new_session=True)
    assert done.returncode == -9, done.stderr
    assert (place.checkpoint / "generations/2/compiled-plan/warm-up/commits/0").exists()
    assert place.heads() == [(1, "start")]
    place.run(new, upgrade="migrate-partial", warm_up=("all",))
    assert keyed(place, "keyed") == {"x": ("x", 17, 2), "y": ("y", 28, 2)}
    assert [number for number, _ in place.heads()] == [1, 2]


@pytest.mark.wide
def test_old_rows_join_those_of_a_new_table(place: Place) -> None:
    """The new table is read from its beginning, so nothing is missing: the start needs no permission."""
    joined = "INSERT INTO keyed SELECT s.shop, price, rent FROM sales AS s JOIN shops AS h ON s.shop = h.shop;"
    fill(place)
    place.run(place.compiled(TABLES, SUMS))
    go_on(place)
    tables = TABLES.replace(", PRIMARY KEY (k) NOT ENFORCED", "")
    run = place.moved(place.compiled(tables, together(SUMS, joined)), warm_up=("all",))
    assert run.upgrade is not None
    assert run.upgrade.verdict is Verdict.FULL
    assert place.rows("keyed") == [("x", 2, 1), ("x", 2, 7), ("x", 3, 1), ("x", 3, 7)]
