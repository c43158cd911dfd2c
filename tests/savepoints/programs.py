"""Programs to stop: random ones, and those that the random ones lack."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

from tests.savepoints.flink import Job, Tables
from tests.upgrades.chance.pairs import pair
from tests.upgrades.chance.rows import halves
from tests.upgrades.kinds.model import TABLES

_SALES = TABLES["sales"]
_MOMENTS = TABLES["moments"].replace("id INT", "shop STRING, price INT")
_WIDE = TABLES["wide"]
_BATCHES = {
    "table.exec.mini-batch.enabled": "true",
    "table.exec.mini-batch.allow-latency": "100 ms",
    "table.exec.mini-batch.size": "7",
}
TWO_PHASES = {**_BATCHES, "table.optimizer.agg-phase-strategy": "TWO_PHASE"}
_AGGREGATE = "SELECT shop, SUM(price), COUNT(DISTINCT town) FROM sales GROUP BY shop"
_TOTALS = "SELECT shop, town, SUM(price) AS total, COUNT(*) AS n FROM sales GROUP BY shop, town"
_BACKENDS = {
    "hashmap": {"state.backend.type": "hashmap"},
    "rocksdb": {"state.backend.type": "rocksdb"},
    "compressed": {"state.backend.type": "hashmap", "execution.checkpointing.snapshot-compression": "true"},
}
_FORMS = ("CANONICAL", "NATIVE", "CHECKPOINT")
_WINDOWS = {
    "tumble": "TUMBLE(TABLE moments, DESCRIPTOR(seen), INTERVAL '1' DAY)",
    "hop": "HOP(TABLE moments, DESCRIPTOR(seen), INTERVAL '6' HOUR, INTERVAL '1' DAY)",
    "cumulate": "CUMULATE(TABLE moments, DESCRIPTOR(seen), INTERVAL '4' HOUR, INTERVAL '1' DAY)",
    "session": "SESSION(TABLE moments PARTITION BY shop, DESCRIPTOR(seen), INTERVAL '90' MINUTE)",
}


def random_job(seed: int) -> Job:
    """A random program over random rows, stopped at a random row."""
    parts = halves(Random(seed))
    ordered = tuple({name: _in_time(rows) for name, rows in part.items()} for part in parts)
    program = pair(seed).old
    backend = list(_BACKENDS.values())[seed % len(_BACKENDS)]
    return Job(f"random-{seed}", program.text(Path("{folder}")), (ordered[0], ordered[1]), backend)


def _in_time(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Rows in the order of their event times: a row is late in Flink, and is not in a bounded run."""
    return sorted(rows, key=lambda row: str((row.get("after") or row).get("at1", "")))


def fixed_jobs() -> Iterator[Job]:
    """Jobs by backend and form, time zone, two phases, TTL."""
    for (backend, options), form in product(_BACKENDS.items(), _FORMS):
        yield job(f"{backend}-{form.lower()}", _AGGREGATE, _SALES, options, form)
    yield job("retracted-extremes", f"SELECT shop, MIN(total), MAX(n) FROM ({_TOTALS}) GROUP BY shop", _SALES)
    yield job("two-phases", _AGGREGATE, _SALES, TWO_PHASES)
    split = {**TWO_PHASES, "table.optimizer.distinct-agg.split.enabled": "true"}
    yield job("split-distinct", _AGGREGATE, _SALES, split)
    yield job("ttl", _AGGREGATE, _SALES, {"table.exec.state.ttl": "1 h"})
    yield job("ttl-rocksdb", _AGGREGATE, _SALES, {"table.exec.state.ttl": "1 h", **_BACKENDS["rocksdb"]}, "NATIVE")
    ranked = "SELECT *, ROW_NUMBER() OVER (PARTITION BY shop ORDER BY price) AS r FROM sales"
    yield job("ttl-rank", f"SELECT shop, price, r FROM ({ranked}) WHERE r < 3", _SALES, {"table.exec.state.ttl": "1 h"})
    for (name, window), zone in product(_WINDOWS.items(), ("Asia/Shanghai", "America/New_York")):
        query = (
            "SELECT CONCAT(shop, ' ', CAST(window_start AS STRING)), COUNT(*), SUM(price) "
            f"FROM TABLE({window}) GROUP BY shop, window_start, window_end"
        )
        yield job(f"{name}-{zone.rpartition('/')[2].lower()}", query, _MOMENTS, {"table.local-time-zone": zone})


def job(
    name: str, query: str, tables: str, options: Mapping[str, str] = _BACKENDS["hashmap"], form: str = "CANONICAL"
) -> Job:
    settings = "".join(f"SET '{key}' = '{value}';\n" for key, value in options.items() if key.startswith("table."))
    """A job over some rows of all tables, stopped in the middle; `tables` declares those of the query."""
    program = f"{settings}{tables}{_WIDE}INSERT INTO wide {query};"
    return Job(name, program, _moments() if tables is _MOMENTS else halves(Random(7)), options, form)


def _moments() -> tuple[Tables, Tables]:
    """Rows over some days: the second part begins in the middle of windows."""
    draw, hour = Random(7), 0
    rows = []
    for _ in range(60):
        hour += draw.randrange(3)
        seen = f"2024-03-{8 + hour // 24:02} {hour % 24:02}:{draw.randrange(60):02}:00Z"
        rows.append({"shop": draw.choice("xyz"), "price": draw.randrange(100), "seen": seen})
    rows.sort(key=lambda row: str(row["seen"]))
    return {"moments": rows[:31]}, {"moments": rows[31:]}
