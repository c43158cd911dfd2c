"""The first places at which two programs part."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.plans.execution.shadow.report import Parting
from tests.plans.execution.shadow.test_shadow import SOLD, TABLES, TOTALS, sale, shadowed, together
from tests.plans.execution.state.checkpoint.places import Place, table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PIPELINE = (
    TABLES
    + table("shops", "shop STRING, rent INT")
    + (
        "CREATE TABLE kinds (pieces INT, total BIGINT, shops BIGINT, PRIMARY KEY (pieces) NOT ENFORCED) "
        "WITH ('connector' = 'filesystem', 'path' = '{folder}/kinds', 'format' = 'debezium-json');\n"
    )
)
#: Two aggregations in a row.
PROGRAM = (
    "INSERT INTO kinds SELECT pieces, SUM(total) + 1, COUNT(*) FROM ("
    "SELECT shop, pieces, SUM(price) AS total FROM sales WHERE price > 0 GROUP BY shop, pieces) AS s GROUP BY pieces"
)


@pytest.fixture
def place(spark: SparkSession, tmp_path: Path) -> Place:
    place = Place(spark, tmp_path)
    place.add({"sales": [sale("x", 3, 10), sale("y", 5, 10)], "shops": [{"shop": "x", "rent": 1}]})
    return place


def parted(place: Place, program: str, change: tuple[str, str]) -> tuple[Parting, ...]:
    """The first places of the last table, after a change of the program."""
    place.run(place.compiled(PIPELINE, program))
    place.add({"sales": [sale("x", 1, 10), sale("y", 4, 10), sale("x", 7, 20)]})
    changed = program.replace(*change)
    assert changed != program
    report = shadowed(place, place.compiled(PIPELINE, changed))
    assert report.to_dict()["tables"][-1]["parts"]
    return report.tables[-1].parts


def test_the_filter_at_the_start_and_not_the_operators_that_stay(place: Place) -> None:
    (part,) = parted(place, PROGRAM, ("> 0", "> 1"))
    assert (part.uid, part.differing, len(part.new_nodes)) == ("", 1, 1)
    assert part.text.startswith("the input of SUM(price) by shop, pieces, of sales: node 2 Calc(")
    assert [example.text for example in part.examples] == ['{"shop":"x","pieces":10,"price":1}: old 1, new no row']


@pytest.mark.wide
def test_the_operator_in_the_middle(place: Place) -> None:
    (part,) = parted(place, PROGRAM, ("SUM(price)", "MAX(price)"))
    assert part.words == "MAX(price) by shop, pieces, of sales"
    assert part.uid.startswith("group-aggregate-")
    assert part.text.endswith(": equal input, other output")


@pytest.mark.wide
def test_the_projection_at_the_end(place: Place) -> None:
    (part,) = parted(place, PROGRAM, ("+ 1", "+ 2"))
    assert (part.uid, part.words) == ("", "the input of default_catalog.default_database.kinds")
    assert "+ 2" in part.text


@pytest.mark.wide
def test_both_sides_of_a_join(place: Place) -> None:
    program = (
        "INSERT INTO totals SELECT s.shop, s.price + t.rent, s.pieces FROM "
        "(SELECT shop, MAX(price) AS price, COUNT(*) AS pieces FROM sales WHERE price > 0 GROUP BY shop) AS s "
        "JOIN (SELECT shop, SUM(pieces) AS rent FROM sales WHERE pieces > 0 GROUP BY shop) AS t ON s.shop = t.shop"
    )
    parts = parted(place, program, ("price > 0", "price > 4"))
    assert [part.words for part in parts] == ["the input of MAX(price), COUNT(*) by shop, of sales"]


@pytest.mark.wide
def test_a_program_without_operators(place: Place) -> None:
    (part,) = parted(place, SOLD, ("> 2", "> 4"))
    assert part.words == "the input of default_catalog.default_database.sold"


@pytest.mark.wide
def test_one_table_of_two(place: Place) -> None:
    place.run(place.compiled(PIPELINE, together(TOTALS, SOLD)))
    place.add({"sales": [sale("x", 3), sale("z", 9)]})
    report = shadowed(place, place.compiled(PIPELINE, together(TOTALS, SOLD.replace("> 2", "> 4"))))
    assert [(rows.table.rpartition(".")[2], bool(rows.parts)) for rows in report.tables] == [
        ("totals", False),
        ("sold", True),
    ]
