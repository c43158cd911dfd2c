"""Accounts of a long run at full rate."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tests.bench.base import Line, Setting, measurement
from tests.bench.data import sink, table, write
from tests.bench.harness import compile_plan, execute_plan

_ROWS, _QUICK_ROWS, _PER_BATCH = 1_000_000_000, 10_000_000, 10_000_000
_KEYS, _GROUPS = 10_000, 100
_EVENTS = f"""CREATE TABLE events (k BIGINT, v BIGINT) WITH ('connector' = 'datagen', 'number-of-rows' = '{{rows}}',
  'rows-per-second' = '{_PER_BATCH}', 'fields.k.min' = '0', 'fields.k.max' = '{_KEYS - 1}',
  'fields.v.min' = '0', 'fields.v.max' = '1000000');
"""
_QUERY = """INSERT INTO done SELECT g, SUM(s) FROM (
  SELECT g, s, ROW_NUMBER() OVER (PARTITION BY g ORDER BY s DESC) AS n
  FROM (SELECT k, SUM(v) AS s FROM events GROUP BY k) AS totals JOIN memberships USING (k)
) WHERE n <= 3 GROUP BY g;
"""


@measurement("accounts")
def accounts(setting: Setting) -> Iterator[Line]:
    """Two aggregates, a join and a top-n over generated rows: each row and each entry of state is accounted for."""
    rows = _QUICK_ROWS if setting.quick else _ROWS
    keys = np.arange(_KEYS, dtype=np.int64)
    groups = write(setting.folder / "groups", [{"k": keys, "g": keys % _GROUPS}], setting.format)
    memberships = table("memberships", groups, columns="k BIGINT, g BIGINT")
    columns = sink("g BIGINT, s BIGINT")
    plan = compile_plan(_EVENTS.format(rows=rows) + memberships + columns + _QUERY, setting.folder, "accounts")
    run = execute_plan(plan)
    last = run.batches[-1]
    read = sum(batch.rows for batch in run.batches) - _KEYS
    yield Line(f"rows read, of {rows}", str(read), f"= {rows}", read == rows)
    received = max(last.rows_in.values())
    yield Line("rows that the first operator has received", str(received), f"= {rows}", received == rows)
    yield Line("unaccounted rows and entries of state", str(last.unaccounted), "= 0", last.unaccounted == 0)
    yield Line("rows a second", f"{rows / run.batch_seconds:,.0f}")
