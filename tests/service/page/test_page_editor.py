"""The editor of programs, with fake runs."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.service.page.conftest import Open, Site
from tests.service.page.served import SAMPLES

pytestmark = pytest.mark.page
SECOND = (SAMPLES / "upgrade/second.sql").read_text(encoding="utf-8")
TABLES = """CREATE TABLE orders (customer STRING, price INT) WITH ('connector' = 'datagen');
CREATE TABLE sums (customer STRING, price INT, PRIMARY KEY (customer) NOT ENFORCED) WITH ('connector' = 'print');
"""


@pytest.fixture
def edited(open_page: Open, site: Site) -> Iterator[Page]:
    """The editor of a pipeline with one version."""
    name = site.name_of_new(SECOND, "edited-sales")
    yield open_page(f"pipelines/{name}/edit")
    site.client.delete(f"pipelines/{name}", headers={"if-match": "*"})


def test_from_an_empty_text_to_a_running_pipeline(open_page: Open, site: Site) -> None:
    page = open_page("pipelines")
    page.get_by_role("link", name="New").click()
    start = page.get_by_role("button", name="Save and start")
    expect(start).to_be_disabled()
    page.get_by_label("Name").fill("made-here")
    page.get_by_role("textbox", name="SQL program").fill(
        f"{TABLES}INSERT INTO sums SELECT customer, SUM(price) FROM orders GROUP BY customer;"
    )
    expect(page.locator(".editor-status.good")).to_contain_text("with state")
    expect(page.locator(".node")).to_have_count(3)
    start.click()
    expect(page.get_by_role("heading", name="made-here")).to_be_visible()
    assert site.client.get("pipelines/made-here").json()["in_force"] == 1
    site.client.delete("pipelines/made-here", headers={"if-match": "*"})


def test_an_error_is_underlined_at_its_place(edited: Page) -> None:
    editor = edited.get_by_role("textbox", name="SQL program")
    expect(edited.locator(".editor-status.good")).to_be_visible()
    editor.fill(SECOND.replace("INSERT INTO", "INSERT INTOO", 1))
    expect(edited.locator(".cm-lintRange-error")).to_have_text(re.compile("INTOO|sales"))
    expect(edited.get_by_role("button", name="Save as a version")).to_be_disabled()
    place = edited.get_by_role("button", name=re.compile(r"^Line \d+, column \d+$"))
    place.click()
    expect(editor).to_be_focused()
    expect(edited.get_by_text("of the last program that compiled")).to_be_visible()


def test_completion_of_columns_and_options(open_page: Open) -> None:
    page = open_page("new")
    editor = page.get_by_role("textbox", name="SQL program")
    editor.fill(f"{TABLES}INSERT INTO sums SELECT ")
    editor.press("Control+End")
    page.keyboard.type("?")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("Backspace")
    page.keyboard.type("cus")
    choices = page.locator(".cm-tooltip-autocomplete li")
    expect(choices.first).to_have_text("customer")
    choices.first.click()
    expect(editor).to_contain_text("SELECT customer")
    editor.fill("CREATE TABLE t (a INT) WITH ('connector' = 'filesystem', 'format' = 'j")
    editor.press("Control+End")
    page.keyboard.type("s")
    expect(choices.first).to_have_text("json")


def test_changes_are_compared_and_saved_without_being_in_force(edited: Page, site: Site) -> None:
    expect(edited.get_by_role("button", name="Save and start")).to_be_visible()
    third = (SAMPLES / "upgrade/third.sql").read_text(encoding="utf-8")
    edited.get_by_role("textbox", name="SQL program").fill(third)
    edited.get_by_role("button", name="Changes").click()
    expect(edited.locator(".verdict")).to_be_visible()
    edited.get_by_role("button", name="Save as a version").click()
    expect(edited.get_by_text("Version 2 is saved, but not in force")).to_be_visible()
    pipeline = site.client.get("pipelines/edited-sales").json()
    assert (pipeline["in_force"], pipeline["newest"]) == (1, 2)


def test_unsaved_changes_survive_navigation(edited: Page) -> None:
    editor = edited.get_by_role("textbox", name="SQL program")
    expect(editor).to_contain_text("CREATE TABLE orders")
    editor.fill("-- mine")
    edited.get_by_role("link", name="Pipelines", exact=True).first.click()
    expect(edited.locator(".pipelines-table")).to_be_visible()
    edited.go_back()
    expect(editor).to_have_text("-- mine")
    edited.get_by_role("button", name="Discard them").click()
    expect(editor).to_contain_text("CREATE TABLE orders")


def test_a_version_is_edited_from_the_history(open_page: Open) -> None:
    page = open_page("pipelines/sales-by-country/versions")
    page.get_by_role("link", name="Edit version 1").click()
    expect(page.get_by_role("textbox", name="SQL program")).to_contain_text("CREATE TABLE orders")
    expect(page.get_by_text("From version 1, in force")).to_be_visible()
