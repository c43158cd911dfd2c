"""Flink's results for the queries of `samples/nexmark` over a small data set, and comparison with them.

`nexmark/<query>.json` holds the table that the query's changelog results in: all rows of a short one, else their
number, a digest and the first ones. To record them again with a real Flink, which must not change them:

    python -m tests.samples.nexmark_results
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from samples.nexmark.generate import Nexmark
from tests.conformance.cases import added_up

RESULTS = Path(__file__).with_name("nexmark")
#: About four windows of ten seconds.
SMALL = Nexmark(events=20_000, rate=500, files=1, seed=7)
#: Longer tables are stored as their first rows.
_WHOLE, _FIRST = 50, 3

#: Queries whose streaming plan gives wrong results in Flink 2.3.0: a top-1 by two keys never retracts a row.
_IN_BATCH = ("q9",)
#: The query with processing-time windows: its result depends on when a row is read.
CLOCK = "q12"


@dataclass(frozen=True, slots=True)
class Result:
    """A table: number of rows, a digest of all in the order of their texts, and sample rows.

    Args:
        count: number of rows.
        digest: SHA-256 of the rows' texts.
        folders: of a partitioned table, the folders of its files.
        rows: texts of all rows or of the first few.
    """

    count: int
    digest: str
    folders: tuple[str, ...]
    rows: tuple[str, ...]


def result(out: Path) -> Result:
    """The table that the files of a sink result in."""
    table, _ = added_up(out)
    assert not [row for row, count in table.items() if count < 0], "more deletes than inserts"
    rows = sorted(table.elements())
    files = (file for file in out.rglob("*") if file.is_file()) if out.exists() else ()
    folders = sorted({str(file.parent.relative_to(out)) for file in files} - {"."})
    return Result(
        len(rows),
        hashlib.sha256("\n".join(rows).encode()).hexdigest(),
        tuple(folder for folder in folders if "/." not in f"/{folder}"),
        tuple(rows if len(rows) <= _WHOLE else rows[:_FIRST]),
    )


def expected(query: str) -> Result:
    """Flink's result."""
    document = json.loads((RESULTS / f"{query}.json").read_text())
    return Result(document["count"], document["digest"], tuple(document["folders"]), tuple(document["rows"]))


def difference(want: Result, got: Result) -> str:
    """The difference as text; empty for equal results."""
    if want == got:
        return ""
    missing = list((Counter(want.rows) - Counter(got.rows)).elements())[:3]
    extra = list((Counter(got.rows) - Counter(want.rows)).elements())[:3]
    folders = f", folders {want.folders} and {got.folders}" if want.folders != got.folders else ""
    return f"{want.count} rows expected, {got.count} found; missing {missing}, extra {extra}{folders}"


def record(queries: Sequence[str]) -> None:
    """Run the queries on Flink, and write the files."""
    from tests.bench.nexmark.flink import BATCH, ONE_TASK, run_jobs
    from tests.bench.nexmark.programs import program, statements

    RESULTS.mkdir(exist_ok=True)
    with TemporaryDirectory() as name:
        folder = Path(name)
        SMALL.write(folder / "data")
        jobs = {query: statements(program(query, folder / "data", folder)) for query in queries}
        run_jobs([job for query, job in jobs.items() if query not in _IN_BATCH], ONE_TASK, folder)
        run_jobs([jobs[query] for query in _IN_BATCH], BATCH, folder)
        for query in queries:
            document = asdict(result(folder / query))
            (RESULTS / f"{query}.json").write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    from tests.bench.nexmark.programs import QUERIES

    record([query for query in QUERIES if query != CLOCK])
