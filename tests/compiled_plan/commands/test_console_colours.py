from __future__ import annotations

import io
import sys

import pytest

from compiled_plan.commands.console import console, fail
from compiled_plan.plans.errors import ExecutionError


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("no_color", "text"), [("1", "error: x\n"), ("", "\x1b[1;31merror:\x1b[0m\x1b[1;31m \x1b[0mx\n")]
)
def test_no_color_switches_bold_off_too(no_color: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"NO_COLOR": no_color, "TERM": "xterm", "COLORTERM": ""}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    console.cache_clear()
    fail(ExecutionError("x"))
    console.cache_clear()
    assert terminal.getvalue() == text
