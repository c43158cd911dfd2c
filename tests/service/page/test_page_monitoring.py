"""Figures of a run on the page, in a browser: rates on edges, busy operators, hot keys, percentiles."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from playwright.sync_api import expect

from compiled_plan.service.store import pipelines
from compiled_plan.service.store.tables import Alert
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
    expect(panel.locator(".traffic")).to_contain_text("Rows in since the start")
    expect(panel.locator(".traffic")).to_contain_text("Applied")
    expect(panel.locator(".traffic")).to_contain_text("Created")
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


def test_alerts_are_shown_in_the_list_and_the_pipeline(
    open_page: Open, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The rules would resolve an alert whose condition does not hold.
    monkeypatch.setattr(site.app.state.runs, "after_tick", lambda: None)
    rule = {"name": "behind", "condition": "lag", "above": 1000, "pipelines": "sales-*"}
    site.client.put("alerts/rules/behind", json=rule).raise_for_status()
    now = datetime.now(UTC)
    with site.app.state.parts.database.write() as session:
        id_ = pipelines.find(session, "sales-by-country").id
        alert = Alert(pipeline_id=id_, rule="behind", condition="lag", message="9,000 unread records", value=9000)
        alert.since, alert.sent, alert.resolution_sent = now, [], []
        session.add(alert)
    page = open_page("pipelines")
    box = page.get_by_role("region", name="Alerts")
    expect(box).to_contain_text("1 alert fires")
    box.get_by_role("link", name="sales-by-country").click()
    expect(page.get_by_role("heading", name="sales-by-country")).to_be_visible()
    expect(box).to_contain_text("9,000 unread records")
    expect(page.get_by_text("Alert rules: behind (lag above 1,000)")).to_be_visible()
    site.client.delete("alerts/rules/behind").raise_for_status()
    with site.app.state.parts.database.write() as session:
        session.merge(alert).resolved_at = now
    expect(box).to_have_count(0)


def test_lineage_leads_from_a_table_to_its_pipelines(open_page: Open) -> None:
    page = open_page("pipelines")
    page.get_by_role("link", name="Lineage").click()
    nodes = page.locator(".node")
    expect(nodes.first).to_be_visible()
    page.locator(".node.source").first.click()
    panel = page.get_by_role("complementary")
    expect(panel).to_contain_text("Read by")
    panel.get_by_role("link").first.click()
    expect(page.get_by_role("link", name="Live")).to_be_visible()
