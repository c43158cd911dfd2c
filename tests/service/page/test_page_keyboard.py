"""The page without a mouse, and the text for screen readers."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.service.page.conftest import Open, Site
from tests.service.page.served import SAMPLES, say

pytestmark = pytest.mark.page

SECOND = (SAMPLES / "upgrade/second.sql").read_text(encoding="utf-8")
NAME = """(({ activeElement: it }) => it.ariaLabel ?? it.labels?.[0]?.innerText ?? it.innerText)(document)"""


def tab_to(page: Page, name: str, *, most: int = 40) -> None:
    """Press Tab until the named element has the focus."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if name in (page.evaluate(NAME) or ""):
            return
    raise AssertionError(f"Tab does not reach {name!r}")


def test_a_ttl_is_edited_and_a_run_is_started_by_keys_alone(open_page: Open, site: Site) -> None:
    name = site.name_of_new(SECOND, "by-keys")
    say(site.app, name, state="stopped")
    page = open_page("pipelines")
    expect(page.get_by_role("link", name=name)).to_be_visible()
    tab_to(page, name, most=80)
    page.keyboard.press("Enter")
    expect(page.locator(".node").first).to_be_visible()
    # The first stop skips the head of the page.
    tab_to(page, "Read refunds")
    for key in ("Down", "Right"):
        page.keyboard.press(f"Arrow{key}")
    assert "Join orders with customers" in page.evaluate(NAME)
    page.keyboard.press("Enter")
    expect(page.locator("#panel-title")).to_be_focused()
    tab_to(page, "rows of orders")
    page.keyboard.press("Control+a")
    page.keyboard.type("3 h")
    expect(page.get_by_text("expire after 3 h, also existing rows")).to_be_visible()
    tab_to(page, "Save and put into force")
    page.keyboard.press("Enter")
    expect(page.locator(".node", has_text="Join orders")).to_contain_text("3 h")
    page.keyboard.press("Shift+Tab")
    page.locator("#main").focus()
    tab_to(page, "Start")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Stop")).to_be_visible()


def test_keys_follow_a_graph_from_top_to_bottom(open_page: Open) -> None:
    page = open_page("pipelines/sales-by-country/edit")
    source = page.locator(".node", has_text="Read orders")
    source.focus()
    page.keyboard.press("ArrowDown")
    join = page.locator(".node", has_text="Join orders with customers")
    expect(join).to_be_focused()
    assert (join.bounding_box() or {})["y"] > (source.bounding_box() or {})["y"]
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".node", has_text="Read customers")).to_be_focused()


def test_operators_are_searched_by_name(open_page: Open, site: Site) -> None:
    tables = "".join(f"CREATE TABLE t{at} (id INT, v INT) WITH ('connector' = 'datagen');" for at in range(21))
    joins = " ".join(f"JOIN t{at} ON t0.id = t{at}.id" for at in range(1, 21))
    sink = "CREATE TABLE o (id INT) WITH ('connector' = 'print');"
    name = site.name_of_new(f"{tables}{sink} INSERT INTO o SELECT t0.id FROM t0 {joins};", "many-ttls")
    page = open_page(f"pipelines/{name}")
    expect(page.locator(".chip")).to_have_count(40)
    find = page.get_by_label("Find an operator")
    find.fill("nowhere")
    find.press("Enter")
    expect(find).to_have_attribute("aria-invalid", "true")
    find.fill("read t2")
    for searched in ("t2", "t20", "t2"):
        find.press("Enter")
        chosen = page.locator(".node[aria-pressed='true']")
        expect(chosen).to_have_attribute("aria-label", f"Read {searched}")
        expect(chosen).to_be_in_viewport()
        expect(find).to_be_focused()


def test_every_control_has_a_name_and_a_landmark(open_page: Open) -> None:
    for where in ("pipelines", "pipelines/sales-by-country", "pipelines/sales-by-country/live"):
        page = open_page(where)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        unnamed = page.locator("button, a, input, select, textarea").evaluate_all(
            """all => all.filter(each => each.checkVisibility() && !(each.ariaLabel || each.innerText?.trim()
              || each.labels?.length || each.title)).map(each => each.outerHTML)"""
        )
        assert unnamed == []
        assert page.locator("main").count() == 1
        assert page.get_by_role("navigation").count() >= 1


def test_reduced_motion_is_respected(open_page: Open) -> None:
    page = open_page("pipelines/sales-by-country")
    expect(page.locator(".node").first).to_be_visible()
    moving = page.evaluate("document.getAnimations().length")
    assert moving == 0
