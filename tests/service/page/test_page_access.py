"""The page without a session, and with the viewer role."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import httpx2 as httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from compiled_plan.service.access import tokens
from compiled_plan.service.access.roles import Role
from compiled_plan.service.app import PREFIX, application
from compiled_plan.service.common.settings import Settings
from tests.service.page.served import SAMPLES, add, served

pytestmark = pytest.mark.page


@dataclass(frozen=True)
class Guarded:
    """A service with authentication: its address, and a token per role."""

    address: str
    tokens: dict[Role, str]


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    """One pipeline, three tokens."""
    app = application(Settings(home=tmp_path_factory.mktemp("guarded") / "home", data=("data", "out")))
    with app.state.parts.database.write() as session:
        secrets = {role: tokens.create(session, f"a-{role.value}", role, "test").secret for role in Role}
    with served(app) as address:
        headers = {"authorization": f"Bearer {secrets[Role.OPERATOR]}"}
        with httpx.Client(base_url=f"{address}{PREFIX}/", headers=headers, timeout=60) as client:
            add(client, "sales", "Sales", (SAMPLES / "upgrade/second.sql").read_text(encoding="utf-8"))
        yield Guarded(address, secrets)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A browser without a session."""
    context = browser.new_context(viewport={"width": 1200, "height": 800})
    page = context.new_page()
    page.set_default_timeout(8000)
    yield page
    context.close()


def sign_in(page: Page, guarded: Guarded, role: Role) -> None:
    page.goto(f"{guarded.address}/#/pipelines/sales")
    page.get_by_label("Token").fill(guarded.tokens[role])
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator(".node").first).to_be_visible()


def test_sign_in_with_a_wrong_and_a_right_token(page: Page, guarded: Guarded) -> None:
    page.goto(f"{guarded.address}/#/pipelines/sales")
    page.get_by_label("Token").fill("wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("this token is unknown")
    expect(page.get_by_role("alert")).not_to_contain_text("Bearer")
    page.get_by_label("Token").fill(guarded.tokens[Role.VIEWER])
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="sales")).to_be_visible()
    page.reload()
    expect(page.get_by_text("a-viewer")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("Token")).to_be_visible()


def test_a_viewer_has_no_controls_for_changes(page: Page, guarded: Guarded) -> None:
    sign_in(page, guarded, Role.VIEWER)
    page.locator(".node", has_text="Join orders").click()
    assert page.get_by_label("TTL of the rows of orders").get_attribute("readonly") is not None
    expect(page.get_by_role("link", name="Tokens")).to_have_count(0)
    page.get_by_role("link", name="Pipelines").first.click()
    expect(page.get_by_role("link", name="sales")).to_be_visible()
    expect(page.get_by_role("link", name="New")).to_have_count(0)


def test_an_editor_changes_a_ttl_in_a_session_of_the_page(page: Page, guarded: Guarded) -> None:
    sign_in(page, guarded, Role.EDITOR)
    page.locator(".node", has_text="Join orders").click()
    page.get_by_label("TTL of the rows of orders").fill("3 h")
    page.get_by_role("button", name="Save and put into force").click()
    expect(page.locator(".node", has_text="Join orders")).to_contain_text("3 h")


def test_an_operator_creates_and_revokes_a_token(page: Page, guarded: Guarded) -> None:
    sign_in(page, guarded, Role.OPERATOR)
    page.get_by_role("link", name="Tokens").click()
    page.get_by_role("button", name="New token").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("jane")
    dialog.get_by_role("button", name="Create").click()
    secret = dialog.locator(".token code").inner_text()
    dialog.get_by_role("button", name="Done").click()
    headers = {"authorization": f"Bearer {secret}"}
    url = f"{guarded.address}{PREFIX}/me"
    assert httpx.get(url, headers=headers).json()["role"] == "viewer"
    page.get_by_role("button", name="Revoke jane").click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    expect(page.get_by_role("row", name="jane")).to_have_count(0)
    assert httpx.get(url, headers=headers).status_code == 401


def test_a_service_without_runs_has_no_run_controls(page: Page, guarded: Guarded) -> None:
    described = httpx.get(
        f"{guarded.address}{PREFIX}/openapi.json",
        headers={"authorization": f"Bearer {guarded.tokens[Role.VIEWER]}"},
    ).json()["paths"]
    runs = any(path.endswith("/run/start") for path in described)
    sign_in(page, guarded, Role.OPERATOR)
    expect(page.get_by_role("button", name="Start")).to_have_count(int(runs))
    expect(page.get_by_role("link", name="Logs")).to_have_count(int(runs))


def test_an_operator_sets_and_deletes_a_secret_whose_value_is_never_shown(page: Page, guarded: Guarded) -> None:
    answers: list[str] = []
    page.on("response", lambda answer: "/secrets" in answer.url and answer.ok and answers.append(answer.text()))
    sign_in(page, guarded, Role.OPERATOR)
    page.get_by_role("link", name="Secrets").click()
    expect(page.get_by_text("No secrets yet")).to_be_visible()
    page.get_by_role("button", name="New secret").click()
    page.get_by_label("Name").fill("SHOP_PASSWORD")
    page.get_by_label("Value").fill("S3CRET")
    page.get_by_label("Pipelines").fill("sales, orders")
    page.get_by_role("button", name="Save").click()
    row = page.get_by_role("row", name="SHOP_PASSWORD")
    expect(row).to_contain_text("sales, orders")
    row.get_by_role("button", name="Replace").click()
    expect(page.get_by_label("Value")).to_have_value("")
    page.get_by_label("Value").fill("S3CRET, too")
    page.get_by_label("Previews").check()
    page.get_by_role("button", name="Save").click()
    expect(row).to_contain_text("yes")
    row.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_text("No secrets yet")).to_be_visible()
    assert len(answers) > 3 and "S3CRET" not in "".join(answers) + page.content()
