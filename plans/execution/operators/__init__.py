"""How each plan node runs. Importing the package registers all of them."""

from plans.execution.operators import (
    aggregate,
    calc,
    changelog,
    join,
    lookup,
    match,
    over,
    rank,
    timed,
    window,
    window_aggregate,
)

__all__ = [
    "aggregate",
    "calc",
    "changelog",
    "join",
    "lookup",
    "match",
    "over",
    "rank",
    "timed",
    "window",
    "window_aggregate",
]
