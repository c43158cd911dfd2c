"""The list of pipelines: sorted, filtered, with owner and tags."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import expect

from tests.service.page.conftest import Open, Site
from tests.service.page.served import say

pytestmark = pytest.mark.page


def test_a_column_sorts_in_both_directions(open_page: Open) -> None:
    page = open_page("pipelines")
    names = page.locator("tbody th a", has_text=re.compile("^(clicks-deduplicated|sales-by-country)$"))
    expect(names.first).to_have_text("clicks-deduplicated")
    page.get_by_role("button", name="Rows in").click()
    expect(page.get_by_role("columnheader", name="Rows in")).to_have_attribute("aria-sort", "descending")
    expect(names.nth(1)).to_have_text("sales-by-country")
    page.get_by_role("button", name="Rows in").click()
    expect(names.first).to_have_text("sales-by-country")
    expect(names.nth(1)).to_have_text("clicks-deduplicated")


def test_a_narrow_screen_sorts_by_a_selection(open_page: Open) -> None:
    page = open_page("pipelines", width=390)
    page.get_by_label("Sort by").select_option(label="By lag")
    expect(page.locator("tbody tr").first).to_contain_text("clicks-deduplicated")
    page.set_viewport_size({"width": 1000, "height": 800})
    expect(page.get_by_label("Sort by")).to_be_hidden()
    expect(page.get_by_role("columnheader", name="Lag")).to_have_attribute("aria-sort", "descending")


def test_details_are_edited_and_filter_the_list(open_page: Open, site: Site) -> None:
    name = "with-details"
    site.client.post("pipelines", json={"name": name}).raise_for_status()
    page = open_page(f"pipelines/{name}")
    page.get_by_role("button", name="Edit details").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Owner").fill("team-blue")
    dialog.get_by_label("Tags").fill("EU, gold")
    dialog.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Owner: team-blue")).to_be_visible()
    error = {"last_error": "no such topic", "last_error_at": datetime.now(UTC) - timedelta(hours=2)}
    say(site.app, name, state="stopped", state_bytes=3_400_000, state_growth=1200.0, **error)
    page.get_by_role("link", name="Pipelines").first.click()
    page.get_by_role("button", name="gold").click()
    expect(page.locator("tbody tr")).to_have_count(1)
    row = page.locator("tbody tr")
    for text in ("3.4 MB", "+1.2 kB/h", "2 h ago", "team-blue"):
        expect(row).to_contain_text(text)
    expect(page.get_by_role("combobox", name="Tag")).to_have_value("gold")
    page.get_by_role("combobox", name="Tag").select_option("")
    page.get_by_role("combobox", name="Owner").select_option("team-blue")
    expect(page.locator("tbody tr")).to_have_count(1)
    site.client.delete(f"pipelines/{name}", headers={"if-match": "*"}).raise_for_status()


def test_a_dialog_closes_with_its_page(open_page: Open) -> None:
    page = open_page("tokens")
    page.get_by_role("button", name="New token").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.evaluate("location.hash = '#/pipelines'")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_a_question_mark_shows_the_keys(open_page: Open) -> None:
    page = open_page("pipelines")
    expect(page.locator("tbody tr").first).to_be_visible()
    page.get_by_label("Search pipelines").press("?")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.get_by_role("heading", name="Pipelines").click()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
