"""The measurements, one a file."""

from tests.bench.measurements import (
    aggregate,
    chain,
    compile_plan,
    exit_time,
    function,
    hot_key,
    join,
    levelling,
    live_keys,
    nexmark,
)

#: In the order in which they run.
NAMES = ("compile", "aggregate", "join", "hot-key", "chain", "function", "exit", "live-keys", "levelling", "nexmark")

__all__ = [
    "NAMES",
    "aggregate",
    "chain",
    "compile_plan",
    "exit_time",
    "function",
    "hot_key",
    "join",
    "levelling",
    "live_keys",
    "nexmark",
]
