"""Log lines of a run."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

from compiled_plan.plans.telemetry.log_lines import LogLines

BEGUN = datetime(2026, 3, 1, 10, tzinfo=UTC)
START = {
    "event": "start",
    "product": "1.2.3",
    "plan": "plan.json",
    "bounded": False,
    "checkpoint": "/data/cp",
    "spark": {"version": "4.1.1", "master": "local[2]", "ui": None},
    "sources": [{"name": "orders", "position": '{"logOffset":3}'}, {"name": "clicks", "position": None}],
}


def at(seconds: float) -> str:
    return (BEGUN + timedelta(seconds=seconds)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def batch(number: int, seconds: float, letters: int = 0, late: int = 0) -> dict[str, Any]:
    source, operator = {"name": "orders", "rows": 10, "lag": 3}, {"uid": "join-1", "rowsLate": late}
    figures = {"rowsIn": 10, "rowsOut": 5, "deadLetters": letters, "batchMillis": 20}
    return {
        "event": "batch", "at": at(seconds), "batch": number, **figures, "sources": [source], "operators": [operator]
    }  # fmt: skip


def lines_of(*messages: dict[str, Any]) -> list[str]:
    lines: list[str] = []
    log = LogLines(lines.append)
    for message in messages:
        log.tell(message)
    log.close()
    return lines


def test_a_start_names_product_plan_spark_and_positions() -> None:
    assert lines_of({**START, "at": at(0)}) == [
        f"{at(0)} INFO compiled-plan 1.2.3 runs plan.json until it is stopped, checkpoint /data/cp",
        f"{at(0)} INFO Spark 4.1.1 at local[2], UI none",
        f'{at(0)} INFO source orders: from {{"logOffset":3}}',
        f"{at(0)} INFO source clicks: from its start position",
    ]


def test_batches_are_summed_at_growing_intervals() -> None:
    lines = lines_of(*(batch(number, number) for number in range(3600)))
    assert lines[:3] == [
        f"{at(0)} INFO batch 0: 10 rows in, 5 out, 20 ms, lag 3",
        f"{at(60)} INFO batches 1 to 60: 600 rows in, 300 out, 20 ms on average, lag 3",
        f"{at(180)} INFO batches 61 to 180: 1200 rows in, 600 out, 20 ms on average, lag 3",
    ]
    times = [datetime.fromisoformat(line.split()[0]) for line in lines]
    gaps = [(later - earlier).total_seconds() for earlier, later in pairwise(times)]
    assert gaps == [60, 120, 240, 480, 600, 600, 600, 600]


def test_dead_letters_and_late_rows_are_warnings() -> None:
    later = (batch(number, number, number == 300, 2 * (number >= 301)) for number in range(1, 400))
    lines = lines_of(batch(0, 0), *later)
    assert [line.split(" ", 2)[1] for line in lines] == ["INFO", "INFO", "INFO", "WARN", "WARN"]
    assert lines[3].endswith("lag 3, 1 dead letter") and lines[4].endswith("lag 3, 2 late rows")


def test_a_wrong_account_is_a_warning_when_it_changes() -> None:
    messages = [batch(number, number) for number in range(400)]
    for message in messages[301:]:
        message["operators"][0]["unaccounted"] = {"rows": 0, "entries": 7}
    lines = lines_of(*messages, {**messages[-1], "at": at(1000)}, batch(400, 2000))
    assert [line.split(" ", 2)[1] for line in lines] == ["INFO", "INFO", "INFO", "WARN", "INFO", "INFO"]
    assert lines[3].endswith("lag 3, operator join-1 does not account for 7 state rows, please report it")


def test_the_end_sums_what_is_pending_and_hides_secrets() -> None:
    end = {"event": "end", "at": at(9), "batches": 2, "rowsIn": 20, "rowsOut": 10, "stopped": True, "deadLetters": 0}
    lines = lines_of(batch(0, 0), batch(1, 5), end)
    assert lines[1:] == [
        f"{at(5)} INFO batch 1: 10 rows in, 5 out, 20 ms, lag 3",
        f"{at(9)} INFO stopped after 2 batches, 20 rows in",
    ]
    (line, *_) = lines_of({**START, "at": at(0), "checkpoint": "s3://key:hush@bucket/cp"})
    assert "hush" not in line
