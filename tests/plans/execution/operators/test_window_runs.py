"""Windows in one run of several batches, from SQL."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.plan import CompiledPlan
from tests.plans.execution.operators.test_timed_runs import at, values
from tests.support.files import table

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.wide

CLICKS = "usr STRING, n INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND"
TUMBLE = "TABLE(TUMBLE(TABLE clicks, DESCRIPTOR(ts), INTERVAL '10' SECOND))"
HOP = "TABLE(HOP(TABLE clicks, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '10' SECOND))"
SESSION = "TABLE(SESSION(TABLE clicks PARTITION BY usr, DESCRIPTOR(ts), INTERVAL '4' SECOND))"
INSERTS = {
    "tumbled (e TIMESTAMP(3), usr STRING, c BIGINT, s INT)": f"""
        SELECT window_end, usr, COUNT(*), SUM(n) FROM {TUMBLE} GROUP BY window_start, window_end, usr""",
    "most (e TIMESTAMP(3), m BIGINT)": f"""
        SELECT window_end, MAX(c) FROM (SELECT window_start, window_end, usr, COUNT(*) AS c FROM {HOP}
        GROUP BY window_start, window_end, usr) GROUP BY window_start, window_end""",
    "sat (s TIMESTAMP(3), e TIMESTAMP(3), usr STRING, c BIGINT)": f"""
        SELECT window_start, window_end, usr, COUNT(*) FROM {SESSION} GROUP BY window_start, window_end, usr""",
    "seen (usr STRING, n INT, s TIMESTAMP(3))": f"SELECT usr, n, window_start FROM {SESSION}",
    "best (e TIMESTAMP(3), n INT)": f"""
        SELECT window_end, n FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY n DESC)
        AS rn FROM {TUMBLE}) WHERE rn <= 1""",
    "paired (l INT, r INT)": f"""
        SELECT l.n, r.n FROM (SELECT * FROM {TUMBLE} WHERE n < 3) AS l LEFT JOIN (SELECT * FROM {TUMBLE} WHERE n > 2)
        AS r ON l.window_start = r.window_start AND l.window_end = r.window_end AND l.usr = r.usr""",
    "grouped (s TIMESTAMP(3), c BIGINT)": """
        SELECT TUMBLE_START(ts, INTERVAL '10' SECOND), COUNT(*) FROM clicks
        GROUP BY TUMBLE(ts, INTERVAL '10' SECOND)""",
}
#: User, number and second, by arrival. That of second 8 arrives when the watermark is at 11 s: late for the
#: window that ends at 10 s, and after the end of the session before it.
GIVEN = (("a", 1, 1), ("b", 2, 3), ("a", 3, 6), ("a", 4, 16), ("a", 5, 8), ("b", 6, 12), ("a", 7, 19))


def program(folder: Path) -> CompiledPlan:
    sinks = "".join(table(folder, *text.removesuffix(")").split(" (", 1)) for text in INSERTS)
    inserts = "".join(f"INSERT INTO {text.split(' ')[0]} {query};\n" for text, query in INSERTS.items())
    clicks = table(folder, "clicks", CLICKS)
    return TableEnvironment().compile_script(f"{clicks}{sinks}EXECUTE STATEMENT SET BEGIN\n{inserts}END;")


def put(folder: Path, files: int) -> None:
    folder.mkdir(parents=True)
    size = -(-len(GIVEN) // files)
    for number in range(files):
        rows = [{"usr": usr, "n": n, "ts": at(second)} for usr, n, second in GIVEN[number * size : (number + 1) * size]]
        file = folder / f"{number}.json"
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
        os.utime(file, (number + 1, number + 1))


def second(number: int) -> str:
    return at(number)[:-4]


def test_all_windows_in_one_run(spark: SparkSession, tmp_path: Path) -> None:
    put(tmp_path / "clicks", files=2)
    Run(spark, program(tmp_path), RunOptions(max_files_per_batch=1)).execute()

    def rows_of(name: str) -> list[tuple[Any, ...]]:
        return sorted(values(tmp_path / name), key=repr)

    ten, twenty = second(10), second(20)
    assert rows_of("tumbled") == [(ten, "a", 2, 4), (ten, "b", 1, 2), (twenty, "a", 2, 11), (twenty, "b", 1, 6)]
    assert rows_of("most") == [(second(5), 1), (ten, 2), (second(15), 2), (twenty, 2), (second(25), 2)]
    sessions = [
        (second(1), second(5), "a", 1),
        (second(3), second(7), "b", 1),
        (second(6), ten, "a", 1),
        (second(8), second(12), "a", 1),
        (second(12), second(16), "b", 1),
        (second(16), second(23), "a", 2),
    ]
    assert rows_of("sat") == sessions
    assert rows_of("seen") == [
        ("a", 1, second(1)),
        ("a", 3, second(6)),
        ("a", 4, second(16)),
        ("a", 5, second(8)),
        ("a", 7, second(16)),
        ("b", 2, second(3)),
        ("b", 6, second(12)),
    ]
    assert rows_of("best") == [(ten, 3), (twenty, 7)]
    assert rows_of("paired") == [(1, 3), (2, None)]
    assert rows_of("grouped") == [(second(0), 3), (second(10), 3)]
