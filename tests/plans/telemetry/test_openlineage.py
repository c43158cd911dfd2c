"""OpenLineage events of runs."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import ExecutionError
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.telemetry.openlineage import Lineage

PROGRAM = """
CREATE TABLE orders (id INT, customer STRING, amount INT, state STRING) WITH (
  'connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'broker:9092,other:9092',
  'properties.sasl.jaas.config' = 'Login required password="hush";',
  'scan.startup.mode' = 'earliest-offset', 'format' = 'json');
CREATE TABLE customers (name STRING, city STRING) WITH (
  'connector' = 'filesystem', 'path' = '/data/customers', 'format' = 'json', 'source.monitor-interval' = '1 s');
CREATE TABLE sums (city STRING, total INT, n BIGINT, PRIMARY KEY (city) NOT ENFORCED) WITH (
  'connector' = 'jdbc', 'url' = 'jdbc:postgresql://me:hush@db/shop', 'table-name' = 'sums', 'username' = 'me',
  'password' = 'hush');
INSERT INTO sums SELECT UPPER(c.city), SUM(o.amount), COUNT(*) FROM orders o JOIN customers c ON o.customer = c.name
WHERE o.state = 'paid' GROUP BY UPPER(c.city);
"""
START = {"event": "start", "at": "2026-01-01T00:00:00.000Z", "bounded": False}
END = {"event": "end", "at": "2026-01-01T00:01:00.000Z", "stopped": False}


@pytest.fixture(scope="module")
def plan() -> CompiledPlan:
    return CompiledPlan.from_json(TableEnvironment().compile_script(PROGRAM).to_json())


def events(plan: CompiledPlan, path: Path, *messages: dict[str, Any]) -> list[dict[str, Any]]:
    lineage = Lineage(str(path), plan, "shop", pytest.fail)
    for message in messages:
        lineage.tell(message)
    lineage.close()
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_tables_and_columns_and_nothing_secret(plan: CompiledPlan, tmp_path: Path) -> None:
    start, end = events(plan, tmp_path / "events", START, END)
    assert (start["eventType"], end["eventType"]) == ("START", "COMPLETE")
    assert start["run"]["runId"] == end["run"]["runId"]
    assert start["job"]["name"] == "shop"
    assert {(input_["namespace"], input_["name"]) for input_ in start["inputs"]} == {
        ("kafka://broker:9092", "orders"),
        ("file", "/data/customers"),
    }
    (out,) = start["outputs"]
    assert (out["namespace"], out["name"]) == ("postgres://db:5432", "shop.public.sums")
    lineage = out["facets"]["columnLineage"]
    direct = {
        name: [
            (input_field["name"], input_field["field"], input_field["transformations"][0]["subtype"])
            for input_field in field["inputFields"]
        ]
        for name, field in lineage["fields"].items()
    }
    assert direct == {
        "city": [("/data/customers", "city", "TRANSFORMATION")],
        "total": [("orders", "amount", "AGGREGATION")],
    }
    rows = {(item["field"], how["subtype"]) for item in lineage["dataset"] for how in item["transformations"]}
    assert rows == {("customer", "JOIN"), ("name", "JOIN"), ("state", "FILTER"), ("city", "GROUP_BY")}
    assert "hush" not in json.dumps([start, end])


@pytest.mark.parametrize(
    ("last", "state"),
    [
        ({**END, "stopped": True}, "ABORT"),
        ({"event": "failed", "at": END["at"], "message": "the row is bad"}, "FAIL"),
    ],
)
def test_end_events_of_runs(plan: CompiledPlan, tmp_path: Path, last: dict[str, Any], state: str) -> None:
    end = events(plan, tmp_path / "events", START, last)[-1]
    assert end["eventType"] == state
    said = end["run"]["facets"].get("errorMessage", {}).get("message")
    assert said == ("the row is bad" if state == "FAIL" else None)


def test_events_go_to_a_url(plan: CompiledPlan) -> None:
    taken: list[dict[str, Any]] = []

    class Taker(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            taken.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(201)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Taker) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        lineage = Lineage(f"http://127.0.0.1:{server.server_port}", plan, "shop", pytest.fail)
        lineage.tell(START)
        lineage.tell(END)
        lineage.close()
        server.shutdown()
    assert [event["eventType"] for event in taken] == ["START", "COMPLETE"]


def test_an_unavailable_server_ends_no_run(plan: CompiledPlan) -> None:
    said: list[str] = []
    lineage = Lineage("http://127.0.0.1:9", plan, "shop", said.append)
    lineage.tell(START)
    lineage.tell(END)
    lineage.close()
    assert len(said) == 1
    assert "http://127.0.0.1:9 does not take events" in said[0]


def test_a_file_that_cannot_be_written_is_named(plan: CompiledPlan, tmp_path: Path) -> None:
    with pytest.raises(ExecutionError, match="cannot write the lineage file: there is no folder"):
        Lineage(str(tmp_path / "no" / "events"), plan, "shop", pytest.fail)
