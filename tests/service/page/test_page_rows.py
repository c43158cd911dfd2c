"""Rows in the page, mostly over real runs on Spark."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.service.page.conftest import Open, Site
from tests.support.service import ending_runs, served

pytestmark = pytest.mark.page

#: Limit for the start of Spark, in ms, on a shared machine.
SPARK = 180_000


@pytest.fixture
def place(browser: Browser, tmp_path: Path) -> Iterator[tuple[Page, str]]:
    """A page of a service with real runs, and its address."""
    context = browser.new_context(viewport={"width": 1400, "height": 900}, reduced_motion="reduce")
    with (
        ending_runs(tmp_path / "home"),
        served(tmp_path / "home", "--no-tokens", "--data", str(tmp_path)) as (_, address, _),
    ):
        page = context.new_page()
        page.set_default_timeout(30_000)
        yield page, address.removesuffix("/api/v1/")
        context.close()


def test_rows_of_a_table_and_of_an_insert_before_the_first_run(place: tuple[Page, str], tmp_path: Path) -> None:
    page, address = place
    (tmp_path / "orders").mkdir()
    rows = [{"item": "nut", "price": 3}, {"item": "bolt", "price": None}, {"item": "nut", "price": 4}]
    (tmp_path / "orders/rows.json").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    page.goto(f"{address}/#/new")
    editor = page.get_by_role("textbox", name="SQL program")
    table = f"""CREATE TABLE orders (item STRING, price INT)
WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/orders', 'format' = 'json');
CREATE TABLE sums (item STRING, total INT) WITH ('connector' = 'blackhole');"""
    editor.fill(f"{table}\nINSERT INTO sums SELECT item, SUM(price) FROM orders GROUP BY item;")
    editor.press("Control+Home")
    editor.press("Control+Enter")
    expect(page.get_by_role("status").filter(has_text=re.compile("Starting Spark|Reading"))).to_be_visible(
        timeout=SPARK
    )
    shown = page.get_by_role("region", name="Rows", exact=True)
    expect(shown).to_contain_text("3 rows", timeout=SPARK)
    expect(shown.get_by_role("columnheader", name="price")).to_contain_text("INT")
    expect(shown.get_by_role("row", name="bolt")).to_contain_text("NULL")

    editor.press("Control+End")
    page.get_by_role("button", name="Preview rows").click()
    expect(shown.get_by_role("columnheader", name="total")).to_be_visible(timeout=SPARK)
    expect(shown).to_contain_text("2 rows")
    expect(shown.get_by_role("row", name="nut")).to_contain_text("7")
    assert shown.get_by_role("row").count() == 3
    look(page, "preview")


UNREACHABLE = """CREATE TABLE orders (item STRING, price INT) WITH ('connector' = 'kafka', 'topic' = 'orders',
  'properties.bootstrap.servers' = 'localhost:1', 'format' = 'json');
CREATE TABLE others (item STRING) WITH ('connector' = 'datagen');
CREATE TABLE sums (item STRING, total INT) WITH ('connector' = 'print');
SELECT item FROM others;
INSERT INTO sums SELECT item, SUM(price) FROM orders GROUP BY item;"""
TESTS = """tests:
- name: two nuts
  steps:
  - rows: {orders: [{item: nut, price: 3}]}
  - rows: {orders: [{item: nut, price: 4}]}
  - expect: {sums: []}"""


def test_rows_of_a_test_instead_of_the_sources(place: tuple[Page, str]) -> None:
    page, address = place
    page.goto(f"{address}/#/new")
    editor = page.get_by_role("textbox", name="SQL program")
    editor.fill(UNREACHABLE)
    page.get_by_role("button", name="Tests").click()
    page.get_by_role("textbox", name="Tests").fill(TESTS)
    page.get_by_role("button", name="Rows", exact=True).click()
    page.get_by_label("from").select_option("test: two nuts")
    editor.press("Control+End")
    editor.press("Control+Enter")
    shown = page.get_by_role("region", name="Rows", exact=True)
    expect(shown).to_contain_text("3 changes", timeout=SPARK)
    for row, (kind, total) in enumerate((("+I", "3"), ("-U", "3"), ("+U", "7")), 1):
        expect(shown.get_by_role("row").nth(row)).to_contain_text(re.compile(rf"{re.escape(kind)}\s*nut\s*{total}"))
    assert shown.get_by_role("row").count() == 4
    look(page, "preview-of-test")
    # Another statement reads a table that the test leaves out.
    editor.press("ArrowUp")
    editor.press("Control+Enter")
    expect(page.get_by_role("alert")).to_contain_text("the test 'two nuts' has no rows for 'others'")


GENERATED = """CREATE TABLE orders (id BIGINT, item STRING) WITH ('connector' = 'datagen', 'rows-per-second' = '20',
  'fields.id.kind' = 'sequence', 'fields.id.start' = '1', 'fields.id.end' = '1000000', 'fields.item.length' = '3');
