"""Tables of many small cases that one test checks: a test of its own takes longer than such a case."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest


def failures(check: Callable[..., None], cases: Iterable[Any]) -> dict[str, str]:
    """The errors of `check` by failing case; the parts of a tuple are arguments of their own. An empty table fails."""
    errors: dict[str, str] = {}
    count = 0
    for case in cases:
        count += 1
        arguments = case if isinstance(case, tuple) else (case,)
        try:
            check(*arguments)
        except (Exception, pytest.fail.Exception) as error:
            errors[", ".join(map(str, arguments))] = f"{type(error).__name__}: {error}"
    assert count, "the table of cases is empty"
    return errors
