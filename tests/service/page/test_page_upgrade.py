"""Upgrades in the page: the confirmation, and where it is opened from."""

from __future__ import annotations

from typing import Any
from unittest.mock import Mock

import pytest
from playwright.sync_api import expect

from compiled_plan.service.runs.shadows import ShadowJob
from compiled_plan.service.store import pipelines
from compiled_plan.service.web import shadows
from compiled_plan.service.workers import test_jobs
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
    expect(page.locator(".verdict")).to_contain_text("refused unless started empty")
    page.get_by_role("button", name="Migrate to the new program").click()
    dialog = page.get_by_role("dialog")
    go_on = dialog.get_by_role("button", name="Migrate anyway")
    expect(go_on).to_be_disabled()
    expect(dialog.locator(".losses")).to_contain_text("What is lost")
    expect(dialog.locator(".losses .diff-name").first).to_contain_text("join")
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


def test_an_upgrade_that_corrects_the_past_names_no_operator(open_page: Open, site: Site) -> None:
    name = site.name_of_new(SECOND, "corrects")
    page = open_page(f"pipelines/{name}/upgrade")
    page.get_by_label("Program").fill(OTHER_KEY)
    page.get_by_role("button", name="Compile and compare").click()
    page.get_by_role("button", name="Migrate to the new program").click(timeout=20_000)
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Correct the past").check()
    expect(dialog.locator(".losses")).to_have_count(0)
    dialog.get_by_role("button", name="Migrate and correct").click()
    expect(page.get_by_text("Migrating the state")).to_be_visible()
    target = site.app.state.faked.targets[name]
    assert (target.how, target.options) == ("correct", [])


def test_an_upgrade_begins_with_the_program_of_the_state(open_page: Open, site: Site) -> None:
    name = site.name_of_new(SECOND, "begins")
    body = {"program": f"-- Not yet.\n{OTHER_KEY}", "put_in_force": True}
    site.client.post(f"pipelines/{name}/versions", json=body).raise_for_status()
    say(site.app, name, state="upgrade-waiting", version=1, message="version 2 is in force, and 1 runs")
    page = open_page(f"pipelines/{name}/upgrade")
    editor = page.get_by_role("textbox", name="SQL program")
    expect(editor).to_contain_text(SECOND.splitlines()[0], timeout=20_000)
    expect(editor).not_to_contain_text("Not yet")
    editor.press("Control+End")
    editor.press_sequentially("\n-- the same")
    page.get_by_role("button", name="Compile and compare").click()
    expect(page.get_by_role("heading", name="From version 1 to the new program")).to_be_visible(timeout=20_000)
    page.get_by_role("button", name="Another program").click()
    # The editor draws the lines in view alone.
    editor.press("Control+End")
    expect(editor).to_contain_text("-- the same")


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


def test_unchanged_operators_are_folded_until_they_are_asked_for(open_page: Open, site: Site) -> None:
    name = site.name_of_new(SECOND, "folds")
    page = open_page(f"pipelines/{name}/upgrade")
    page.get_by_label("Program").fill(
        SECOND.replace("COUNT(*), SUM(amount) FROM sold", "COUNT(*), MAX(amount) FROM sold")
    )
    page.get_by_role("button", name="Compile and compare").click()
    fold = page.locator("#upgrade-new .node.fold").first
    expect(fold).to_contain_text("unchanged operators")
    shown = page.locator("#upgrade-new .node").count()
    expect(page.locator("#upgrade-new .node.change-changed").first).to_be_in_viewport()
    fold.click()
    expect(page.locator("#upgrade-new .node.fold")).to_have_count(0)
    assert page.locator("#upgrade-new .node").count() > shown
    page.get_by_label("Unchanged operators").uncheck()
    expect(page.locator("#upgrade-new .node")).to_have_count(shown)


def test_saving_and_putting_into_force_are_two_steps(open_page: Open, site: Site) -> None:
    name = site.name_of_new(SECOND, "two-steps")
    page = open_page(f"pipelines/{name}/upgrade")
    page.get_by_label("Program").fill(SECOND.replace("'90 d'", "'3 h'"))
    page.get_by_role("button", name="Compile and compare").click()
    expect(page.get_by_role("button", name="Put into force")).to_have_count(0)
    page.get_by_role("button", name="Save as a version").click()
    expect(page.get_by_role("heading", name="From version 1 to version 2")).to_be_visible()
    assert site.client.get(f"pipelines/{name}").json()["in_force"] == 1
    page.get_by_role("button", name="Put into force").click()
    page.get_by_role("dialog").get_by_role("button", name="Put into force").click()
    expect(page.get_by_role("heading", name="Version 2, in force")).to_be_visible()
    assert site.client.get(f"pipelines/{name}").json()["in_force"] == 2


