"""Growth of the time to compile, read and check a plan with the program's size."""

from __future__ import annotations

import lzma
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

import compiled_plan.cli  # noqa: F401  the commands' limits for the collection of garbage
from compiled_plan import TableEnvironment
from compiled_plan.plans.inspection.check import check
from compiled_plan.plans.plan import CompiledPlan
from tests.bench.base import Line, Setting, measurement

_TABLES = """
CREATE TABLE t (id BIGINT, x INT, s STRING) WITH ('connector' = 'filesystem', 'path' = '/t', 'format' = 'json');
CREATE TABLE o (id BIGINT) WITH ('connector' = 'print');
"""


def _where(condition: str) -> str:
    return f"{_TABLES}INSERT INTO o SELECT id FROM t WHERE {condition};"


#: Conditions by their number of parts.
_CONDITIONS: dict[str, Callable[[int], str]] = {
    "IN of casts": lambda n: _where(f"CAST(x AS STRING) IN {tuple(map(str, range(0, 2 * n, 2)))}"),
    "OR": lambda n: _where(" OR ".join(f"(x = {at} AND s = 'k{at}')" for at in range(n))),
    "||": lambda n: _where(f"{' || '.join(['s'] * n)} = 'a'"),
    "parentheses": lambda n: _where(f"{'(1 + ' * n}id{')' * n} > 3"),
}
_FEW, _MANY, _BRANCHES = 100, 10_000, 3_000
_GROWTH = 2 * _MANY / _FEW
#: Repetitions for the short condition, whose milliseconds vary.
_TIMES = 5
_OR_SECONDS = 2.0


def _aggregates(count: int) -> str:
    views = "".join(
        f"CREATE VIEW v{at} AS SELECT s, MAX(id) + {at} AS id FROM {f'v{at - 1}' if at else 't'} GROUP BY s;\n"
        for at in range(count)
    )
    return f"{_TABLES}{views}INSERT INTO o SELECT id FROM v{count - 1};"


def _joins(count: int) -> str:
    joins = " ".join(f"JOIN t AS t{at} ON t.id = t{at}.id" for at in range(count))
    return f"{_TABLES}INSERT INTO o SELECT t.id FROM t {joins};"


def _columns(count: int) -> str:
    columns = ", ".join(f"c{at} INT" for at in range(count))
    sums = ", ".join(f"SUM(c{at})" for at in range(count))
    return (
        f"CREATE TABLE w (id BIGINT, {columns}) WITH ('connector' = 'filesystem', 'path' = '/w', 'format' = 'json');\n"
        f"CREATE TABLE p (id BIGINT, {columns}) WITH ('connector' = 'print');\n"
        f"INSERT INTO p SELECT id, {sums} FROM w GROUP BY id;"
    )


def _sinks(count: int) -> str:
    tables = "".join(f"CREATE TABLE o{at} (x INT, n BIGINT) WITH ('connector' = 'print');\n" for at in range(count))
    inserts = "".join(
        f"INSERT INTO o{at} SELECT x, COUNT(*) FROM t WHERE id <> {at} GROUP BY x;\n" for at in range(count)
    )
    return f"{_TABLES}{tables}BEGIN STATEMENT SET;\n{inserts}END;"


class _Program(NamedTuple):
    text: Callable[[int], str]
    size: int
    seconds: float


#: Programs by their size, and the goals in seconds of CPU time to compile, read and check each.
_PROGRAMS = {
    "aggregates in a chain": _Program(_aggregates, 300, 10),
    "joins in one query": _Program(_joins, 300, 10),
    "columns, aggregated": _Program(_columns, 1_000, 10),
    "sinks, an aggregate each": _Program(_sinks, 100, 10),
}


#: Plans of Flink by their contents, and the goals in seconds of CPU time to read and check each.
_FLINK = Path(__file__).parents[2] / "plans" / "plan" / "flink"
_FLINK_SECONDS = 5.0


@measurement("large")
def growth(setting: Setting) -> Iterator[Line]:
    """Conditions of 100 and of 10,000 parts: compiled, and read again; hundreds of operators; plans of Flink."""
    for name, condition in _CONDITIONS.items():
        _seconds(condition(_FEW))
        few = map(median, zip(*(_seconds(condition(_FEW)) for _ in range(_TIMES)), strict=True))
        many = _seconds(condition(_MANY))
        for what, less, more in zip(("compiled", "read"), few, many, strict=False):
            times = more / less
            figure = f"{more:.2f} s, {times:.0f} times that of {_FEW}"
            yield Line(f"{name} of {_MANY} parts, {what}", figure, f"<= {_GROWTH:.0f} times", times <= _GROWTH)
    seconds, *_ = _seconds(_CONDITIONS["OR"](_BRANCHES))
    yield Line(
        f"OR of {_BRANCHES} branches, compiled", f"{seconds:.2f} s", f"<= {_OR_SECONDS} s", seconds <= _OR_SECONDS
    )
    for name, program in _PROGRAMS.items():
        compiled, read, checked = _seconds(program.text(program.size), checks=True)
        figure = f"{compiled:.2f} s, {read:.2f} s, {checked:.2f} s"
        met = compiled + read + checked <= program.seconds
        yield Line(f"{program.size} {name}: compiled, read, checked", figure, f"<= {program.seconds:.0f} s", met)
    yield from _from_flink()


def _from_flink() -> Iterator[Line]:
    """Plans that Flink compiled: read, and checked."""
    for path in sorted(_FLINK.glob("*.json.xz")):
        text = lzma.decompress(path.read_bytes()).decode()
        start = time.process_time()
        nodes = len(CompiledPlan.from_json(text).nodes)
        read = time.process_time()
        assert check(text) == ()
        seconds = time.process_time() - start
        name, figure = path.name.partition(".")[0], f"{read - start:.2f} s, {seconds - read + start:.2f} s"
        what = f"{name}, {nodes} nodes, {len(text) // 1000} kB: read, checked"
        yield Line(what, figure, f"<= {_FLINK_SECONDS:.0f} s", seconds <= _FLINK_SECONDS)


def _seconds(program: str, checks: bool = False) -> tuple[float, float, float]:
    """The CPU time to compile a program, and to read and (optionally) check its plan."""
    start = time.process_time()
    text = TableEnvironment().compile_script(program).to_json()
    compiled = time.process_time()
    CompiledPlan.from_json(text)
    read = time.process_time()
    if checks:
        assert check(text) == ()
    return compiled - start, read - compiled, time.process_time() - read
