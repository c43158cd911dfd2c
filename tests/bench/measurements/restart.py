"""Start time on a checkpoint if only TTLs have changed since the last start."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from statistics import median

from tests.bench.base import Line, Setting, measurement
from tests.bench.data import each_key, random_keys, sink, table, write, write_file
from tests.bench.harness import Execution, Pair, alternate, compile_plan, execute_plan

_GOAL, _PAIRS, _ROWS = 1.05, 7, 1_000


@measurement("restart")
def restart(setting: Setting) -> Iterator[Line]:
    """Starts on a million keys after an edit of a TTL, each beside a plain one; and a first TTL after none."""
    keys = 100_000 if setting.quick else 1_000_000
    data = write(setting.folder / "rows", [each_key(keys, seed=1)], setting.format)
    options = ("--checkpoint", str(setting.folder / "checkpoint"), "--available-now")
    numbers = count(1)

    def start(plan: Path) -> Execution:
        at = next(numbers)
        write_file(data / f"later-{at:05}.{setting.format}", random_keys(_ROWS, keys, seed=at))
        return execute_plan(plan, *options)

    def plan(ttl: str) -> Path:
        program = f"SET 'table.exec.state.ttl' = '{ttl}';\n" + table("r", data) + sink("k BIGINT, c BIGINT, s BIGINT")
        sql = f"{program}INSERT INTO done SELECT k, COUNT(*), SUM(v) FROM r GROUP BY k;"
        return compile_plan(sql, setting.folder, "plan")

    first = start(plan("0 ms"))
    moved = start(plan("1 d"))
    # The plan of the last start serves for the plain one.
    pair = alternate(
        1 if setting.quick else _PAIRS,
        lambda: start(plan(f"{next(numbers)} d")),
        lambda: start(setting.folder / "plan.json"),
    )
    yield _line(f"{keys:,} keys, another TTL / plain start, whole process", pair, lambda run: run.seconds)
    yield _line(f"{keys:,} keys, another TTL / plain start, processor time", pair, lambda run: run.cpu)
    plain = median(run.seconds for run in pair.theirs)
    text = f"{moved.seconds - plain:.1f} s more than {plain:.1f} s (the first start: {first.seconds:.1f} s)"
    yield Line(f"{keys:,} keys, a TTL where there was none: timers are set", text)


def _line(what: str, pair: Pair, figure: Callable[[Execution], float]) -> Line:
    ratio = 1 / pair.ratio(figure)
    ours, theirs = (median(map(figure, runs)) for runs in (pair.ours, pair.theirs))
    return Line(what, f"{ratio:.2f} ({ours:.2f} s, plain {theirs:.2f} s)", f"<= {_GOAL}", ratio <= _GOAL)
