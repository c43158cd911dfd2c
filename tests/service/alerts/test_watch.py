"""Alerts over runs: they begin, hold, are resolved, and reach webhooks once."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from compiled_plan.plans.telemetry.progress_file import ProgressFile
from compiled_plan.service.alerts.watch import Watch
from compiled_plan.service.alerts.webhooks import Delivery
from compiled_plan.service.common.alert_rules import Rule, Webhook
from compiled_plan.service.common.settings import Settings
from compiled_plan.service.runs.recent import RecentBatches
from compiled_plan.service.runs.supervisor import Supervisor
from compiled_plan.service.store import alerts, pipelines
from compiled_plan.service.store.database import Database, open_database
from compiled_plan.service.store.tables import Alert, Status

RULES = [
    Rule(name="behind", condition="lag", above=1000, pipelines="sh*"),
    Rule(name="broken", condition="failure"),
    Rule(name="grows", condition="state-growth", above=1_000_000),
    Rule(name="slow", condition="delay", above=10),
    Rule(name="quiet", condition="no-data", above=60),
    Rule(name="long-behind", condition="lag", above=1000, hold_seconds=3600),
    Rule(name="of-others", condition="failure", pipelines="bakery"),
]


@dataclass
class Receiver:
    """A local webhook; it answers with the next status of `statuses`, then with 200."""

    address: str
    statuses: list[int] = field(default_factory=list)
    messages: list[dict[str, Any]] = field(default_factory=list)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            status = received.statuses.pop(0) if received.statuses else 200
            if status == 200:
                received.messages.append(json.loads(body))
            self.send_response(status)
            self.send_header("location", f"{received.address}/elsewhere")
            self.end_headers()

        def log_message(self, *arguments: Any) -> None: ...

    server = HTTPServer(("127.0.0.1", 0), Handler)
    received = Receiver(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield received
    server.shutdown()
    thread.join()
    server.server_close()


class Shop:
    """A pipeline whose status and micro-batches a test sets."""

    def __init__(self, home: Path) -> None:
        self.database: Database = open_database(Settings(home=home, tokens=False))
        with self.database.write() as session:
            self.id = pipelines.create(session, "shop", "", "me").id
        self.file = home / "progress.jsonl"
        self.watch = Watch(self.database, RULES, RecentBatches(lambda _: self.file))

    def says(self, state: str, message: str = "") -> None:
        now = datetime.now(UTC)
        with self.database.write() as session:
            session.merge(Status(pipeline_id=self.id, state=state, version=1, seen_at=now, since=now, message=message))

    def crashes(self, count: int) -> None:
        with self.database.write() as session:
            runs = Supervisor(self.file.parent, self.database)
            runs.wanted(session, pipelines.find(session, "shop")).crashes = count

    def batch(self, *, ago: float, lag: int, state_bytes: int, millis: int = 20) -> None:
        operator = {"uid": "join-1", "rowsIn": 1, "rowsOut": 1, "stateRows": 1, "stateBytes": state_bytes}
        source = {"name": "orders", "rows": 1, "lag": lag, "lagUnit": "records"}
        at = (datetime.now(UTC) - timedelta(seconds=ago)).isoformat().replace("+00:00", "Z")
        figures = {"batch": 1, "rowsIn": 1, "rowsOut": 1, "deadLetters": 0, "batchMillis": millis, "watermark": None}
        progress = ProgressFile(self.file)
        progress.tell({"event": "batch", "at": at, **figures, "sources": [source], "operators": [operator]})
        progress.close()

    def firing(self) -> dict[str, str]:
        self.watch.evaluate()
        with self.database.read() as session:
            return {alert.rule: alert.message for alert in alerts.firing(session)}


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    shop = Shop(tmp_path)
    yield shop
    shop.database.close()


def test_alerts_fire_while_their_condition_holds(shop: Shop) -> None:
    shop.says("running")
    assert shop.firing() == {}
    shop.batch(ago=600, lag=5000, state_bytes=0)
    assert shop.firing().keys() == {"behind", "quiet", "slow"}
    shop.batch(ago=0, lag=10, state_bytes=1_000_000)
    firing = shop.firing()
    assert firing.keys() == {"grows"}
    assert "most in join-1" in firing["grows"]
    shop.says("failed", "the database does not answer")
    assert shop.firing() == {"broken": "the database does not answer"}
    # A restart does not end the alert while crashes follow each other.
    shop.crashes(2)
    shop.says("running")
    assert shop.firing()["broken"] == "restarted after 2 crashes in a row"
    shop.crashes(0)
    assert "broken" not in shop.firing()
    shop.says("stopped")
    assert shop.firing() == {}


@pytest.mark.parametrize(("ago", "rules"), [(10, {"slow"}), (20, set())])
def test_a_slow_micro_batch_of_the_last_seconds_fires(shop: Shop, ago: float, rules: set[str]) -> None:
    shop.says("running")
    shop.batch(ago=40, lag=0, state_bytes=0)
    shop.batch(ago=ago, lag=0, state_bytes=0, millis=15_000)
    for later in (ago - 1, 3, 1):
        shop.batch(ago=later, lag=0, state_bytes=0)
    assert shop.firing().keys() == rules


def test_a_webhook_gets_one_message_at_each_end_and_retries(shop: Shop, receiver: Receiver) -> None:
    hooks = [Webhook(name="pager", url=f"{receiver.address}/secret")]
    delivery = Delivery(shop.database, hooks, "https://plans.example.com", first_retry=0)
    receiver.statuses = [500, 302]
    shop.says("failed", "no disk")
    shop.firing()
    for _ in range(4):
        delivery.deliver()
        shop.firing()
    assert [message["state"] for message in receiver.messages] == ["firing"]
    assert receiver.messages[0]["message"] == "no disk"
    assert receiver.messages[0]["link"] == "https://plans.example.com/#/pipelines/shop"
    shop.says("stopped")
    shop.firing()
    delivery.deliver()
    # Another process of the service knows the deliveries from the database.
    Delivery(shop.database, hooks, "").deliver()
    assert [message["state"] for message in receiver.messages] == ["firing", "resolved"]
    assert receiver.messages[1]["resolved_at"] is not None


def test_slack_gets_a_text(shop: Shop, receiver: Receiver) -> None:
    shop.says("failed", "a < b")
    shop.firing()
    Delivery(shop.database, [Webhook(name="chat", url=receiver.address, form="slack")], "").deliver()
    assert receiver.messages == [{"text": ":rotating_light: Firing: *shop* broken: a &lt; b"}]


def test_a_failing_webhook_is_logged_without_its_url(shop: Shop, caplog: pytest.LogCaptureFixture) -> None:
    hook = Webhook(name="pager", url="http://127.0.0.1:9/hush")
    assert "hush" not in repr(hook)
    shop.says("failed")
    shop.firing()
    Delivery(shop.database, [hook], "").deliver()
    assert "pager" in caplog.text
    assert "hush" not in caplog.text


def test_only_alerts_with_pending_messages_are_read(
    shop: Shop, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    delivery = Delivery(shop.database, [Webhook(name="pager", url=receiver.address)], "", first_retry=0)
    read: list[str] = []

    def send(hook: Webhook, alert: Alert, name: str) -> bool:
        read.append(alert.rule)
        return Delivery._send(delivery, hook, alert, name)

    monkeypatch.setattr(delivery, "_send", send)
    shop.says("failed", "no disk")
    shop.firing()
    receiver.statuses = [500]
    for expected in (["broken"], ["broken"], [], []):
        read.clear()
        delivery.deliver()
        assert read == expected
    shop.says("stopped")
    shop.firing()
    delivery.deliver()
    delivery.deliver()
    assert read == ["broken"]
    assert [message["state"] for message in receiver.messages] == ["firing", "resolved"]


def test_rules_of_the_database_follow_tags(shop: Shop) -> None:
    rule = Rule(name="gold-broken", condition="failure", tag="gold")
    with shop.database.write() as session:
        alerts.set_rule(session, RULES, rule, "me")
    shop.says("failed", "no disk")
    assert "gold-broken" not in shop.firing()
    with shop.database.write() as session:
        pipelines.find(session, "shop").tags = ("gold",)
    assert "gold-broken" in shop.firing()
    with shop.database.write() as session:
        alerts.remove_rule(session, RULES, "gold-broken")
    assert shop.firing().keys() == {"broken"}
