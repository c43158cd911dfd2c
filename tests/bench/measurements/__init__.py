"""The measurements, one a file."""

from tests.bench.measurements import aggregate, chain, compile_plan, exit_time, hot_key, join, levelling, live_keys

#: In the order in which they run.
NAMES = ("compile", "aggregate", "join", "hot-key", "chain", "exit", "live-keys", "levelling")

__all__ = ["NAMES", "aggregate", "chain", "compile_plan", "exit_time", "hot_key", "join", "levelling", "live_keys"]
