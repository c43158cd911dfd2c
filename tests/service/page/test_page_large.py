"""The page over a registry of 1,000 pipelines and 100,000 versions."""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter

import pytest
from playwright.sync_api import Browser, Page, expect

from compiled_plan.environment import TableEnvironment
from compiled_plan.service.app import application
from compiled_plan.service.common.settings import Settings
from tests.service.page.served import SAMPLES, served
from tests.service.store.test_pipelines import PIPELINES, VERSIONS, fill

pytestmark = pytest.mark.page


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a service with a large registry."""
    settings = Settings(home=tmp_path_factory.mktemp("large"), tokens=False)
    program = (SAMPLES / "upgrade/second.sql").read_text(encoding="utf-8")
    fill(settings, TableEnvironment().compile_script(program).to_json())
    with served(application(settings)) as site:
        yield site


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1400, "height": 900}, reduced_motion="reduce")
    yield context.new_page()
    context.close()


@pytest.mark.parametrize(
    ("where", "wanted"),
    [
        ("pipelines", f".pipelines-table tbody tr:nth-child({PIPELINES})"),
        ("pipelines/pipeline-0500", ".node"),
        ("pipelines/pipeline-0500/versions", f".versions-table tbody tr:nth-child({VERSIONS})"),
    ],
)
def test_a_view_loads_in_less_than_a_second(address: str, page: Page, where: str, wanted: str) -> None:
    """From an empty page to the content that a user waits for; the best of several, since the machine is shared."""
    seconds = []
    for _ in range(4):
        page.goto("about:blank")
        begin = perf_counter()
        page.goto(f"{address}/#/{where}")
        expect(page.locator(wanted).first).to_be_visible()
        seconds.append(perf_counter() - begin)
    print(f"{where}: {min(seconds) * 1000:.0f} ms")
    assert min(seconds) < 1


def test_all_pipelines_are_reachable(address: str, page: Page) -> None:
    page.goto(f"{address}/#/pipelines")
    expect(page.get_by_role("heading", name=f"Pipelines {PIPELINES}")).to_be_visible()
    expect(page.locator("tbody tr")).to_have_count(PIPELINES)
    begin = perf_counter()
    page.get_by_label("Search pipelines").fill("0999")
    expect(page.locator("tbody tr")).to_have_count(1)
    print(f"found in {(perf_counter() - begin) * 1000:.0f} ms")
    expect(page.get_by_role("link", name="pipeline-0999")).to_be_visible()
