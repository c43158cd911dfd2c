"""Signals that end a command: one exception, and then the end of the process."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator

import pytest
import typer

from compiled_plan.commands import console, interrupts
from compiled_plan.commands.console import run_app
from compiled_plan.commands.interrupts import ENDING, Interrupted, Interrupts, code_of, handled_by


class _Ended(Exception):
    """Raised in place of the end of the process."""


@pytest.fixture(autouse=True)
def alarm() -> Iterator[None]:
    """No alarm stays for other tests."""
    before = signal.getsignal(signal.SIGALRM)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def ended_spark(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """The calls that would end the Spark of the tests."""
    calls: list[bool] = []
    monkeypatch.setattr(console, "end_spark", lambda: calls.append(True))
    return calls


@pytest.mark.parametrize("number", ENDING)
def test_a_signal_ends_a_command_with_one_line(
    number: signal.Signals,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    ended_spark: list[bool],
) -> None:
    monkeypatch.setattr(sys, "argv", ["wait"])
    app, before, cleaned = typer.Typer(), signal.getsignal(number), []

    @app.command()
    def wait() -> None:
        try:
            os.kill(os.getpid(), number)
        finally:
            cleaned.append(True)

    with pytest.raises(SystemExit) as ended:
        run_app(app)
    assert ended.value.code == 128 + number and cleaned and ended_spark == [True]
    assert capsys.readouterr().err == f"stopped by {number.name}\n"
    assert signal.getsignal(number) is before


def test_a_failure_of_what_was_interrupted_is_no_error(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, ended_spark: list[bool]
) -> None:
    monkeypatch.setattr(sys, "argv", ["call"])
    app = typer.Typer()

    @app.command()
    def call() -> None:
        try:
            os.kill(os.getpid(), signal.SIGTERM)
        finally:
            raise ValueError("an answer that was not read")

    with pytest.raises(SystemExit) as ended:
        run_app(app)
    assert (ended.value.code, capsys.readouterr().err) == (143, "stopped by SIGTERM\n") and ended_spark == [True]


def test_the_time_ends_the_process(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    ends: list[int] = []

    def end(number: int) -> None:
        ends.append(code_of(number))
        raise _Ended

    monkeypatch.setattr(interrupts, "end_process", end)
    monkeypatch.setattr(interrupts, "SECONDS_TO_END", 0.05)
    with handled_by(Interrupts()):
        with pytest.raises(Interrupted):
            os.kill(os.getpid(), signal.SIGTERM)
        with pytest.raises(_Ended):
            threading.Event().wait(30)
    assert ends == [143] and capfd.readouterr().err == "no end 0.05 s after SIGTERM: process ended\n"


def test_a_second_signal_ends_the_process(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    ends: list[int] = []

    def end(number: int) -> None:
        ends.append(code_of(number))
        raise _Ended

    monkeypatch.setattr(interrupts, "end_process", end)
    with handled_by(Interrupts()):
        with pytest.raises(Interrupted):
            os.kill(os.getpid(), signal.SIGHUP)
        with pytest.raises(_Ended):
            os.kill(os.getpid(), signal.SIGINT)
    assert ends == [129] and capfd.readouterr().err == "SIGHUP came again: process ended\n"


def test_nohup_is_respected() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with handled_by(Interrupts()):
            os.kill(os.getpid(), signal.SIGHUP)
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
