"""The tab of state, with fake runs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.service.page.conftest import Open, Site

pytestmark = pytest.mark.page


@pytest.fixture
def tab(open_page: Open, site: Site) -> Iterator[Page]:
    site.app.state.faked.jobs.clear()
    yield open_page("pipelines/sales-by-country/state")
    site.app.state.faked.hold = False


def test_the_entries_of_a_key(tab: Page, site: Site) -> None:
    choice = tab.get_by_label("Operator")
    choice.select_option(choice.locator("option", has_text="Join orders").get_attribute("value"))
    tab.get_by_label("customer", exact=True).fill("5")
    tab.get_by_role("button", name="Look up").click()
    expect(tab.get_by_role("status").filter(has_text="of 16 tasks")).to_be_visible()
    entries = tab.get_by_role("region", name="Entries of the key")
    expect(entries).to_contain_text("customer=5", timeout=10_000)
    expect(entries.get_by_role("columnheader", name="order_id")).to_be_visible()
    expect(entries).to_contain_text("2026-04-30")
    assert site.app.state.faked.jobs["sales-by-country"][0].key == ["customer=5"]


def test_a_count_of_all_entries_is_cancelled_and_repeated(tab: Page, site: Site) -> None:
    site.app.state.faked.hold = True
    tab.get_by_role("button", name="Count all entries").click()
    tab.get_by_role("button", name="Cancel").click()
    expect(tab.get_by_text("Cancelled after 3 s")).to_be_visible()
    assert site.app.state.faked.jobs["sales-by-country"][1] < 0
    site.app.state.faked.hold = False
    tab.get_by_role("button", name="Count all entries").click()
    expect(tab.get_by_role("region", name="All entries")).to_contain_text("30,000", timeout=10_000)
