"""Unusual input: long texts, right-to-left names, few points and gaps in charts, run settings."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.service.page.conftest import Open, Site
from tests.service.page.served import SAMPLES, say

pytestmark = pytest.mark.page

SECOND = (SAMPLES / "upgrade/second.sql").read_text(encoding="utf-8")
ODD = """CREATE TABLE `a\u202eb` (`\u0645` INT, v INT) WITH ('connector' = 'datagen');
CREATE TABLE o (`\u0645` INT, n BIGINT, PRIMARY KEY (`\u0645`) NOT ENFORCED) WITH ('connector' = 'print');
INSERT INTO o SELECT x.`\u0645`, COUNT(*) FROM `a\u202eb` AS x JOIN `a\u202eb` AS y ON x.v = y.`\u0645`
GROUP BY x.`\u0645`;"""


def test_a_long_message_leaves_room_for_the_rest(open_page: Open, site: Site) -> None:
    name = site.name_of_new(SECOND, "long-message")
    say(site.app, name, state="failed", message="an operator has other keys, " * 200, remedy="look at it, " * 40)
    page = open_page("pipelines")
    height = page.locator("tr", has_text=name).evaluate("row => row.offsetHeight")
    assert height < 160
    page.get_by_role("link", name=name).click()
    expect(page.get_by_role("group", name="Message", exact=True)).to_contain_text("other keys")
    assert page.locator(".problem").evaluate("box => box.offsetHeight") < 300
    page.get_by_role("group", name="Message", exact=True).focus()  # the keyboard scrolls it
    expect(page.get_by_role("group", name="Message", exact=True)).to_be_focused()
    site.client.delete(f"pipelines/{name}", headers={"if-match": "*"})


def test_right_to_left_names_do_not_reverse_their_surroundings(open_page: Open, site: Site) -> None:
    name = site.name_of_new(ODD, "turning")
    page = open_page(f"pipelines/{name}")
    expect(page.get_by_role("button", name="Read a\ufffdb")).to_be_visible()
    # In a self-join, the sides distinguish the two inputs.
    join = page.locator(".node", has_text="Join")
    expect(join).to_contain_text("left a\ufffdb")
    expect(join).to_contain_text("right a\ufffdb")
    assert "\u202e" not in page.locator("main").inner_text()
    page.goto(f"{site.address}/#/pipelines/{name}/upgrade")
    # The program is sent back unchanged.
    expect(page.get_by_label("SQL program")).to_contain_text("CREATE TABLE")
    with page.expect_request("**/compile*") as sent:
        page.get_by_role("button", name="Compile and compare").click()
    assert sent.value.post_data_json["program"] == ODD
    page.goto(f"{site.address}/#/pipelines/{name}/versions")
    page.get_by_role("button", name="Program of version 1").click()
    expect(page.get_by_role("dialog")).to_contain_text("a\ufffdb")


def points_of(*seconds: int) -> list[dict[str, Any]]:
    """Micro-batches that ended this many seconds after a time in the last hour."""
    figures = {"rowsIn": 100, "rowsOut": 50, "batchMillis": 500, "watermark": None, "operators": []}
    source = {"name": "numbers", "rows": 100, "lag": None, "lagUnit": "records", "table": "c.d.numbers", "nodes": []}
    return [
        {"event": "batch", "batch": at, "at": "", "ago": 3000 - second, "sources": [source], **figures}
        for at, second in enumerate(seconds)
    ]


@pytest.mark.parametrize(
    ("seconds", "lines", "rate"),
    [([0], [1], 200), ([0, 10, 20], [3], 10), ([0, 10, 20, 1000, 1010], [3, 2], 10)],
    ids=["one", "paced", "broken"],
)
def test_charts_with_few_points_and_gaps(
    open_page: Open, site: Site, seconds: list[int], lines: list[int], rate: float
) -> None:
    page = open_page("pipelines/customers-latest/live")
    drawn = page.evaluate(
        """async (points) => {
          const main = document.querySelector('script').src;
          const { paced, perSecond, pointOf } = await import(main.replace('main.js', 'points.js'));
          const at = (ago) => new Date(Date.now() - ago * 1000).toISOString();
          const all = paced(points.map((each) => pointOf({ ...each, at: at(each.ago) })));
          const lines = [];
          for (const each of all) each.broken || !lines.length ? lines.push(1) : lines[lines.length - 1] += 1;
          return { lines, rates: all.map((each) => perSecond(each, each.rows_in)) };
        }""",
        points_of(*seconds),
    )
    assert drawn["lines"] == lines
    assert drawn["rates"] == pytest.approx([rate] * len(seconds), rel=0.02)


def answered(page: Page, points: list[dict[str, Any]]) -> None:
    """Make these points the history of a pipeline."""
    now = page.evaluate("Date.now()")

    def answer(route: Route) -> None:
        ends = [page.evaluate("ms => new Date(ms).toISOString()", now - point["ago"] * 1000) for point in points]
        route.fulfill(json={"points": [{**point, "at": end} for point, end in zip(points, ends, strict=True)]})

    page.route("**/run/history*", answer)


def test_charts_with_one_point_and_with_unknown_lag(open_page: Open, site: Site) -> None:
    page = open_page("pipelines/customers-latest")
    answered(page, points_of(0))
    page.goto(f"{site.address}/#/pipelines/customers-latest/live")
    canvas = page.locator("#chart-rows canvas")
    expect(canvas).to_be_visible()
    page.wait_for_timeout(200)
    # Between the axes, whose numbers have the colours of their lines. The points of both lines lie on each other.
    coloured = """(canvas, [first, last]) => {
      const axis = 56 * devicePixelRatio;
      const width = canvas.width - 2 * axis;
      const place = [axis + first * width, 0, (last - first) * width, canvas.height];
      const { data } = canvas.getContext('2d').getImageData(...place);
      let pixels = 0;
      for (let at = 0; at < data.length; at += 4) {
        const [most, least] = [Math.max(...data.slice(at, at + 3)), Math.min(...data.slice(at, at + 3))];
        pixels += most - least > 80 && data[at + 3] > 200;
      }
      return pixels;
    }"""
    assert canvas.evaluate(coloured, [0.5, 1]) > 5, "one point is seen, too"
    assert canvas.evaluate(coloured, [0.1, 0.5]) == 0, "it is at the end of a minute"


def test_run_settings_before_the_first_start(open_page: Open, site: Site) -> None:
    name = site.name_of_new(SECOND, "settings-changed")
    page = open_page(f"pipelines/{name}")
    page.get_by_role("button", name="Run settings").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Time between micro-batches").fill("soon")
    dialog.get_by_role("button", name="Save and start").click()
    expect(dialog.get_by_role("alert")).to_be_visible()
    dialog.get_by_label("Time between micro-batches").fill("10 s")
    dialog.get_by_label("Spark settings").fill("spark.sql.shuffle.partitions = 4\nspark.x.y=a=b")
    dialog.get_by_label("Maximum number of files").fill("3")
    dialog.get_by_role("button", name="Save and start").click()
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    settings = site.client.get(f"pipelines/{name}/run").json()["settings"]
    assert (settings["trigger"], settings["max_files_per_batch"]) == ("10 s", 3)
    assert settings["conf"] == {"spark.sql.shuffle.partitions": "4", "spark.x.y": "a=b"}
    page.get_by_role("button", name="Run settings").click()
    expect(dialog.get_by_label("Time between micro-batches")).to_have_value("10 s")
    expect(dialog).to_contain_text("apply from the next start")


def test_the_first_version_of_an_empty_pipeline(open_page: Open, site: Site) -> None:
    site.client.post("pipelines", json={"name": "empty-one"}).raise_for_status()
    page = open_page("pipelines/empty-one")
    page.get_by_role("link", name="Add a program").click()
    page.get_by_role("textbox", name="SQL program").fill(SECOND)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".node")).to_have_count(9)
    site.client.delete("pipelines/empty-one", headers={"if-match": "*"})
