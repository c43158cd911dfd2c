"""Correcting upgrades: the tables of sinks are as after a run from scratch, and get the difference alone."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan.plans.execution.state.upgrade.corrections import Correction
from compiled_plan.plans.execution.state.upgrade.rewinding import rewind
from compiled_plan.plans.execution.state.upgrade.rollback import roll_back
from compiled_plan.plans.execution.state.upgrade.seeding import Seeding
from compiled_plan.plans.plan import CompiledPlan
from tests.plans.execution.state.checkpoint.places import Place, table
from tests.plans.execution.state.upgrade.test_migration_killed import Copies, in_force

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DATABASE = "sinks.db"
TABLES = table("sales", "shop STRING, price INT, pieces INT, status STRING") + table(
    "shops", "shop STRING, town STRING"
)
SINKS = {
    "totals": "shop STRING, total BIGINT, PRIMARY KEY (shop) NOT ENFORCED",
    "towns": "town STRING, total BIGINT, PRIMARY KEY (town) NOT ENFORCED",
}
TOTALS = "INSERT INTO totals SELECT shop, SUM(price) FROM sales GROUP BY shop"
BY_TOWN = """INSERT INTO towns SELECT town, SUM(price) FROM sales AS s JOIN shops AS p ON s.shop = p.shop
GROUP BY town"""
Rows = dict[str, tuple[Any, ...]]


def sinks(database: str = DATABASE) -> str:
    return "".join(
        f"CREATE TABLE {name} ({columns}) WITH ('connector' = 'jdbc', 'url' = 'jdbc:sqlite:{{folder}}/{database}', "
        f"'table-name' = '{name}');\n"
        for name, columns in SINKS.items()
    )


def sale(shop: str, price: int, status: str = "paid", pieces: int = 1) -> dict[str, Any]:
    return {"shop": shop, "price": price, "pieces": pieces, "status": status}


def created(folder: Path, database: str = DATABASE) -> None:
    with closing(sqlite3.connect(folder / database)) as connection, connection:
        connection.execute("CREATE TABLE totals (shop TEXT PRIMARY KEY, total BIGINT)")
        connection.execute("CREATE TABLE towns (town TEXT PRIMARY KEY, total BIGINT)")
        connection.execute("CREATE TABLE deleted (shop TEXT)")
        connection.execute(
            "CREATE TRIGGER deletion AFTER DELETE ON totals BEGIN INSERT INTO deleted VALUES (OLD.shop); END"
        )


def rows(folder: Path, name: str, database: str = DATABASE) -> Rows:
    with closing(sqlite3.connect(folder / database)) as connection:
        return {row[0]: row[1:] for row in connection.execute(f"SELECT * FROM {name}")}


@pytest.fixture
def place(spark: SparkSession, tmp_path: Path) -> Place:
    place = Place(spark, tmp_path)
    begin(place)
    return place


def begin(place: Place) -> None:
    """Create the tables, with the first rows of the input."""
    created(place.folder)
    shops = [{"shop": shop, "town": town} for shop, town in (("x", "a"), ("y", "a"), ("z", "b"))]
    place.add({"sales": [sale("x", 3), sale("y", 5, "open"), sale("z", 7)], "shops": shops})


def compiled(place: Place, *statements: str, database: str = DATABASE) -> CompiledPlan:
    return place.compiled(TABLES + sinks(database), *statements)


def corrected(place: Place, plan: CompiledPlan, **options: Any) -> list[Correction]:
    """The corrections of a run."""
    run, corrections = place.started(plan, upgrade="correct", **options), list[Correction]()
    run.start.on_corrected = corrections.append
    run.execute()
    return corrections


def difference(before: Rows, after: Rows) -> tuple[int, int, int, int]:
    """The numbers of keys: equal, inserted, updated, deleted."""
    both = before.keys() & after.keys()
    updated = sum(before[key] != after[key] for key in both)
    return len(both) - updated, len(after.keys() - both), updated, len(before.keys() - both)


def from_scratch(place: Place, *statements: str) -> str:
    """Run statements over all rows into another database; return its name."""
    database = "fresh.db"
    if not (place.folder / database).exists():
        created(place.folder, database)
    place.run(compiled(place, *statements, database=database), checkpoint=str(place.folder / "fresh"))
    return database


CHANGES = {
    "an added filter": (TOTALS, TOTALS.replace("GROUP", "WHERE status = 'paid' GROUP")),
    "another aggregate": (TOTALS, TOTALS.replace("SUM(price)", "SUM(pieces)")),
    "another join condition": (BY_TOWN, BY_TOWN.replace("p.shop\n", "p.shop AND price > 3\n")),
    "another projection behind kept state": (TOTALS, TOTALS.replace("SUM(price)", "SUM(price) / 2")),
    "a filter behind kept state": (TOTALS, f"{TOTALS} HAVING SUM(price) > 4"),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.sampled(3)
def test_tables_are_as_after_a_run_from_scratch(place: Place, change: str) -> None:
    old, new = CHANGES[change]
    name = "towns" if old is BY_TOWN else "totals"
    place.run(compiled(place, old))
    place.add({"sales": [sale("x", 4), sale("y", 6, "open", 9), sale("v", 1)], "shops": [{"shop": "v", "town": "c"}]})
    place.run(compiled(place, old))
    before, fresh = rows(place.folder, name), rows(place.folder, name, from_scratch(place, new))
    (correction,) = corrected(place, compiled(place, new))
    assert rows(place.folder, name) == fresh != before
    counts = (correction.equal, correction.inserted, correction.updated, correction.deleted)
    assert (counts, correction.sent) == (difference(before, fresh), True)
    place.add({"sales": [sale("x", 10), sale("w", 20, "open")], "shops": [{"shop": "w", "town": "d"}]})
    assert corrected(place, compiled(place, new)) == []
    assert len(place.generations()) == 2
    assert rows(place.folder, name) == rows(place.folder, name, from_scratch(place, new))


@pytest.mark.parametrize("change", ["an added filter", "another projection behind kept state"])
def test_the_state_of_a_replay_of_the_whole_program_is_not_written_again(
    place: Place, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    """Continue with the state of the replay, as with that of a first micro-batch."""
    old, new = CHANGES[change]
    place.run(compiled(place, old))
    place.add({"sales": [sale("x", 4), sale("y", 6, "open")]})
    place.run(compiled(place, old))
    monkeypatch.delattr(Seeding, "seed")
    corrected(place, compiled(place, new))
    place.add({"sales": [sale("x", 10), sale("y", 20)]})
    place.run(compiled(place, new))
    assert rows(place.folder, "totals") == rows(place.folder, "totals", from_scratch(place, new))


def test_the_remains_of_an_accepted_upgrade_are_corrected(place: Place) -> None:
    old, new = CHANGES["an added filter"]
    place.run(compiled(place, old))
    place.run(compiled(place, new), upgrade="migrate-partial")
    assert rows(place.folder, "totals")["y"] == (5,)
    (correction,) = corrected(place, compiled(place, new))
    assert (correction.equal, correction.deleted, correction.rows) == (2, 1, 1)
    assert corrected(place, compiled(place, new)) == []
    assert place.generations() == [1, 2, 3]


def test_all_tables_of_a_program_and_rows_of_other_writers(place: Place) -> None:
    """Two sinks behind one aggregate; a row that another program has changed, and one that it has added."""
    both = "EXECUTE STATEMENT SET BEGIN {}; {}; END"
    old, new = both.format(TOTALS, BY_TOWN), both.format(*(CHANGES[name][1] for name in list(CHANGES)[:3:2]))
    place.run(compiled(place, old))
    with closing(sqlite3.connect(place.folder / DATABASE)) as connection, connection:
        connection.execute("UPDATE totals SET total = NULL WHERE shop = 'z'")
        connection.execute("INSERT INTO totals VALUES ('other', 1)")
    totals, towns = corrected(place, compiled(place, new))
    assert (totals.updated, totals.deleted, totals.equal) == (1, 2, 1)
    assert (towns.inserted, towns.updated, towns.deleted, towns.equal) == (0, 1, 0, 1)
    assert rows(place.folder, "totals") == {"x": (3,), "z": (7,)}
    assert rows(place.folder, "towns") == {"a": (5,), "b": (7,)}


def test_a_rollback_says_what_was_sent(place: Place) -> None:
    """The tables return with a correction by the old program."""
    old, new = CHANGES["an added filter"]
    place.run(compiled(place, old))
    before = rows(place.folder, "totals")
    corrected(place, compiled(place, new))
    after = rows(place.folder, "totals")
    (sink,) = roll_back(place.spark, str(place.checkpoint)).sinks
    assert sink.text.startswith(f"{sink.table}: 0 rows, after a correction: 1 row sent (1 deleted), 2 equal; ")
    assert rows(place.folder, "totals") == after != before
    (correction,) = corrected(place, compiled(place, old))
    assert (correction.inserted, correction.rows) == (1, 1)
    assert rows(place.folder, "totals") == before
    assert corrected(place, compiled(place, old)) == []


def test_rows_of_a_table_that_a_rewind_leaves_are_taken_back(place: Place) -> None:
    old, new = CHANGES["an added filter"]
    place.run(compiled(place, old))
    before = rows(place.folder, "totals")
    place.add({"sales": [sale("x", 100), sale("v", 1)]})
    place.run(compiled(place, old))
    (sink,) = rewind(place.spark, str(place.checkpoint), "0").sinks
    assert sink.text == "2 rows left: jdbc does not take output back; the start of a plan with --upgrade correct does"
    assert rows(place.folder, "totals") != before
    (place.folder / "sales" / "2.json").unlink()
    (correction,) = corrected(place, compiled(place, old))
    assert (correction.updated, correction.deleted, correction.equal) == (1, 1, 2)
    assert rows(place.folder, "totals") == before
    assert corrected(place, compiled(place, old)) == []
    # Another program on the state of the rewound one: both causes together.
    roll_back(place.spark, str(place.checkpoint))
    (correction,) = corrected(place, compiled(place, new))
    assert rows(place.folder, "totals") == rows(place.folder, "totals", from_scratch(place, new))


@pytest.mark.wide
def test_a_start_continues_after_any_write_of_a_correction(
    place: Place, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Each write to the checkpoint may be the last of a process; rows that a table has are not sent again."""
    old, new = CHANGES["an added filter"]
    place.run(compiled(place, old))
    expected = {"x": (3,), "z": (7,)}
    copies = Copies(place.folder, tmp_path_factory.mktemp("correction"))
    copies.during(lambda: corrected(place, compiled(place, new)))
    kinds = set()
    for folder in copies.folders:
        copies.restore(folder)
        published, before = in_force(place.folder) == 2, rows(place.folder, "totals")
        kinds.add((published, before == expected))
        changes = changes_of(place.folder)
        sent = corrected(place, compiled(place, new))
        assert rows(place.folder, "totals") == expected
        assert changes_of(place.folder) - changes == (before != expected)
        assert [correction.rows for correction in sent] in ([1], [])
    assert kinds == {(False, False), (True, False), (True, True)}


def changes_of(folder: Path) -> int:
    """The number of deleted rows so far, counted by a trigger of the database."""
    with closing(sqlite3.connect(folder / DATABASE)) as connection:
        return int(connection.execute("SELECT COUNT(*) FROM deleted").fetchone()[0])
