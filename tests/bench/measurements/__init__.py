"""The measurements, one a file."""

from tests.bench.measurements import (
    aggregate,
    chain,
    compile_plan,
    exit_time,
    function,
    hot_key,
    join,
    kafka,
    large,
    latency,
    levelling,
    live_keys,
    migration,
    nexmark,
    restart,
)

#: In the order in which they run.
NAMES = (
    "compile",
    "large",
    "aggregate",
    "join",
    "hot-key",
    "chain",
    "function",
    "exit",
    "live-keys",
    "migration",
    "restart",
    "kafka",
    "latency",
    "levelling",
    "nexmark",
)

__all__ = [
    "NAMES",
    "aggregate",
    "chain",
    "compile_plan",
    "exit_time",
    "function",
    "hot_key",
    "join",
    "kafka",
    "large",
    "latency",
    "levelling",
    "live_keys",
    "migration",
    "nexmark",
    "restart",
]
