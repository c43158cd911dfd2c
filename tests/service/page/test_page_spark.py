"""The page over a running service with real runs: `execute-plan` on Spark."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.service.page.served import SAMPLES
from tests.support.service import ending_runs, served
from tests.support.waiting import wait_until

pytestmark = pytest.mark.page

#: State text of a node.
ROWS = re.compile(r"\d rows?")
#: Limit for the start of Spark, in ms, on a shared machine.
SPARK = 120_000
ORDERS = """'connector' = 'datagen', 'rows-per-second' = '200', 'fields.customer.min' = '1',
  'fields.customer.max' = '50', 'fields.amount.min' = '1', 'fields.amount.max' = '9', 'fields.item.length' = '1'"""
FILES = re.compile(r"'connector' = 'filesystem',\s+'path' = '([^']+)',\s+'format' = '([^']+)'")


@dataclass(frozen=True)
class Place:
    """A service, its page, and the folder of its tables."""

    page: Page
    api: httpx.Client
    address: str
    folder: Path

    def program(self, sample: str) -> str:
        """A sample with unbounded orders, and the other tables in this folder."""
        text = (SAMPLES / "upgrade" / f"{sample}.sql").read_text(encoding="utf-8")

        def put(match: re.Match[str]) -> str:
            return ORDERS if match[1].endswith("/orders") else match[0].replace(match[1], f"{self.folder}/{match[1]}")

        return FILES.sub(put, text)

    def write(self, table: str, rows: list[dict[str, Any]]) -> None:
        """Write rows of a source table."""
        folder = self.folder / "data/upgrade" / table
        folder.mkdir(parents=True, exist_ok=True)
        text = "".join(f"{json.dumps(row)}\n" for row in rows)
        (folder / "rows.json").write_text(text, encoding="utf-8")

    def go(self, where: str) -> None:
        """Open a section of the page."""
        self.page.goto(f"{self.address}/#/{where}")

    def state_rows(self, name: str, of: str) -> int:
        """State rows of an operator after the last micro-batch; -1 before the first."""
        number = self.api.get(f"pipelines/{name}/run").json()["version"]
        graph = self.api.get(f"pipelines/{name}/versions/{number}/graph").json()
        uid = next(node["uid"] for node in graph["nodes"] if node["words"] == of)
        points = self.api.get(f"pipelines/{name}/run/history").json()["points"]
        rows = {operator["uid"]: operator["stateRows"] for operator in points[-1]["operators"]} if points else {}
        return int(rows.get(uid, -1))


@pytest.fixture
def place(browser: Browser, tmp_path: Path) -> Iterator[Place]:
    """Running pipelines are stopped at the end."""
    context = browser.new_context(viewport={"width": 1400, "height": 900}, reduced_motion="reduce")
    with (
        ending_runs(tmp_path / "home"),
        served(tmp_path / "home", "--no-tokens", "--data", str(tmp_path)) as (_, address, _),
        httpx.Client(base_url=address, timeout=60) as api,
    ):
        page = context.new_page()
        # Runs compete with the page for processors.
        page.set_default_timeout(30_000)
        expect.set_options(timeout=30_000)
        yield Place(page, api, address.removesuffix("/api/v1/"), tmp_path)
        for item in api.get("pipelines").json()["items"]:
            name = item["name"]
            api.post(f"pipelines/{name}/run/stop")
            wait_until(lambda name=name: api.get(f"pipelines/{name}/run").json()["pid"] == 0, "the end of a run")  # type: ignore[misc]
        expect.set_options(timeout=5_000)
        context.close()


def test_a_pipeline_from_its_first_program_to_a_rollback(place: Place) -> None:
    page = place.page
    place.write("customers", [{"customer": at, "country": f"country {at % 5}"} for at in range(1, 51)])
    place.write("refunds", [{"item": "a", "amount": 3}])
    place.go("pipelines")
    page.get_by_role("link", name="New").click()
    page.get_by_label("Name").fill("sales")
    page.get_by_role("textbox", name="SQL program").fill(place.program("second"))
    expect(page.locator(".node")).to_have_count(9)
    page.get_by_role("button", name="Save and start").click()
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    orders = page.locator(".node", has_text="Read orders").first
    expect(orders.locator(".node-figures")).to_contain_text("/s", timeout=SPARK)
    join = page.get_by_role("button", name=re.compile("^Join orders with customers"))
    expect(join).to_contain_text("rows")
    expect(page.locator(".glance")).to_contain_text("Running")

    # A wrong and a right TTL, and the state that it would remove.
    join.click()
    field, save = (
        page.get_by_label("TTL of the rows of orders"),
        page.get_by_role("button", name="Save and put into force"),
    )
    field.fill("3 parsecs")
    expect(page.get_by_text("unknown unit parsecs")).to_be_visible()
    expect(save).to_be_disabled()
    field.fill("1 ms")
    page.get_by_role("button", name="Count expired rows").click()
    expect(page.get_by_text(re.compile(r"[\d,]+ of [\d,]+ rows"))).to_be_visible(timeout=SPARK)
    field.fill("3 h")
    page.get_by_label("Comment").fill("orders are paid in hours")
    save.click()
    expect(join).to_contain_text("3 h")
    expect(page.locator(".glance")).to_contain_text("Upgrade waiting", timeout=SPARK)

    # Another program: compared, then migrated to.
    page.get_by_role("link", name="Upgrade").click()
    page.get_by_label("Program").fill(place.program("third"))
    page.get_by_role("button", name="Compile and compare").click()
    expect(page.locator(".side .graph")).to_have_count(2)
    expect(page.locator(".verdict")).to_contain_text("Partially compatible")
    expect(page.locator("#upgrade-new .node.change-added").first).to_be_visible()
    before = place.state_rows("sales", "Join orders with customers")
    assert before > 50
    page.get_by_role("button", name="Migrate to the new program").click()
    page.get_by_role("dialog").get_by_role("button", name="Migrate anyway").click()
    expect(page.locator(".upgrade-progress")).to_contain_text("Migrating the state")
    expect(page.locator(".upgrade-progress .step.going-on")).to_be_visible()
    expect(page.get_by_text("The upgrade is complete")).to_be_visible(timeout=SPARK)
    expect(page.locator(".upgrade-progress .step.done").last).to_contain_text("version 3 runs")
    page.get_by_role("link", name="Plan", exact=True).click()
    expect(page.locator(".node", has_text="by item").first).to_contain_text(ROWS, timeout=SPARK)
    assert place.state_rows("sales", "Join orders with customers") >= before
    expect(page.locator(".glance")).to_contain_text("Running")
    expect(page.locator(".glance")).to_contain_text("3")

    page.get_by_role("link", name="Upgrade").click()
    page.get_by_role("button", name="Roll back").click()
    page.get_by_role("dialog").get_by_role("button", name="Roll back").click()
    expect(page.get_by_text("Rolled back", exact=True)).to_be_visible(timeout=SPARK)
    expect(page.locator(".glance")).to_contain_text("Running", timeout=SPARK)


def test_failed_runs_show_their_reason_and_continue_once_it_is_fixed(place: Place) -> None:
    page, folder = place.page, place.folder / "in"
    program = f"""
    CREATE TABLE names (id INT, name STRING) WITH ('connector' = 'filesystem', 'path' = '{folder}', 'format' = 'json');
    CREATE TABLE longest (id INT, name STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'blackhole');
    INSERT INTO longest SELECT id, MAX(name) FROM names GROUP BY id;
    """
    place.api.post("pipelines", json={"name": "names"}).raise_for_status()
    place.api.post("pipelines/names/versions", json={"program": program}).raise_for_status()
    place.go("pipelines/names")
    # The folder is missing; the run is to read the available data and end.
    page.get_by_role("button", name="Run settings").click()
    page.get_by_role("dialog").get_by_label("Read the data available at the start, then end").check()
    page.get_by_role("dialog").get_by_role("button", name="Save and start").click()
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text(str(folder), timeout=SPARK)
    expect(alert).to_contain_text(re.compile("restart [0-9]+ follows"))
    expect(alert.locator(".problem-remedy")).not_to_be_empty()
    # The folder exists, with an unreadable row.
    folder.mkdir()
    (folder / "1.json").write_text('{"id": 1, "name": "a"}\n{"id": "one", "name": "b"}\n', encoding="utf-8")
    expect(alert).to_contain_text("1.json", timeout=SPARK)
    expect(alert.locator(".problem-remedy")).not_to_be_empty()
    page.get_by_role("link", name="Logs", exact=True).click()
    expect(page.get_by_role("region", name="Log of the run")).to_contain_text("1.json")
    place.go("pipelines")
    expect(page.locator("tr", has_text="names")).to_contain_text("Waiting", timeout=SPARK)
    # Once repaired, it restarts by itself.
    (folder / "1.json").write_text('{"id": 1, "name": "a"}\n{"id": 1, "name": "b"}\n', encoding="utf-8")
    expect(page.locator("tr", has_text="names")).to_contain_text("Finished", timeout=SPARK)
    place.go("pipelines/names/live")
    expect(page.get_by_role("row", name=re.compile("^names"))).to_contain_text("2")
    assert place.api.get("pipelines/names/run").json()["state"] == "finished"
