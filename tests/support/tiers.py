"""Tiers of the parameters of a test."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest


def but_wide(values: Iterable[Any], main: Callable[[Any], bool]) -> list[Any]:
    """Parameters of a test: those that are `main` run in `make test`, all in `make test-wide`.

    Args:
        values: the parameters; a tuple has a value for each argument.
        main: whether the test of a parameter is a main case.
    """
    return [
        pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=() if main(value) else pytest.mark.wide)
        for value in values
    ]
