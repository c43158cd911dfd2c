"""A service with samples, and a headless Chromium."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
from fastapi import FastAPI
from playwright.sync_api import Browser, Page, sync_playwright

from compiled_plan.service.app import PREFIX
from tests.service.page.served import build, fill, served

#: Paths on Debian and other systems, and a user's own choice.
_NAMES = ("chromium", "chromium-browser", "google-chrome")
SHOTS = Path(__file__).parents[3] / "docs" / "images"


@dataclass(frozen=True)
class Site:
    """A running service.

    Args:
        app: the service.
        address: its address.
        client: of its API.
    """

    app: FastAPI
    address: str
    client: httpx.Client

    def name_of_new(self, program: str, name: str) -> str:
        """Register a pipeline for one test."""
        self.client.post("pipelines", json={"name": name}).raise_for_status()
        body = {"program": program, "comment": "First version"}
        self.client.post(f"pipelines/{name}/versions", json=body).raise_for_status()
        return name


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The registered samples."""
    app = build(tmp_path_factory.mktemp("page") / "home")
    with served(app) as address, httpx.Client(base_url=f"{address}{PREFIX}/", timeout=60) as client:
        fill(app, address)
        yield Site(app, address, client)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium. A machine without one fails here: an unseen page is not known to work."""
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)
    if path is None:
        pytest.fail("the page is tested in Chromium: apt-get install chromium, or set CHROMIUM to its path")
    with sync_playwright() as tools:
        browser = tools.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


Open = Callable[..., Page]


@pytest.fixture
def open_page(browser: Browser, site: Site) -> Iterator[Open]:
    """Open an address of the page. The test fails on an error in the page, and on a request to another host."""
    contexts: list[Any] = []
    wrong: list[str] = []

    def opened(where: str, *, width: int = 1360, height: int = 820, scheme: str = "light") -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=scheme,  # type: ignore[arg-type]
            reduced_motion="reduce",
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(8000)
        page.on("pageerror", lambda fault: wrong.append(f"error: {fault}"))
        page.on("console", lambda text: wrong.append(text.text) if "Content Security Policy" in text.text else None)
        page.on("request", lambda one: None if one.url.startswith((site.address, "data:")) else wrong.append(one.url))
        page.goto(f"{site.address}/#/{where}")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert wrong == []
