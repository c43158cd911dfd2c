"""Routes of alerts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from compiled_plan.plans.errors import ProgramError
from compiled_plan.service.app import application
from compiled_plan.service.common.settings import Settings, read_settings
from compiled_plan.service.workers.pool import Workers

SETTINGS = """
tokens = false
[[alerts.rules]]
name = "behind"
condition = "lag"
above = 1000
[[alerts.webhooks]]
name = "pager"
url = "http://127.0.0.1:9/hush"
"""


@pytest.fixture
def client(tmp_path: Path, workers: Workers) -> Iterator[TestClient]:
    file = tmp_path / "service.toml"
    file.write_text(SETTINGS)
    app = application(read_settings(str(file), {"home": tmp_path / "home"}), workers)
    with TestClient(app, base_url="http://127.0.0.1/api/v1", client=("127.0.0.1", 5000)) as client:
        yield client


def test_rules_are_shown_and_webhooks_are_not(client: TestClient) -> None:
    answer = client.get("alerts")
    assert answer.json()["items"] == []
    assert [rule["name"] for rule in answer.json()["rules"]] == ["behind"]
    assert "hush" not in answer.text
    rules = client.get("alerts/prometheus")
    assert rules.headers["content-type"].startswith("text/yaml")
    assert "compiled_plan_source_lag" in rules.text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[[alerts.rules]]\nname = "a"\ncondition = "lag"', "needs a threshold"),
        ('[[alerts.rules]]\nname = "a"\ncondition = "failure"\nabove = 3', "has no threshold"),
        ('[[alerts.webhooks]]\nname = "a"\nurl = "file:///etc/passwd"', "begins with http"),
    ],
)
def test_wrong_settings_are_named(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "service.toml"
    file.write_text(text)
    with pytest.raises(ProgramError, match=message):
        read_settings(str(file), {})
    assert Settings().alerts.rules == ()


def test_rules_are_set_for_a_pipeline_and_for_a_tag(client: TestClient) -> None:
    for name, tags in (("eu-orders", ["gold"]), ("us-orders", [])):
        client.post("pipelines", json={"name": name}).raise_for_status()
        client.patch(f"pipelines/{name}", json={"tags": tags}, headers={"if-match": "*"}).raise_for_status()
    quiet = {"name": "quiet", "condition": "no-data", "above": 60, "pipelines": "us-orders"}
    gold = {"name": "gold-behind", "condition": "lag", "above": 10, "tag": "gold"}
    for rule in (quiet, gold):
        assert client.put(f"alerts/rules/{rule['name']}", json=rule).status_code == 200

    def names(pipeline: str) -> list[str]:
        rules = client.get("alerts", params={"pipeline": pipeline}).json()["rules"]
        return [rule["name"] for rule in rules]

    assert names("eu-orders") == ["behind", "gold-behind"]
    assert names("us-orders") == ["behind", "quiet"]
    assert names("") == ["behind", "gold-behind", "quiet"]
    assert r'compiled_plan_source_lag{plan=~"eu\\-orders"}' in client.get("alerts/prometheus").text

    client.put("alerts/rules/quiet", json={**quiet, "tag": "gold"}).raise_for_status()
    assert names("us-orders") == ["behind"]
    assert client.delete("alerts/rules/quiet").status_code == 204
    assert client.delete("alerts/rules/quiet").status_code == 404


@pytest.mark.parametrize(
    ("path", "rule", "status"),
    [
        ("behind", {"name": "behind", "condition": "failure"}, 409),
        ("a", {"name": "b", "condition": "failure"}, 422),
        ("a", {"name": "a", "condition": "lag"}, 422),
        ("a", {"name": "a", "condition": "failure", "colour": "red"}, 422),
    ],
)
def test_wrong_rules_are_refused(path: str, rule: dict[str, str], status: int, client: TestClient) -> None:
    answer = client.put(f"alerts/rules/{path}", json=rule)
    assert answer.status_code == status
    assert answer.json()["detail"]
    assert client.delete("alerts/rules/behind").status_code == 409
