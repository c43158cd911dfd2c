"""The page's appearance: accessibility, width, speed, and the pictures of the docs."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.service.page.conftest import SHOTS, Open, Site
from tests.service.page.served import SAMPLES, say
from tests.support.large import AGGREGATES

pytestmark = pytest.mark.page

SALES = "pipelines/sales-by-country"
VIEWS = {
    "pipelines": ("pipelines", ".pipelines-table tbody tr"),
    "plan": (SALES, ".node"),
    "live": (f"{SALES}/live", ".chart canvas"),
    "state": (f"{SALES}/state", ".state-table"),
    "versions": (f"{SALES}/versions", ".versions-table tbody tr"),
    "upgrade": (f"{SALES}/upgrade", ".cm-content"),
    "logs": (f"{SALES}/logs", ".log span"),
    "lineage": ("lineage", ".node"),
    "secrets": ("secrets", ".page-head"),
    "tokens": ("tokens", ".page-head"),
    "signin": ("signin", "#token"),
    "compared": (f"{SALES}/upgrade", ".cm-content"),
    "failed": ("pipelines/orders-with-shipments", ".problem"),
    "new": ("new", ".cm-content"),
    "edited": (f"{SALES}/edit", ".node"),
    "settings": (SALES, ".node"),
    "program": (f"{SALES}/versions", ".versions-table tbody tr"),
    "confirmed": ("pipelines/clicks-deduplicated", ".node"),
    "upgrading": ("pipelines/customers-latest/upgrade", ".upgrade-progress .step"),
    "refused": ("pipelines/orders-with-shipments/upgrade", ".upgrade-progress .step"),
    "nothing": ("pipelines/customers-latest/live", ".live-head"),
}
#: Dialogs by the button that opens them.
OPENED = {"settings": "Run settings", "program": "Program of version 1", "confirmed": "Stop"}
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
#: An operator with an open panel.
JOIN = re.compile("^Join orders with customers")


def shown(open_page: Open, view: str, **how: object) -> Page:
    where, wanted = VIEWS[view]
    page = open_page(where, **how)
    expect(page.locator(wanted).first).to_be_visible(timeout=20_000)
    if view == "plan":
        page.get_by_role("button", name=JOIN).click()
        page.get_by_label("TTL of the rows of orders").fill("3 h")
        expect(page.get_by_text("expire after 3 h, also existing rows")).to_be_visible()
    if view in OPENED:
        page.get_by_role("button", name=OPENED[view]).click()
        expect(page.get_by_role("dialog")).to_be_visible()
    if view == "compared":
        page.get_by_label("Program").fill((SAMPLES / "upgrade/third.sql").read_text(encoding="utf-8"))
        page.get_by_role("button", name="Compile and compare").click()
        expect(page.locator(".verdict")).to_be_visible()
    return page


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", VIEWS)
def test_axe_reports_no_violations(open_page: Open, view: str, scheme: str) -> None:
    violations = Axe().run(shown(open_page, view, scheme=scheme)).response["violations"]
    assert [
        (violation["impact"], violation["id"], [node["html"][:160] for node in violation["nodes"]][:3])
        for violation in violations
    ] == []


#: Media queries apply with the next frame.
WIDTH_AFTER_FRAMES = """() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(
  () => resolve(document.documentElement.scrollWidth))))"""
WIDTHS = (360, 390, 768, 1440, 2560)


def too_wide(page: Page) -> list[tuple[int, int]]:
    """The widths at which the page scrolls sideways, with its width there."""
    measured = []
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        measured.append((width, page.evaluate(WIDTH_AFTER_FRAMES)))
    return [(width, actual) for width, actual in measured if actual > width]


@pytest.mark.parametrize("view", VIEWS)
def test_no_width_scrolls_sideways(open_page: Open, view: str) -> None:
    assert too_wide(shown(open_page, view)) == []


#: A name of 60 characters without a place to break.
LONG = "orders_of_all_customers_by_country_and_product_category_2026"


def test_long_names_and_texts_do_not_scroll_sideways(open_page: Open, site: Site) -> None:
    site.name_of_new((SAMPLES / "upgrade/second.sql").read_text(encoding="utf-8"), LONG)
    word = "x" * 200
    body = {"owner": LONG, "tags": ["a" * 50, "b" * 50, "c" * 50], "description": word}
    site.client.patch(f"pipelines/{LONG}", json=body, headers={"if-match": "*"}).raise_for_status()
    third = (SAMPLES / "upgrade/third.sql").read_text(encoding="utf-8")
    site.client.post(f"pipelines/{LONG}/versions", json={"program": third, "comment": word}).raise_for_status()
    error = {"last_error": word, "last_error_at": BEGIN, "message": word, "remedy": word}
    say(site.app, LONG, state="failed", state_bytes=3_400_000, state_growth=1200.0, lag=10**12, **error)
    page = open_page("pipelines")
    for where, wanted in (
        ("pipelines", "tbody tr"),
        (f"pipelines/{LONG}", ".node"),
        (f"pipelines/{LONG}/versions", ".diff"),
        (f"pipelines/{LONG}/upgrade", ".choices"),
        (f"pipelines/{LONG}{word}", ".empty"),
    ):
        page.goto(f"{site.address}/#/{where}")
        expect(page.locator(wanted).first).to_be_visible()
        assert (where, too_wide(page)) == (where, [])
    site.client.delete(f"pipelines/{LONG}", headers={"if-match": "*"}).raise_for_status()


@pytest.mark.parametrize("width", [1280, 1360, 1440, 1600])
def test_an_open_panel_cuts_off_no_operator(open_page: Open, width: int) -> None:
    page = open_page(SALES, width=width)
    first, last = page.locator(".node").first, page.locator(".node", has_text="Write sales_by_country")
    expect(last).to_be_in_viewport(ratio=0.99)
    start = first.bounding_box()
    last.click()
    expect(page.locator("#panel-title")).to_be_focused()
    is_whole = "(({ scrollWidth: all, clientWidth }) => all === clientWidth)(document.querySelector('.graph-scroll'))"
    page.wait_for_function(is_whole)
    expect(last).to_be_in_viewport(ratio=0.99)
    page.keyboard.press("Escape")
    expect(page.locator("#panel-title")).to_have_count(0)
    page.wait_for_function(is_whole)
    assert first.bounding_box() == start


def test_a_panel_beside_a_long_plan_leaves_its_operator_in_view(open_page: Open, site: Site) -> None:
    tables = (
        "CREATE TABLE t (id INT, s STRING) WITH ('connector' = 'datagen');"
        "CREATE TABLE o (id INT, s STRING, PRIMARY KEY (s) NOT ENFORCED) WITH ('connector' = 'print');"
    )
    name = site.name_of_new(tables + AGGREGATES.program(18), "long")
    page = open_page(f"pipelines/{name}", width=1360)
    node = page.locator(".node").nth(15)
    node.click()
    expect(node).to_have_attribute("aria-pressed", "true")
    expect(node).to_be_in_viewport(ratio=0.99)
    panel = page.get_by_role("complementary").bounding_box()
    box = node.bounding_box()
    assert box is not None and panel is not None
    assert box["x"] + box["width"] < panel["x"]
    site.client.delete(f"pipelines/{name}", headers={"if-match": "*"})


def drawn_in(page: Page, where: str) -> float:
    """Milliseconds from the list of pipelines to the first frame with a plan."""
    page.goto(page.url.partition("#")[0] + "#/pipelines")
    expect(page.locator(".pipelines-table")).to_be_visible()
    measured = page.evaluate(
        """(where) => new Promise((resolve) => {
          const began = performance.now();
          const seen = new MutationObserver(() => {
            if (!document.querySelector('.node')) return;
            seen.disconnect();
            requestAnimationFrame(() => resolve(performance.now() - began));
          });
          seen.observe(document.body, { childList: true, subtree: true });
          location.hash = `#/${where}`;
        })""",
        where,
    )
    return float(measured)


def test_two_hundred_operators_are_drawn_in_less_than_a_second(open_page: Open, site: Site) -> None:
    tables = (
        "CREATE TABLE t (id INT, s STRING) WITH ('connector' = 'datagen');"
        "CREATE TABLE o (id INT, s STRING, PRIMARY KEY (s) NOT ENFORCED) WITH ('connector' = 'print');"
    )
    site.client.timeout = 120
    site.name_of_new(tables + AGGREGATES.program(132), "large")
    graph = site.client.get("pipelines/large/versions/1/graph").text
    count = len(json.loads(graph)["nodes"])
    assert count >= 200
    page = open_page("pipelines")
    # Measures the page alone: the layout is answered at once.
    page.route("**/versions/1/graph", lambda route: route.fulfill(body=graph, content_type="application/json"))
    times = [drawn_in(page, "pipelines/large") for _ in range(3)]  # the machine is shared
    print(f"{count} operators: {min(times):.0f} ms")
    assert page.locator(".node").count() == count
    assert min(times) < 1000
    site.client.delete("pipelines/large", headers={"if-match": "*"})


#: Picture name, view, width and height, colours.
PICTURES = (
    ("service-pipelines", "pipelines", 1200, 420, "light"),
    ("service-plan", "plan", 1360, 800, "light"),
    ("service-plan-dark", "plan", 1360, 800, "dark"),
    ("service-live", "live", 1360, 800, "light"),
    ("service-upgrade", "compared", 1360, 900, "light"),
    ("service-phone", "pipelines", 390, 700, "light"),
)


def reduce(file: Path) -> None:
    """Reduce a picture of the docs to a palette, so that clones stay small."""
    if shutil.which("pngquant") is None:
        pytest.fail("pictures of the docs are reduced by pngquant: apt-get install pngquant")
    subprocess.run(["pngquant", "--force", "--strip", "--output", file, "256", "--", file], check=True)


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture[0])
def test_pictures_of_the_docs(open_page: Open, picture: tuple[str, str, int, int, str], tmp_path: Path) -> None:
    name, view, width, height, scheme = picture
    page = shown(open_page, view, width=width, height=height, scheme=scheme)
    page.wait_for_timeout(300)  # the charts draw in a frame of their own
    folder = SHOTS if os.environ.get("PICTURES") else tmp_path
    folder.mkdir(exist_ok=True, parents=True)
    page.screenshot(path=folder / f"{name}.png")
    if folder == SHOTS:
        reduce(folder / f"{name}.png")
    assert (folder / f"{name}.png").stat().st_size > 10_000
    assert (SHOTS / f"{name}.png").exists(), "make test-page PICTURES=1"
