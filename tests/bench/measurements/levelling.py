"""State of short-lived keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.bench.base import Line, Setting, measurement
from tests.bench.data import each_key, sink, table, write, write_file
from tests.bench.harness import Batch, Watch, compile_plan, execute_plan

_ROWS, _PERIODS = 1_000, 20


@measurement("levelling")
def levelling(setting: Setting) -> Iterator[Line]:
    """State rows over 20 TTL periods, each micro-batch with 1,000 new keys."""
    ttl, trigger = (2, 0.5) if setting.quick else (4, 1.0)
    data = write(setting.folder / "rows", [each_key(_ROWS, seed=0)], setting.format)
    more = ", 'source.monitor-interval' = '100 ms'"
    program = f"SET 'table.exec.state.ttl' = '{ttl} s';\n{table('r', data, more)}{sink('k BIGINT, c BIGINT, s BIGINT')}"
    sql = f"{program}INSERT INTO done SELECT k, COUNT(*), SUM(v) FROM r GROUP BY k;"
    plan = compile_plan(sql, setting.folder, "plan")

    def feed(watch: Watch) -> None:
        if watch.batches[-1].at - watch.batches[0].at > _PERIODS * ttl:
            watch.stop()
        else:
            _write(data, len(watch.batches))

    run = execute_plan(plan, "--trigger", f"{int(trigger * 1000)}ms", on_batch=feed, accept=(0, 130))
    early, late = _peak(run.batches, 2 * ttl, 4 * ttl), _peak(run.batches, (_PERIODS - 2) * ttl, _PERIODS * ttl)
    # Tolerance: one micro-batch more or less per TTL period.
    met = late <= early + _ROWS
    figure = f"{late:,} (after 3: {early:,}; {len(run.batches)} micro-batches of {_ROWS:,} new keys)"
    yield Line(f"state rows after {_PERIODS} TTL periods", figure, "no more than after 3", met)


def _write(folder: Path, number: int) -> None:
    write_file(folder / f"{number:05}{folder.suffix}", each_key(_ROWS, seed=number, first=number * _ROWS))


def _peak(batches: Sequence[Batch], start: float, end: float) -> int:
    """The peak of state rows between two times, in seconds since the first micro-batch."""
    return max(sum(batch.state.values()) for batch in batches if start <= batch.at - batches[0].at <= end)
