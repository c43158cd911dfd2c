"""Upgrades in the page: the confirmation, and where it is opened from."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.service.page.conftest import Open, Site
from tests.service.page.served import SAMPLES, say

pytestmark = pytest.mark.page

SECOND = (SAMPLES / "upgrade/second.sql").read_text(encoding="utf-8")
OTHER_KEY = SECOND.replace("o.customer = c.customer", "o.order_id = c.customer")


def test_operators_that_lose_their_state_are_named_one_by_one(open_page: Open, site: Site) -> None:
    name = site.name_of_new(SECOND, "loses-state")
    page = open_page(f"pipelines/{name}/upgrade")
    page.get_by_label("Program").fill(OTHER_KEY)
    page.get_by_role("button", name="Compile and compare").click()
    expect(page.locator(".verdict")).to_contain_text("Incompatible")
    page.get_by_role("button", name="Migrate to the new program").click()
    dialog = page.get_by_role("dialog")
    go_on = dialog.get_by_role("button", name="Migrate anyway")
    expect(go_on).to_be_disabled()
    lost = dialog.get_by_role("group", name="The state of these operators cannot be migrated").get_by_role("checkbox")
    count = lost.count()
    assert count > 0
    for at in range(count):
        lost.nth(at).check()
    dialog.get_by_label("Warm up empty operators").check()
    go_on.click()
    expect(page.get_by_text("Migrating the state")).to_be_visible()
    target = site.app.state.faked.targets[name]
    assert (target.version, target.partial, len(target.reset), target.warm_up) == (2, True, count, ["all"])
    assert target.reset[0].startswith("join-")


def test_a_version_in_force_that_does_not_run_yet_is_upgraded_to(open_page: Open, site: Site) -> None:
    name = site.name_of_new(SECOND, "waits")
    body = {"program": SECOND.replace("'90 d'", "'3 h'"), "program_ttls": True, "put_in_force": True}
    site.client.post(f"pipelines/{name}/versions", json=body).raise_for_status()
    say(site.app, name, state="upgrade-waiting", version=1, message="version 2 is in force, and 1 runs")
    page = open_page(f"pipelines/{name}/upgrade")
    expect(page.get_by_role("button", name="Version 1 ")).to_have_count(0)
    page.get_by_role("button", name="Version 2, in force").click()
    expect(page.get_by_role("heading", name="From version 1 to version 2")).to_be_visible()
    expect(page.locator(".diff")).to_contain_text("3 h")
    page.get_by_role("button", name="Migrate to version 2").click()
    page.get_by_role("dialog").get_by_role("button", name="Migrate", exact=True).click()
    expect(page.get_by_text("The upgrade is complete")).to_be_visible(timeout=20_000)
    expect(page.locator(".upgrade-progress .step")).to_have_count(3)
    assert site.app.state.faked.targets[name].partial is False