CREATE TABLE kept (number BIGINT, item STRING) WITH ('connector' = 'blackhole');
INSERT INTO kept SELECT id, item FROM orders;"""


COUNTED = """CREATE TABLE counted (item STRING, n BIGINT, PRIMARY KEY (item) NOT ENFORCED)
  WITH ('connector' = 'blackhole');
EXECUTE STATEMENT SET BEGIN
INSERT INTO kept SELECT id, item FROM orders;
INSERT INTO counted SELECT LEFT(item, 1), COUNT(*) FROM orders GROUP BY LEFT(item, 1);
END;"""


def test_rows_between_the_operators_of_a_run(place: tuple[Page, str]) -> None:
    page, address = place
    api = f"{address}/api/v1"
    page.request.post(f"{api}/pipelines", data={"name": "taps"})
    page.request.post(f"{api}/pipelines/taps/versions", data={"program": GENERATED.rpartition("INSERT")[0] + COUNTED})
    page.request.post(f"{api}/pipelines/taps/run/start", data={})
    try:
        page.goto(f"{address}/#/pipelines/taps")
        expect(page.locator(".glance")).to_contain_text("Running", timeout=SPARK)
        page.locator(".node", has_text="kept").click()
        page.get_by_role("button", name="Show passing rows").click()
        shown = page.get_by_role("region", name="Rows", exact=True)
        expect(shown).to_contain_text("100 rows, stopped at the limit of rows", timeout=SPARK)
        expect(shown.get_by_role("columnheader", name="number")).to_contain_text("BIGINT")
        expect(shown.get_by_role("row", name="+I")).to_have_count(100)
        # By keyboard: rows that an aggregate emits, then those that it receives.
        page.locator(".node", has_text="Aggregate").press("Enter")
        expect(page.get_by_role("heading", name="Aggregate orders")).to_be_visible()
        button = page.get_by_role("button", name="Show passing rows")
        button.press("Enter")
        expect(shown.get_by_role("columnheader", name="EXPR$1")).to_contain_text("BIGINT", timeout=SPARK)
        expect(shown.get_by_role("row", name="+U").first).to_be_visible(timeout=SPARK)
        page.get_by_role("complementary").get_by_role("button", name="Stop").click()
        side = page.get_by_label("Side of the operator")
        side.press("ArrowDown")
        button.press("Enter")
        expect(shown).to_contain_text("100 rows, stopped at the limit of rows", timeout=SPARK)
        expect(shown.get_by_role("row", name="+I")).to_have_count(100)
        assert side.evaluate("select => select.selectedOptions[0].text").startswith("From ")
        assert Axe().run(page).response["violations"] == []
        look(page, "tap")
        page.locator(".node", has_text="orders").first.click()
        button.click()
        expect(shown).to_contain_text("100 rows, stopped at the limit of rows", timeout=SPARK)
    finally:
        page.request.post(f"{api}/pipelines/taps/run/stop", data={}, timeout=60_000)


def test_rows_of_the_table_of_a_source_in_the_plan(open_page: Open, site: Site) -> None:
    name = site.name_of_new(GENERATED, "previewed")
    page = open_page(f"pipelines/{name}")
    page.locator(".node", has_text="orders").click()
    panel = page.get_by_role("complementary")
    panel.get_by_role("button", name="Preview rows").click()
    shown = panel.get_by_role("region", name="Rows", exact=True)
    expect(shown.get_by_role("row", name="+I")).to_contain_text("100")
    expect(panel.get_by_role("button", name="Preview rows")).to_be_visible()
    look(page, "preview-of-table")
    # Another operator has rows of its own, and this connector cannot be read.
    page.locator(".node", has_text="kept").click()
    expect(panel.get_by_role("heading", name="Changelog")).to_be_visible()
    expect(panel.get_by_role("heading", name="kept")).to_be_visible()
    expect(panel.get_by_role("heading", name="Rows", exact=True)).to_have_count(0)


def look(page: Page, name: str) -> None:
    """Take pictures into the folder of LOOK, if it is set."""
    folder = os.environ.get("LOOK")
    for scheme in ("light", "dark") if folder else ():
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        for width in (390, 1440):
            page.set_viewport_size({"width": width, "height": 900})
            page.screenshot(path=f"{folder}/{name}-{width}-{scheme}.png")
