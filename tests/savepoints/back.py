"""The way back: the first part of a job runs here, and a real Flink continues it from the exported savepoint."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from shutil import rmtree

from compiled_plan.plans.execution.session.spark_session import spark_session
from compiled_plan.plans.execution.state.flink.exports import Export, ExportOptions
from compiled_plan.plans.plan import CompiledPlan
from tests.flink_programs.running import Attempt, run_all
from tests.flink_programs.verdicts import Outcome, Verdict, fault_of
from tests.savepoints.flink import WHOLE, Job, answered, tables_read
from tests.savepoints.programs import TWO_PHASES, job
from tests.savepoints.trial import differences
from tests.upgrades.chance.rows import halves
from tests.upgrades.kinds.model import TABLES, upserted
from tests.upgrades.programs import write

#: The folder with the rows that Flink reads after the restore, and its output.
_SECOND = "second"
_SALES, _STOCK, _SHOPS, _DEVICES = (TABLES[name] for name in ("sales", "stock", "shops", "devices"))
_KEYED = TABLES["keyed"]
_TTL = {"table.exec.state.ttl": "1 h"}
_REPEATED = {"table.exec.source.cdc-events-duplicate": "true"}
_TOTALS = "SELECT shop, town, SUM(price) AS total, COUNT(*) AS n FROM sales GROUP BY shop, town"
_LATEST = "SELECT shop, MAX(price) AS price, COUNT(*) AS n FROM sales GROUP BY shop"
_AGGREGATES: Mapping[str, str] = {
    "sums": "shop, SUM(price), COUNT(*)",
    "averages": "shop, CAST(AVG(price) AS BIGINT), CAST(AVG(CAST(pieces AS DECIMAL(10, 2))) AS BIGINT)",
    "extremes": "shop, MIN(price), MAX(pieces)",
    "extremes-of-texts": "MIN(town), MAX(price), COUNT(DISTINCT town)",
    "distinct": "shop, COUNT(DISTINCT town), SUM(DISTINCT price)",
    "distinct-filtered": "shop, COUNT(DISTINCT price) FILTER (WHERE pieces > 20), COUNT(DISTINCT price)",
    "edges": "shop, FIRST_VALUE(price), LAST_VALUE(price)",
    "multisets": "CAST(COLLECT(shop) AS STRING), COUNT(*), CAST(NULL AS BIGINT)",
    "texts": "LISTAGG(town), COUNT(*), CAST(NULL AS BIGINT)",
}
_RETRACTING: Mapping[str, str] = {
    "sums": "shop, SUM(total), COUNT(total)",
    "averages": "shop, CAST(AVG(total) AS BIGINT), COUNT(*)",
    "extremes": "shop, MIN(total), MAX(n)",
    "distinct": "shop, COUNT(DISTINCT total), COUNT(DISTINCT n)",
    "edges": "shop, FIRST_VALUE(n), LAST_VALUE(total)",
    "texts": "LISTAGG(CAST(n AS STRING)), COUNT(*), MAX(total)",
    "texts-delimited": "LISTAGG(CAST(n AS STRING), ';'), COUNT(*), MAX(total)",
    "distinct-filtered": "shop, COUNT(DISTINCT n) FILTER (WHERE total > 60), COUNT(DISTINCT n)",
}
_SIDES = {
    "rows": ("sales", "shops", _SALES + _SHOPS),
    "unique": ("stock", f"({_LATEST})", _STOCK + _SALES),
}


def back_jobs() -> Iterator[Job]:
    """Jobs by operator."""
    for name, calls in _AGGREGATES.items():
        yield _job(f"aggregate-{name}", f"SELECT {calls} FROM sales GROUP BY shop", _SALES)
    for name, calls in _RETRACTING.items():
        yield _job(f"aggregate-retracting-{name}", f"SELECT {calls} FROM ({_TOTALS}) GROUP BY shop", _SALES)
    yield _job("aggregate-ttl", f"SELECT {_AGGREGATES['distinct']} FROM sales GROUP BY shop", _SALES, _TTL)
    yield _job("aggregate-two-phases", f"SELECT {_AGGREGATES['distinct']} FROM sales GROUP BY shop", _SALES, TWO_PHASES)
    yield _job("aggregate-all", "SELECT 'all', SUM(price), COUNT(*) FROM stock", _STOCK)
    for name, options in (("parallel", {"parallelism.default": "2"}), ("rocksdb", {"state.backend.type": "rocksdb"})):
        yield _job(f"aggregate-{name}", f"SELECT {_AGGREGATES['distinct']} FROM sales GROUP BY shop", _SALES, options)
        query = "SELECT l.shop, l.price, r.rent FROM sales l FULL JOIN shops r ON l.shop = r.shop"
        yield _job(f"join-{name}", query, _SALES + _SHOPS, options)
        yield _job(f"rank-retract-{name}", _first(3, "stock"), _STOCK, options)
    for side, (left, right, tables) in _SIDES.items():
        for kind in ("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"):
            columns = "l.shop, l.price, r.rent" if side == "rows" else "r.shop, l.price, r.price"
            query = f"SELECT {columns} FROM {left} l {kind} {right} r ON l.shop = r.shop"
            yield _job(f"join-{side}-{kind.split()[0].lower()}", query, tables)
        for kind in ("IN", "NOT IN"):
            query = f"SELECT shop, price, pieces FROM {left} WHERE shop {kind} (SELECT shop FROM {right} WHERE "
            query += "shop IS NOT NULL)"
            yield _job(f"join-{side}-{'semi' if kind == 'IN' else 'anti'}", query, tables)
    yield _job(
        "join-ttl",
        "SELECT l.shop, l.price, r.rent FROM sales l LEFT JOIN shops r ON l.shop = r.shop",
        _SALES + _SHOPS,
        _TTL,
    )
    for name, order in (("first", "ASC"), ("last", "DESC")):
        yield _job(f"deduplicate-{name}", _numbered("sales", f"p {order}", "r = 1"), _SALES)
        yield _job(f"deduplicate-{name}-ttl", _numbered("sales", f"p {order}", "r = 1"), _SALES, _TTL)
    yield _job("deduplicate-rowtime", _numbered("clicks", "at1 DESC", "r = 1"), TABLES["clicks"])
    query = "SELECT owner, COUNT(*), SUM(fw) FROM devices GROUP BY owner"
    yield _job("normalize", query, _DEVICES, _REPEATED)
    yield _job("normalize-ttl", query, _DEVICES, {**_REPEATED, **_TTL})
    for most in (1, 3):
        yield _job(f"rank-append-{most}", _first(most, "sales"), _SALES)
        yield _job(f"rank-retract-{most}", _first(most, "stock"), _STOCK)
        counts = "SELECT shop, town, COUNT(*) AS n FROM sales GROUP BY shop, town"
        ranked = f"SELECT *, ROW_NUMBER() OVER (PARTITION BY shop ORDER BY n DESC) AS r FROM ({counts})"
        query = f"SELECT CONCAT(shop, town), n, CAST(0 AS BIGINT) FROM ({ranked}) WHERE r <= {most}"
        yield _job(f"rank-update-{most}", query, _SALES)
    ranked = "SELECT *, ROW_NUMBER() OVER (PARTITION BY shop ORDER BY price) AS r FROM sales"
    yield _job("rank-ttl", f"SELECT shop, price, r FROM ({ranked}) WHERE r < 4", _SALES, _TTL)
    yield _job("limit", "SELECT shop, price, pieces FROM sales LIMIT 12", _SALES)
    yield _materialized("materialize", {})
    yield _materialized("materialize-ttl", _TTL)
    yield _job("sort-limit", "SELECT shop, price, pieces FROM sales ORDER BY price LIMIT 5", _SALES)


def _materialized(name: str, options: Mapping[str, str]) -> Job:
    """A job whose sink has another primary key than its query."""
    chosen = {"table.exec.sink.require-on-conflict": "false", **options}
    settings = "".join(f"SET '{key}' = '{value}';\n" for key, value in chosen.items())
    sink = upserted("k STRING, n BIGINT, PRIMARY KEY (k) NOT ENFORCED")
    program = f"{settings}{_SALES}{sink}INSERT INTO up SELECT town, SUM(price) FROM sales GROUP BY shop, town;"
    return Job(name, program, halves(Random(7)), {"state.backend.type": "hashmap", **options})


def _first(most: int, table: str) -> str:
    ranked = f"SELECT *, ROW_NUMBER() OVER (PARTITION BY shop ORDER BY price DESC) AS r FROM {table}"
    return f"SELECT shop, price, pieces FROM ({ranked}) WHERE r <= {most}"


def _numbered(table: str, order: str, condition: str) -> str:
    numbered = f"SELECT *, ROW_NUMBER() OVER (PARTITION BY shop ORDER BY {order}) AS r FROM {table}"
    return f"SELECT shop, price, pieces FROM ({numbered}) WHERE {condition}"


def _job(name: str, query: str, tables: str, options: Mapping[str, str] | None = None) -> Job:
    return job(name, query, tables, {"state.backend.type": "hashmap", **(options or {})})


def verdicts_back(jobs: Sequence[Job], root: Path, progress: Callable[[str], None]) -> list[Verdict]:
    """Run the first part of jobs here, export their checkpoints, continue in Flink, compare the results.

    Args:
        jobs: with different names.
        root: a folder, which is emptied.
        progress: takes lines.
    """
    rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    attempts = {job.name: _attempt(job, root / job.name) for job in jobs}
    run_all(
        list(attempts.values()), root, progress, ("--available-now", "--checkpoint", f"{root}/checkpoints/{{plan}}")
    )
    with spark_session("local[2]", {}) as spark:
        for job in jobs:
            attempt = attempts[job.name]
            if fault_of(attempt) is None:
                _export(spark, attempt, root / "checkpoints" / job.name)
    chosen = [job for job in jobs if fault_of(attempts[job.name]) is None]
    progress(f"{len(chosen)} of {len(jobs)} checkpoints exported")
    for name, answer in answered([_request(job, root / job.name) for job in chosen]).items():
        if answer["fault"]:
            attempts[name].failure = f"in Flink: {answer['fault']}"
    return [_verdict(attempt) for attempt in attempts.values()]


def _attempt(job: Job, folder: Path) -> Attempt:
    plan = job.plan(folder)
    names = tables_read(plan)
    first, second = ({name: part.get(name, ()) for name in names} for part in job.parts)
    write(folder, 0, first)
    write(folder / _SECOND, 0, second)
    write(folder / WHOLE, 0, {name: [*rows, *second[name]] for name, rows in first.items()})
    file = folder / f"{job.name}.json"
    file.write_text(plan.to_json())
    return Attempt(job.name, folder, None, folder, file=file.name)


def _export(spark: object, attempt: Attempt, checkpoint: Path) -> None:
    starts = dict.fromkeys(tables_read(CompiledPlan.read_file(attempt.plan)), "earliest")
    try:
        export = Export(spark, str(checkpoint), ExportOptions(starts=starts))  # type: ignore[arg-type]
        export.write(attempt.folder / "savepoint")
    except Exception as fault:
        attempt.failure = f"export-state: {fault}"


def _request(job: Job, folder: Path) -> dict[str, object]:
    return {
        "name": job.name,
        "options": dict(job.options),
        "savepoint": (folder / "savepoint").as_uri(),
        "restored": json.dumps(job.plan(folder / _SECOND).to_dict()),
        "whole": job.plan(folder / WHOLE).to_json(),
    }


def _verdict(attempt: Attempt) -> Verdict:
    if (fault := fault_of(attempt)) is not None:
        return Verdict(attempt.name, *fault)
    folder = attempt.folder
    lines = differences(attempt.plan, lambda name: ([folder / name, folder / _SECOND / name], [folder / WHOLE / name]))
    return Verdict(attempt.name, Outcome.DIFFERENT if lines else Outcome.EQUAL, "\n".join(lines))
