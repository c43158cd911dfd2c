"""State that moves into a new generation: the result is the new program's over all data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan.plans.execution.files.sink import FileSink
from compiled_plan.plans.execution.session.options import GROUPS, TRANSFORM
from compiled_plan.plans.execution.session.partitions import ASKED, PARTITIONS
from compiled_plan.plans.execution.state.checkpoint.state_rows import stored_rows
from compiled_plan.plans.execution.state.upgrade.seeding import Seeding, seeding_session
from tests.plans.execution.state.checkpoint.places import Place, table
from tests.plans.execution.state.upgrade.checkpoints import with_ttl

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SALES = "shop STRING, price INT, pieces INT"
SHOPS = "shop STRING, rent INT"
SINKS = "".join(table(name, "k STRING, n BIGINT", "debezium-json") for name in ("prices", "counts", "again"))
SINKS += table("joined", "k STRING, n BIGINT, m BIGINT")
TABLES = table("sales", SALES) + table("shops", SHOPS) + SINKS
PRICES = "INSERT INTO prices SELECT shop, SUM(price) FROM sales GROUP BY shop"
COUNTS = "INSERT INTO counts SELECT shop, SUM(pieces) FROM sales GROUP BY shop"
VALUES = "INSERT INTO again SELECT k, SUM(n) FROM (VALUES ('x', 1000), ('z', 7)) AS v (k, n) GROUP BY k"
JOINED = "INSERT INTO joined SELECT o.shop, price, rent FROM sales AS o JOIN shops AS s ON o.shop = s.shop"


def together(*statements: str) -> str:
    return f"EXECUTE STATEMENT SET BEGIN {' '.join(f'{statement};' for statement in statements)} END"


@pytest.fixture
def place(spark: SparkSession, tmp_path: Path) -> Place:
    place = Place(spark, tmp_path)
    sales = [{"shop": "x", "price": 3, "pieces": 10}, {"shop": "y", "price": 5, "pieces": 20}]
    place.add({"sales": sales, "shops": [{"shop": "x", "rent": 7}]})
    return place


def more(place: Place) -> None:
    place.add({"sales": [{"shop": "x", "price": 100, "pieces": 1000}], "shops": [{"shop": "y", "rent": 9}]})


def plain(place: Place, sink: str) -> list[tuple[Any, ...]]:
    """The rows of an append-only sink."""
    lines = [line for file in (place.folder / sink).glob("part-*") for line in file.read_text().splitlines()]
    return sorted(tuple(json.loads(line).values()) for line in lines)


@pytest.mark.wide
def test_a_removed_statement_that_returns_starts_empty(place: Place) -> None:
    """State of a removed operator is not reused: it would be outdated."""
    both = place.compiled(TABLES, together(PRICES, COUNTS, VALUES))
    place.run(both)
    more(place)
    run = place.moved(place.compiled(TABLES, together(VALUES, COUNTS)))
    assert run.upgrade is not None
    assert [step.kind for step in run.upgrade.steps if "state" in step.kind] == [
        "read-state",
        "move-state",
        "move-state",
        "drop-state",
        "write-state",
    ]
    assert place.rows("counts") == [("x", 1010), ("y", 20)]
    assert place.rows("again") == [("x", 1000), ("z", 7)], "constant rows are read once"
    assert place.generations() == [1, 2]
    assert not (place.checkpoint / "generations/2/compiled-plan/seed").exists()
    assert not (place.checkpoint / "generations/2/sources/seed").exists()
    place.add({"sales": [{"shop": "x", "price": 1, "pieces": 1}]})
    assert not place.run(place.compiled(TABLES, together(VALUES, COUNTS))).start.migrates
    assert place.rows("counts") == [("x", 1011), ("y", 20)]
    place.add({"sales": [{"shop": "y", "price": 1, "pieces": 1}]})
    place.moved(both, upgrade="migrate-partial")
    assert place.rows("counts") == [("x", 1011), ("y", 21)]
    assert place.rows("prices") == [("x", 3), ("y", 1), ("y", 5)], "what it was when it went, and from now on"


@pytest.mark.wide
def test_an_omitted_table_resumes_at_its_position(place: Place) -> None:
    rents = "INSERT INTO again SELECT shop, SUM(rent) FROM shops GROUP BY shop"
    place.run(place.compiled(TABLES, together(PRICES, rents)))
    more(place)
    place.moved(place.compiled(TABLES, PRICES))
    assert place.rows("again") == [("x", 7)]
    run = place.moved(place.compiled(TABLES, together(rents, PRICES)), upgrade="migrate-partial")
    assert run.upgrade is not None
    assert "source shops: resume at its position" in [step.text for step in run.upgrade.steps]
    assert place.rows("again") == [("x", 7), ("y", 9)], "each row once"
    assert place.rows("prices") == [("x", 103), ("y", 5)]


@pytest.mark.wide
def test_wider_types_read_old_state(place: Place) -> None:
    place.run(place.compiled(TABLES, together(PRICES, JOINED)))
    more(place)
    wider = TABLES.replace("price INT", "price BIGINT").replace("rent INT", "rent BIGINT")
    place.run(place.compiled(wider, together(PRICES, JOINED)), upgrade="migrate-partial")
    assert place.rows("prices") == [("x", 103), ("y", 5)]
    assert plain(place, "joined") == [("x", 3, 7), ("x", 100, 7), ("y", 5, 9)]


@pytest.mark.wide
def test_a_column_more_for_one_statement_leaves_the_other_as_from_scratch(place: Place) -> None:
    """The join that both share stores the pieces from now on; sums of prices do not need them."""
    both = "(SELECT o.shop, price, pieces, rent FROM sales AS o JOIN shops AS s ON o.shop = s.shop)"
    sums, rows = (
        f"INSERT INTO prices SELECT shop, SUM(price) FROM {both} GROUP BY shop",
        "INSERT INTO joined SELECT shop",
    )
    place.run(place.compiled(TABLES, together(sums, f"{rows}, price, rent FROM {both}")))
    more(place)
    run = place.moved(
        place.compiled(TABLES, together(sums, f"{rows}, price, pieces FROM {both}")), upgrade="migrate-partial"
    )
    assert run.upgrade is not None
    join, sink = (concern.what for concern in run.upgrade.findings)
    assert join.startswith("operator join-sales-shops-") and sink == "sink joined"
    assert place.rows("prices") == [("x", 103), ("y", 5)]
    assert plain(place, "joined") == [("x", 3, 7), ("x", 100, 1000), ("y", 5, None)]


@pytest.mark.wide
def test_an_operator_above_moves_those_below_into_another_stage(place: Place) -> None:
    chain = "SELECT shop, SUM(price) AS n FROM sales GROUP BY shop"
    place.run(
        place.compiled(TABLES, together(PRICES, f"INSERT INTO counts SELECT shop, MAX(n) FROM ({chain}) GROUP BY shop"))
    )
    more(place)
    distinct = chain.replace("FROM sales", "FROM (SELECT DISTINCT * FROM sales)")
    run = place.moved(
        place.compiled(
            TABLES, together(f"INSERT INTO counts SELECT shop, MAX(n) FROM ({distinct}) GROUP BY shop", PRICES)
        ),
        upgrade="migrate-partial",
    )
    assert run.upgrade is not None
    assert place.rows("prices") == [("x", 103), ("y", 5)]
    assert any(step.text.startswith("start ") for step in run.upgrade.steps)


def stored(place: Place, generation: int, batch: int, stages: int = 1, host: str = TRANSFORM) -> list[tuple[str, str]]:
    """Keys and operators in the state of a generation, including lists of timers."""
    uri = f"file:{place.checkpoint}/generations/{generation}"
    rows = stored_rows(seeding_session(place.spark, 2), uri, [host] * stages, batch).collect()
    return sorted((row.key, row.op) for row in rows)


@pytest.mark.wide
def test_idle_entries_that_were_kept_for_ever_follow_a_ttl_and_are_removed(place: Place) -> None:
    plan = place.compiled(TABLES, PRICES)
    place.run(plan)
    assert len(stored(place, 1, 0)) == 2
    more(place)
    run = place.moved(with_ttl(plan, "1 ms"))
    assert run.upgrade is not None
    assert "0 ms -> 1 ms" in "\n".join(step.text for step in run.upgrade.steps)
    assert ("x", 100) in place.rows("prices"), "what was written before had expired"
    place.add({"sales": [{"shop": "z", "price": 1, "pieces": 1}]})
    place.run(with_ttl(plan, "1 ms"))
    left = [key for key, op in stored(place, 2, 2) if not op.startswith("\0")]
    assert not any("y" in key for key in left), "its timer was set though nobody wrote it"


@pytest.mark.wide
@pytest.mark.parametrize(("old", "new"), [("1 d", "1 ms"), ("1 d", "0 ms")])
def test_other_changes_of_a_ttl_start_in_place(place: Place, old: str, new: str) -> None:
    plan = place.compiled(TABLES, PRICES)
    place.run(with_ttl(plan, old))
    more(place)
    assert not place.run(with_ttl(plan, new)).start.migrates
    assert (("x", 103) in place.rows("prices")) is (new == "0 ms")


@pytest.mark.wide
def test_the_number_of_partitions_and_the_host_change(place: Place) -> None:
    plan = with_ttl(place.compiled(TABLES, together(PRICES, JOINED)), "1 d")
    place.run(plan)
    more(place)
    conf = place.spark.conf
    before = str(conf.get(PARTITIONS))
    try:
        for name in (ASKED, PARTITIONS):
            conf.set(name, "3")
        place.moved(plan, host=GROUPS)
    finally:
        conf.unset(ASKED)
        conf.set(PARTITIONS, before)
    assert place.rows("prices") == [("x", 103), ("y", 5)]
    assert plain(place, "joined") == [("x", 3, 7), ("x", 100, 7), ("y", 5, 9)]
    place.add({"sales": [{"shop": "x", "price": 1000, "pieces": 0}, {"shop": "y", "price": 1000, "pieces": 0}]})
    place.moved(plan)
    assert place.rows("prices") == [("x", 1103), ("y", 1005)]
    assert plain(place, "joined") == [("x", 3, 7), ("x", 100, 7), ("x", 1000, 7), ("y", 5, 9), ("y", 1000, 9)]
    assert [head for head, _ in place.heads()] == [1, 2, 3]
    for generation in (2, 3):
        about = (place.checkpoint / f"generations/{generation}/offsets/1").read_text().splitlines()[1]
        assert json.loads(about)["conf"][PARTITIONS] == "3"


@pytest.mark.wide
def test_all_state_is_kept_through_more_and_fewer_partitions(spark: SparkSession, tmp_path: Path) -> None:
    """2 to 8 to 3: more partitions than some have keys, then a number that divides neither."""
    place, keys = Place(spark, tmp_path), [f"shop {number}" for number in range(100)]
    plan = place.compiled(TABLES, together(PRICES, JOINED))

    def sold(price: int, shops: list[str]) -> dict[str, Any]:
        return {"sales": [{"shop": shop, "price": price, "pieces": 1} for shop in shops]}

    place.add({"shops": [{"shop": "none", "rent": 0}]})
    conf, before = spark.conf, str(spark.conf.get(PARTITIONS))
    try:
        for turn, partitions in enumerate(("2", "8", "3")):
            for name in (ASKED, PARTITIONS):
                conf.set(name, partitions)
            place.add(sold(10**turn, keys))
            run = place.moved(plan) if turn else place.run(plan)
            assert run.start.migrates is (turn > 0)
            about = (place.checkpoint / f"generations/{turn + 1}/offsets").glob("[0-9]*")
            last = max(about, key=lambda file: int(file.name))
            assert json.loads(last.read_text().splitlines()[1])["conf"][PARTITIONS] == partitions
        place.add({"shops": [{"shop": shop, "rent": 7} for shop in keys]})
        place.run(plan)
    finally:
        conf.unset(ASKED)
        conf.set(PARTITIONS, before)
    assert place.rows("prices") == [(shop, 111) for shop in sorted(keys)]
    assert plain(place, "joined") == sorted((shop, price, 7) for shop in keys for price in (1, 10, 100))


@pytest.mark.wide
def test_a_batch_that_was_begun_is_written_once(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = place.compiled(TABLES, together(PRICES, COUNTS))
    place.run(plan)
    more(place)
    written = FileSink.write

    def dies(sink: FileSink, frame: Any, batch: int) -> None:
        written(sink, frame, batch)
        if sink.table.options["path"].endswith("counts"):
            raise OSError("the power is gone")

    with monkeypatch.context() as patched:
        patched.setattr(FileSink, "write", dies)
        with pytest.raises(Exception, match="the power is gone"):
            place.run(plan)
    place.add({"sales": [{"shop": "x", "price": 1, "pieces": 1}]})
    run = place.moved(place.compiled(TABLES, COUNTS))
    assert run.upgrade is not None
    assert run.upgrade.steps[0].text == "finish micro-batch 1, which was begun, with the old plan"
    assert place.rows("counts") == [("x", 1011), ("y", 20)]
    assert place.rows("prices") == [("x", 103), ("y", 5)], "the old plan has written its batch to the end"


EVENTS = "shop STRING, price INT, at1 TIMESTAMP(3), WATERMARK FOR at1 AS at1 - INTERVAL '1' SECOND"
WINDOWS = (
    "INSERT INTO closed SELECT shop, COUNT(*), SUM(price) FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(at1), "
    "INTERVAL '1' MINUTE)) GROUP BY shop, window_start, window_end"
)


@pytest.mark.wide
def test_open_windows_close_behind_a_migration_as_without_it(place: Place) -> None:
    tables = table("events", EVENTS) + table("closed", "k STRING, n BIGINT, m BIGINT")

    def event(second: int, price: int, shop: str = "x") -> dict[str, Any]:
        return {"shop": shop, "price": price, "at1": f"2024-01-01 00:{second // 60:02}:{second % 60:02}"}

    plan = place.compiled(tables, WINDOWS)
    place.add({"events": [event(1, 1), event(5, 8, "y"), event(30, 2), event(70, 4)]})
    place.run(plan)
    before = plain(place, "closed")
    conf, partitions = place.spark.conf, str(place.spark.conf.get(PARTITIONS))
    place.add({"events": [event(40, 1000), event(71, 64, "y"), event(75, 16), event(200, 32)]})
    try:
        for name in (ASKED, PARTITIONS):
            conf.set(name, "3")
        place.moved(plan)
    finally:
        conf.unset(ASKED)
        conf.set(PARTITIONS, partitions)
    place.run(plan, available_now=False)
    assert len(before) == 2, "the first windows had closed"
    assert plain(place, "closed") == [("x", 1, 32), ("x", 2, 3), ("x", 2, 20), ("y", 1, 8), ("y", 1, 64)], (
        "1000 is late"
    )


@pytest.mark.wide
def test_a_migration_that_fails_leaves_the_old_generation_in_force(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = place.compiled(TABLES, together(PRICES, COUNTS))
    place.run(plan)
    more(place)
    with monkeypatch.context() as patched:
        patched.setattr(Seeding, "seed", lambda *_: (_ for _ in ()).throw(OSError("no room")))
        with pytest.raises(Exception, match="no room"):
            place.run(place.compiled(TABLES, COUNTS))
    assert place.heads() == [(1, "start")]
    assert place.generations() == [1]
    place.run(plan)
    assert place.rows("prices") == [("x", 103), ("y", 5)]
    assert place.rows("counts") == [("x", 1010), ("y", 20)]


@pytest.mark.wide
def test_a_new_source_begins_though_the_process_ends_before_the_first_micro_batch(place: Place) -> None:
    place.run(place.compiled(TABLES, PRICES))
    both = place.compiled(TABLES, together(PRICES, JOINED))
    place.started(both, upgrade="migrate-partial").prepare()
    assert place.heads() == [(1, "start"), (2, "migrate")]
    more(place)
    place.run(both)
    assert plain(place, "joined") == [("x", 100, 7)]
