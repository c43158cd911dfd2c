"""User actions on the page, in a browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.service.page.conftest import Open, Site
from tests.service.page.served import SAMPLES, say

pytestmark = pytest.mark.page

FIRST = (SAMPLES / "upgrade/first.sql").read_text(encoding="utf-8")
SECOND = (SAMPLES / "upgrade/second.sql").read_text(encoding="utf-8")
THIRD = (SAMPLES / "upgrade/third.sql").read_text(encoding="utf-8")
SALES = "pipelines/sales-by-country"


def test_the_list_shows_the_status_of_every_pipeline(open_page: Open) -> None:
    page = open_page("pipelines")
    row = page.locator("tr", has_text="orders-with-shipments")
    expect(row).to_contain_text("Failed")
    expect(row).to_contain_text("join-orders-shipments has other keys")
    expect(row).to_contain_text("see Upgrade")
    page.keyboard.press("/")
    page.keyboard.type("click")
    expect(page.locator("tbody tr")).to_have_count(1)
    page.get_by_label("State").select_option("running")
    expect(page.get_by_text("No matching pipelines.")).to_be_visible()


def test_a_failed_run_is_shown_with_its_remedy(open_page: Open, site: Site) -> None:
    name = site.name_of_new(SECOND, "failed")
    say(site.app, name, state="failed", message="the join has other keys", remedy="put version 1 in force again")
    page = open_page(f"pipelines/{name}")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("has other keys")
    expect(alert).to_contain_text("put version 1 in force again")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    expect(alert).to_have_count(0)


def test_the_graph_has_live_figures_and_the_keyboard_reaches_all_of_it(open_page: Open) -> None:
    page = open_page(SALES)
    nodes = page.locator(".node")
    expect(nodes).to_have_count(9)
    expect(nodes.filter(has_text="Read orders").first).to_contain_text("/s")
    # One Tab stop for the whole; arrow keys move within it.
    page.locator(".node[tabindex='0']").focus()
    page.keyboard.press("Home")
    reached = {page.evaluate("document.activeElement.dataset.node")}
    for key in ("Right", "Right", "Left", "Left", "Down", "Down", *["Right"] * 5, *["Left"] * 5, "Down"):
        page.keyboard.press(f"Arrow{key}")
        reached.add(page.evaluate("document.activeElement.dataset.node"))
    assert len(reached) == 9
    page.get_by_role("button", name=re.compile("^Join orders with customers")).press("Enter")
    panel = page.get_by_role("complementary")
    expect(panel).to_contain_text("inner join on orders.customer = customers.customer")
    expect(page.locator("#panel-title")).to_be_focused()
    page.keyboard.press("Escape")
    expect(panel).to_have_count(0)
    expect(page.get_by_role("button", name=re.compile("^Join orders"))).to_be_focused()


def test_a_ttl_is_edited_in_the_table(open_page: Open, site: Site) -> None:
    name = site.name_of_new(SECOND, "ttl-edited")
    say(site.app, name, state="stopped")
    page = open_page(f"pipelines/{name}")
    page.get_by_role("button", name=re.compile("^Join orders with customers")).click()
    field = page.get_by_label("TTL of the rows of orders")
    save = page.get_by_role("button", name="Save and put into force")
    field.fill("3 parsecs")
    expect(page.get_by_text("unknown unit parsecs")).to_be_visible()
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(save).to_be_disabled()
    # The page does not validate units: the service reports the error.
    field.fill("1 ns")
    expect(page.get_by_role("alert")).to_contain_text("less than a millisecond")
    expect(save).to_be_disabled()
    field.fill("3 h")
    expect(page.get_by_text("expire after 3 h, also existing rows")).to_be_visible()
    page.get_by_role("button", name="Count expired rows").click()
    expect(page.get_by_text("12,000 of 30,000 rows")).to_be_visible()
    page.get_by_label("Comment").fill("orders are paid in hours")
    save.click()
    expect(page.locator(".node", has_text="Join orders")).to_contain_text("3 h")
    expect(page.locator(".glance")).to_contain_text("2")
    version = site.client.get(f"pipelines/{name}/versions/2").json()
    assert (version["kind"], version["comment"], version["in_force"]) == ("ttl-edit", "orders are paid in hours", True)


def test_a_conflicting_edit_shows_the_change_of_the_other_user(open_page: Open, site: Site) -> None:
    name = site.name_of_new(SECOND, "ttl-conflict")
    page = open_page(f"pipelines/{name}")
    page.get_by_role("button", name=re.compile("^Join orders with customers")).click()
    page.get_by_label("TTL of the rows of orders").fill("3 h")
    save = page.get_by_role("button", name="Save and put into force")
    expect(save).to_be_enabled()
    etag = site.client.get(f"pipelines/{name}").headers["etag"]
    node = next(
        node for node in site.client.get(f"pipelines/{name}/versions/1/graph").json()["nodes"] if node["kind"] == "join"
    )
    edit = {"edits": [{"node": node["id"], "state": "rightState", "ttl": "7 d"}], "comment": "customers leave"}
    answer = site.client.post(f"pipelines/{name}/versions/1/ttl", json=edit, headers={"if-match": etag})
    assert answer.status_code == 201
    # The page shows what it loaded before.
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    save.click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Edit conflict")
    expect(dialog).to_contain_text("customers leave")
    expect(dialog).to_contain_text("TTL of rightState")
    dialog.get_by_role("button", name="Edit version 2").click()
    expect(page.get_by_label("TTL of the rows of orders")).to_have_value("3 h")
    expect(page.get_by_label("TTL of the rows of customers")).to_have_value("7 d")
    page.get_by_role("button", name="Save and put into force").click()
    expect(page.locator(".node", has_text="Join orders")).to_contain_text("3 h")
    assert site.client.get(f"pipelines/{name}").json()["in_force"] == 3


def test_charts_of_the_last_hours(open_page: Open) -> None:
    page = open_page(f"{SALES}/live")
    for title in ("Rows per second", "Micro-batch duration", "Lag by source", "State rows by operator"):
        expect(page.get_by_role("heading", name=title)).to_be_visible()
    expect(page.locator(".chart canvas")).to_have_count(4)
    expect(page.locator(".live-sign.on")).to_be_visible()
    page.get_by_role("button", name="15 min").click()
    expect(page.get_by_role("button", name="15 min")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("row", name=re.compile(r"^customers \d"))).to_be_visible()


def test_versions_and_their_differences(open_page: Open, site: Site) -> None:
    name = site.name_of_new(FIRST, "versions-compared")
    site.client.post(f"pipelines/{name}/versions", json={"program": SECOND, "comment": "Amounts grow"})
    page = open_page(f"pipelines/{name}/versions")
    expect(page.get_by_role("heading", name="From version 1 to 2")).to_be_visible()
    expect(page.locator(".versions-diff")).to_contain_text("Fully compatible")
    expect(page.locator(".versions-diff")).to_contain_text("orders.amount BIGINT")
    page.get_by_role("button", name="Put into force: version 2").click()
    page.get_by_role("dialog").get_by_role("button", name="Put into force").click()
    expect(page.locator("tr", has_text="Amounts grow")).to_contain_text("in force")


def test_an_upgrade_and_its_rollback(open_page: Open, site: Site) -> None:
    name = site.name_of_new(SECOND, "upgraded")
    page = open_page(f"pipelines/{name}/upgrade")
    page.get_by_label("Program").fill("SELECT FROM nothing")
    page.get_by_role("button", name="Compile and compare").click()
    expect(page.get_by_role("alert")).to_be_visible()
    page.get_by_label("Program").fill(THIRD)
    page.get_by_role("button", name="Compile and compare").click()
    expect(page.get_by_role("heading", name="From version 1 to the new program")).to_be_focused()
    expect(page.locator(".side .graph")).to_have_count(2)
    expect(page.locator(".verdict")).to_contain_text("Partially compatible")
    expect(page.locator("#upgrade-new .node.change-added").first).to_be_visible()
    # A selection in one graph is selected in the other.
    page.locator("#upgrade-old .node", has_text="Join orders").click()
    expect(page.locator("#upgrade-new .node", has_text="Join orders")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Migrate to the new program").click()
    page.get_by_role("dialog").get_by_role("button", name="Migrate anyway").click()
    expect(page.get_by_text("Migrating the state")).to_be_visible()
    expect(page.get_by_text("The upgrade is complete")).to_be_visible(timeout=20000)
    assert site.client.get(f"pipelines/{name}").json()["in_force"] == 2
    page.get_by_role("button", name="Roll back").click()
    page.get_by_role("dialog").get_by_role("button", name="Roll back").click()
    expect(page.get_by_text("Rolled back", exact=True)).to_be_visible()
    assert site.client.get(f"pipelines/{name}").json()["in_force"] == 1


def test_a_dialog_keeps_the_focus_and_escape_closes_it(open_page: Open) -> None:
    page = open_page("pipelines/sales-by-country")
    page.get_by_role("button", name="Run settings").click()
    for _ in range(14):
        page.keyboard.press("Tab")
        inside = "document.activeElement === document.body || !!document.activeElement.closest('dialog')"
        assert page.evaluate(inside)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("button", name="Run settings")).to_be_focused()


def test_logs(open_page: Open) -> None:
    page = open_page(f"{SALES}/logs")
    expect(page.get_by_role("region", name="Log of the run")).to_contain_text("412,000 rows behind")
    page.get_by_label("Search lines").fill("WARN")
    expect(page.locator(".log-entry")).to_have_count(1)


def test_the_colour_scheme_is_remembered(open_page: Open) -> None:
    page = open_page("pipelines")
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.get_by_role("button", name="Colours: system").click()
    page.get_by_role("button", name="Colours: light").click()
    dark = page.evaluate(ground)
    assert light != dark
    page.reload()
    expect(page.get_by_role("button", name="Colours: dark")).to_be_visible()
    assert page.evaluate(ground) == dark
