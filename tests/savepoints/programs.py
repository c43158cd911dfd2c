"""Programs to stop: random ones, and those that the random ones lack."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

from tests.savepoints.flink import Job, Tables
from tests.upgrades.chance.pairs import Program, Statement, pair
from tests.upgrades.chance.rows import halves
from tests.upgrades.chance.shapes import SHAPES, Shape
from tests.upgrades.kinds.model import TABLES

#: Start of the names of random jobs.
RANDOM = "random-"
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
#: Timers of RocksDB on the heap are raw keyed state in checkpoints.
_HEAP_TIMERS = {**_BACKENDS["rocksdb"], "state.backend.rocksdb.timer-service.factory": "HEAP"}
_TTL = {"table.exec.state.ttl": "1 h"}
_SESSION = "SESSION(TABLE moments PARTITION BY shop, DESCRIPTOR(seen), INTERVAL '90' MINUTE)"
#: By zone, windows in which Flink loses no rows: without daylight saving time, slices divide the zone's offset.
_WINDOWS = {
    "Asia/Shanghai": {
        "tumble": "TUMBLE(TABLE moments, DESCRIPTOR(seen), INTERVAL '8' HOUR)",
        "hop": "HOP(TABLE moments, DESCRIPTOR(seen), INTERVAL '4' HOUR, INTERVAL '1' DAY)",
        "cumulate": "CUMULATE(TABLE moments, DESCRIPTOR(seen), INTERVAL '4' HOUR, INTERVAL '1' DAY)",
        "session": _SESSION,
    },
    "America/New_York": {
        "tumble": "TUMBLE(TABLE moments, DESCRIPTOR(seen), INTERVAL '1' DAY)",
        "hop": "HOP(TABLE moments, DESCRIPTOR(seen), INTERVAL '6' HOUR, INTERVAL '1' DAY)",
        "cumulate": "CUMULATE(TABLE moments, DESCRIPTOR(seen), INTERVAL '6' HOUR, INTERVAL '1' DAY)",
        "session": _SESSION,
    },
}
_RANKED = "SELECT *, ROW_NUMBER() OVER (PARTITION BY shop ORDER BY price) AS r FROM sales"
#: Holes of shapes of which every filling is a job of its own.
_VARIED = ("kind", "exists", "window", "frame", "pattern", "skip")


def random_job(seed: int) -> Job:
    """A random program over random rows, stopped at a random row."""
    backend = list(_BACKENDS.values())[seed % len(_BACKENDS)]
    return _program_job(f"{RANDOM}{seed}", pair(seed).old, seed, backend)


def _program_job(name: str, program: Program, seed: int, options: Mapping[str, str]) -> Job:
    first, second = ({name: _in_time(rows) for name, rows in part.items()} for part in halves(Random(seed)))
    return Job(name, program.text(Path("{folder}")), (first, second), options)


def _in_time(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Rows in the order of their event times: a row is late in Flink, and is not in a bounded run."""
    return sorted(rows, key=lambda row: str((row.get("after") or row).get("at1", "")))


def fixed_jobs() -> Iterator[Job]:
    """Jobs by backend and form, time zone, two phases, TTL, and each kind of operator."""
    for (backend, options), form in product(_BACKENDS.items(), _FORMS):
        yield job(f"{backend}-{form.lower()}", _AGGREGATE, _SALES, options, form)
    # Flink leaves timers on the heap out of native savepoints.
    for form in ("CANONICAL", "CHECKPOINT"):
        query = _windowed(_WINDOWS["Asia/Shanghai"]["cumulate"])
        yield job(f"heap-timers-{form.lower()}", query, _MOMENTS, _HEAP_TIMERS, form)
    yield job("retracted-extremes", f"SELECT shop, MIN(total), MAX(n) FROM ({_TOTALS}) GROUP BY shop", _SALES)
    # Flink refuses a key that an object has already.
    members = "JSON_OBJECTAGG(KEY town VALUE total), COUNT(*), SUM(n)"
    yield job("json-members", f"SELECT {members} FROM ({_TOTALS}) GROUP BY shop", _SALES)
    yield job("two-phases", _AGGREGATE, _SALES, TWO_PHASES)
    split = {**TWO_PHASES, "table.optimizer.distinct-agg.split.enabled": "true"}
    yield job("split-distinct", _AGGREGATE, _SALES, split)
    yield job("ttl", _AGGREGATE, _SALES, _TTL)
    yield job("ttl-rocksdb", _AGGREGATE, _SALES, {**_TTL, **_BACKENDS["rocksdb"]}, "NATIVE")
    yield job("ttl-rank", f"SELECT shop, price, r FROM ({_RANKED}) WHERE r < 3", _SALES, _TTL)
    for zone, windows in _WINDOWS.items():
        for name, window in windows.items():
            city = zone.rpartition("/")[2].lower()
            yield job(f"{name}-{city}", _windowed(window), _MOMENTS, {"table.local-time-zone": zone})
    for number, shape in enumerate(SHAPES):
        for variant, fill in enumerate(_fills(shape)):
            program = Program((Statement(shape, fill, 0),))
            yield _program_job(f"{shape.operator}-{number}-{variant}", program, 7, _BACKENDS["hashmap"])


def expiring_jobs() -> Iterator[Job]:
    """Jobs whose state expires an hour after its last write."""
    query = "SELECT shop, SUM(price), COUNT(*) FROM sales GROUP BY shop"
    yield job("expiry-hashmap", query, _SALES, {**_TTL, **_BACKENDS["hashmap"]})
    yield job("expiry-rocksdb", query, _SALES, {**_TTL, **_BACKENDS["rocksdb"]}, "NATIVE")


def _fills(shape: Shape) -> Iterator[tuple[tuple[str, str], ...]]:
    """All fillings of the varied holes, with one of each other hole."""
    choices = [
        tuple(dict.fromkeys(fillings)) if name in _VARIED else fillings[:1] for name, fillings in shape.holes.items()
    ]
    yield from (tuple(zip(shape.holes, fill, strict=True)) for fill in product(*choices))


def _windowed(window: str) -> str:
    return (
        "SELECT CONCAT(shop, ' ', CAST(window_start AS STRING)), COUNT(*), SUM(price) "
        f"FROM TABLE({window}) GROUP BY shop, window_start, window_end"
    )


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
