"""Tests of a program in the editor, run in the service's process for them."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.service.page.conftest import Open, Site

pytestmark = [pytest.mark.page, pytest.mark.spark]
PROGRAM = """CREATE TABLE orders (customer STRING, price DECIMAL(10, 2)) WITH ('connector' = 'datagen');
CREATE TABLE totals (customer STRING, paid DECIMAL(38, 2), PRIMARY KEY (customer) NOT ENFORCED)
  WITH ('connector' = 'print');
INSERT INTO totals SELECT customer, SUM(price) FROM orders GROUP BY customer;
"""
TESTS = """tests:
  - name: orders add up
    steps:
      - rows: {orders: [{customer: ann, price: 9.50}, {customer: ann, price: 0.50}]}
      - expect: {totals: {table: [{customer: ann, paid: 10.50}]}}
      - end:
  - name: no orders
    steps:
      - expect: {totals: {table: []}}
"""


def test_from_a_failing_test_to_a_passing_one(open_page: Open, site: Site, tmp_path: Path) -> None:
    site.client.post("pipelines", json={"name": "tested"}).raise_for_status()
    body = {"program": PROGRAM, "tests": TESTS}
    site.client.post("pipelines/tested/versions", json=body).raise_for_status()
    page = open_page("pipelines/tested/edit", width=1440)
    page.get_by_role("button", name="Tests").click()
    text = page.get_by_role("textbox", name="Tests")
    expect(text).to_contain_text("orders add up")
    page.get_by_role("button", name="Run tests").click()
    expect(page.locator(".tests-actions [role=status]")).to_contain_text("1 passed, 1 failed in", timeout=120_000)
    failure = page.get_by_role("group", name="Failure of orders add up")
    expect(failure.locator(".expected")).to_have_text("  - {customer: ann, paid: 10.50}\n")
    expect(failure.locator(".actual")).to_have_text("  + {customer: ann, paid: 10.00}\n")
    expect(failure.locator(".head")).to_have_text("line 5: totals differs\n")
    expect(failure).to_contain_text("paid: expected 10.50, got 10.00")
    steps = page.locator(".tests-results .bad .tests-steps li")
    expect(steps).to_have_text(["rows line 4, passed", "expect line 5, failed", "end line 6, skipped"])
    page.screenshot(path=tmp_path / "tests-light.png")
    for scheme, width in (("dark", 1440), ("light", 390), ("dark", 390)):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.set_viewport_size({"width": width, "height": 820})
        page.screenshot(path=tmp_path / f"tests-{scheme}-{width}.png", full_page=True)
        assert page.evaluate("document.documentElement.scrollWidth") <= width

    text.fill(TESTS.replace("paid: 10.50", "paid: 10.00"))
    page.get_by_role("button", name="Run tests").click()
    expect(page.locator(".tests-actions [role=status]")).to_contain_text("2 passed in", timeout=30_000)
    expect(page.locator(".tests-results .good")).to_have_count(2)
    page.get_by_role("button", name="Save as a version").click()
    expect(page.get_by_text("Version 2 is saved, but not in force")).to_be_visible()
    assert "paid: 10.00" in site.client.get("pipelines/tested/versions/2").json()["tests"]
    site.client.delete("pipelines/tested", headers={"if-match": "*"})


def test_a_run_is_cancelled_and_a_wrong_text_names_its_line(open_page: Open) -> None:
    page = open_page("new")
    page.get_by_role("textbox", name="SQL program").fill(PROGRAM)
    page.get_by_role("button", name="Tests").click()
    page.get_by_role("textbox", name="Tests").fill("tests:\n  - steps: [{rows: {nothing: []}]")
    page.get_by_role("button", name="Run tests").click()
    expect(page.get_by_role("alert")).to_contain_text("line 2")
    page.get_by_role("textbox", name="Tests").fill(f"steps: [{{rows: {{orders: [[{'a' * 40}c, 3]]}}}}]")
    slow = "REGEXP_REPLACE(customer, '(a+)+\\1b', 'x')"
    endless = PROGRAM.replace("SELECT customer", f"SELECT {slow}").replace("BY customer", f"BY {slow}")
    page.get_by_role("textbox", name="SQL program").fill(endless)
    page.get_by_role("button", name="Run tests").click()
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator(".tests-actions [role=status]")).to_contain_text("Cancelled")
    expect(page.get_by_role("button", name="Run tests")).to_be_enabled()
