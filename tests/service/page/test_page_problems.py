"""Errors in the page: unknown pipelines, a lost connection, programs that do not compile."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.service.page.conftest import Open, Site
from tests.service.page.served import SAMPLES

pytestmark = pytest.mark.page

SECOND = (SAMPLES / "upgrade/second.sql").read_text(encoding="utf-8")


def test_an_unknown_pipeline_has_a_page_with_a_way_back(open_page: Open) -> None:
    page = open_page("pipelines/sales-by-countri")
    expect(page.get_by_role("heading", name="No pipeline named sales-by-countri")).to_be_visible()
    expect(page.get_by_text("Loading…")).to_have_count(0)
    expect(page.get_by_role("link", name="sales-by-country")).to_be_visible()
    page.get_by_role("link", name="All pipelines").click()
    expect(page.locator(".pipelines-table")).to_be_visible()


@pytest.mark.parametrize("view", ["pipelines", "pipelines/sales-by-country/versions"])
def test_a_lost_connection_is_named_and_ends_by_itself(open_page: Open, view: str) -> None:
    page = open_page(view)
    expect(page.locator("tbody tr").first).to_be_visible()
    page.context.set_offline(True)
    expect(page.get_by_role("alert")).to_contain_text("No connection to the service since")
    page.context.set_offline(False)
    expect(page.get_by_role("alert")).to_have_count(0, timeout=10_000)
    expect(page.locator("tbody tr").first).to_be_visible()


def test_a_page_that_opens_without_a_connection_recovers(open_page: Open) -> None:
    page = open_page("pipelines")
    expect(page.locator("tbody tr").first).to_be_visible()
    page.route("**/api/v1/**", lambda route: route.abort())
    page.reload()
    expect(page.get_by_role("alert")).to_contain_text("No connection")
    page.unroute("**/api/v1/**")
    expect(page.locator("tbody tr").first).to_be_visible()
    expect(page.get_by_role("link", name="New")).to_be_visible()


def test_a_view_whose_script_does_not_load_recovers(open_page: Open, site: Site) -> None:
    page = open_page("pipelines")
    expect(page.locator("tbody tr").first).to_be_visible()
    page.route("**/views/lineage.js", lambda route: route.abort())
    page.reload()
    page.get_by_role("link", name="Lineage").click()
    expect(page.get_by_role("alert")).to_contain_text("No connection")
    page.unroute("**/views/lineage.js")
    expect(page.get_by_role("heading", name="Lineage")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)


def test_the_place_of_a_compile_error_is_marked(open_page: Open, site: Site) -> None:
    name = site.name_of_new(SECOND, "does-not-compile")
    page = open_page(f"pipelines/{name}/upgrade")
    page.get_by_label("Program").fill(
        SECOND.replace("COUNT(*), SUM(amount) FROM sold", "COUNT(*), SUM(amuont) FROM sold")
    )
    page.get_by_role("button", name="Compile and compare").click()
    expect(page.get_by_role("alert")).to_contain_text("line ")
    expect(page.get_by_role("textbox", name="SQL program")).to_be_focused()
    expect(page.locator("sql-editor .cm-lintRange-error")).to_have_text("amuont")
