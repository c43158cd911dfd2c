"""Positions of Kafka in savepoints of a real Flink: no row is lost or doubled."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.execution.state.flink.report import Outcome
from compiled_plan.running.plans import CompiledPlan, PlanReference
from tests.savepoints.flink import stop_plan
from tests.support.topics import Message, Topics

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tools.services.server import Server

pytestmark = [pytest.mark.deep, pytest.mark.spark]

_PROGRAM = """
CREATE TABLE orders (customer INT, amount INT) WITH
  ('connector' = 'kafka', 'topic' = 'orders', 'scan.startup.mode' = 'earliest-offset', 'format' = 'json', {options});
CREATE TABLE newest (customer INT, amount INT) WITH
  ('connector' = 'kafka', 'topic' = 'newest', 'scan.startup.mode' = 'latest-offset', 'format' = 'json', {options});
CREATE TABLE of_group (customer INT, amount INT) WITH
  ('connector' = 'kafka', 'topic' = 'of_group', 'scan.startup.mode' = 'group-offsets', 'format' = 'json',
   'properties.group.id' = 'shop', 'properties.auto.offset.reset' = 'earliest', {options});
CREATE TABLE customers (customer INT, country STRING, PRIMARY KEY (customer) NOT ENFORCED) WITH
  ('connector' = 'upsert-kafka', 'topic' = 'customers', 'key.format' = 'json', 'value.format' = 'json', {options});
CREATE TABLE totals (country STRING, n BIGINT, amount BIGINT, PRIMARY KEY (country) NOT ENFORCED) WITH
  ('connector' = 'upsert-kafka', 'topic' = 'totals', 'key.format' = 'json', 'value.format' = 'json',
   'sink.delivery-guarantee' = 'exactly-once', 'sink.transactional-id-prefix' = 'shop',
   'properties.transaction.timeout.ms' = '60000', {options});
