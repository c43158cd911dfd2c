"""The route of the lineage across pipelines."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

PROGRAM = """
CREATE TABLE {source} (id INT) WITH ('connector' = 'kafka', 'topic' = '{source}', 'format' = 'json',
  'properties.bootstrap.servers' = 'broker:9092', 'scan.startup.mode' = 'earliest-offset');
CREATE TABLE target (id INT) WITH (
  'connector' = '{connector}', {options});
INSERT INTO target SELECT id FROM {source};
"""
TOPIC = "'topic' = 'clean', 'format' = 'json', 'properties.bootstrap.servers' = 'broker:9092'"
JDBC = "'url' = 'jdbc:postgresql://db/shop?password=hush', 'table-name' = 'ids', 'username' = 'me', 'password' = 'hush'"


@pytest.mark.wide
def test_tables_have_the_pipelines_that_write_and_read_them(client: TestClient) -> None:
    for name, source, connector, options in (("first", "visits", "kafka", TOPIC), ("second", "clean", "jdbc", JDBC)):
        client.post("pipelines", json={"name": name})
        program = PROGRAM.format(source=source, connector=connector, options=options)
        answer = client.post(f"pipelines/{name}/versions", json={"program": program})
        assert answer.status_code == 201, answer.text
    answer = client.get("lineage")
    assert "hush" not in answer.text
    lineage = answer.json()
    assert {
        (table["namespace"], table["name"]): (table["written_by"], table["read_by"]) for table in lineage["tables"]
    } == {
        ("kafka://broker:9092", "visits"): ([], ["first"]),
        ("kafka://broker:9092", "clean"): (["first"], ["second"]),
        ("postgres://db:5432", "shop.public.ids"): (["second"], []),
    }
    assert lineage["pending"] == 0
    assert client.get("lineage").json() == lineage
