"""Logs on the page: levels, search, stack traces, download, follow mode, no output."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.service.page.conftest import Open, Site
from tests.service.page.test_page import SECOND

pytestmark = pytest.mark.page

LINES = [
    "2026-03-01T10:00:00.000Z INFO compiled-plan 1.0.0 runs plan.json until it is stopped, checkpoint /data/cp",
    "2026-03-01T10:00:00.010Z INFO Spark 4.1.1 at local[2], UI none",
    *(f"2026-03-01T10:{at // 60:02}:{at % 60:02}.120Z INFO batch {at}: 10 rows in, 5 out, 20 ms" for at in range(120)),
    "+I[1, apple]",
    "26/03/01 10:02:01 WARN TaskSetManager: Lost task 0.0 in stage 1.0",
    "2026-03-01T10:02:02.000Z WARN batches 121 to 180: 600 rows in, 300 out, 20 ms on average, 2 dead letters",
    "26/03/01 10:02:03 ERROR MicroBatchExecution: Query orders terminated with error",
    "org.apache.spark.SparkException: Job aborted due to stage failure",
    "\tat org.apache.spark.scheduler.DAGScheduler.abortStage(DAGScheduler.scala:2856)",
    "Caused by: java.net.ConnectException: Connection refused",
    "\t... 12 more",
    "error: plan.json: the broker kafka:9092 does not answer",
    "  at: orders",
    "  try: check that it runs",
]


@pytest.fixture
def name(site: Site, request: pytest.FixtureRequest) -> str:
    name = site.name_of_new(SECOND, f"logs-{abs(hash(request.node.name)) % 10**8}")
    site.app.state.faked.lines[name] = LINES
    return name


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1440, "light")])
def test_entries_have_levels_and_folded_traces(
    open_page: Open, name: str, width: int, scheme: str, tmp_path: Path
) -> None:
    page = open_page(f"pipelines/{name}/logs", width=width, scheme=scheme)
    entries = page.locator(".log-entry")
    expect(entries).to_have_count(len(LINES) - 6)
    expect(entries.last).to_contain_text("error: plan.json: the broker")
    expect(entries.last).to_contain_text("try: check that it runs")
    trace = page.get_by_text("4 lines of the stack trace")
    expect(page.get_by_text("Caused by: java.net.ConnectException")).to_be_hidden()
    page.screenshot(path=Path(os.environ.get("SHOTS", tmp_path)) / f"logs-{width}-{scheme}.png")
    trace.click()
    expect(page.get_by_text("Caused by: java.net.ConnectException")).to_be_visible()
    page.get_by_label("Level").select_option("WARN")
    expect(entries).to_have_count(4)
    page.get_by_label("Level").select_option("ERROR")
    expect(entries).to_have_count(2)
    page.get_by_label("Search lines").fill("connection refused")
    expect(entries).to_have_count(1)
    page.get_by_label("Search lines").fill("nothing like it")
    expect(page.get_by_text("No matching lines.")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_new_lines_are_followed_until_the_reader_scrolls_up(open_page: Open, name: str, site: Site) -> None:
    page = open_page(f"pipelines/{name}/logs")
    log, follow = page.locator("#log"), page.get_by_label("Follow")
    at_end = "log => log.scrollHeight - log.scrollTop - log.clientHeight < 2"
    expect(page.locator(".log-entry").last).to_be_in_viewport()
    assert log.evaluate(at_end)
    log.evaluate("log => log.scrollTo(0, 0)")
    expect(follow).not_to_be_checked()
    site.app.state.faked.lines[name] = [*LINES, "2026-03-01T10:03:00.000Z INFO one more"]
    expect(page.get_by_text("one more")).to_have_count(1)
    assert log.evaluate("log => log.scrollTop") == 0
    follow.check()
    expect(page.get_by_text("one more")).to_be_in_viewport()


def test_a_download_has_all_lines(open_page: Open, name: str) -> None:
    page = open_page(f"pipelines/{name}/logs")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    assert download.value.suggested_filename == f"{name}.log"
    assert Path(download.value.path()).read_text(encoding="utf-8").splitlines()[-3:] == LINES[-3:]


def test_no_output_is_explained(open_page: Open, name: str, site: Site) -> None:
    site.app.state.faked.lines[name] = []
    page = open_page(f"pipelines/{name}/logs")
    expect(page.get_by_text("This pipeline has not run yet.")).to_be_visible()
    expect(page.get_by_role("button", name="Download")).to_have_count(0)