INSERT INTO totals
SELECT c.country, COUNT(*), SUM(o.amount)
FROM (SELECT * FROM orders UNION ALL SELECT * FROM newest UNION ALL SELECT * FROM of_group) AS o
JOIN customers AS c ON o.customer = c.customer
GROUP BY c.country;
"""
#: Partitions by topic. The last partition of each source has no message before the savepoint.
_PARTITIONS = {"orders": 4, "newest": 3, "of_group": 3, "customers": 3, "totals": 1}


@dataclass(frozen=True, slots=True)
class Shop:
    """A stopped job.

    Args:
        topics: its broker's, filled up to the savepoint.
        plan: the file of its plan.
        savepoint: the folder of its savepoint.
    """

    topics: Topics
    plan: Path
    savepoint: Path

    def imported(self, checkpoint: Path, start: Mapping[str, str] | None = None) -> dict[str, str]:
        """Import the savepoint; returns the positions in the offset log by table."""
        self.loaded().import_state(self.savepoint, checkpoint, start=start)
        (log,) = checkpoint.rglob("offsets/0")
        return dict(line.partition(":")[::2] for line in log.read_text().splitlines()[2:])

    def loaded(self) -> CompiledPlan:
        return TableEnvironment().load_plan(PlanReference.from_file(self.plan))


@pytest.fixture(scope="module")
def shop(spark: SparkSession, kafka: Server, tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """A job that was stopped when it had read the first part of its input."""
    folder, topics = tmp_path_factory.mktemp("shop"), Topics(spark, kafka)
    for topic, partitions in _PARTITIONS.items():
        topics.make(topic, partitions)
    # Flink begins behind these.
    topics.send("newest", orders(100, 2))
    plan = folder / "plan.json"
    plan.write_text(TableEnvironment().compile_script(_PROGRAM.replace("{options}", topics.options)).to_json())
    topics.send("orders", orders(30, 3))
    topics.send("of_group", orders(10, 2))
    topics.send("customers", [customer(at, f"c{at % 3}", at % 2) for at in range(8)])
    savepoint = stop_plan(CompiledPlan.read_file(plan), 48, folder / "savepoints")
    return Shop(topics, plan, savepoint)


def orders(rows: int, partitions: int, first: int = 0) -> Sequence[Message]:
    return [
        Message(json.dumps({"customer": at % 8, "amount": at + 1}), partition=first + at % partitions)
        for at in range(rows)
    ]


def customer(number: int, country: str, partition: int) -> Message:
    return Message(
        json.dumps({"customer": number, "country": country}), json.dumps({"customer": number}), partition=partition
    )


def totals(topics: Topics) -> dict[str, tuple[int, int]]:
    """The result: the newest message of each country."""
    newest = {message.key: message.value for message in topics.read("totals", committed=True)}
    rows = [json.loads(value) for value in newest.values() if value is not None]
    return {row["country"]: (row["n"], row["amount"]) for row in rows}


def expected(sent: Sequence[Message], countries: Mapping[int, str]) -> dict[str, tuple[int, int]]:
    numbers, amounts = Counter[str](), Counter[str]()
    for message in sent:
        row = json.loads(message.value or "")
        numbers[countries[row["customer"]]] += 1
        amounts[countries[row["customer"]]] += row["amount"]
    return {country: (numbers[country], amounts[country]) for country in numbers}


def test_the_positions_of_the_savepoint_are_the_offsets(shop: Shop, tmp_path: Path) -> None:
    assert shop.imported(tmp_path / "checkpoint") == {
        "orders": '{"orders":{"0":10,"1":10,"2":10,"3":0}}',
        "newest": '{"newest":{"0":50,"1":50,"2":0}}',
        "of__group": '{"of_group":{"0":5,"1":5,"2":0}}',
        "customers": '{"customers":{"0":4,"1":4,"2":0}}',
    }


def test_output_that_flink_commits_when_it_stops_is_its_own(shop: Shop) -> None:
    (sink,) = shop.loaded().import_state(shop.savepoint).sinks
    assert sink.outcome is Outcome.TAKEN
    assert "if `flink stop` ended without an error" in sink.why


@pytest.mark.parametrize(
    ("start", "offset"),
    [
        ("earliest", '{"orders":{"0":0,"1":0,"2":0,"3":0}}'),
        ("latest", '{"orders":{"0":10,"1":10,"2":10,"3":0}}'),
        ("partition:0,offset:4;partition:2,offset:10", '{"orders":{"0":4,"2":10}}'),
    ],
)
def test_an_option_sets_the_offsets(shop: Shop, tmp_path: Path, start: str, offset: str) -> None:
    assert shop.imported(tmp_path / "checkpoint", {"orders": start})["orders"] == offset


def test_a_partition_that_does_not_exist_is_refused(shop: Shop, tmp_path: Path) -> None:
    with pytest.raises(CompiledPlanError, match="has no partition 9, which has a position"):
        shop.imported(tmp_path / "checkpoint", {"orders": "partition:9,offset:4"})
    assert shop.imported(tmp_path / "checkpoint"), "nothing was left"


def test_no_row_is_lost_or_doubled(spark: SparkSession, shop: Shop, tmp_path: Path) -> None:
    """Rows come into all partitions behind the savepoint, and customers move to other countries."""
    topics, plan, checkpoint = shop.topics, shop.loaded(), tmp_path / "checkpoint"
    before = [*orders(30, 3), *orders(10, 2)]
    assert totals(topics) == expected(before, {at: f"c{at % 3}" for at in range(8)}), "in Flink"
    shop.imported(checkpoint)
    after = [orders(30, 4), orders(20, 3), orders(20, 3)]
    for topic, messages in zip(("orders", "newest", "of_group"), after, strict=True):
        topics.send(topic, messages)
    topics.send(
        "customers", [customer(at, "moved", partition) for at, partition in zip((1, 4), count(1), strict=False)]
    )
    Run(spark, plan, RunOptions(checkpoint=str(checkpoint), available_now=True)).execute()
    countries = {at: "moved" if at in (1, 4) else f"c{at % 3}" for at in range(8)}
    assert totals(topics) == expected([*before, *(message for part in after for message in part)], countries)
