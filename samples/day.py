"""A day in four minutes: a slow source, a hot key, growing state, and a failing sink, with alerts to a local webhook.

    python samples/day.py FOLDER

It starts a service in the folder and prints when its figures and alerts show each event. Needs `plan-service` on PATH.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

NAME = "day"
#: Rows of a usual second, and of the burst after which the source lags.
USUAL, BURST = 200, 400_000
PROGRAM = """
CREATE TABLE orders (customer INT, amount INT) WITH (
  'connector' = 'filesystem', 'path' = '{folder}/orders', 'format' = 'json', 'source.monitor-interval' = '1 s');
CREATE TABLE totals (customer INT, amount INT) WITH (
  'connector' = 'filesystem', 'path' = '{folder}/totals', 'format' = 'debezium-json');
INSERT INTO totals SELECT customer, SUM(amount) FROM orders GROUP BY customer;
"""
SETTINGS = """
tokens = false
port = 0
data = ["{folder}"]
alerts.webhooks = [{{ name = "local", url = "{webhook}" }}]
alerts.rules = [
  {{ name = "slow", condition = "delay", above = {delay} }},
  {{ name = "growing", condition = "state-growth", above = 20_000_000 }},
  {{ name = "failed", condition = "failure" }},
]
"""


class Day:
    """A pipeline of a service, its source and sink, and the messages that a webhook received.

    Args:
        folder: the folder of the service and of the tables.
        address: the address of the API.
        alerts: the messages of the webhook.
    """

    def __init__(self, folder: Path, address: str, alerts: list[dict[str, Any]]) -> None:
        self.folder, self.address, self.alerts = folder, address, alerts
        self._files = 0
        (folder / "orders").mkdir(exist_ok=True)

    def ask(self, path: str, body: object = None, method: str = "") -> Any:
        """Send one request to the API."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.address}{path}", data, {"content-type": "application/json"})
        request.method = method or ("GET" if body is None else "POST")
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def begin(self) -> None:
        """Create and start the pipeline."""
        self.ask("pipelines", {"name": NAME})
        self.ask(f"pipelines/{NAME}/versions", {"program": PROGRAM.format(folder=self.folder)})
        self.ask(f"pipelines/{NAME}/run/start", {"settings": {"trigger": "1 s"}})

    def write(self, customers: Callable[[], int], rows: int = USUAL) -> None:
        """Add a file of orders."""
        self._files += 1
        hidden = self.folder / f".{self._files}"
        hidden.write_text("".join(f'{{"customer": {customers()}, "amount": 1}}\n' for _ in range(rows)))
        hidden.rename(self.folder / "orders" / f"{self._files}.json")

    def usual(self) -> None:
        """Write orders of a hundred customers."""
        self.write(lambda: random.randrange(100))

    def hot(self) -> None:
        """Write orders of which most are those of one customer."""
        self.write(lambda: 7 if random.random() < 0.9 else random.randrange(100))

    def grow(self) -> None:
        """Write orders of new customers."""
        self.write(lambda: random.randrange(2**31), 20 * USUAL)

    def lag(self) -> None:
        """Write more orders than a micro-batch takes in its usual time."""
        self.write(lambda: random.randrange(100), BURST)

    def fail(self) -> None:
        """Replace the folder of the sink by a file."""
        shutil.rmtree(self.folder / "totals", ignore_errors=True)
        (self.folder / "totals").write_text("not a folder")
        self.usual()

    def figures(self) -> dict[str, Any]:
        """The current figures; empty before the first micro-batch."""
        return self.ask(f"pipelines/{NAME}/run/figures")["figures"] or {}

    def is_hot(self) -> bool:
        """Return True if the figures show a hot key."""
        return any(key["share"] > 0.8 for one in self.figures().get("operators", ()) for key in one["hot_keys"][:1])

    def has_alert(self, rule: str) -> bool:
        """Return True if the webhook has the message of a rule."""
        return any(alert["rule"] == rule and alert["state"] == "firing" for alert in list(self.alerts))


@contextmanager
def webhook(messages: list[dict[str, Any]]) -> Iterator[str]:
    """Serve a webhook that collects messages; returns its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            messages.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *arguments: object) -> None:
            """Print nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def settings(folder: Path, address: str, delay: float = 10) -> Path:
    """Write the settings of the service.

    Args:
        folder: the folder of the tables.
        address: the webhook.
        delay: the threshold of the rule on the delay, in seconds.
    """
    file = folder / "service.toml"
    file.write_text(SETTINGS.format(folder=folder, webhook=address, delay=delay))
    return file


def until(condition: Callable[[], bool], act: Callable[[], None], words: str, patience: float = 120) -> float:
    """Act every second until a condition holds; returns the seconds, or raises TimeoutError."""
    begun = time.monotonic()
    while not condition():
        if time.monotonic() - begun > patience:
            raise TimeoutError(f"not shown in {patience:.0f} s: {words}")
        act()
        time.sleep(1)
    return time.monotonic() - begun


def events(day: Day) -> Iterator[tuple[str, Callable[[], None], Callable[[], bool]]]:
    """The events of the day in their order: a name, the action of each second, and the sign of it."""
    yield "first rows", day.usual, lambda: bool(day.figures().get("operators"))
    yield "hot key", day.hot, day.is_hot
    yield "growing state", day.grow, lambda: day.has_alert("growing")
    burst = iter((day.lag,))
    yield "slow source", lambda: next(burst, day.usual)(), lambda: day.has_alert("slow")
    failure = iter((day.fail,))
    yield "failing sink", lambda: next(failure, day.usual)(), lambda: day.has_alert("failed")


def main() -> None:
    """Run the day and print its events."""
    folder = Path(sys.argv[1]).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    messages: list[dict[str, Any]] = []
    with webhook(messages) as address:
        command = ["plan-service", "serve", "--config", str(settings(folder, address)), "--home", str(folder / "home")]
        log = (folder / "service.log").open("w")
        with subprocess.Popen(command, stderr=log, stdout=log) as service:
            try:
                begun = time.monotonic()
                while not (origin := _address(folder / "service.log")):
                    if service.poll() is not None or time.monotonic() - begun > 60:
                        sys.exit((folder / "service.log").read_text())
                    time.sleep(0.1)
                day = Day(folder, f"{origin}/api/v1/", messages)
                print(f"Open {origin}/#/pipelines/{NAME}", flush=True)
                day.begin()
                for name, act, shown in events(day):
                    print(f"{name}: shown after {until(shown, act, name):.0f} s", flush=True)
                day.ask(f"pipelines/{NAME}/run/stop", {})
            finally:
                service.terminate()


def _address(log: Path) -> str:
    lines = log.read_text().splitlines() if log.exists() else []
    starts = [line.split()[1] for line in lines if line.startswith("plan-service: http")]
    return starts[0] if starts else ""


if __name__ == "__main__":
    main()
