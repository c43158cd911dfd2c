"""Correcting upgrades of a compacted topic: the newest message of each key is right, and others are not repeated."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan.plans.execution.state.upgrade.corrections import Correction
from compiled_plan.plans.execution.tables.sides import Pair
from tests.plans.execution.state.checkpoint.places import Place, table
from tests.support.topics import Topics

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tools.services.server import Server

TOTALS = "INSERT INTO totals SELECT shop, SUM(price) FROM sales GROUP BY shop"
PAID = TOTALS.replace("GROUP", "WHERE status = 'paid' GROUP")


@pytest.fixture
def topics(spark: SparkSession, kafka: Server) -> Topics:
    return Topics(spark, kafka)


def totals(topics: Topics, topic: str, guarantee: str) -> str:
    exactly = f", 'sink.transactional-id-prefix' = 'of-{topic}'" if guarantee == "exactly-once" else ""
    return table("sales", "shop STRING, price INT, status STRING") + (
        "CREATE TABLE totals (shop STRING, total BIGINT, PRIMARY KEY (shop) NOT ENFORCED) WITH "
        f"('connector' = 'upsert-kafka', 'topic' = '{topic}', 'key.format' = 'json', 'value.format' = 'json', "
        f"'sink.delivery-guarantee' = '{guarantee}'{exactly}, {topics.options});\n"
    )


def newest(topics: Topics, topic: str) -> dict[str, int]:
    messages = topics.read(topic, committed=True)
    values = {json.loads(message.key or "")["shop"]: message.value for message in messages}
    return {shop: json.loads(value)["total"] for shop, value in values.items() if value is not None}


@pytest.mark.parametrize("guarantee", ["exactly-once", pytest.param("at-least-once", marks=pytest.mark.wide)])
def test_only_keys_that_differ_get_a_message(
    topics: Topics, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, guarantee: str
) -> None:
    # Sums of a changelog do not tell which row of a key is the last one.
    monkeypatch.delattr(Pair, "buckets")
    topic, place = f"corrected-{guarantee}", Place(topics.spark, tmp_path)
    declared = totals(topics, topics.make(topic, 2), guarantee)
    old, new = (place.compiled(declared, query) for query in (TOTALS, PAID))
    place.add({"sales": [sale("x", 3), sale("y", 5, "open"), sale("z", 7)]})
    place.run(old)
    place.add({"sales": [sale("x", 4, "open"), sale("z", 1)]})
    place.run(old)
    assert newest(topics, topic) == {"x": 7, "y": 5, "z": 8}
    before = len(topics.read(topic, committed=True))
    run, corrections = place.started(new, upgrade="correct"), list[Correction]()
    run.start.on_corrected = corrections.append
    run.execute()
    (correction,) = corrections
    assert (correction.equal, correction.updated, correction.deleted, correction.inserted) == (1, 1, 1, 0)
    assert newest(topics, topic) == {"x": 3, "z": 8}
    assert len(topics.read(topic, committed=True)) - before == correction.rows == 2
    place.add({"sales": [sale("z", 1)]})
    place.run(new)
    assert newest(topics, topic) == {"x": 3, "z": 9}


def sale(shop: str, price: int, status: str = "paid") -> dict[str, Any]:
    return {"shop": shop, "price": price, "status": status}
