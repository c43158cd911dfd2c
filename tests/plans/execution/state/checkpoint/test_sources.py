"""Sources that are added, removed, reordered and renamed between restarts: every row is read once."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.execution.spark.storage import LocalFolder
from compiled_plan.plans.execution.stages.prepared import prepare
from compiled_plan.plans.execution.state.checkpoint.description import Setting
from compiled_plan.plans.execution.state.checkpoint.offsets import positions, restore
from compiled_plan.plans.execution.state.checkpoint.sources import names_of, spelled
from compiled_plan.plans.inspection.identity import with_uids
from tests.plans.execution.state.checkpoint.places import Place, table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TABLES = "".join(table(name, "v STRING") for name in ("a", "b", "c", "copied"))
COUNTED = table("keyed", "k STRING, v INT") + table("totals", "k STRING, n BIGINT", "debezium-json")


def out(place: Place) -> Counter[str]:
    counts: Counter[str] = Counter()
    for file in (place.folder / "copied").glob("part-*"):
        counts.update(json.loads(line)["v"] for line in file.read_text().splitlines())
    return counts


def union(*names: str) -> str:
    return " UNION ALL ".join(f"SELECT v FROM {name}" for name in names)


def both(place: Place, tables: str, copied: str) -> None:
    """Run a copy into `copied` beside an aggregate, whose state is independent of the copies."""
    totals = "INSERT INTO totals SELECT k, SUM(v) FROM keyed GROUP BY k"
    statements = f"EXECUTE STATEMENT SET BEGIN INSERT INTO copied {copied}; {totals}; END"
    # Rows of a table that is no longer copied do not stay in the sink.
    place.run(place.compiled(tables + COUNTED, statements), upgrade="migrate-partial")


@pytest.mark.wide
def test_each_row_is_read_once_if_other_sources_change(spark: SparkSession, tmp_path: Path) -> None:
    place = Place(spark, tmp_path)

    def rows(number: int) -> None:
        place.add({name: [{"v": f"{name}{number}"}] for name in "abc"} | {"keyed": [{"k": "x", "v": number}]})

    once = " UNION ALL SELECT * FROM (VALUES ('once')) AS t (v)"
    rows(1)
    both(place, TABLES, f"{union('a', 'b', 'c')}{once}")
    assert out(place) == Counter(["a1", "b1", "c1", "once"])
    rows(2)
    both(place, TABLES, union("c", "a"))
    assert out(place) == Counter(["a1", "b1", "c1", "a2", "c2", "once"])
    rows(3)
    # Renamed, reordered, one of them unbounded now, and with the omitted one.
    renamed = "".join(
        table(name, "v STRING", more=more).replace(f"TABLE {name}", f"TABLE {new}")
        for name, new, more in (("b", "a", ""), ("a", "Zz", ", 'source.monitor-interval' = '1 s'"), ("c", "c", ""))
    )
    both(place, renamed + table("copied", "v STRING"), f"{union('Zz', 'c', 'a')}{once}")
    everything = Counter(f"{name}{number}" for name in "abc" for number in (1, 2, 3))
    assert out(place) == everything + Counter(["once"])
    assert place.rows("totals") == [("x", 6)]
    *names, values = sorted({path.name for path in place.checkpoint.glob("generations/*/sources/*")})
    assert names == ["a", "b", "c", "keyed"]
    assert values.startswith("values_v")


@pytest.mark.wide
def test_datagen_continues_at_its_position(spark: SparkSession, tmp_path: Path) -> None:
    place = Place(spark, tmp_path)
    numbers = (
        "CREATE TABLE numbers (v STRING) WITH ('connector' = 'datagen', 'fields.v.kind' = 'sequence', "
        "'fields.v.start' = '1', 'fields.v.end' = '5');\n"
    )
    place.add({"a": [{"v": "a1"}]})
    for names in (("numbers", "a"), ("a",), ("a", "numbers")):
        plan = place.compiled(numbers + TABLES, f"INSERT INTO copied {union(*names)}")
        place.run(plan, upgrade="migrate-partial")
    assert out(place) == Counter(["a1", "1", "2", "3", "4", "5"])


@pytest.mark.wide
def test_an_interrupted_batch_is_repeated_without_a_removed_source(spark: SparkSession, tmp_path: Path) -> None:
    place = Place(spark, tmp_path)
    place.add({name: [{"v": f"{name}1"}] for name in "ab"})
    tables = f"{TABLES}CREATE TABLE dropped (v STRING) WITH ('connector' = 'blackhole');\n"
    beside = f"INSERT INTO copied {union('a')}; INSERT INTO dropped {union('b')};"
    place.run(place.compiled(tables, f"EXECUTE STATEMENT SET BEGIN {beside} END"))
    place.add({name: [{"v": f"{name}2"}] for name in "ab"})
    for name in ("commits/0", "commits/.0.crc", "compiled-plan/digests", "compiled-plan/written.json"):
        (place.checkpoint / "generations/1" / name).unlink()
    log = place.checkpoint / "generations/1/offsets/0"
    assert sorted(line.partition(":")[0] for line in log.read_text().splitlines()[2:]) == ["a", "b"]
    place.run(place.compiled(TABLES, f"INSERT INTO copied {union('a')}"))
    assert out(place) == Counter(["a1", "a2"]), "the batch is written again, without the rows of b"
    place.run(place.compiled(TABLES, f"INSERT INTO copied {union('b', 'a')}"), upgrade="migrate-partial")
    assert out(place) == Counter(["a1", "a2", "b1", "b2"])


def test_another_program_altogether_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    place = Place(spark, tmp_path)
    place.add({name: [{"v": f"{name}1"}] for name in "ab"})
    place.run(place.compiled(TABLES, f"INSERT INTO copied {union('a')}"))
    said = place.refusal(place.compiled(TABLES, f"INSERT INTO copied {union('b')}"))
    assert "all that is read: checkpoint has a, plan has b" in said


LINES = 'v2\n{}\na:{"logOffset":3}\nb:{"at":"x:y"}'


def test_positions_are_those_of_the_batches_that_are_done(tmp_path: Path) -> None:
    folder = LocalFolder(tmp_path)
    assert positions(folder) == {}
    folder.write_text("offsets/0", LINES)
    assert positions(folder) == {"a": None, "b": None}
    folder.write_text("commits/0", "")
    assert positions(folder) == {"a": '{"logOffset":3}', "b": '{"at":"x:y"}'}
    folder.write_text("offsets/1", 'v2\n{}\na:{"logOffset":4}\nc:7')
    assert positions(folder) == {"a": '{"logOffset":3}', "b": '{"at":"x:y"}', "c": None}
    folder.write_text("commits/1", "")
    restore(folder, {"b": "9", "c": None})
    assert folder.read_text("offsets/0") == 'v2\n{}\na:{"logOffset":3}\nb:9'
    assert folder.read_text("offsets/1") == 'v2\n{}\na:{"logOffset":4}\nb:9'


def test_a_log_in_another_form_is_refused(tmp_path: Path) -> None:
    LocalFolder(tmp_path).write_text("offsets/0", "v1\n{}\n0")
    with pytest.raises(CheckpointError, match="offsets/0"):
        positions(LocalFolder(tmp_path))


def test_two_tables_never_have_one_name() -> None:
    paths = [
        ("a_b",),
        ("a", "b"),
        ("a__b",),
        ("aB",),
        ("a_ub",),
        ("a b",),
        ("a_x20_b",),
        ("ä",),
        ("a", "", "b"),
        ("a_pb",),
    ]
    paths += [("x" * 300,), ("x" * 301,)]
    names = [spelled(path) for path in paths]
    assert len(set(names)) == len(paths)
    assert all(re.fullmatch("[a-z0-9_]{1,120}", name) for name in names)


def test_names_follow_the_meaning_of_a_table() -> None:
    def named(tables: str, query: str, old: object = None) -> tuple[dict[str, str], object]:
        plan = TableEnvironment().compile_script((tables + f"INSERT INTO copied {query};").replace("{folder}", "/d"))
        prepared = prepare(with_uids(plan))
        names = names_of(prepared, Setting("h"), old)  # type: ignore[arg-type]
        by_table = {
            prepared.tables[node].table.identifier.rpartition(".")[2]: name for node, name in names.by_node.items()
        }
        return by_table, {"sources": names.active, "gone": names.gone}

    first, old = named(TABLES, union("a", "b"))
    assert first == {"a": "a", "b": "b"}
    # b is removed; another table is called b now.
    others = table("a", "v STRING") + table("c", "v STRING").replace("TABLE c", "TABLE b") + table("copied", "v STRING")
    second, old = named(others, union("a", "b"), {"sources": old["sources"][:1], "gone": old["sources"][1:]})  # type: ignore[index]
    assert second == {"a": "a", "b": "b_n2"}
    third, _ = named(TABLES, union("c", "b", "a"), old)
    assert third == {"a": "a", "b": "b", "c": "b_n2"}


def test_one_table_read_in_two_ways_has_two_names(spark: SparkSession, tmp_path: Path) -> None:
    place = Place(spark, tmp_path)
    place.add({"a": [{"v": "a1"}]})
    twice = "SELECT v FROM a UNION ALL SELECT v FROM a /*+ OPTIONS('source.monitor-interval' = '1 s') */"
    plan = place.compiled(TABLES, f"INSERT INTO copied {twice}")
    for _ in range(2):
        place.run(plan)
    assert out(place) == Counter({"a1": 2})


def test_a_streaming_frame_of_the_program_has_a_name(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "1.json").write_text('{"v": "x"}\n')
    read = spark.readStream.schema("v string").json(str(tmp_path / "in"))
    env = TableEnvironment()
    env.execute_sql(table("copied", "v STRING").replace("{folder}", str(tmp_path)).rstrip(";\n"))
    plan = env.from_dataframe(read.union(read)).insert_into("copied").compile_plan()
    options = RunOptions(checkpoint=str(tmp_path / "checkpoint"), available_now=True)
    Run(spark, plan, options).execute()
    counts = out(Place(spark, tmp_path))
    assert counts == Counter({"x": 2})
