"""The Nexmark queries of `samples/nexmark`."""

from __future__ import annotations

from collections.abc import Iterator

from tests.bench.base import Line, Setting, measurement
from tests.bench.harness import BenchError
from tests.bench.nexmark.compare import EVENTS, QUICK_EVENTS, generate, here
from tests.bench.nexmark.programs import QUERIES


@measurement("nexmark")
def nexmark(setting: Setting) -> Iterator[Line]:
    """Rows per second of the Nexmark queries (not q6), each after a run that warms up; see `make bench-flink`."""
    data = generate(setting.folder, QUICK_EVENTS if setting.quick else EVENTS, flink=False)
    for query in QUERIES:
        try:
            rate = here(query, data, setting.folder, setting.runs)
            figure = f"{rate.rate:,.0f} rows/s ± {rate.spread:.0%}, peak {rate.memory:,.0f} MB"
            yield Line(f"nexmark {query}", figure)
        except BenchError as fault:
            yield Line(f"nexmark {query}", f"failed: {str(fault).partition(chr(10))[0]}", "runs", False)
