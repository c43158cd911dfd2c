"""The measurements, one a file."""

from tests.bench.measurements import aggregate, compile_plan, hot_key, join

#: In the order in which they run.
NAMES = ("compile", "aggregate", "join", "hot-key")

__all__ = ["NAMES", "aggregate", "compile_plan", "hot_key", "join"]
