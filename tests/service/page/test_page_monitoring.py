"""Figures of a run on the page, in a browser: rates on edges, busy operators, hot keys, percentiles."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.service.page.conftest import Open, Site

pytestmark = pytest.mark.page

SALES = "pipelines/sales-by-country"


def test_the_graph_shows_rates_and_the_busiest_operator(open_page: Open, site: Site) -> None:
    page = open_page(SALES)
    expect(page.locator(".edge-rate").first).to_contain_text("/s")
    busiest = page.locator(".node.busiest")
    expect(busiest).to_have_count(1)
    busiest.click()
    panel = page.get_by_role("complementary")
    expect(panel.locator(".traffic")).to_contain_text("Busy (estimate)")
    expect(panel.locator(".hot-keys")).to_contain_text("42 %")
    expect(panel).to_contain_text("/h")
    figures = site.client.get("pipelines/sales-by-country/run/figures").json()
    operator = next(operator for operator in figures["figures"]["operators"] if operator["busiest"])
    expect(panel.locator(".traffic")).to_contain_text(f"{operator['busy']:.0%}".replace("%", " %"))


def test_the_live_tab_shows_percentiles_and_two_axes(open_page: Open) -> None:
    page = open_page(f"{SALES}/live")
    expect(page.locator(".percentiles")).to_contain_text("End-to-end delay (estimate)")
    expect(page.get_by_text("48 MB")).to_be_visible()
    expect(page.locator("#chart-rows .u-axis")).to_have_count(3)
    expect(page.locator(".busiest-share")).to_have_count(1)
