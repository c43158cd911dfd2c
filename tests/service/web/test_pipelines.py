from __future__ import annotations

import pytest
from fastapi.testclient import TestClient


def make(client: TestClient, *names: str) -> None:
    for name in names:
        assert client.post("pipelines", json={"name": name, "description": f"about {name}"}).status_code == 201


def test_a_pipeline_is_created_read_changed_and_removed(client: TestClient) -> None:
    response = client.post("pipelines", json={"name": "orders", "description": "old"})
    assert (response.status_code, response.headers["Location"]) == (201, "/api/v1/pipelines/orders")
    assert response.json()["state"] == "none"
    assert client.get("pipelines/orders").json() == response.json()
    etag = response.headers["ETag"]
    changed = client.patch("pipelines/orders", json={"description": "new"}, headers={"If-Match": etag})
    assert (changed.status_code, changed.json()["description"]) == (200, "new")
    assert changed.headers["ETag"] != etag
    assert client.delete("pipelines/orders", headers={"If-Match": etag}).status_code == 412
    assert client.delete("pipelines/orders", headers={"If-Match": changed.headers["ETag"]}).status_code == 204
    assert client.get("pipelines/orders").status_code == 404


def test_concurrent_changes_are_not_lost(client: TestClient) -> None:
    make(client, "orders")
    assert client.patch("pipelines/orders", json={"description": "x"}).status_code == 428
    etag = client.get("pipelines/orders").headers["ETag"]
    first = client.patch("pipelines/orders", json={"description": "mine"}, headers={"If-Match": etag})
    second = client.patch("pipelines/orders", json={"description": "yours"}, headers={"If-Match": etag})
    assert (first.status_code, second.status_code) == (200, 412)
    assert "has changed since it was read" in second.json()["detail"]
    assert client.get("pipelines/orders").json()["description"] == "mine"


def test_names_are_unique(client: TestClient) -> None:
    make(client, "orders")
    again = client.post("pipelines", json={"name": "orders"})
    assert (again.status_code, again.json()["where"]) == (409, "orders")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ["", "..", "a/b", "a..b", "-a", "a b", "ä", "x" * 101, "a\n"])
def test_invalid_names(name: str, client: TestClient) -> None:
    answer = client.post("pipelines", json={"name": name})
    assert answer.status_code == 422, answer.text
    assert answer.json()["remedy"]


def test_an_unknown_pipeline_names_the_nearest(client: TestClient) -> None:
    make(client, "orders")
    assert client.get("pipelines/order").json()["remedy"] == "did you mean `orders`?"


def test_a_list_is_searched_and_paged(client: TestClient) -> None:
    make(client, "b-orders", "a-orders", "c", "d-Orders", "e_x")
    first = client.get("pipelines", params={"q": "ORDERS", "limit": 2}).json()
    assert [item["name"] for item in first["items"]] == ["a-orders", "b-orders"]
    assert (first["total"], first["counts"]) == (3, {"none": 5})
    rest = client.get("pipelines", params={"q": "ORDERS", "limit": 2, "cursor": first["cursor"]}).json()
    assert ([item["name"] for item in rest["items"]], rest["cursor"]) == (["d-Orders"], "")
    assert client.get("pipelines", params={"q": "%"}).json()["total"] == 0
    assert client.get("pipelines", params={"state": "running"}).json()["total"] == 0
    assert client.get("pipelines", params={"state": "none"}).json()["total"] == 5


@pytest.mark.parametrize(
    "params", [{"limit": 0}, {"limit": 5000}, {"cursor": "é"}, {"cursor": "%%%"}, {"state": "odd"}]
)
def test_invalid_query_parameters_are_reported(params: dict[str, str], client: TestClient) -> None:
    answer = client.get("pipelines", params=params)
    assert (answer.status_code, answer.headers["content-type"]) == (422, "application/problem+json")


def test_owner_and_tags_are_changed_and_filtered(client: TestClient) -> None:
    client.post("pipelines", json={"name": "a", "owner": "jane", "tags": ["eu", "gold", "eu"]}).raise_for_status()
    make(client, "b", "c")
    etag = client.get("pipelines/b").headers["ETag"]
    body = {"owner": "jane", "tags": ["gold-plus"]}
    changed = client.patch("pipelines/b", json=body, headers={"If-Match": etag})
    assert (changed.json()["owner"], changed.json()["tags"]) == ("jane", ["gold-plus"])
    page = client.get("pipelines", params={"tag": "gold"}).json()
    assert ([item["name"] for item in page["items"]], page["items"][0]["tags"]) == (["a"], ["eu", "gold"])
    assert (page["tags"], page["owners"]) == ({"eu": 1, "gold": 1, "gold-plus": 1}, {"jane": 2})
    assert client.get("pipelines", params={"owner": "jane"}).json()["total"] == 2
    assert client.get("pipelines", params={"owner": "jane", "tag": "eu"}).json()["total"] == 1
    etag = changed.headers["ETag"]
    assert client.patch("pipelines/b", json={"tags": ["A b"]}, headers={"If-Match": etag}).status_code == 422
    cleared = client.patch("pipelines/b", json={"tags": [], "owner": ""}, headers={"If-Match": etag}).json()
    assert (cleared["tags"], cleared["owner"]) == ([], "")
