"""A day in four minutes over a real run: the page shows each event within 10 s, and its alert arrives."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from samples.day import NAME, Day, events, settings, until, webhook
from tests.support.service import ending_runs, served
from tests.support.waiting import wait_until

pytestmark = pytest.mark.page

#: The time within which the page shows an event that the service knows, in ms.
SHOWN = 10_000
RULES = ("growing", "slow", "failed")


def test_the_page_and_the_webhook_show_each_event(browser: Browser, tmp_path: Path) -> None:
    messages: list[dict[str, Any]] = []
    with webhook(messages) as address:
        options = ("--config", str(settings(tmp_path, address)))
        with ending_runs(tmp_path / "home"), served(tmp_path / "home", *options) as (_, api, _):
            day = Day(tmp_path, api, messages)
            day.begin()
            page = browser.new_page(viewport={"width": 1400, "height": 900})
            origin = api.removesuffix("/api/v1/")
            page.goto(f"{origin}/#/pipelines/{NAME}/live")
            box = page.get_by_role("region", name="Alerts")

            def hot() -> None:
                cells = page.locator(".operators tbody td").all_inner_texts()
                assert any(re.fullmatch(r"(8|9)\d %|100 %", text) for text in cells), cells

            signs: dict[str, Callable[[], None]] = {
                "first rows": lambda: expect(page.locator(".percentiles")).to_be_visible(timeout=SHOWN),
                "hot key": lambda: _within(hot),
                "growing state": lambda: expect(box).to_contain_text("growing", timeout=SHOWN),
                "slow source": lambda: expect(box).to_contain_text("slow", timeout=SHOWN),
                "failing sink": lambda: expect(box).to_contain_text("failed", timeout=SHOWN),
            }
            for name, act, shown in events(day):
                until(shown, act, name, patience=240)
                signs[name]()
            page.goto(f"{origin}/#/pipelines")
            expect(page.get_by_role("region", name="Alerts")).to_contain_text(NAME, timeout=SHOWN)
            day.ask(f"pipelines/{NAME}/run/stop", {})
            wait_until(lambda: day.ask(f"pipelines/{NAME}/run")["pid"] == 0, "the end of the run")
            # Nothing is repeated while it holds, and each alert is resolved at its end.
            wait_until(lambda: all(_states(messages, rule)[-1:] == ["resolved"] for rule in RULES), "resolved alerts")
            for rule in RULES:
                states = _states(messages, rule)
                assert states == ["firing", "resolved"] * (len(states) // 2)
            page.close()


def _states(messages: list[dict[str, Any]], rule: str) -> list[str]:
    return [message["state"] for message in list(messages) if message["rule"] == rule]


def _within(check: Callable[[], None]) -> None:
    """Repeat a check until it holds, for at most the time in which the page shows an event."""
    end = time.monotonic() + SHOWN / 1000
    while True:
        try:
            return check()
        except AssertionError:
            if time.monotonic() > end:
                raise
            time.sleep(0.2)
