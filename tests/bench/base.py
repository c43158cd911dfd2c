"""Registry and settings of measurements."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the table: the measurement, its figure, the goal, whether it is met (None: there is no goal)."""

    what: str
    figure: str
    goal: str = ""
    met: bool | None = None


@dataclass(frozen=True, slots=True)
class Setting:
    """Settings of a measurement.

    Args:
        folder: an empty folder for data and plans.
        quick: smaller data.
        format: the format of input files.
        runs: number of runs of a pair.
        seconds: the duration of a timed run; None leaves it to the measurement.
    """

    folder: Path
    quick: bool
    format: str
    runs: int
    seconds: int | None = None


Measurement = Callable[[Setting], Iterator[Line]]

_MEASUREMENTS: dict[str, Measurement] = {}


def measurement(name: str) -> Callable[[Measurement], Measurement]:
    """Register a function as the measurement of that name; its docstring describes the figure."""

    def register(function: Measurement) -> Measurement:
        _MEASUREMENTS[name] = function
        return function

    return register


def measurements() -> dict[str, Measurement]:
    """All measurements by name, in the order in which they run."""
    from tests.bench import measurements as package

    return {name: _MEASUREMENTS[name] for name in package.NAMES}