def test_the_version_in_force_is_named_if_another_one_runs(open_page: Open, site: Site) -> None:
    name = site.name_of_new(SECOND, "differs")
    for comment in ("second", "third"):
        body = {"program": SECOND.replace("'90 d'", f"'{len(comment)} h'"), "comment": comment, "program_ttls": True}
        site.client.post(f"pipelines/{name}/versions", json={**body, "put_in_force": comment == "second"})
    say(site.app, name, state="upgrade-waiting", version=1, message="version 2 is in force, and 1 runs")
    page = open_page(f"pipelines/{name}/upgrade")
    page.get_by_role("button", name="Version 3").click()
    expect(page.get_by_role("heading", name="From version 1 to version 3")).to_be_visible()
    expect(page.get_by_text("Version 2 is in force, but does not run.")).to_be_visible()


EXAMPLES = {
    "inputs": 30,
    "ended": 0,
    "examples": [{"parts": ["group-aggregate-sold-1", "sink totals"], "test": "program: old.json\nsteps:\n"}],
    "missing": ["sink lost"],
}


def test_examples_are_searched_on_request(open_page: Open, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    requests: list[Any] = []

    def ask(request: bytes, seconds: float, progress: Any) -> Any:
        requests.append(request)
        progress(EXAMPLES)
        return {"result": 1}

    monkeypatch.setattr(test_jobs, "Worker", lambda *_: Mock(ask=ask))
    name = site.name_of_new(SECOND, "examples")
    page = open_page(f"pipelines/{name}/upgrade")
    page.get_by_label("Program").fill(SECOND.replace("COUNT(*), SUM(amount)", "COUNT(*), MAX(amount)"))
    page.get_by_role("button", name="Compile and compare").click()
    expect(page.locator(".verdict")).to_contain_text("artially compatible", timeout=20_000)
    assert requests == []
    page.get_by_role("button", name="Show an example").click()
    example = page.get_by_role("group", name="Example of group-aggregate-sold-1, sink totals")
    expect(example).to_have_text("program: old.json\nsteps:\n", timeout=20_000)
    status = page.locator(".examples [role=status]")
    expect(status).to_have_text("No other difference in 30 random inputs; no example of sink lost")
    page.get_by_role("button", name="Another program").click()
    page.get_by_role("button", name="Compile and compare").click()
    expect(page.get_by_role("button", name="Show an example")).to_be_visible()
    expect(example).to_have_count(0)


def test_a_version_is_compared_on_live_rows(open_page: Open, site: Site) -> None:
    name = site.name_of_new(SECOND, "shadows")
    say(site.app, name, state="running", version=1)
    page = open_page(f"pipelines/{name}/upgrade")
    page.get_by_label("Program").fill(SECOND.replace("COUNT(*), SUM(amount)", "COUNT(*), MAX(amount)"))
    page.get_by_role("button", name="Compile and compare").click()
    shadow = page.get_by_role("region", name="Compare on live rows")
    compare = shadow.get_by_role("button", name="Compare")
    expect(compare).to_be_disabled(timeout=20_000)
    page.get_by_role("button", name="Save as a version").click()
    shadow.get_by_label("Duration").select_option("10 minutes")
    shadow.get_by_label("Share of the time in %").fill("30")
    compare.click()
    expect(shadow.get_by_role("status")).to_have_text("30 rows in 2 rounds, 5 s", timeout=20_000)
    expect(shadow.locator(".shadow-outcome")).to_contain_text("Differs as named")
    expect(shadow.get_by_role("row", name="totals differs as named 8 7 1 0 0 0")).to_be_visible()
    expect(shadow.get_by_role("row", name='{"shop":"x"} {"total":4} no row')).to_be_visible()
    shadow.get_by_role("button", name="End now").click()
    expect(shadow.get_by_role("status")).to_have_text("Ended. 30 rows in 2 rounds, 5 s")
    expect(shadow.locator(".shadow-outcome")).to_contain_text("Differs as named")
    with site.app.state.parts.database.read() as session:
        job = site.app.state.runs.shadows.last(pipelines.find(session, name).id)
    assert job.options[:6] == ["--shadow", "--json", "--for", "600s", "--shadow-share", "30"]


def test_a_shadow_that_follows_the_run_takes_over(open_page: Open, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    requests = []

    def begun(parts: object, runs: object, who: object, name: str, number: int, how: list[str], keep: object) -> Any:
        requests.append((name, number, how))
        upgrade = {"state": "migrating", "from": 1, "to": number, "done": 0, "of": 3, "can_roll_back": False}
        site.app.state.faked.upgrades[name] = upgrade
        return upgrade

    monkeypatch.setattr(shadows, "begun", begun)
    name = site.name_of_new(SECOND, "takes-over")
    say(site.app, name, state="running", version=1)
    page = open_page(f"pipelines/{name}/upgrade")
    page.get_by_label("Program").fill(SECOND.replace("COUNT(*), SUM(amount)", "COUNT(*), MAX(amount)"))
    page.get_by_role("button", name="Compile and compare").click()
    page.get_by_role("button", name="Save as a version").click(timeout=20_000)
    shadow = page.get_by_role("region", name="Compare on live rows")
    shadow.get_by_label("Promote").check()
    shadow.get_by_role("button", name="Compare").click()
    expect(shadow.get_by_role("status")).to_have_text("Following the run. 30 rows in 2 rounds, 5 s", timeout=20_000)
    follows = shadow.get_by_role("region", name="The shadow follows the run")
    effect = (
        "The run of version 1 stops behind its last micro-batch. The state of the shadow becomes generation 1 of the "
        "checkpoint, and version 2 runs on it."
    )
    for text in (effect, "each row is written once", "you can roll back", "End now leaves the run as it is"):
        expect(follows).to_contain_text(text)
    button = "Stop the old run and take over"
    follows.get_by_role("button", name=button).click()
    dialog = page.get_by_role("dialog", name=f"Stop version 1 of {name}?")
    expect(dialog).to_contain_text(effect)
    dialog.get_by_role("button", name="Cancel").click()
    assert requests == []
    follows.get_by_role("button", name=button).click()
    dialog.get_by_role("button", name=button).click()
    expect(page.get_by_text("The shadow is taking over")).to_be_visible()
    expect(page.get_by_text("Migrating the state")).to_be_visible()
    assert requests == [(name, 2, ["promote"])]
    with site.app.state.parts.database.read() as session:
        job = site.app.state.runs.shadows.last(pipelines.find(session, name).id)
    assert job.takes_over
    # The takeover outlives the page.
    page.get_by_role("button", name="Another program").click()
    open_page(f"pipelines/{name}")
    assert not job.is_over
    job.cancel()


def test_a_shadow_that_differs_otherwise_cannot_take_over(
    open_page: Open, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = {"outcome": "differs otherwise", "batch": 3, "rows_in": 3, "rounds": 1, "seconds": 1, "tables": []}
    monkeypatch.setattr(ShadowJob, "so_far", {**report, "only_old": [], "only_new": [], "promoted": None})
    name = site.name_of_new(SECOND, "differs-otherwise")
    say(site.app, name, state="running", version=1)
    page = open_page(f"pipelines/{name}/upgrade")
    page.get_by_label("Program").fill(SECOND.replace("COUNT(*), SUM(amount)", "COUNT(*), MAX(amount)"))
    page.get_by_role("button", name="Compile and compare").click()
    page.get_by_role("button", name="Save as a version").click(timeout=20_000)
    shadow = page.get_by_role("region", name="Compare on live rows")
    shadow.get_by_label("Promote").check()
    shadow.get_by_role("button", name="Compare").click()
    expect(shadow.get_by_text("It cannot take over, as it differs otherwise")).to_be_visible(timeout=20_000)
    expect(shadow.get_by_role("button", name="Stop the old run and take over")).to_have_count(0)
    shadow.get_by_role("button", name="End now").click()


def test_a_rewind_shows_its_effect_before_it_begins(open_page: Open, site: Site) -> None:
    name = site.name_of_new(SECOND, "rewinds")
    say(site.app, name, state="running", version=1)
    page = open_page(f"pipelines/{name}/upgrade")
    page.get_by_role("button", name="Rewind…").click()
    dialog = page.get_by_role("dialog")
    target = dialog.get_by_label("Micro-batch, time or offset")
    target.fill("9")
    dialog.get_by_role("button", name="Show the effect").click()
    expect(dialog.locator(".problem")).to_contain_text("choose one of 40 to 80")
    target.fill("1/57")
    dialog.get_by_role("button", name="Show the effect").click()
    effect = dialog.get_by_role("status")
    expect(effect).to_contain_text("After micro-batch 57 of generation 1")
    expect(effect).to_contain_text("4 files set aside")
    assert name not in site.app.state.faked.starts
    dialog.get_by_role("button", name="Rewind and start").click()
    expect(page.get_by_text(f"{name} is rewinding")).to_be_visible()
    start = site.app.state.faked.starts[name]
    assert (start.rewind_to, start.version) == ("1/57", 1)
