"""States of pipelines on the page: badge, time in the state, reason, next start, filter."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from compiled_plan.service.store.states import RunState
from tests.service.page.conftest import Open, Site
from tests.service.page.served import say
from tests.service.page.test_page import SECOND

pytestmark = pytest.mark.page

REASONS = {
    RunState.STARTING: "Spark starts",
    RunState.MIGRATING: "step 2 of 5: the state of join-orders-customers is written",
    RunState.STOPPING: "a stop was requested; the process is killed if it does not end by itself",
    RunState.WAITING: "the database does not answer; restart 2 follows",
}


def until() -> datetime:
    return datetime.now(UTC) + timedelta(seconds=95)


@pytest.mark.parametrize("state", list(REASONS))
def test_a_state_is_shown_with_its_reason_and_its_time(open_page: Open, site: Site, state: RunState) -> None:
    name = site.name_of_new(SECOND, f"is-{state}")
    more: dict[str, Any] = {"until": until()} if state is RunState.WAITING else {}
    say(site.app, name, state=state.value, message=REASONS[state], **more)
    page = open_page(f"pipelines/{name}")
    head = page.locator(".glance")
    expect(head).to_contain_text(str(state).capitalize())
    expect(head).to_contain_text("for 37 min")
    # Figures belong to a run that reports micro-batches.
    expect(head).not_to_contain_text("Lag")
    expect(page.locator(".problem")).to_contain_text(REASONS[state])
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    if state is RunState.WAITING:
        expect(head).to_contain_text(re.compile(r"next start in 1 min 3\d s"))
        first = page.locator("count-down").inner_text()
        expect(page.locator("count-down")).not_to_have_text(first)


@pytest.mark.parametrize("width", [390, 1440])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_list_filters_by_each_state(open_page: Open, site: Site, width: int, scheme: str, tmp_path: Path) -> None:
    for state in REASONS:
        name = f"in-{state}"
        if site.client.get(f"pipelines/{name}").status_code == 404:
            site.name_of_new(SECOND, name)
        more: dict[str, Any] = {"until": until()} if state is RunState.WAITING else {}
        say(site.app, name, state=state.value, message=REASONS[state], **more)
    page = open_page("pipelines", width=width, scheme=scheme)
    options = page.get_by_label("State").locator("option")
    assert options.evaluate_all("all => all.map(one => one.value)") == ["", *(state.value for state in RunState)]
    expect(page.locator("tr", has_text="in-waiting")).to_contain_text("next start in 1 min 3")
    page.screenshot(path=Path(os.environ.get("SHOTS", tmp_path)) / f"states-{width}-{scheme}.png")
    page.get_by_label("State").select_option("waiting")
    expect(page.locator("tbody tr")).to_have_count(1 + site.client.get("pipelines?q=is-waiting").json()["total"])
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
